/* Tests of the Cortex-A9 and its system: modes, software interrupts without registers for their
 * pending state, the global timer, translation, L2. */
#include <stddef.h>

#include "bound/addresses.h"
#include "bound/timer.h"
#include "lib/memory.h"
#include "lib/mmio.h"
#include "machine/caches.h"
#include "machine/cpu.h"
#include "machine/translation.h"
#include "selftest/frame.h"
#include "selftest/report.h"
#include "selftest/tests.h"

#define MODE_SVC 0x13
#define SCR_NS 1u
#define SCU_CONFIG (SCU_BASE + 0x004)
#define L2C_ID (L2C_BASE + 0x000)
#define L2C_CONTROL (L2C_BASE + 0x100)
#define L2C_PART 0x410000C0u /* Arm's, L2C-310 */

/* An emulated core without a secure state has no vectors but those of the reset. */
#define HIGH_VECTORS 0xFFFF0000u
#define VECTORS_SIZE 0x80
#define SCTLR_V (1u << 13)

static bool has_secure_state(void) { return (READ_CP15(0, c0, c1, 1) & 0xF0) != 0; }

unsigned selftest_cores(void) { return (mmio_read32(SCU_CONFIG) & 3) + 1; }

void selftest_begin(void) {
    if (has_secure_state())
        return;
    memcpy((void *)HIGH_VECTORS, vectors_selftest, VECTORS_SIZE);
    caches_flush();
    WRITE_CP15(0, c1, c0, 0, READ_SCTLR() | SCTLR_V);
    isb();
}

static void test_modes(void) {
    begin("core 0 runs in supervisor mode with MMU, caches and prediction on");
    report_check("mode", MODE_SVC, cpu_status() & CPSR_MODE);
    report_check("core", 0, cpu_number());
    uint32_t on = SCTLR_M | SCTLR_C | SCTLR_I | SCTLR_Z;
    report_check("SCTLR", on, READ_SCTLR() & on);
    end(0);
    static const char *const secure = "its state is secure";
    if (!has_secure_state()) {
        report_skip(secure, "this emulation has no secure state");
        return;
    }
    begin(secure);
    report_check("SCR.NS", 0, READ_CP15(0, c1, c1, 0) & SCR_NS);
    report_check("vectors", (uintptr_t)vectors_selftest, vectors());
    end(0);
}

/* GICv1 has no register that takes an SGI back. */
static void test_software(void) {
    begin("an SGI sent twice is taken once; one that is taken back is not");
    use(3, LOW_PRIORITY, IRQ_BY_EDGE);
    use(4, HIGH_PRIORITY, IRQ_BY_EDGE);
    irq_send(3, 1);
    irq_send(3, 1);
    irq_send(4, 1);
    irq_clear_pending(4);
    report_check("pending", true, irq_is_pending(3));
    report_check("taken back", false, irq_is_pending(4));
    report_check("its priority", HIGH_PRIORITY, irq_priority(4));
    interrupts_unmask();
    wait_for_entries(1);
    check_entry("IAR", 0, 3);
    end(1);
}

static void test_no_target(void) {
    static const char *const name = "an SPI that targets no core is not taken";
    if (selftest_cores() == 1) {
        report_skip(name, "one core needs no targets");
        return;
    }
    begin(name);
    irq_configure(SPI_A, LOW_PRIORITY, 0, IRQ_BY_EDGE);
    irq_enable(SPI_A);
    report_check("target", 0, irq_targets(SPI_A));
    irq_set_pending(SPI_A);
    interrupts_unmask();
    wait_for_nothing();
    end(0);
}

/* ICDICFR: the lower bit of a pair reads 1 on a PL390 and 0 on emulations; the upper one decides.
 */
static void test_configuration(void) {
    begin("all SPIs of the PL can be sensed by edge and by level");
    for (unsigned id = IRQ_SHARED_LOW; id <= IRQ_FINISHED; id++) {
        if (id == IRQ_SHARED_LOW + IRQ_SHARED_ROW)
            id = IRQ_SHARED_HIGH;
        irq_configure(id, LOW_PRIORITY, 1, IRQ_BY_EDGE);
        report_check("by edge", IRQ_BY_EDGE, irq_trigger(id));
        irq_configure(id, LOW_PRIORITY, 1, IRQ_BY_LEVEL);
        report_check("by level", IRQ_BY_LEVEL, irq_trigger(id));
    }
    end(0);
}

void test_core(void) {
    test_modes();
    test_software();
    test_no_target();
    test_configuration();
}

/* ---- the global timer ------------------------------------------------------------------------ */

#define SOON 10000
#define LATER (UINT64_C(1) << 40) /* an hour: emulations count in nanoseconds, of 64 bits */

static void timer_again(unsigned id) {
    report_check("due in the handler", true, timer_is_due());
    timer_set_due(entry_count == 1 ? timer_now() + SOON : timer_now() + LATER);
    wait_until_low(id);
}

