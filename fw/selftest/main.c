/* Self-test of processor, translation, interrupt controller, and start of the other cores.
 *
 * Runs on stock QEMU, on the twin and on a board, with the same transcript, by which the emulations
 * are compared. It uses only features of QEMU: no GPIO, no line from the PL, no register of the
 * cores that keeps a value there; interrupts are raised by software, by the timers and by the UART.
 * Features that a machine lacks are skipped, with the reason. */
#include <stddef.h>

#include "bound/uart.h"
#include "lib/mmio.h"
#include "machine/cpu.h"
#include "machine/fault.h"
#include "machine/start.h"
#include "machine/uart.h"
#include "selftest/frame.h"
#include "selftest/report.h"
#include "selftest/tests.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define NAME_A "SPI " TEXT(SPI_A)
#define NAME_LINK "SPI " TEXT(MACHINE_LINK_ID)

#define UART_IER (UART_BASE + 0x08)
#define UART_IDR (UART_BASE + 0x0C)
#define INTERRUPT_TX_EMPTY 0x008

/* The controller of a single core has no targets: they read 0. */
static uint8_t target(uint8_t cores) { return selftest_cores() == 1 ? 0 : cores; }

static void test_read_back(void) {
    begin("distributor settings read back");
    report_check("interrupt lines", IRQ_IDS / 32 - 1, GICD->typer & 0x1F);
    report_check("cores", selftest_cores() - 1, GICD->typer >> 5 & 7);
    irq_configure(SPI_A, LOW_PRIORITY, 1, IRQ_BY_EDGE);
    irq_configure(SPI_B, HIGH_PRIORITY, 2, IRQ_BY_LEVEL);
    report_check("trigger of the first", IRQ_BY_EDGE, irq_trigger(SPI_A));
    report_check("trigger of the second", IRQ_BY_LEVEL, irq_trigger(SPI_B));
    report_check("priority of the first", LOW_PRIORITY, GICD->ipriorityr[SPI_A]);
    report_check("priority of the second", HIGH_PRIORITY, GICD->ipriorityr[SPI_B]);
    report_check("target of the first", target(1), GICD->itargetsr[SPI_A]);
    report_check("target of the second", target(2), GICD->itargetsr[SPI_B]);
    report_check("group of the first", 0, irq_group(SPI_A));
    report_check("target of a private interrupt", target(1), GICD->itargetsr[IRQ_TIMER_TICK]);
    irq_enable(SPI_A);
    report_check("the first enabled", true, irq_is_enabled(SPI_A));
    report_check("the second enabled", false, irq_is_enabled(SPI_B));
    irq_disable(SPI_A);
    report_check("the first disabled", false, irq_is_enabled(SPI_A));
    end(0);
}

static void test_spurious(void) {
    begin("IAR without a pending interrupt reads 1023");
    report_check("IAR", IRQ_ID_MASK, GICC->iar);
    report_check("HPPIR", IRQ_ID_MASK, GICC->hppir);
    report_check("RPR", GIC_RPR_IDLE, GICC->rpr);
    end(0);
}

static void test_sgi(void) {
    begin("software-generated interrupt to itself");
    use(3, LOW_PRIORITY, IRQ_BY_EDGE);
    irq_send(3, 1);
    report_check("HPPIR while masked", 3, GICC->hppir & IRQ_ID_MASK);
    interrupts_unmask();
    wait_for_entries(1);
    check_entry("IAR", 0, 3);
    end(1);
}

static void test_edge(void) {
    begin(NAME_A " by edge: pending while masked, taken once");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    irq_set_pending(SPI_A);
    report_check("pending", true, irq_is_pending(SPI_A));
    wait_for_nothing();
    report_check("entries while masked", 0, entry_count);
    interrupts_unmask();
    wait_for_entries(1);
    check_entry("IAR", 0, SPI_A);
    report_check("pending after", false, irq_is_pending(SPI_A));
    report_check("active after", false, irq_is_active(SPI_A));
    end(1);
}

