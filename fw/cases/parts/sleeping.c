#include "cases/parts/sleeping.h"

#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/timer.h"

/* More branches than a history of them holds. */
#define BRANCHES 32

#define AHEAD_COUNTS (SYSTEM_COUNTER_HZ / 100000) /* 10 us */
/* An emulator on a busy computer is some 10 ms late. */
#define TIMEOUT_COUNTS SYSTEM_COUNTER_HZ /* 1 s */

/* Whatever led here, afterwards the last branches are these. A core that can forget branches knows
 * no others: two branches that share a place of a predictor may keep its state for ever. */
static void begin_with_known_branches(void) {
    branches_forget();
    for (volatile unsigned i = 0; i < BRANCHES; i++) {
    }
}

static void set_timer(uint64_t count) {
    irq_configure(IRQ_TIMER_TICK, IRQ_PRIORITY_LAST, 1, IRQ_BY_LEVEL);
    irq_enable(IRQ_TIMER_TICK);
    timer_start(count);
}

static void stop_timer(void) {
    timer_stop();
    irq_disable(IRQ_TIMER_TICK);
}

void sleeping_until(uint64_t count) {
    set_timer(count);
    begin_with_known_branches();
    while (!timer_is_due())
        wait_for_interrupt(); /* masked: wakes the core, is not taken */
    stop_timer();
}

bool sleeping_can_end(void) {
    irq_disable(IRQ_LINK); /* more urgent, and its trigger may be up */
    uint64_t now = timer_now(), give_up = now + TIMEOUT_COUNTS;
    set_timer(now + AHEAD_COUNTS);
    bool comes;
    do
        comes = irq_highest() == IRQ_TIMER_TICK;
    while (!comes && timer_now() < give_up);
    stop_timer();
    irq_enable(IRQ_LINK);
    return comes;
}
