#include "cases/parts/timer_tick.h"

#include "cases/parts/origin.h"
#include "machine/irq.h"
#include "machine/timer.h"
#include "stacks/stack.h"

void timer_tick_prepare(const irq_case_request_t *request) {
    stack_core()->timer_tick_period = request->timer_tick_period;
    stack_core()->timer_tick_work = request->timer_tick_work;
}

uint64_t timer_tick_start(const irq_case_request_t *request) {
    if (request->timer_tick_period == 0)
        return 0;
    irq_configure(IRQ_TIMER_TICK, stack_description.timer_tick_priority, 1, IRQ_BY_LEVEL);
    irq_enable(IRQ_TIMER_TICK);
    uint64_t first = origin_next(request->timer_tick_period);
    timer_start(first);
    return origin_tick_at(first);
}

void timer_tick_stop(void) {
    timer_stop();
    irq_disable(IRQ_TIMER_TICK);
}
