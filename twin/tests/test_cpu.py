"""The core: entry at EL3, exceptions, interrupts at the exact instruction, time, sleep."""

import pytest

from board import refusal, values

SGI_TO_SELF = 'REG(GICD + 0xF00) = 2u << 24 | 3; ASM("dsb sy");'


def test_starts_at_el3_with_everything_masked():
    assert values('void test(void) { print(MRS("CurrentEL") >> 2); print(MRS("daif") >> 6); }') == [
        3,
        15,
    ]


def test_interrupt_is_taken_at_el3_only_when_scr_routes_it_there():
    source = """
        static volatile u32 taken;
        static void handler(void) { u32 iar = GICC_IAR; taken++; GICC_EOIR = iar; ASM("dsb sy"); }
        void test(void) {
            on_irq = handler;
            gic_start();
            MSR("scr_el3", SCR_RW);
            %s
            UNMASK_IRQ();
            for (volatile int i = 0; i < 1000; i++) {}
            print(taken);
            MSR("scr_el3", SCR_RW | SCR_IRQ);
            for (volatile int i = 0; i < 1000; i++) {}
            print(taken);
        }"""
    assert values(source % SGI_TO_SELF) == [0, 1]


def test_interrupt_unmasked_by_daifclr_is_taken_in_front_of_the_next_instruction():
    source = """
        static volatile u64 elr;
        static void handler(void) { elr = MRS("elr_el3"); GICC_EOIR = GICC_IAR; ASM("dsb sy"); }
        void test(void) {
            on_irq = handler;
            gic_start();
            %s
            for (volatile int i = 0; i < 1000; i++) {}
            u64 after;
            __asm__ volatile("adr %0, 1f\\n msr daifclr, #2\\n 1: nop\\n nop" : "=r"(after));
            print(elr - after);
        }"""
    assert values(source.replace("%s", SGI_TO_SELF)) == [0]


def test_interrupt_unmasked_by_eret_is_taken_at_the_return_address():
    source = """
        static volatile u64 first, second;
        static volatile u32 count;
        static void handler(void) {
            u32 iar = GICC_IAR;
            if (count++ == 0) {
                first = MRS("elr_el3");
                REG(GICD + 0xF00) = 2u << 24 | 4;
                ASM("dsb sy");
                for (volatile int i = 0; i < 100; i++) {}
            } else {
                second = MRS("elr_el3");
            }
            GICC_EOIR = iar;
            ASM("dsb sy");
            for (volatile int i = 0; i < 100; i++) {} /* the GIC has signalled it by now */
        }
        void test(void) {
            on_irq = handler;
            gic_start();
            REG(GICD + 0xF00) = 2u << 24 | 3;
            UNMASK_IRQ();
            for (volatile int i = 0; i < 1000; i++) {}
            print(count);
            print(first - second);
        }"""
    assert values(source) == [2, 0]


def test_exception_from_sp0_uses_its_own_vectors_and_stack():
    source = """
        static volatile u64 esr, sp_inside;
        static void handler(void) {
            esr = MRS("esr_el3");
            __asm__ volatile("mov %0, sp" : "=r"(sp_inside));
        }
        void test(void) {
            u64 outside, sp0, before;
            on_sync_sp0 = handler;
            __asm__ volatile("mov %0, sp" : "=r"(outside));
            MSR("sp_el0", 0x00700000);
            __asm__ volatile("msr spsel, #0\\n mov %0, sp\\n smc #7\\n mov %1, sp\\n msr spsel, #1"
                             : "=&r"(before), "=&r"(sp0) :: "memory");
            print(before);
            print(sp0);
            print(outside - sp_inside < 0x200);
            print(esr);
        }"""
    assert values(source) == [0x700000, 0x700000, 1, 0x17 << 26 | 1 << 25 | 7]


@pytest.mark.parametrize(
    ("instruction", "syndrome", "skipped"),
    [
        ("svc #5", 0x15 << 26 | 1 << 25 | 5, 4),
        ("smc #6", 0x17 << 26 | 1 << 25 | 6, 4),
        ("brk #9", 0x3C << 26 | 1 << 25 | 9, 0),
        (".inst 0x00000000", 1 << 25, 0),
    ],
)
def test_synchronous_exception_tells_what_and_where(instruction, syndrome, skipped):
    source = """
        static volatile u64 elr, esr;
        static void handler(void) {
            esr = MRS("esr_el3");
            elr = MRS("elr_el3");
            MSR("elr_el3", elr + (4 - SKIPPED));
        }
        void test(void) {
            on_sync = handler;
            u64 at;
            __asm__ volatile("adr %0, 1f\\n 1: INSTRUCTION" : "=r"(at) :: "memory");
            print(esr);
            print(elr - at);
        }""".replace("INSTRUCTION", instruction)
    assert values(source, SKIPPED=skipped) == [syndrome, skipped]


@pytest.mark.parametrize(
    "instruction", ["movi v0.2d, #0", "stp q0, q1, [%1]", "ldr d0, [%1]", "fmov d0, #1.0"]
)
def test_fp_is_trapped_once_and_goes_on_when_allowed(instruction):
    source = """
        static volatile u64 count, elr, esr;
        static u64 space[4] __attribute__((aligned(16)));
        static void handler(void) {
            count++;
            esr = MRS("esr_el3");
            elr = MRS("elr_el3");
            MSR("cptr_el3", 0);
            ASM("isb");
        }
        void test(void) {
            on_sync = handler;
            u64 at;
            __asm__ volatile(".arch_extension simd\\n adr %0, 1f\\n msr cptr_el3, %2\\n isb\\n"
                             "1: INSTRUCTION\\n INSTRUCTION"
                             : "=&r"(at) : "r"(space), "r"(1ul << 10) : "memory");
            print(count);
            print(elr - at);
            print(esr);
        }""".replace("INSTRUCTION", instruction)
    assert values(source) == [1, 0, 0x07 << 26 | 1 << 25 | 0x1E << 20]


