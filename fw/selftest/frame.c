#include "selftest/frame.h"

#include <stddef.h>

#include "machine/cpu.h"
#include "selftest/report.h"

void selftest_interrupt(void); /* called from vectors.S */

/* ---- what the handler saw ---------------------------------------------------------------------
 */

#define LOG_SIZE 16

static volatile uint32_t entries[LOG_SIZE];
volatile unsigned entry_count;
void (*volatile in_handler)(unsigned id);
void (*volatile on_other_core)(unsigned core, uint32_t iar);

static void log_entry(uint32_t entry) {
    if (entry_count < LOG_SIZE)
        entries[entry_count] = entry;
    entry_count++;
}

void selftest_interrupt(void) {
    uint32_t iar = GICC->iar;
    unsigned core = cpu_number();
    if (core != 0) {
        on_other_core(core, iar);
        return;
    }
    log_entry(iar);
    unsigned id = iar & IRQ_ID_MASK;
    if (id >= IRQ_FIRST_SPECIAL)
        return;
    void (*action)(unsigned) = in_handler;
    if (action != NULL) {
        action(id);
        log_entry(iar | LEFT);
    }
    GICC->eoir = iar;
}

void wait_for_entries(unsigned count) {
    dsb();
    isb();
    for (unsigned i = 0; i < 10000000 && entry_count < count; i++)
        isb();
}

void wait_for_nothing(void) {
    dsb();
    for (unsigned i = 0; i < 1000; i++)
        isb();
}

void check_entry(const char *what, unsigned index, uint32_t expected) {
    report_check(what, expected, entries[index]);
}

/* ---- frame of a test ------------------------------------------------------------------------- */

void begin(const char *name) {
    interrupts_mask();
    report_begin(name);
    irq_init_distributor();
    irq_init_core();
    in_handler = NULL;
    entry_count = 0;
    for (unsigned i = 0; i < LOG_SIZE; i++)
        entries[i] = UINT32_MAX;
}

void end(unsigned expected_entries) {
    wait_for_nothing();
    interrupts_mask();
    report_check("entries", expected_entries, entry_count);
    report_check("running priority at the end", GIC_RPR_IDLE, GICC->rpr);
    report_check("IAR at the end", IRQ_ID_MASK, GICC->iar);
    report_end();
}

void use(unsigned id, uint8_t priority, enum irq_sense trigger) {
    irq_configure(id, priority, 1, trigger);
    irq_enable(id);
}

void wait_until_low(unsigned id) {
    for (unsigned i = 0; i < 100000 && irq_is_pending(id); i++)
        isb();
}