static void pend_again_once(unsigned id) {
    report_check("active in the handler", true, irq_is_active(id));
    report_check("pending in the handler", false, irq_is_pending(id));
    if (entry_count == 1)
        irq_set_pending(id);
}

static void test_edge_while_active(void) {
    begin(NAME_A " by edge: raised again while active, taken again");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    in_handler = pend_again_once;
    irq_set_pending(SPI_A);
    interrupts_unmask();
    wait_for_entries(4);
    check_entry("first", 0, SPI_A);
    check_entry("first left", 1, SPI_A | LEFT);
    check_entry("second", 2, SPI_A);
    check_entry("second left", 3, SPI_A | LEFT);
    end(4);
}

static void test_level(void) {
    begin(NAME_A " by level: set pending by software, taken once");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_LEVEL);
    irq_set_pending(SPI_A);
    report_check("pending", true, irq_is_pending(SPI_A));
    interrupts_unmask();
    wait_for_entries(1);
    check_entry("IAR", 0, SPI_A);
    report_check("pending after", false, irq_is_pending(SPI_A));
    end(1);
}

static void test_clear_pending(void) {
    begin("a pending interrupt that is cleared is not taken");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    irq_set_pending(SPI_A);
    irq_clear_pending(SPI_A);
    report_check("pending", false, irq_is_pending(SPI_A));
    interrupts_unmask();
    end(0);
}

static void test_disabled(void) {
    begin("a disabled interrupt stays pending until it is enabled");
    irq_configure(SPI_A, LOW_PRIORITY, 1, IRQ_BY_EDGE);
    irq_set_pending(SPI_A);
    interrupts_unmask();
    wait_for_nothing();
    report_check("entries while disabled", 0, entry_count);
    report_check("pending while disabled", true, irq_is_pending(SPI_A));
    irq_enable(SPI_A);
    wait_for_entries(1);
    check_entry("IAR", 0, SPI_A);
    end(1);
}

static void test_mask(void) {
    begin("PMR lets through only what is more urgent than it says");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    GICC->pmr = LOW_PRIORITY;
    irq_set_pending(SPI_A);
    interrupts_unmask();
    wait_for_nothing();
    report_check("entries at PMR = priority", 0, entry_count);
    GICC->pmr = LOW_PRIORITY + 8;
    wait_for_entries(1);
    check_entry("IAR", 0, SPI_A);
    end(1);
}

static void test_order(void) {
    begin("the more urgent interrupt first, of equal ones the lower ID");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    use(SPI_B, LOW_PRIORITY, IRQ_BY_EDGE);
    use(SPI_C, HIGH_PRIORITY, IRQ_BY_EDGE);
    irq_set_pending(SPI_B);
    irq_set_pending(SPI_A);
    irq_set_pending(SPI_C);
    interrupts_unmask();
    wait_for_entries(3);
    check_entry("first", 0, SPI_C);
    check_entry("second", 1, SPI_A);
    check_entry("third", 2, SPI_B);
    end(3);
}

static void raise_others(unsigned id) {
    report_check("running priority", id == SPI_C ? HIGH_PRIORITY : LOW_PRIORITY, GICC->rpr);
    if (id != SPI_A)
        return;
    interrupts_unmask();
    irq_set_pending(SPI_B);
    wait_for_nothing();
    irq_set_pending(SPI_C);
    wait_for_nothing();
    interrupts_mask();
    report_check("running priority after nesting", LOW_PRIORITY, GICC->rpr);
}

static void test_nesting(void) {
    begin("a more urgent interrupt nests, an equal one waits");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    use(SPI_B, LOW_PRIORITY, IRQ_BY_EDGE);
    use(SPI_C, HIGH_PRIORITY, IRQ_BY_EDGE);
    in_handler = raise_others;
    irq_set_pending(SPI_A);
    interrupts_unmask();
    wait_for_entries(6);
    check_entry("first", 0, SPI_A);
    check_entry("nested", 1, SPI_C);
    check_entry("nested left", 2, SPI_C | LEFT);
    check_entry("first left", 3, SPI_A | LEFT);
    check_entry("equal", 4, SPI_B);
    check_entry("equal left", 5, SPI_B | LEFT);
    end(6);
}

