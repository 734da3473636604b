#include "cases/parts/tick.h"

#include "cases/parts/origin.h"
#include "soc/gic.h"
#include "soc/timer.h"
#include "stacks/stack.h"

void tick_prepare(const irq_case_request_t *request) {
    stack_core()->tick_period = request->tick_period;
    stack_core()->tick_work = request->tick_work;
}

uint64_t tick_start(const irq_case_request_t *request) {
    if (request->tick_period == 0)
        return 0;
    gic_configure(IRQ_SECURE_TIMER, stack_description.tick_priority, 1, GIC_LEVEL);
    gic_enable(IRQ_SECURE_TIMER);
    uint64_t first = origin_next(request->tick_period);
    timer_start(first);
    return origin_tick_at(first);
}

void tick_stop(void) {
    timer_stop();
    gic_disable(IRQ_SECURE_TIMER);
}
