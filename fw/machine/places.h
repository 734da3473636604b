/* Where things lie, for C and for assembly: plain numbers. ARRAYS_BASE and ARRAYS_SIZE: what loads
 * work on, none where ARRAYS_SIZE is 0; TRANSLATED: in the memory that the pages of a case are for;
 * MEMORY_ON_CHIP: where the path may be copied to; IRQ_CONTROLLER_BASE and IRQ_CORE_BASE:
 * for a stack that brings a driver of the controller of its own. */
#ifndef MACHINE_PLACES_H
#define MACHINE_PLACES_H

#include "bound/places.h"

/* Where the program itself stands, as enum irq_placement. */
#if PROGRAM_ON_CHIP
#define PROGRAM_PLACEMENT IRQ_PLACEMENT_OCM
#else
#define PROGRAM_PLACEMENT IRQ_PLACEMENT_DDR
#endif

/* Whether a host may name code of the program for a case to run. */
#ifndef RUNS_NAMED_CODE
#define RUNS_NAMED_CODE 1
#endif

#ifndef TRANSLATED
#define TRANSLATED ARRAYS_BASE
#endif

#endif
