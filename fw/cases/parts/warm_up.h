/* The warm-up: rounds in front of a batch in which software makes the measured interrupt pending.
 * Whatever was done before, the path from the wait to the handler is then as the last interrupt of
 * a batch leaves it. */
#ifndef CASES_PARTS_WARM_UP_H
#define CASES_PARTS_WARM_UP_H

#include "cases/kind.h"

/* Runs all rounds of core 0 but the last ones, with the stack set up and the gateware not
 * armed. */
void warm_up_run(const irq_case_request_t *request, const struct case_kind *kind);

/* Prepares the last rounds, which come in the run that follows, between arming and the start
 * tick. Their markers are stored but change no pin, and where stores to the STM are traced the
 * trace begins after them. */
void warm_up_last(const irq_case_request_t *request);

/* Runs the warm-up of another core that handles the interrupt, in its own way of waiting; after
 * baremetal_begin. */
void warm_up_run_handling(const irq_case_request_t *request);

/* Measured interrupts that a core has handled in its warm-up. */
uint32_t warm_up_handled(unsigned core);
void warm_up_forget(void);

#endif
