/* A software tick on the measured core: its secure timer fires every request->tick_period counts of
 * the system counter; the handler works for request->tick_work loops, interrupts masked. */
#ifndef CASES_PARTS_TICK_H
#define CASES_PARTS_TICK_H

#include "cases/case.h"

void tick_prepare(const irq_case_request_t *request);

/* The first tick is due one period behind `start_tick` of the gateware. Returns that. */
uint64_t tick_start(const irq_case_request_t *request, uint64_t start_tick);
void tick_stop(void);

#endif
