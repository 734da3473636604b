/* Addresses of a soft core with a CLIC, in addition to those of machine/soft. */
#ifndef MACHINE_CLIC_BOUND_ADDRESSES_H
#define MACHINE_CLIC_BOUND_ADDRESSES_H

#include "machine/soft/bound/addresses.h"

#define HAS_CLIC 1
#define CLIC_BASE 0x90000000

#endif