static void test_end_order(void) {
    begin("ending two interrupts in reverse order restores each priority");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    use(SPI_C, HIGH_PRIORITY, IRQ_BY_EDGE);
    irq_set_pending(SPI_A);
    uint32_t first = GICC->iar;
    report_check("first IAR", SPI_A, first);
    irq_set_pending(SPI_C);
    uint32_t second = GICC->iar;
    report_check("second IAR", SPI_C, second);
    report_check("running priority of the second", HIGH_PRIORITY, GICC->rpr);
    GICC->eoir = second;
    report_check("running priority of the first", LOW_PRIORITY, GICC->rpr);
    report_check("first still active", true, irq_is_active(SPI_A));
    report_check("second still active", false, irq_is_active(SPI_C));
    GICC->eoir = first;
    report_check("first active after", false, irq_is_active(SPI_A));
    end(0);
}

static void test_abandoned(void) {
    begin("initialising ends what was acknowledged and never ended");
    use(SPI_A, LOW_PRIORITY, IRQ_BY_EDGE);
    use(SPI_C, HIGH_PRIORITY, IRQ_BY_EDGE);
    irq_set_pending(SPI_A);
    report_check("first IAR", SPI_A, GICC->iar);
    irq_set_pending(SPI_C);
    report_check("second IAR", SPI_C, GICC->iar);
    report_check("running priority before", HIGH_PRIORITY, GICC->rpr);
    irq_init_distributor();
    irq_init_core();
    report_check("running priority after", GIC_RPR_IDLE, GICC->rpr);
    report_check("first active after", false, irq_is_active(SPI_A));
    report_check("second active after", false, irq_is_active(SPI_C));
    use(SPI_B, LOW_PRIORITY, IRQ_BY_EDGE);
    irq_set_pending(SPI_B);
    interrupts_unmask();
    wait_for_entries(1);
    check_entry("IAR of another", 0, SPI_B);
    end(1);
}

static void silence_uart_at_second(unsigned id) {
    if (entry_count < 3)
        return;
    mmio_write32(UART_IDR, INTERRUPT_TX_EMPTY);
    wait_until_low(id);
}

static void test_uart_level(void) {
    begin("UART transmitter empty, " NAME_LINK ": a level that stays high fires again");
    use(IRQ_LINK, LOW_PRIORITY, IRQ_BY_LEVEL);
    uart_drain(); /* wakes up by it */
    in_handler = silence_uart_at_second;
    interrupts_unmask();
    mmio_write32(UART_IER, INTERRUPT_TX_EMPTY);
    wait_for_entries(4);
    check_entry("first", 0, IRQ_LINK);
    check_entry("second", 2, IRQ_LINK);
    end(4);
}

/* ---------------------------------------------------------------------------------------------- */

_Noreturn void fault_report(uint64_t offset, uint64_t esr, uint64_t elr, uint64_t far) {
    report_fault(offset, esr, elr, far);
    for (;;)
        wait_for_interrupt();
}

_Noreturn void main(void) {
    uart_init();
    uart_set_baud(115200);
    set_vectors((uintptr_t)vectors_selftest);
    selftest_begin();
    system_errors_unmask();
    test_core();
    test_read_back();
    test_spurious();
    test_sgi();
    test_edge();
    test_edge_while_active();
    test_level();
    test_clear_pending();
    test_disabled();
    test_mask();
    test_order();
    test_nesting();
    test_end_order();
    test_abandoned();
    test_timers();
    test_uart_level();
    test_translation();
    test_other_cores();
    report_verdict();
    for (;;)
        wait_for_interrupt();
}
