#include "cases/parts/tick.h"

#include "soc/counter.h"
#include "soc/emio.h"
#include "soc/gic.h"
#include "soc/timer.h"
#include "stacks/stack.h"

void tick_prepare(const irq_case_request_t *request) {
    stack_core()->tick_period = request->tick_period;
    stack_core()->tick_work = request->tick_work;
}

/* The gateware's clock is read between two readings of the counter: known to about 1 us. */
static uint64_t counter_at(uint64_t tick, uint64_t tick_hz) {
    uint64_t before = timer_now();
    uint64_t now = emio_now();
    uint64_t middle = (before + timer_now()) / 2;
    return middle + (tick - now) * SYSTEM_COUNTER_HZ / tick_hz;
}

uint64_t tick_start(const irq_case_request_t *request, uint64_t start_tick) {
    uint32_t tick_hz = emio_read(EMIO_WORD(tick_hz));
    if (request->tick_period == 0 || tick_hz == 0)
        return 0;
    gic_configure(IRQ_SECURE_TIMER, stack_description.tick_priority, 1, GIC_LEVEL);
    gic_enable(IRQ_SECURE_TIMER);
    timer_start(counter_at(start_tick, tick_hz) + request->tick_period);
    return start_tick + (uint64_t)request->tick_period * tick_hz / SYSTEM_COUNTER_HZ;
}

void tick_stop(void) {
    timer_stop();
    gic_disable(IRQ_SECURE_TIMER);
}
