#include "cases/parts/phase.h"

#include "cases/parts/origin.h"
#include "cases/parts/sleeping.h"
#include "machine/clock.h"
#include "machine/timer.h"

void phase_wait(void) {
    uint64_t period = (uint64_t)origin_counts(CLOCK_PHASE_TICKS);
    if (period <= 1)
        return; /* one clock: every moment is alike */
    /* Not the next one: it may come before the core sleeps. */
    sleeping_until((timer_now() / period + 2) * period);
}

void phase_run(const struct case_kind *kind, const irq_case_request_t *request,
               struct case_result *result) {
    if (request->timer_tick_period == 0)
        phase_wait();
    kind->run(request, result);
}
