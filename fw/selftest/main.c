/* Self-test of processor, translation, interrupt controller, and start of the other cores.
 *
 * Runs on stock QEMU (-M xlnx-zcu102,secure=on,virtualization=on -smp 4), on the twin and on a
 * board, with the same transcript: what the emulations are held against each other by. It uses only
 * what QEMU has: no GPIO, no system counter control, no line from the PL, no CPUECTLR_EL1 that
 * keeps a value; interrupts are raised by ISPENDR, by software, by the timers and by the UART. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/mmio.h"
#include "machine/cpu.h"
#include "machine/fault.h"
#include "machine/irq.h"
#include "machine/places.h"
#include "machine/start.h"
#include "machine/translation.h"
#include "machine/uart.h"
#include "machine/zynq/smp.h"
#include "selftest/report.h"

#define LOW_PRIORITY 0xA0
#define HIGH_PRIORITY 0x80

#define SPI_A 121
#define SPI_B 122
#define SPI_C 123

#define UART_IER (UART0_BASE + 0x08)
#define UART_IDR (UART0_BASE + 0x0C)
#define INTERRUPT_TX_EMPTY 0x008

extern const char vectors_selftest[];
void selftest_interrupt(void); /* called from vectors.S */

/* ---- what the handler saw ---------------------------------------------------------------------
 */

#define LOG_SIZE 16
#define LEFT 0x8000 /* or-ed to an ID: its handler ended */

static volatile uint32_t entries[LOG_SIZE];
static volatile unsigned entry_count;
static void (*volatile in_handler)(unsigned id);

static void log_entry(uint32_t entry) {
    if (entry_count < LOG_SIZE)
        entries[entry_count] = entry;
    entry_count++;
}

static void other_interrupt(unsigned core, uint32_t iar);

