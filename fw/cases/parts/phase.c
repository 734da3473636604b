#include "cases/parts/phase.h"

#include "cases/parts/origin.h"
#include "machine/clock.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/timer.h"

/* More branches than a history of them holds. */
#define BRANCHES 32

/* Whatever led here, the last branches are these. */
static void fill_history(void) {
    for (volatile unsigned i = 0; i < BRANCHES; i++) {
    }
}

void phase_wait(void) {
    uint64_t period = (uint64_t)origin_counts(CLOCK_PHASE_TICKS);
    if (period <= 1)
        return; /* one clock: every moment is alike */
    irq_configure(IRQ_TICK, IRQ_PRIORITY_LAST, 1, IRQ_BY_LEVEL);
    irq_enable(IRQ_TICK);
    /* Not the next one: it may come before the core sleeps. */
    timer_start((timer_now() / period + 2) * period);
    fill_history();
    while (!timer_is_due())
        wait_for_interrupt(); /* masked: wakes the core, is not taken */
    timer_stop();
    irq_disable(IRQ_TICK);
}

void phase_run(const struct case_kind *kind, const irq_case_request_t *request,
               struct case_result *result) {
    if (request->tick_period == 0)
        phase_wait();
    kind->run(request, result);
}
