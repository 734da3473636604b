#include "cases/parts/tick.h"

#include "cases/parts/origin.h"
#include "machine/irq.h"
#include "machine/timer.h"
#include "stacks/stack.h"

void tick_prepare(const irq_case_request_t *request) {
    stack_core()->tick_period = request->tick_period;
    stack_core()->tick_work = request->tick_work;
}

uint64_t tick_start(const irq_case_request_t *request) {
    if (request->tick_period == 0)
        return 0;
    irq_configure(IRQ_TICK, stack_description.tick_priority, 1, IRQ_BY_LEVEL);
    irq_enable(IRQ_TICK);
    uint64_t first = origin_next(request->tick_period);
    timer_start(first);
    return origin_tick_at(first);
}

void tick_stop(void) {
    timer_stop();
    irq_disable(IRQ_TICK);
}
