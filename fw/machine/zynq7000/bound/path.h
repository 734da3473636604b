#ifndef MACHINE_ZYNQ7000_BOUND_PATH_H
#define MACHINE_ZYNQ7000_BOUND_PATH_H

#include "arch/arm32/path.h"

/* Bytes of a way of L2, which has 8 of them in 512 KB. Addresses so far apart fall into one set
 * of L2, and of either L1, whose ways are smaller. */
#define PATH_WAY 0x10000

#endif