def test_registers_that_the_emulator_lacks_keep_their_value():
    source = """
        void test(void) {
            MSR("S3_1_C15_C2_1", 0x40);
            print(MRS("S3_1_C15_C2_1"));
            MSR("S3_1_C15_C2_0", 0x80CA000);
            print(MRS("S3_1_C15_C2_0"));
            print(MRS("S3_1_C11_C0_2") >> 24 & 3);
        }"""
    assert values(source) == [0x40, 0x80CA000, 3]


def test_counters_run_in_twin_time():
    source = """
        void test(void) {
            print(MRS("cntfrq_el0"));
            print(MRS("cntpct_el0")); /* stopped until IOU_SCNTRS enables it */
            counters_start();
            u64 ticks, cycles;
            __asm__ volatile(
                "mrs x2, cntpct_el0\\n mrs x3, pmccntr_el0\\n mov x4, #60000\\n"
                "1: subs x4, x4, #1\\n b.ne 1b\\n"
                "mrs %0, cntpct_el0\\n mrs %1, pmccntr_el0\\n sub %0, %0, x2\\n sub %1, %1, x3"
                : "=&r"(ticks), "=&r"(cycles) :: "x2", "x3", "x4", "cc");
            print(cycles);
            print(ticks);
        }"""
    frequency, stopped, cycles, ticks = values(source)
    assert (frequency, stopped) == (0, 0)
    assert cycles == 120003  # the loop, the mov and the two reads between
    assert ticks in (10000, 10001)  # 12 cycles each


def test_cycle_counter_stops_in_wfi_and_the_system_counter_does_not():
    source = """
        static void handler(void) { MSR("cntps_ctl_el1", 0); GICC_EOIR = GICC_IAR; ASM("dsb sy"); }
        void test(void) {
            on_irq = handler;
            timer_interrupt_start();
            MSR("cntps_tval_el1", 1000000);
            MSR("cntps_ctl_el1", 1);
            UNMASK_IRQ();
            u64 count = MRS("cntpct_el0"), cycles = CYCLES();
            ASM("wfi");
            print(CYCLES() - cycles);
            print(MRS("cntpct_el0") - count);
        }"""
    cycles, count = values(source)
    assert cycles < 1000
    assert 1000000 - 100 < count < 1000000 + 100


# An instruction that branches to itself is not executed; it must not make a difference.
SPIN = """
    static volatile u64 at, count, cycles;
    static void handler(void) {
        cycles = CYCLES();
        count = MRS("cntpct_el0");
        at = MRS("elr_el3");
        MSR("elr_el3", at + 4);
        MSR("cntps_ctl_el1", 0);
        GICC_EOIR = GICC_IAR;
        ASM("dsb sy");
    }
    void test(void) {
        on_irq = handler;
        timer_interrupt_start();
        MSR("cntps_tval_el1", 12347);
        MSR("cntps_ctl_el1", 1);
        UNMASK_IRQ();
        u64 loop;
        __asm__ volatile("mov x1, #0\\n adr %0, 1f\\n 1: BRANCH" : "=r"(loop) :: "x1", "memory");
        print(at - loop);
        print(count);
        print(cycles);
    }"""


def test_branch_to_itself_takes_the_time_of_its_iterations():
    skipped = values(SPIN.replace("BRANCH", "b 1b"))
    executed = values(SPIN.replace("BRANCH", "cbz x1, 1b"))
    assert skipped == executed
    assert skipped[0] == 0


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("REG(0xFF0D0000) = 1;", ["store of 4 bytes", "unknown address 0xff0d0000"]),
        ("print(REG(0xA0000000));", ["load of 4 bytes", "unknown address 0xa0000000"]),
        ("((void (*)(void))0xC0000000ul)();", ["instruction fetch", "0xc0000000"]),
        ("print(REG(0xFF0A0074));", ["load", "0xff0a0074", "GPIO", "banks 3, 4 and 5 only"]),
        ("REG(0xFF0A0054) = 0;", ["store", "0xff0a0054", "GPIO"]),
        ("print(*(volatile u64 *)(GICD + 0x100ul));", ["0xf9010100", "wider than 32 bits"]),
        ("*(volatile u64 *)(GPIO + 0x18ul) = 0;", ["0xff0a0018", "wider than 32 bits"]),
        ("print(BYTE(GICD + 0x100));", ["load of 1 bytes", "width"]),
        ("REG(0xFF5E00C0) = 0x01010F00;", ["0xff5e00c0", "250 MHz"]),
        ("print(MRS(\"S3_3_C13_C0_7\"));", ["system register S3_3_C13_C0_7"]),
        ("print(MRS(\"icc_sre_el3\"));", ["system register S3_6_C12_C12_5"]),
        ("MSR(\"hcr_el2\", 0x80);", ["system register HCR_EL2"]),
        ("GICC_EOIR = 121;", ["not active here"]),
    ],
)  # fmt: skip
def test_what_is_not_modelled_stops_the_engine_with_place_and_core(statement, words):
    line = refusal(f'void test(void) {{ {statement} ASM("dsb sy"); }}')
    for word in [*words, "PC 0x1", "core 0"]:
        assert word in line
