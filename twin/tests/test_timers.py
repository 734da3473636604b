"""The generic timers, each test by the sentence of the Arm ARM (DDI 0487, "The Generic Timer in
AArch64 state" and the registers' descriptions) that it holds the twin to."""

from dataclasses import dataclass

import pytest

from board import values


@dataclass(frozen=True)
class Timer:
    name: str  # of the registers: CNTPS_CTL_EL1 ...
    level: int
    ppi: int  # UG1085 table 13-1

    def __str__(self) -> str:
        return self.name

    def __call__(self, source: str) -> str:
        """``source`` with the timer's registers for CTL, CVAL and TVAL and its PPI."""
        for register in ("CTL", "CVAL", "TVAL"):
            source = source.replace(register, f'"{self.name}_{register.lower()}_el{self.level}"')
        return source.replace("PPI", str(self.ppi))


SECURE = Timer("cntps", 1, 29)
PHYSICAL = Timer("cntp", 0, 30)
VIRTUAL = Timer("cntv", 0, 27)
HYPERVISOR = Timer("cnthp", 2, 26)
TIMERS = (SECURE, PHYSICAL, VIRTUAL, HYPERVISOR)
each_timer = pytest.mark.parametrize("timer", TIMERS, ids=str)

START = """
    #define NOW() MRS("cntpct_el0")
    #define ISTATUS(control) ((control) >> 2 & 1)
    #define LEVEL() (REG(GICD + 0xD00) >> (PPI - 16) & 1)
    #define IS_PENDING() (REG(GICD + 0x200) >> PPI & 1)
    /* The line takes some time to the interrupt controller. */
    __attribute__((unused)) static void settle(void) { for (volatile int i = 0; i < 100; i++) {} }
    __attribute__((unused)) static void start(void) {
        gic_start();
        counters_start();
        BYTE(GICD + 0x400 + PPI) = 0xA0;
        REG(GICD + 0x100) = 1u << PPI;
        ASM("dsb sy");
        while (NOW() < 1000) {}
    }
"""


@each_timer
def test_condition_is_met_from_the_count_on_that_equals_the_compare_value(timer):
    """ "the timer condition is met when (CNTPCT_EL0 - CompareValue) is greater than or equal to
    zero"; "This means that CompareValue acts like a 64-bit upcounter timer." """
    source = """
        void test(void) {
            start();
            u64 due = NOW() + 200, before, after, control, wrong = 0;
            MSR(CVAL, due);
            MSR(CTL, 1);
            do {
                before = NOW();
                control = MRS(CTL);
                after = NOW();
                wrong += ISTATUS(control) ? after < due : before >= due;
            } while (after < due + 50);
            print(wrong);
            print(ISTATUS(control));
            print(MRS(CVAL) - due);
        }"""
    assert values(timer(START + source)) == [0, 1, 0]