void test_timers(void) {
    begin("global timer, PPI 27: once when it is due, again when it is anew");
    use(IRQ_TIMER_TICK, LOW_PRIORITY, IRQ_BY_LEVEL);
    in_handler = timer_again;
    mmio_write32(TIMER_CONTROL, TIMER_ENABLE);
    uint64_t before = timer_now();
    timer_start(before + SOON);
    report_check("what is set", before + SOON, timer_due());
    interrupts_unmask();
    wait_for_entries(4);
    report_check("time has passed", true, timer_now() >= before + 2 * SOON);
    check_entry("first", 0, IRQ_TIMER_TICK);
    check_entry("second", 2, IRQ_TIMER_TICK);
    report_check("due after", false, timer_is_due());
    timer_stop();
    end(4);
    begin("global timer: due in the past is due at once");
    timer_start(before);
    report_check("due", true, timer_is_due());
    timer_stop();
    report_check("stopped", false, timer_is_due());
    end(0);
}

/* ---- translation ----------------------------------------------------------------------------- */

#define PAR_FAULT 1u
#define PAR_LARGE 2u /* a section of 16 MB: of the address, its base alone */
#define PAR_ADDRESS 0xFFFFF000u
#define PAR_LARGE_ADDRESS 0xFF000000u
#define UNMAPPED 0x80000000u

/* What this core's tables make of a read (ATS1CPR). */
static uint32_t translated(uint32_t address) {
    WRITE_CP15(0, c7, c8, 0, address);
    isb();
    return READ_CP15(0, c7, c4, 0);
}

static void check_mapped(const char *what, uint32_t address, uint32_t to) {
    uint32_t par = translated(address);
    report_check(what, 0, par & PAR_FAULT);
    uint32_t told = par & PAR_LARGE ? PAR_LARGE_ADDRESS : PAR_ADDRESS;
    report_check(what, to & told, par & told);
}

static void check_all_mapped(void) {
    static const struct {
        const char *what;
        uint32_t address;
    } flat[] = {
        {"first page of DDR", DDR_FIRST},
        {"last page of DDR", DDR_END - 0x1000},
        {"on-chip memory", OCM_BASE},
        {"word by which a core starts", CORE_START_WORD & -0x1000u},
        {"private devices", GICD_BASE},
        {"GPIO", GPIO_BASE},
        {"SLCR", SLCR_BASE},
    };
    for (unsigned i = 0; i < sizeof flat / sizeof flat[0]; i++)
        check_mapped(flat[i].what, flat[i].address, flat[i].address);
    check_mapped("alias of GPIO", STRONGLY_ORDERED_ALIAS + (GPIO_BASE & 0xFFFFF), GPIO_BASE);
    report_check("what is not mapped", PAR_FAULT, translated(UNMAPPED) & PAR_FAULT);
    report_check("below DDR", PAR_FAULT, translated(0) & PAR_FAULT);
}

void test_translation(void) {
    static const struct {
        const char *name;
        enum mmu_pages pages;
        enum mmu_memory memory;
    } ways[] = {
        {"translation by sections of 1 MB", MMU_SECTIONS_1M, MMU_CACHEABLE},
        {"by sections of 16 MB", MMU_SECTIONS_16M, MMU_CACHEABLE},
        {"by pages of 4 KB", MMU_PAGES_4K, MMU_CACHEABLE},
        {"not cacheable by sections of 1 MB", MMU_SECTIONS_1M, MMU_NON_CACHEABLE},
        {"not cacheable by sections of 16 MB", MMU_SECTIONS_16M, MMU_NON_CACHEABLE},
        {"not cacheable by pages of 4 KB", MMU_PAGES_4K, MMU_NON_CACHEABLE},
    };
    static volatile uint32_t word;
    word = 0;
    for (unsigned way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        begin(ways[way].name);
        mmu_prepare(ways[way].pages, true);
        mmu_use(ways[way].pages, ways[way].memory);
        report_check("what the tables say", ways[way].pages, mmu_pages_of(ARRAYS_BASE));
        report_check("memory", ways[way].memory, mmu_memory_of((uintptr_t)&word));
        report_check("of on-chip memory", ways[way].memory, mmu_memory_of(OCM_BASE));
        report_check("its pages", MMU_PAGES_4K, mmu_pages_of(OCM_BASE));
        report_check("data from before", way, word);
        word++;
        check_all_mapped();
        mmu_use(MMU_USUAL, MMU_CACHEABLE);
        end(0);
    }
    begin("caches off and on: nothing is lost");
    word = 0x1234;
    caches_off();
    report_check("off", false, CACHES_ARE_ON());
    report_check("data from before", 0x1234, word);
    word = 0x4321;
    caches_on();
    report_check("on", true, CACHES_ARE_ON());
    report_check("data from while they were off", 0x4321, word);
    end(0);
    static const char *const l2 = "L2 is an L2C-310, and on with the caches";
    if (mmio_read32(L2C_ID) == 0) {
        report_skip(l2, "this emulation has none");
        return;
    }
    begin(l2);
    report_check("part", L2C_PART, mmio_read32(L2C_ID) & ~0x3Fu);
    report_check("on", 1, mmio_read32(L2C_CONTROL) & 1);
    caches_off();
    report_check("off", 0, mmio_read32(L2C_CONTROL) & 1);
    caches_on();
    end(0);
}
