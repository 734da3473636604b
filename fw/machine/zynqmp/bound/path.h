#ifndef MACHINE_ZYNQMP_BOUND_PATH_H
#define MACHINE_ZYNQMP_BOUND_PATH_H

#include "arch/aarch64/path.h"

/* Bytes of a way of L2, which has 16 of them in 1 MB (UG1085). Addresses so far apart fall into
 * one set of L2, and of either L1, whose ways are smaller. */
#define PATH_WAY 0x10000

#endif
