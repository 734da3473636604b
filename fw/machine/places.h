/* Where things lie, for C and for assembly: plain numbers. ARRAYS_BASE and ARRAYS_SIZE: what loads
 * work on; MEMORY_ON_CHIP: where the path may be copied to; IRQ_CONTROLLER_BASE and IRQ_CORE_BASE:
 * for a stack that brings a driver of the controller of its own. */
#ifndef MACHINE_PLACES_H
#define MACHINE_PLACES_H

#include "bound/places.h"

#endif
