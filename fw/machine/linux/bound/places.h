#ifndef MACHINE_LINUX_BOUND_PLACES_H
#define MACHINE_LINUX_BOUND_PLACES_H

#include "bound/addresses.h"

#define ARRAYS_BASE 0
#define ARRAYS_SIZE 0 /* no load of the agent's own */
#define MEMORY_ON_CHIP 0
#define RUNS_NAMED_CODE 0 /* an address that a host names could be any of the process */

#endif
