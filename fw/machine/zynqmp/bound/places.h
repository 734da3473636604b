#ifndef MACHINE_ZYNQMP_BOUND_PLACES_H
#define MACHINE_ZYNQMP_BOUND_PLACES_H

#include "bound/addresses.h"

#if PROGRAM_ON_CHIP
#define ARRAYS_SIZE 0 /* DDR is not mapped: it may not work */
#define TRANSLATED OCM_BASE
#else
#define ARRAYS_SIZE (DDR_LOW_END - ARRAYS_BASE)
#endif
#define MEMORY_ON_CHIP OCM_BASE
#define IRQ_CONTROLLER_BASE GICD_BASE
#define IRQ_CORE_BASE GICC_BASE

#endif
