#include "cases/parts/raising.h"

#include <stdbool.h>

#include "cases/parts/background.h"
#include "cases/parts/origin.h"
#include "machine/clock.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/timer.h"

/* The priority of PARKING_STOP, whose smaller ID then comes first: a timer that is always due
 * does not keep this core from its end. */
#define PRIORITY_TIMER IRQ_PRIORITY_LAST

static uint64_t count __attribute__((aligned(64)));

/* When raising begins, by the system counter; 0: not yet known. */
static volatile uint64_t first_due __attribute__((aligned(64)));

/* Where background interrupts take all of a core's time, the core would never wait and its warm-up
 * would not end: so they begin after it. */
static uint64_t behind_the_warm_up(uint32_t period) {
    uint64_t counts = (uint64_t)SYSTEM_COUNTER_HZ * CLOCK_WARM_UP_US / 1000000;
    return counts == 0 ? 0 : (counts / period + 1) * period;
}

void raising_start(const irq_case_request_t *request) {
    if (request->background != 0 && request->raise_period != 0)
        first_due = origin_next(request->raise_period) + behind_the_warm_up(request->raise_period);
}

uint64_t raising_count(void) { return count; }

static bool is_stopped(void) { return irq_highest() == PARKING_STOP; }

/* A batch that is over would not end while background interrupts, more urgent than its end, keep
 * the measured core busy. */
static bool is_finished(void) { return irq_is_high(IRQ_FINISHED); }

/* One store makes 32 IDs pending. SGIs take a store each. */
static uint32_t registers[IRQ_IDS / 32];
static unsigned registers_total;

static void fill_registers(void) {
    unsigned chosen_count;
    const irq_background_tail_t *chosen = background_chosen(&chosen_count);
    for (unsigned i = 0; i < IRQ_IDS / 32; i++)
        registers[i] = 0;
    registers_total = 0;
    for (unsigned i = 0; i < chosen_count; i++)
        if (chosen[i].raised) {
            registers[chosen[i].id / 32] |= irq_bit(chosen[i].id);
            registers_total++;
        }
}

static void raise_all(void) {
    for (unsigned i = IRQ_FIRST_SHARED / 32; i < IRQ_IDS / 32; i++)
        if (registers[i] != 0)
            irq_raise(i, registers[i]);
    for (unsigned id = 0; id < IRQ_FIRST_PRIVATE; id++)
        if (registers[0] >> id & 1)
            irq_send(id, 1);
    dsb();
    count += registers_total;
}

static void raise_one_by_one(void) {
    unsigned chosen_count;
    const irq_background_tail_t *chosen = background_chosen(&chosen_count);
    for (unsigned i = 0; i < chosen_count; i++) /* SPIs */
        irq_set_pending(chosen[i].id);
    count += chosen_count;
}

static void every_period(uintptr_t argument, void (*raise)(void)) {
    const irq_case_request_t *request = (const irq_case_request_t *)argument;
    count = 0;
    irq_configure(IRQ_TIMER_TICK, PRIORITY_TIMER, 0, IRQ_BY_LEVEL);
    irq_enable(IRQ_TIMER_TICK);
    first_due = 0;
    parking_ready();
    while (first_due == 0 && !is_stopped()) { /* core 0 ends this, by a first moment or by a stop */
    }
    timer_start(first_due);
    /* Interrupts are masked: one wakes this core and is looked at, not taken. */
    while (!is_stopped()) {
        if (timer_is_due()) {
            timer_set_due(timer_due() + request->raise_period);
            if (!is_finished())
                raise();
        } else {
            wait_for_interrupt();
        }
    }
    timer_stop();
    irq_disable(IRQ_TIMER_TICK);
}

void raising_all(uintptr_t request) {
    fill_registers();
    every_period(request, raise_all);
}

void raising_one_by_one(uintptr_t request) { every_period(request, raise_one_by_one); }
