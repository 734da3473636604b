/* The lead-in: rounds in front of a batch in which software makes the measured interrupt pending.
 * Whatever was done before, the path from the wait to the handler is then as the last interrupt of
 * a batch leaves it. */
#ifndef CASES_PARTS_LEAD_IN_H
#define CASES_PARTS_LEAD_IN_H

#include "cases/case.h"

/* All rounds of core 0 but the last one, with the stack in force and the gateware not armed. */
void lead_in_run(const irq_case_request_t *request, const struct case_kind *kind);

/* The last one comes in the run that follows, between arming and the start tick. Its markers are
 * stored, but change no pin. Where the STM is stored to, which knows no such word, it is before the
 * arming, too. */
void lead_in_last(const irq_case_request_t *request);

/* Of another core that handles the interrupt, in its way of waiting; behind baremetal_begin. */
void lead_in_run_handling(const irq_case_request_t *request);

/* Measured interrupts that a core has handled in it. */
uint32_t lead_in_handled(unsigned core);
void lead_in_forget(void);

#endif
