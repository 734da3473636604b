#include "machine/cores.h"

#include "bound/addresses.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/fault.h"
#include "machine/irq.h"
#include "machine/timer.h"
#include "machine/zynq/smp.h"

#define SGI_WORK 0
#define PRIORITY 0xF0

#define LINE __attribute__((aligned(64)))

/* Written by core 0 only. `number` counts the pieces of work given. */
struct LINE order {
    parking_work_t work;
    uintptr_t argument;
    uint32_t number;
};

/* Written by the core itself only: numbers of the last work that was ready, and done. */
struct LINE answer {
    uint32_t ready, done;
    bool parked;
    uint32_t faults;
    uint64_t esr, elr; /* of the last fault */
};

static struct order orders[CORES];
static volatile struct answer answers[CORES];

/* Faults that core 0 has reported. */
static uint32_t reported[CORES];

/* The rounds of a warm-up are the longest that core 0 waits for: 65535 of 10 us. */
#define TIMEOUT_COUNTS (2 * SYSTEM_COUNTER_HZ)

/* Mask of the cores that were waited for in vain, which are taken for cores that do not run; and
 * the last of them, if nobody has been told yet. */
static unsigned lost, stuck;

/* Afterwards this core's writes are in memory, and its next reads come from there. */
static void exchange(const volatile void *line) {
    dsb();
    line_flush(line);
    dsb();
}

/* ---- the parked core ------------------------------------------------------------------------- */

static void end_pending(void) { GICC->eoir = GICC->iar; }

static void carry_out(unsigned core) {
    exchange(&orders[core]);
    uint32_t number = orders[core].number;
    orders[core].work(orders[core].argument);
    irq_enable(PARKING_STOP); /* the handler that ends a wait disables what ended it */
    answers[core].done = number;
    exchange(&answers[core]);
}

static _Noreturn void park(void) {
    unsigned core = cpu_number();
    irq_end_running();
    irq_init_core();
    GICD->ipriorityr[SGI_WORK] = PRIORITY;
    GICD->ipriorityr[PARKING_STOP] = PRIORITY;
    irq_enable(SGI_WORK); /* where SGIs are not always enabled */
    irq_enable(PARKING_STOP);
    timer_stop();
    system_errors_unmask();
    answers[core].parked = true;
    exchange(&answers[core]);
    for (;;) {
        switch (GICC->hppir & IRQ_ID_MASK) {
        case SGI_WORK:
            end_pending();
            carry_out(core);
            break;
        case PARKING_STOP: /* for work that was done already */
            end_pending();
            break;
        default:
            wait_for_interrupt();
        }
    }
}

void parking_ready(void) {
    unsigned core = cpu_number();
    answers[core].ready = orders[core].number;
    exchange(&answers[core]);
}

_Noreturn void parking_fault(uint64_t esr, uint64_t elr) {
    volatile struct answer *answer = &answers[cpu_number()];
    answer->esr = esr;
    answer->elr = elr;
    answer->faults++;
    dsb(); /* whoever sees that the work is done sees the fault */
    answer->done = orders[cpu_number()].number;
    park();
}

/* ---- core 0 ---------------------------------------------------------------------------------- */

static bool is_parked(unsigned core) {
    exchange(&answers[core]);
    return answers[core].parked && (lost >> core & 1) == 0;
}

void parking_start(unsigned cores) {
    for (unsigned core = 1; core < CORES; core++) {
        if (((cores & ~lost) >> core & 1) == 0 || is_parked(core))
            continue;
        smp_start(core, park);
        uint64_t give_up = timer_now() + SYSTEM_COUNTER_HZ / 10;
        while (!is_parked(core) && timer_now() < give_up) {
        }
    }
}

unsigned parking_cores(void) {
    unsigned cores = 1;
    for (unsigned core = 1; core < CORES; core++)
        cores |= (unsigned)is_parked(core) << core;
    return cores;
}

void parking_give(unsigned core, parking_work_t work, uintptr_t argument) {
    if (!is_parked(core))
        return;
    orders[core].work = work;
    orders[core].argument = argument;
    orders[core].number++;
    exchange(&orders[core]);
    irq_send(SGI_WORK, (uint8_t)(1u << core));
}

static bool is_done(unsigned core) {
    exchange(&answers[core]);
    bool done = answers[core].done == orders[core].number;
    dsb();
    return done || (lost >> core & 1) != 0;
}

static bool is_ready(unsigned core) { return answers[core].ready == orders[core].number; }

static void wait_for(unsigned core, bool ready_will_do) {
    uint64_t give_up = timer_now() + TIMEOUT_COUNTS;
    while (!is_done(core) && !(ready_will_do && is_ready(core)))
        if (timer_now() >= give_up) {
            stuck = core;
            lost |= 1u << core;
        }
}

/* Reports a fault that the core met with as if it had been core 0's own. */
static void pass_on_fault(unsigned core) {
    if (stuck != 0)
        fault_entry();
    if (answers[core].faults == reported[core])
        return;
    reported[core] = answers[core].faults;
    FAULT_IS(answers[core].esr, answers[core].elr);
    fault_entry();
}

void parking_wait_ready(unsigned core) {
    wait_for(core, true);
    pass_on_fault(core);
}

void parking_wait(unsigned core) {
    wait_for(core, false);
    pass_on_fault(core);
}

static void stop(void) {
    for (unsigned core = 1; core < CORES; core++)
        if (!is_done(core))
            irq_send(PARKING_STOP, (uint8_t)(1u << core));
    for (unsigned core = 1; core < CORES; core++)
        wait_for(core, false);
}

void parking_stop(void) {
    stop();
    for (unsigned core = 1; core < CORES; core++)
        pass_on_fault(core);
}

void parking_abandon(void) {
    stop();
    for (unsigned core = 1; core < CORES; core++)
        reported[core] = answers[core].faults;
    stuck = 0;
}

unsigned parking_take_stuck(void) {
    unsigned core = stuck;
    stuck = 0;
    return core;
}
