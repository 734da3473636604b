/* The core that makes core 0's further interrupts pending, once every request->raise_period counts
 * of the system counter; in between it sleeps. Work of a parked core. */
#ifndef CASES_PARTS_RAISING_H
#define CASES_PARTS_RAISING_H

#include <stdint.h>

/* All at once: an SPI register a store, an SGI a store. */
void raising_all(uintptr_t request);

/* One after the other, in their order; SPIs only. */
void raising_one_by_one(uintptr_t request);

/* Interrupts made pending since the work began. */
uint64_t raising_count(void);

#endif