void selftest_interrupt(void) {
    uint32_t iar = GICC->iar;
    unsigned core = cpu_number();
    if (core != 0) {
        other_interrupt(core, iar);
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

/* Interrupts are taken a moment after what raised them: waits for `count` entries, bounded. */
static void wait_for_entries(unsigned count) {
    dsb();
    isb();
    for (unsigned i = 0; i < 10000000 && entry_count < count; i++)
        isb();
}

/* Long enough for anything to be taken that is going to be. */
static void wait_for_nothing(void) {
    dsb();
    for (unsigned i = 0; i < 1000; i++)
        isb();
}

static void check_entry(const char *what, unsigned index, uint32_t expected) {
    report_check(what, expected, entries[index]);
}

/* ---- frame of a test ------------------------------------------------------------------------- */

static void begin(const char *name) {
    interrupts_mask();
    report_begin(name);
    irq_init_distributor();
    irq_init_core();
    in_handler = NULL;
    entry_count = 0;
    for (unsigned i = 0; i < LOG_SIZE; i++)
        entries[i] = UINT32_MAX;
}

static void end(unsigned expected_entries) {
    wait_for_nothing();
    interrupts_mask();
    report_check("entries", expected_entries, entry_count);
    report_check("running priority at the end", GIC_RPR_IDLE, GICC->rpr);
    report_check("IAR at the end", IRQ_ID_MASK, GICC->iar);
    report_end();
}

static void use(unsigned id, uint8_t priority, enum irq_sense trigger) {
    irq_configure(id, priority, 1, trigger);
    irq_enable(id);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_core(void) {
    begin("core 0 runs at EL3 with MMU and caches on");
    report_check("exception level", 3, cpu_exception_level());
    report_check("core", 0, cpu_number());
    uint64_t on = SCTLR_M | SCTLR_C | SCTLR_I;
    report_check("SCTLR_EL3", on, READ_SYSREG(sctlr_el3) & on);
    end(0);
}

static void test_read_back(void) {
    begin("distributor settings read back");
    report_check("interrupt lines", IRQ_IDS / 32 - 1, GICD->typer & 0x1F);
    report_check("cores", CORES - 1, GICD->typer >> 5 & 7);
    irq_configure(SPI_A, LOW_PRIORITY, 1, IRQ_BY_EDGE);
    irq_configure(SPI_B, HIGH_PRIORITY, 2, IRQ_BY_LEVEL);
    report_check("trigger of 121", IRQ_BY_EDGE, irq_trigger(SPI_A));
    report_check("trigger of 122", IRQ_BY_LEVEL, irq_trigger(SPI_B));
    report_check("priority of 121", LOW_PRIORITY, GICD->ipriorityr[SPI_A]);
    report_check("priority of 122", HIGH_PRIORITY, GICD->ipriorityr[SPI_B]);
    report_check("target of 121", 1, GICD->itargetsr[SPI_A]);
    report_check("target of 122", 2, GICD->itargetsr[SPI_B]);
    report_check("group of 121", 0, irq_group(SPI_A));
    report_check("target of a private interrupt", 1, GICD->itargetsr[IRQ_TICK]);
    irq_enable(SPI_A);
    report_check("121 enabled", true, irq_is_enabled(SPI_A));
    report_check("122 enabled", false, irq_is_enabled(SPI_B));
    irq_disable(SPI_A);
    report_check("121 disabled", false, irq_is_enabled(SPI_A));
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
    begin("SPI 121 by edge: pending while masked, taken once");
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
    begin("SPI 121 by edge: raised again while active, taken again");
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
    begin("SPI 121 by level: set pending by software, taken once");
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

/* A level that is still seen high when its interrupt ends fires again. */
static void wait_until_low(unsigned id) {
    for (unsigned i = 0; i < 100000 && irq_is_pending(id); i++)
        isb();
}

/* The generic timers. Compare values are 0 and beyond any count: QEMU's counter runs, the twin's
 * stands until its control block starts it. */
#define TIMER_ENABLE 1
#define TIMER_IMASK 2
#define TIMER_ISTATUS 4
#define NEVER (UINT64_C(1) << 62)

struct timer {
    const char *name;
    unsigned id;
    void (*set)(uint64_t compare, uint64_t control);
    uint64_t (*control)(void);
};

#define TIMER(timer, el)                                                                           \
    static void timer##_set(uint64_t compare, uint64_t control) {                                  \
        WRITE_SYSREG(timer##_cval_el##el, compare);                                                \
        WRITE_SYSREG(timer##_ctl_el##el, control);                                                 \
        isb();                                                                                     \
    }                                                                                              \
    static uint64_t timer##_control(void) { return READ_SYSREG(timer##_ctl_el##el); }
TIMER(cntps, 1)
TIMER(cntp, 0)
TIMER(cntv, 0)
TIMER(cnthp, 2)

static const struct timer timers[] = {
    {"secure timer CNTPS, PPI 29", IRQ_TICK, cntps_set, cntps_control},
    {"physical timer CNTP, PPI 30", 30, cntp_set, cntp_control},
    {"virtual timer CNTV, PPI 27", 27, cntv_set, cntv_control},
    {"hypervisor timer CNTHP, PPI 26", 26, cnthp_set, cnthp_control},
};
static const struct timer *timer;

static void stop_timer_at_second(unsigned id) {
    if (entry_count < 3)
        return;
    timer->set(NEVER, TIMER_ENABLE);
    wait_until_low(id);
}

static void test_timers(void) {
    WRITE_SYSREG(cntvoff_el2, 0);
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        timer = &timers[i];
        begin(timer->name);
        use(timer->id, LOW_PRIORITY, IRQ_BY_LEVEL);
        in_handler = stop_timer_at_second;
        interrupts_unmask();
        timer->set(0, TIMER_ENABLE | TIMER_IMASK);
        report_check("control, due and masked", TIMER_ENABLE | TIMER_IMASK | TIMER_ISTATUS,
                     timer->control());
        wait_for_nothing();
        report_check("entries while masked", 0, entry_count);
        timer->set(0, TIMER_ENABLE);
        wait_for_entries(4);
        check_entry("first", 0, timer->id);
        check_entry("second", 2, timer->id);
        report_check("control, not due", TIMER_ENABLE, timer->control());
        timer->set(NEVER, 0);
        end(4);
    }
}

static void silence_uart_at_second(unsigned id) {
    if (entry_count < 3)
        return;
    mmio_write32(UART_IDR, INTERRUPT_TX_EMPTY);
    wait_until_low(id);
}

static void test_uart_level(void) {
    begin("UART transmitter empty, SPI 53: a level that stays high fires again");
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

/* ---- translation ----------------------------------------------------------------------------- */

#define PAR_FAULT UINT64_C(1)
#define PAR_ADDRESS UINT64_C(0xFFFFFFF000)
#define PAR_ATTRIBUTES_SHIFT 56

/* MAIR_EL3's encodings (Arm DDI 0487, MAIR_ELx). */
#define WRITE_BACK 0xFF
#define NON_CACHEABLE 0x44
#define DEVICE_nGnRnE 0x00
#define DEVICE_nGnRE 0x04

#define UNMAPPED UINT64_C(0x80000000)

/* What this core's tables make of a read at EL3. */
static uint64_t translated(uint64_t address) {
    __asm__ volatile("at s1e3r, %0" : : "r"(address) : "memory");
    isb();
    return READ_SYSREG(par_el1);
}

static void check_mapped(const char *what, uint64_t address, uint64_t attributes) {
    uint64_t par = translated(address);
    report_check(what, 0, par & PAR_FAULT);
    report_check(what, address, par & PAR_ADDRESS);
    report_check(what, attributes, par >> PAR_ATTRIBUTES_SHIFT);
}

static void test_translation(void) {
    static const char *const names[] = {"translation by blocks of 1 GB",
                                        "by blocks of 2 MB",
                                        "by pages of 4 KB",
                                        "not cacheable by blocks of 1 GB",
                                        "not cacheable by blocks of 2 MB",
                                        "not cacheable by pages of 4 KB"};
    static volatile uint64_t word;
    word = 0;
    for (unsigned way = 0; way < sizeof names / sizeof names[0]; way++) {
        enum mmu_pages pages = (enum mmu_pages)(way % 3);
        enum mmu_memory memory = (enum mmu_memory)(way / 3);
        uint64_t normal = memory == MMU_CACHEABLE ? WRITE_BACK : NON_CACHEABLE;
        begin(names[way]);
        mmu_prepare(pages, true);
        mmu_use(pages, memory);
        report_check("what the tables say", pages, mmu_pages_of((uintptr_t)&word));
        report_check("memory", memory, mmu_memory_of((uintptr_t)&word));
        report_check("data from before", way, word);
        word++;
        check_mapped("first page of DDR", 0, normal);
        check_mapped("last page of DDR", DDR_LOW_END - 0x1000, normal);
        check_mapped("on-chip memory", OCM_BASE, normal);
        check_mapped("interrupt controller", GICD_BASE, DEVICE_nGnRnE);
        check_mapped("UART", UART0_BASE, DEVICE_nGnRE);
        report_check("what is not mapped", PAR_FAULT, translated(UNMAPPED) & PAR_FAULT);
        mmu_prepare(pages, false);
        report_check("on-chip memory without it", PAR_FAULT, translated(OCM_BASE) & PAR_FAULT);
        mmu_use(MMU_BLOCKS_1G, MMU_CACHEABLE);
        end(0);
    }
}

/* ---- other cores ----------------------------------------------------------------------------- */

#define SGI_OUT 5
#define SGI_BACK 6
#define IAR_SOURCE_CORE(core) ((uint32_t)(core) << 10)

static volatile struct {
    uint32_t level, number, iar;
    bool ready;
} others[CORES];

static void other_interrupt(unsigned core, uint32_t iar) {
    others[core].iar = iar;
    GICC->eoir = iar;
    irq_send(SGI_BACK, 1);
}

static void other_main(void) {
    unsigned core = cpu_number();
    WRITE_SYSREG(vbar_el3, (uintptr_t)vectors_selftest);
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

static void test_other_cores(void) {
    static const char *const names[CORES] = {
        NULL, "core 1 starts at its RVBAR, answers an SGI and the SPI that targets it", "core 2",
        "core 3"};
    for (unsigned core = 1; core < CORES; core++) {
        begin(names[core]);
        smp_start(core, other_main);
        for (unsigned i = 0; i < 10000000 && !others[core].ready; i++)
            isb();
        report_check("the core has started", true, others[core].ready);
        report_check("its exception level", 3, others[core].level);
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

/* ---------------------------------------------------------------------------------------------- */

_Noreturn void fault_report(uint64_t offset, uint64_t esr, uint64_t elr, uint64_t far) {
    report_fault(offset, esr, elr, far);
    for (;;)
        wait_for_interrupt();
}

_Noreturn void main(void) {
    uart_init();
    uart_set_baud(115200);
    WRITE_SYSREG(vbar_el3, (uintptr_t)vectors_selftest);
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
