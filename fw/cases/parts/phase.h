/* The moment from which a batch goes on, whatever was asked before it. */
#ifndef CASES_PARTS_PHASE_H
#define CASES_PARTS_PHASE_H

#include "cases/kind.h"

/* Returns in one phase to all clocks that repeat together (machine/clock.h): the core sleeps
 * until the timer wakes it there, for a loop that looks at a clock ends where it began. By core 0,
 * after origin_prepare; the measured interrupt is not pending and the link's is disabled. */
void phase_wait(void);

/* Runs a case from there on, or at once where the timer tick has the timer. All its rounds also
 * look alike to predictors. */
void phase_run(const struct case_kind *kind, const irq_case_request_t *request,
               struct case_result *result);

#endif
