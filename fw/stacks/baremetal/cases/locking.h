/* The path from interrupt to handler is held in TLB and L2, from each batch's begin to its end. */
#ifndef BAREMETAL_CASES_LOCKING_H
#define BAREMETAL_CASES_LOCKING_H

#include <stdint.h>

#include "description.h"

#if MACHINE_HAS_LOCKDOWN

/* Chooses one of IRQ_LOCKDOWN for the batches that follow. Called after baremetal_prepare. */
void locking_set(uint8_t which);

void locking_begin(void);
void locking_end(void);

#else

static inline void locking_set(uint8_t which) { (void)which; }
static inline void locking_begin(void) {}
static inline void locking_end(void) {}

#endif

#endif
