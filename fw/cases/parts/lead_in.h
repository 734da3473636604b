/* The lead-in: rounds in front of a batch in which software makes the measured interrupt pending.
 * Whatever was done before, the path from the wait to the handler is then as the last interrupt of
 * a batch leaves it. */
#ifndef CASES_PARTS_LEAD_IN_H
#define CASES_PARTS_LEAD_IN_H

#include "cases/kind.h"

/* Runs all rounds of core 0 but the last ones, with the stack in force and the gateware not
 * armed. */
void lead_in_run(const irq_case_request_t *request, const struct case_kind *kind);

/* Prepares the last rounds, which come in the run that follows, between arming and the start
 * tick. Their markers are stored but change no pin, and where stores to the STM are traced the
 * trace begins behind them. */
void lead_in_last(const irq_case_request_t *request);

/* Runs the lead-in of another core that handles the interrupt, in its own way of waiting; after
 * baremetal_begin. */
void lead_in_run_handling(const irq_case_request_t *request);

/* Measured interrupts that a core has handled in its lead-in. */
uint32_t lead_in_handled(unsigned core);
void lead_in_forget(void);

#endif
