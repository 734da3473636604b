/* Tests of the Cortex-A53: its levels, timers and translation. */
#include <stddef.h>

#include "bound/addresses.h"
#include "machine/cpu.h"
#include "machine/translation.h"
#include "selftest/frame.h"
#include "selftest/report.h"
#include "selftest/tests.h"

unsigned selftest_cores(void) { return CORES; }

void selftest_begin(void) {}

void test_core(void) {
    begin("core 0 runs at EL3 with MMU and caches on");
    report_check("exception level", 3, cpu_exception_level());
    report_check("core", 0, cpu_number());
    uint64_t on = SCTLR_M | SCTLR_C | SCTLR_I;
    report_check("SCTLR_EL3", on, READ_SYSREG(sctlr_el3) & on);
    end(0);
}

/* The generic timers. Compare values are 0 and beyond any count: QEMU's counter runs, the twin's
 * is until its control block starts it. */
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
    {"secure timer CNTPS, PPI 29", IRQ_TIMER_TICK, cntps_set, cntps_control},
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

void test_timers(void) {
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
#define PAGE UINT64_C(0x1000)
#define LAST_2M UINT64_C(0xFFE00000)
#define LAST_2M_END UINT64_C(0x100000000)

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

/* On-chip memory ends the 2 MB that begin with the tightly coupled memories of the Cortex-R5s. */
static void check_last_2m(const char *what, uint64_t mapped_from) {
    for (uint64_t at = LAST_2M; at < LAST_2M_END; at += PAGE)
        report_check(what, at | (at < mapped_from), at | (translated(at) & PAR_FAULT));
}

void test_translation(void) {
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
        check_mapped("last page of DDR", DDR_LOW_END - PAGE, normal);
        check_mapped("on-chip memory", OCM_BASE, normal);
        check_last_2m("page of on-chip memory or below it", OCM_BASE);
        check_mapped("interrupt controller", GICD_BASE, DEVICE_nGnRnE);
        check_mapped("UART", UART0_BASE, DEVICE_nGnRE);
        report_check("what is not mapped", PAR_FAULT, translated(UNMAPPED) & PAR_FAULT);
        mmu_prepare(pages, false);
        check_last_2m("page without on-chip memory", LAST_2M_END);
        mmu_use(MMU_BLOCKS_1G, MMU_CACHEABLE);
        end(0);
    }
}
