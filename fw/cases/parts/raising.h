/* Raising: another core makes core 0's background interrupts pending, once every
 * request->raise_period counts of the system counter; in between it sleeps. Work of a parked
 * core, which begins when core 0 says so. */
#ifndef CASES_PARTS_RAISING_H
#define CASES_PARTS_RAISING_H

#include <stdint.h>

#include "generated/messages.h"

/* Raises all at once: a store for each register of SPIs and for each SGI. */
void raising_all(uintptr_t request);

/* Raises one after the other, in their order; SPIs only. */
void raising_one_by_one(uintptr_t request);

/* Begins to raise, at whole periods from the origin (cases/parts/origin.h). Called by core 0. */
void raising_start(const irq_case_request_t *request);

/* Interrupts made pending since the work began. */
uint64_t raising_count(void);

#endif
