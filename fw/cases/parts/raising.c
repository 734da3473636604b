#include "cases/parts/raising.h"

#include <stdbool.h>

#include "cases/parts/further.h"
#include "cases/parts/origin.h"
#include "soc/cpu.h"
#include "soc/gic.h"
#include "soc/timer.h"

/* That of PARKING_STOP, whose smaller ID then comes first: a timer that is always due does not keep
 * this core from its end. */
#define PRIORITY_TIMER 0xF0

static uint64_t count __attribute__((aligned(64)));

/* When it begins, by the system counter; 0: not yet. */
static volatile uint64_t first_due __attribute__((aligned(64)));

void raising_start(const irq_case_request_t *request) {
    if (request->further != 0 && request->raise_period != 0)
        first_due = origin_next(request->raise_period);
}

uint64_t raising_count(void) { return count; }

static bool is_stopped(void) { return (GICC->hppir & GIC_ID_MASK) == PARKING_STOP; }

/* A batch that is over does not end while further interrupts, more urgent than its end, keep the
 * measured core. */
static bool is_finished(void) {
    return GICD->spisr[IRQ_FINISHED / 32 - 1] >> (IRQ_FINISHED % 32) & 1;
}

/* What one store to each ISPENDR makes pending; of the first, SGIs, each takes a store of its own.
 */
static uint32_t registers[GIC_IDS / 32];
static unsigned registers_total;

static void fill_registers(void) {
    unsigned chosen_count;
    const irq_further_tail_t *chosen = further_chosen(&chosen_count);
    for (unsigned i = 0; i < GIC_IDS / 32; i++)
        registers[i] = 0;
    registers_total = 0;
    for (unsigned i = 0; i < chosen_count; i++)
        if (chosen[i].raised) {
            registers[chosen[i].id / 32] |= UINT32_C(1) << (chosen[i].id % 32);
            registers_total++;
        }
}

static void raise_all(void) {
    for (unsigned i = GIC_FIRST_SPI / 32; i < GIC_IDS / 32; i++)
        if (registers[i] != 0)
            GICD->ispendr[i] = registers[i];
    for (unsigned id = 0; id < GIC_FIRST_PPI; id++)
        if (registers[0] >> id & 1)
            gic_send_sgi(id, 1);
    dsb();
    count += registers_total;
}

static void raise_one_by_one(void) {
    unsigned chosen_count;
    const irq_further_tail_t *chosen = further_chosen(&chosen_count);
    for (unsigned i = 0; i < chosen_count; i++) /* SPIs */
        gic_set_pending(chosen[i].id);
    count += chosen_count;
}

static void every_period(uintptr_t argument, void (*raise)(void)) {
    const irq_case_request_t *request = (const irq_case_request_t *)argument;
    count = 0;
    gic_configure(IRQ_SECURE_TIMER, PRIORITY_TIMER, 0, GIC_LEVEL);
    gic_enable(IRQ_SECURE_TIMER);
    first_due = 0;
    parking_ready();
    while (first_due == 0 && !is_stopped()) { /* core 0 does either */
    }
    timer_start(first_due);
    /* Masked: an interrupt wakes this core and is looked at, not taken. */
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
    gic_disable(IRQ_SECURE_TIMER);
}

void raising_all(uintptr_t request) {
    fill_registers();
    every_period(request, raise_all);
}

void raising_one_by_one(uintptr_t request) { every_period(request, raise_one_by_one); }
