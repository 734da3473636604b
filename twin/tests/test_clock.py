"""The divided CPU clock: all cores' cycles become longer, nothing else does."""

import pytest

from board import refusal, values

LOOP = """
    #define ACPU_CTRL 0xFD1A0060
    static volatile u64 ticks, cycles;
    __attribute__((unused)) static void measure(void) {
        u64 t, c;
        __asm__ volatile(
            "mrs x2, cntpct_el0\\n mrs x3, pmccntr_el0\\n mov x4, #6000\\n"
            "1: subs x4, x4, #1\\n b.ne 1b\\n"
            "mrs %0, cntpct_el0\\n mrs %1, pmccntr_el0\\n sub %0, %0, x2\\n sub %1, %1, x3"
            : "=&r"(t), "=&r"(c) :: "x2", "x3", "x4", "cc");
        ticks = t;
        cycles = c;
    }
    static void divide(u32 divisor) {
        REG(ACPU_CTRL) = (REG(ACPU_CTRL) & ~0x3F00u) | divisor << 8;
        ASM("dsb sy\\n isb");
    }
"""


def test_starts_as_psu_init_leaves_it():
    assert values("void test(void) { print(REG(0xFD1A0060)); }") == [0x03000100]


@pytest.mark.parametrize("divisor", [1, 2, 8, 63])
def test_a_cycle_takes_as_many_times_longer_as_the_divisor_says(divisor):
    source = """
        void test(void) {
            counters_start();
            divide(DIVISOR);
            measure();
            divide(1);
            print(ticks);
            print(cycles);
            print(REG(ACPU_CTRL));
            measure();
            print(ticks);
        }"""
    divided, cycles, control, restored = values(LOOP + source, DIVISOR=divisor)
    assert cycles == 12003
    assert abs(divided - 12003 * divisor / 12) <= 1
    assert control == 0x03000100
    assert restored in (1000, 1001)


def test_all_cores_share_the_clock_and_devices_keep_theirs():
    source = """
        static volatile u32 go, done;
        void test(void) {
            counters_start();
            start_core(1);
            while (!go) {}
            u64 before = MRS("cntpct_el0");
            (void)REG(GICD + 4);
            u64 whole = MRS("cntpct_el0") - before;
            divide(4);
            done = 1;
            before = MRS("cntpct_el0");
            (void)REG(GICD + 4);
            u64 divided = MRS("cntpct_el0") - before;
            while (done != 2) {}
            print(ticks);
            print(divided - whole <= 3); /* some cycles around a load of the same length */
        }
        void core_main(void) {
            go = 1;
            while (done != 1) {}
            measure();
            done = 2;
        }"""
    ticks, near = values(LOOP + source)
    assert ticks in (4000, 4001)
    assert near


def test_a_sleeping_core_wakes_to_the_divided_clock_and_counts_no_cycle_asleep():
    source = """
        static void handler(void) {
            MSR("cntps_ctl_el1", 0);
            GICC_EOIR = GICC_IAR;
            ASM("dsb sy");
        }
        void test(void) {
            on_irq = handler;
            timer_interrupt_start();
            ASM("dsb sy");
            divide(8);
            MSR("cntps_tval_el1", 100000);
            MSR("cntps_ctl_el1", 1);
            UNMASK_IRQ();
            u64 count = MRS("cntpct_el0"), before = CYCLES();
            ASM("wfi");
            print(CYCLES() - before);
            print(MRS("cntpct_el0") - count);
        }"""
    cycles, count = values(LOOP + source)
    assert 20 < cycles < 1000
    assert 100_000 < count < 100_000 + 1000


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("0x03000000", "DIVISOR0 of ACPU_CTRL must be 1..63"),
        ("0x01000100", "only DIVISOR0 of ACPU_CTRL can be changed"),
        ("0x03000101", "only DIVISOR0 of ACPU_CTRL can be changed"),
    ],
)
def test_other_settings_are_refused(value, why):
    assert why in refusal(f'void test(void) {{ REG(0xFD1A0060) = {value}; ASM("dsb sy"); }}')