@each_timer
def test_timer_value_is_a_signed_distance_of_32_bits(timer):
    """ "On a write of this register, CompareValue is set to (CNTPCT_EL0 + TimerValue), where
    TimerValue is treated as a signed 32-bit integer."; "On a read of this register: [...] the value
    returned is (CompareValue - CNTPCT_EL0)", bits 63:32 being RES0."""
    source = """
        void test(void) {
            start();
            MSR(CTL, 1);
            static const u32 written[] = {0x7FFFFFFF, 100, 0, (u32)-5, (u32)-900};
            for (int i = 0; i < 5; i++) {
                u64 before = NOW();
                MSR(TVAL, 0xABCD00000000 | written[i]); /* the upper half is ignored */
                u64 compare = MRS(CVAL), value = MRS(TVAL), control = MRS(CTL);
                print(compare - before - (u64)(long)(int)written[i] <= 1);
                print(written[i] - (u32)value <= 1 && value >> 32 == 0);
                print(ISTATUS(control));
            }
        }"""
    expected = [1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert values(timer(START + source)) == expected


@each_timer
def test_timer_value_counts_down_through_zero_also_while_disabled(timer):
    """ "Setting this bit [ENABLE] to 0 disables the timer output signal, but the timer value
    accessible from CNTP_TVAL_EL0 continues to count down." """
    source = """
        void test(void) {
            start();
            MSR(CTL, ENABLE);
            MSR(TVAL, 300);
            for (int wait = 0; wait < 3; wait++) {
                u64 before = NOW();
                int value = (int)MRS(TVAL);
                print(before + value + 1 - MRS(CVAL) <= 1);
                print(value < 0);
                while (NOW() < before + 250) {}
            }
            settle();
            print(LEVEL());
        }"""
    for enable in (1, 0):
        assert values(timer(START + source), ENABLE=enable) == [1, 0, 1, 0, 1, 1, enable]


@each_timer
def test_mask_keeps_the_interrupt_away_and_does_not_change_the_status(timer):
    """ "ISTATUS takes no account of the value of the IMASK bit. If the value of ISTATUS is 1 and
    the value of IMASK is 0 then the timer interrupt is asserted." """
    source = """
        void test(void) {
            start();
            MSR(CVAL, 1);
            for (int control = 0; control < 4; control++) {
                MSR(CTL, control);
                settle();
                print(MRS(CTL) & (control & 1 ? 7 : 3)); /* ISTATUS is UNKNOWN without ENABLE */
                print(LEVEL());
            }
        }"""
    assert values(timer(START + source)) == [0, 0, 1 | 4, 1, 2, 0, 3 | 4, 0]


@each_timer
def test_interrupt_is_a_level_that_a_later_compare_value_takes_back(timer):
    """The output is level-sensitive and follows the timer condition: nothing is remembered."""
    source = """
        void test(void) {
            start();
            MSR(CVAL, 1);
            MSR(CTL, 1);
            settle();
            print(IS_PENDING());
            MSR(CVAL, NOW() + 1000);
            settle();
            print(IS_PENDING());
            print(GICC_IAR);
            MSR(CVAL, NOW() + 50);    /* earlier again: the last value counts, and alone */
            settle(); settle();
            print(GICC_IAR);
            print(GICC_IAR);
            MSR(TVAL, 1000);
            settle();
            GICC_EOIR = PPI;          /* the level has gone: it does not fire again */
            settle();
            print(GICC_IAR);
            u64 due = MRS(CVAL);
            while (NOW() < due) {}
            settle();
            print(GICC_IAR);          /* and does when it is due */
        }"""
    assert values(timer(START + source)) == [1, 0, 1023, timer.ppi, 1023, 1023, timer.ppi]


@each_timer
@pytest.mark.parametrize("masked", [0, 1])
def test_wakes_a_core_from_wfi_when_it_is_due(timer, masked):
    """WFI completes on "a physical IRQ interrupt [...] regardless of the value of the PSTATE.{A, I,
    F} bits"."""
    source = """
        static volatile u64 taken;
        static void handler(void) {
            taken = GICC_IAR;
            MSR(CTL, 0);
            settle();
            GICC_EOIR = taken;
            ASM("dsb sy");
        }
        void test(void) {
            on_irq = handler;
            start();
            u64 due = NOW() + 20000; /* 0.2 ms */
            MSR(CVAL, due);
            MSR(CTL, 1);
            if (!MASKED) UNMASK_IRQ();
            ASM("wfi");
            print(NOW() - due < 100);
            print(taken);
        }"""
    measured = 0 if masked else timer.ppi
    assert values(timer(START + source), MASKED=masked) == [1, measured]


def test_each_timer_has_registers_and_an_interrupt_of_its_own():
    """The private peripheral interrupts of the APU: UG1085 table 13-1."""
    due = {PHYSICAL: 400, HYPERVISOR: 800, SECURE: 1200, VIRTUAL: 1600}
    settings = "".join(
        timer(f"MSR(CVAL, begin + {counts}); MSR(CTL, 1); REG(GICD + 0x100) = 1u << PPI;")
        for timer, counts in due.items()
    )
    compares = "".join(timer("print(MRS(CVAL) - begin);") for timer in due)
    source = """
        void test(void) {
            gic_start();
            counters_start();
            u64 begin = MRS("cntpct_el0");
            %s
            ASM("dsb sy");
            u32 seen = 0;
            while (MRS("cntpct_el0") < begin + 2000) {
                u32 raw = REG(GICD + 0xD00);
                if (raw != seen) print(seen ^ raw);
                seen = raw;
            }
            %s
        }"""
    levels = [1 << (timer.ppi - 16) for timer in due]
    assert values(source % (settings, compares)) == [*levels, *due.values()]


def test_virtual_timer_counts_the_physical_count_less_the_offset():
    """ "The virtual count value is equal to the physical count value minus the virtual offset
    visible in CNTVOFF_EL2."; the virtual timer's condition is met when "(CNTVCT_EL0 - CompareValue)
    is greater than or equal to zero"."""
    source = """
        void test(void) {
            start();
            MSR(CVAL, 5000);
            MSR(CTL, 1);
            print(IS_PENDING());
            static const long offsets[] = {-4500, -100, -4500, 500, -6000};
            for (int i = 0; i < 5; i++) {
                MSR("cntvoff_el2", offsets[i]);
                u64 before = NOW();
                u64 virtual = MRS("cntvct_el0");
                long value = (int)MRS(TVAL);
                print(virtual + (u64)offsets[i] - before <= 1);
                print(5000 - value - virtual <= 1);
                settle();
                print(IS_PENDING());
            }
            print(MRS("cntvoff_el2") == (u64)-6000);
            print(MRS("cntp_cval_el0"));
        }"""
    pending = [1, 0, 1, 0, 1]  # the count is about 1200 to 2500 while this goes on
    checks = [value for level in pending for value in (1, 1, level)]
    assert values(VIRTUAL(START + source)) == [0, *checks, 1, 0]


def test_virtual_count_is_compared_as_unsigned_and_begins_again_at_zero():
    """ "The value of this field is treated as zero-extended in all counter calculations." """
    source = """
        void test(void) {
            start();
            MSR("cntvoff_el2", NOW() + 500); /* the virtual count is 2^64 - 500 */
            MSR(CVAL, 100);
            MSR(CTL, 1);
            settle();
            print(IS_PENDING());
            while (MRS("cntvct_el0") >> 63) {}
            settle();
            print(MRS("cntvct_el0") < 100);
            print(IS_PENDING());
            while (MRS("cntvct_el0") < 100) {}
            settle();
            print(IS_PENDING());
        }"""
    assert values(VIRTUAL(START + source)) == [1, 1, 0, 1]


def test_physical_timer_is_one_whatever_the_security_state():
    """CNTP_* is banked by security state where EL3 uses AArch32; here it uses AArch64."""
    source = """
        void test(void) {
            start();
            MSR(CVAL, 77);
            MSR("scr_el3", MRS("scr_el3") | 1);
            ASM("isb");
            print(MRS(CVAL));
            MSR(CVAL, 78);
            MSR("scr_el3", MRS("scr_el3") & ~1ul);
            ASM("isb");
            print(MRS(CVAL));
            print(MRS("cntps_cval_el1"));
        }"""
    assert values(PHYSICAL(START + source)) == [77, 78, 0]


@each_timer
def test_never_comes_while_the_system_counter_stands(timer):
    source = """
        void test(void) {
            start();
            MSR(CVAL, NOW() + 100);
            MSR(CTL, 1);
            REG(SCNTRS) = 0;
            ASM("dsb sy");
            for (int i = 0; i < 20; i++) settle();
            print(IS_PENDING());
            REG(SCNTRS) = 1;
            ASM("dsb sy");
            for (int i = 0; i < 20; i++) settle();
            print(IS_PENDING());
            MSR(CVAL, ~0ul);
            settle();
            print(IS_PENDING());
        }"""
    assert values(timer(START + source)) == [0, 1, 0]
