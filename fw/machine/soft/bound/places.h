#ifndef MACHINE_SOFT_BOUND_PLACES_H
#define MACHINE_SOFT_BOUND_PLACES_H

#include "bound/addresses.h"

#define ARRAYS_SIZE 0x00080000
#define MEMORY_ON_CHIP PORT_BASE /* no code is there: nothing is copied anywhere */

#endif
