/* The other cores: started, interrupted, answering. */
#include <stddef.h>

#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/start.h"
#include "machine/zynq/smp.h"
#include "selftest/frame.h"
#include "selftest/report.h"
#include "selftest/tests.h"

/* ---- other cores ----------------------------------------------------------------------------- */

#define SGI_OUT 5
#define SGI_BACK 6
#define IAR_SOURCE_CORE(core) ((uint32_t)(core) << 10)

static volatile struct {
    uint32_t level, number, iar;
    bool ready;
} others[CORES];

static void answer(unsigned core, uint32_t iar) {
    others[core].iar = iar;
    GICC->eoir = iar;
    irq_send(SGI_BACK, 1);
}

static void other_main(void) {
    unsigned core = cpu_number();
    set_vectors((uintptr_t)vectors_selftest);
    system_errors_unmask();
    irq_init_core();
    irq_configure(SGI_OUT, LOW_PRIORITY, 1, IRQ_BY_EDGE);
    irq_enable(SGI_OUT);
    others[core].level = cpu_exception_level();
    others[core].number = core;
    others[core].ready = true;
    dsb();
    interrupts_unmask();
    for (;;)
        wait_for_interrupt();
}

void test_other_cores(void) {
    static const char *const names[] = {
        NULL, "core 1 starts" SELFTEST_CORE_START ", answers an SGI and the SPI that targets it",
        "core 2", "core 3"};
    on_other_core = answer;
    for (unsigned core = 1; core < CORES; core++) {
        if (core >= selftest_cores()) {
            report_skip(names[core], "it is not there");
            continue;
        }
        begin(names[core]);
        smp_start(core, other_main);
        for (unsigned i = 0; i < 10000000 && !others[core].ready; i++)
            isb();
        report_check("the core has started", true, others[core].ready);
        report_check("its exception level", cpu_exception_level(), others[core].level);
        report_check("its number", core, others[core].number);
        use(SGI_BACK, LOW_PRIORITY, IRQ_BY_EDGE);
        interrupts_unmask();
        irq_send(SGI_OUT, (uint8_t)(1u << core));
        wait_for_entries(1);
        report_check("IAR there, of the SGI", SGI_OUT | IAR_SOURCE_CORE(0), others[core].iar);
        check_entry("IAR here", 0, SGI_BACK | IAR_SOURCE_CORE(core));
        irq_configure(SPI_A, LOW_PRIORITY, (uint8_t)(1u << core), IRQ_BY_EDGE);
        irq_enable(SPI_A);
        irq_set_pending(SPI_A);
        wait_for_entries(2);
        report_check("IAR there, of the SPI", SPI_A, others[core].iar);
        check_entry("IAR here", 1, SGI_BACK | IAR_SOURCE_CORE(core));
        end(2);
    }
}
