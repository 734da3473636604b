"""Profile a53, interrupts: published figures against the unfitted model."""

from statistics import mean

import pytest
from a53_board import run

# A private timer's interrupt, from its compare value to after IAR and switching the timer off, in
# ticks of 10 ns: what the latency guest of ESRG (shedding-light-static-partitioning-hypervisors)
# measures on a ZCU104.
TIMER = """
static volatile u64 due, ticks, seen;
static void handler(void) {
    u32 iar = GICC_IAR;
    MSR("cntps_ctl_el1", 0);
    ticks = MRS("cntpct_el0");
    seen = 1;
    GICC_EOIR = iar;
    ASM("dsb sy");
}
static void once(u64 after) {
    seen = 0;
    due = MRS("cntpct_el0") + after;
    MSR("cntps_cval_el1", due);
    MSR("cntps_ctl_el1", 1);
    ASM("isb");
    while (!seen) {}
}
void test(void) {
    on_irq = handler;
    timer_interrupt_start();
    write_tables(BLOCKS_2M, WRITE_BACK);
    mmu_on();
    if (CACHES)
        caches_on();
    UNMASK_IRQ();
    once(500);
    once(500);
    for (u64 n = 0; n < 12; n++) {
        BEFORE
        once(300 + n * 7 % 50);
        print(ticks - due);
    }
}
"""
EVICT_L1 = """ASM("ic iallu\\n dsb sy\\n isb");
        for (u64 i = 0; i < 4096; i++)
            ((volatile u64 *)0x600000)[i] = i;"""
EVICT_ALL = """FLUSH_L1D();
        FLUSH_L2();
        ASM("tlbi alle3\\n ic iallu\\n dsb sy\\n isb");"""


def latencies(before: str = "", caches: int = 1) -> list[int]:
    """In ns."""
    ticks = run(TIMER.replace("BEFORE", before), CACHES=caches).values
    return [10 * count for count in ticks]


@pytest.fixture(scope="module")
def warm() -> list[int]:
    return latencies()


def test_latency_with_evicted_l1_is_the_one_published_for_a_zcu104(warm):
    actual = latencies(EVICT_L1)
    # Published: 190 / 220 / 250.
    assert 180 <= min(actual) <= mean(actual) <= max(actual) <= 260
    assert min(actual) > max(warm)


def test_latency_with_nothing_in_any_cache_is_several_times_the_warm_one(warm):
    # The estimate by hand says ten times: it counts the walk for the code, which here the loop
    # that waits has brought back. docs/a53.md.
    assert min(latencies(EVICT_ALL)) >= 4.5 * mean(warm)


def test_latency_with_caches_off_is_several_times_the_warm_one(warm):
    # The estimate by hand says 1200 to 3300 ns; 32 bytes and two fetches under way, the middle of
    # their ranges, are kinder than what it assumes. docs/a53.md.
    assert 4 * mean(warm) <= mean(latencies(caches=0)) <= 3300


def test_an_interrupt_does_not_wait_for_the_data_of_a_load():
    source = """
        static volatile u64 waited;
        static void handler(void) {
            waited = MRS("cntpct_el0") - MRS("cntps_cval_el1");
            MSR("cntps_ctl_el1", 0);
            GICC_EOIR = GICC_IAR;
            ASM("dsb sy");
        }
        void test(void) {
            on_irq = handler;
            timer_interrupt_start();
            write_tables(BLOCKS_1G, WRITE_BACK);
            mmu_on();
            caches_on();
            make_ring(0x100007C0, 64, 1 << 16, 37); /* one set of each cache, four times full */
            UNMASK_IRQ();
            u64 at = 0x100007C0;
            for (int i = 0; i < 20; i++) {
                waited = 0;
                MSR("cntps_cval_el1", MRS("cntpct_el0") + 100 + i);
                MSR("cntps_ctl_el1", 1);
                while (!waited)
                    __asm__ volatile(".rept 8\\n INSTRUCTION\\n .endr" : "+r"(at));
                print(waited);
            }
        }"""
    loads, nothing = (run(source.replace("INSTRUCTION", text)) for text in ("ldr %0, [%0]", "nop"))
    assert loads.counters[0]["ddr_reads"] > nothing.counters[0]["ddr_reads"] + 100
    assert max(loads.values[1:]) <= max(nothing.values[1:]) + 1
