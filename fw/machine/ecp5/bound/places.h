#ifndef MACHINE_ECP5_BOUND_PLACES_H
#define MACHINE_ECP5_BOUND_PLACES_H

#include "bound/addresses.h"

#define ARRAYS_SIZE (MACHINE_ARRAYS_KIB * 1024)
#define MEMORY_ON_CHIP PORT_BASE /* no code is there: nothing is copied anywhere */

#endif
