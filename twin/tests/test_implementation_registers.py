"""Registers that vendors' start-up code touches: the twin accepts those of the chips."""

import pytest

from board import ZYNQ7000, refusal, values


def test_adjacent_accesses_to_registers_that_the_emulator_lacks():
    """TF-A's reset function of the Cortex-A53: two traps of the emulator do not make a fault."""
    source = """
        void test(void) {
            u64 a, b;
            __asm__ volatile("mrs %0, S3_1_C15_C2_0\\n msr S3_1_C15_C2_0, %0\\n"
                             "mrs %1, S3_1_C15_C2_1\\n orr %1, %1, #0x40\\n"
                             "msr S3_1_C15_C2_1, %1\\n mrs %1, S3_1_C15_C2_1"
                             : "=&r"(a), "=&r"(b));
            print(a);
            print(b);
            u64 l2, ectlr, merr, l2merr, cbar;
            __asm__ volatile("mrs %0, S3_1_C15_C0_0\\n mrs %1, S3_1_C11_C0_3\\n"
                             "mrs %2, S3_1_C15_C2_2\\n mrs %3, S3_1_C15_C2_3\\n"
                             "mrs %4, S3_1_C15_C3_0"
                             : "=&r"(l2), "=&r"(ectlr), "=&r"(merr), "=&r"(l2merr), "=&r"(cbar));
            print(merr | l2merr);
            print(MRS("vmpidr_el2"));
        }"""
    assert values(source) == [0x90CA000, 0x40, 0, 0x80000000]


def test_a_store_of_64_bits_to_control_registers_is_two_of_32():
    """boot.S of AMD's standalone BSP for the Cortex-A53."""
    source = """
        void test(void) {
            *(volatile u64 *)0xFD5C0040ul = 0x112345678ul;
            ASM("dsb sy");
            print(REG(0xFD5C0040));
            print(REG(0xFD5C0044));
        }"""
    assert values(source) == [0x12345678, 1]


def test_a_wider_access_than_a_device_takes_is_told_as_the_program_makes_it():
    line = refusal("void test(void) { *(volatile u64 *)(GICD + 0x100ul) = 0; }")
    assert "store of 8 bytes at 0xf9010100 (GIC): wider than 32 bits" in line


@pytest.mark.parametrize(
    ("kit", "first_missing"), [(None, 192), (ZYNQ7000, 96)], ids=["GIC-400", "PL390"]
)
def test_registers_of_interrupts_that_are_not_there_read_0_and_ignore_writes(kit, first_missing):
    """XScuGic_CfgInitialize writes those of each ID that the architecture has."""
    source = """
        void test(void) {
            u32 sum = 0;
            for (u32 id = FIRST; id < 1020; id += 4) {
                REG(GICD + 0x400 + id) = 0xA0A0A0A0;
                REG(GICD + 0x800 + id) = 0x01010101;
                if (id % 16 == 0) REG(GICD + 0xC00 + id / 4) = ~0u;
                if (id % 32 == 0) REG(GICD + 0x100 + id / 8) = REG(GICD + 0x180 + id / 8) = ~0u;
            }
            ASM("DSB");
            for (u32 id = FIRST; id < 1020; id += 16)
                sum |= REG(GICD + 0x400 + id) | REG(GICD + 0x800 + id) | REG(GICD + 0xC00 + id / 4);
            print(sum);
            print(REG(GICD + 0x400));
            print(REG(GICD + 0xFF0) << 8 | REG(GICD + 0xFF4));
        }"""
    more = {} if kit is None else {"kit": kit}
    source = source.replace("DSB", "dsb sy" if kit is None else "dsb")
    assert values(source, FIRST=first_missing, **more) == [0, 0, 0xDF0]


def test_the_performance_monitor_of_the_a53():
    source = """
        void test(void) {
            MSR("pmcr_el0", 7);
            for (u64 n = 0; n < 6; n++) { MSR("pmselr_el0", n); MSR("pmxevcntr_el0", 0); }
            MSR("pmselr_el0", 0);
            MSR("pmxevtyper_el0", 0x11);
            MSR("S3_3_C14_C12_5", 0x08);
            MSR("pmevcntr5_el0", 100);
            MSR("pmccntr_el0", 0);
            MSR("pmcntenset_el0", 1u << 31 | 0x3F);
            ASM(".rept 50\\n nop\\n .endr");
            u64 instructions = MRS("S3_3_C14_C8_5"), cycles = MRS("S3_3_C14_C8_0");
            print(instructions >= 150 && instructions < 160);
            print(cycles >= 50 && cycles < 60);
            MSR("pmcntenclr_el0", ~0ul);
            MSR("pmintenset_el1", 1);
            print(MRS("pmintenclr_el1"));
        }"""
    assert values(source) == [1, 1, 1]
    counted = refusal(
        """void test(void) {
            MSR("pmcr_el0", 1);
            MSR("pmevtyper0_el0", 3);
            MSR("pmcntenset_el0", 1);
            print(MRS("pmevcntr0_el0"));
        }"""
    )
    assert "PMEVCNTR0_EL0 has counted an event that is not modelled" in counted


def test_the_performance_monitor_of_the_a9():
    """cpu_init.S of AMD's standalone BSP for the Cortex-A9."""
    source = """
        void test(void) {
            for (u32 n = 0; n < 6; n++) { MCR(c9, 0, c12, 5, n); MCR(c9, 0, c13, 2, 0); }
            MCR(c9, 0, c12, 5, 2);
            MCR(c9, 0, c13, 1, 0x68);
            MCR(c9, 0, c12, 1, 0x8000003F);
            MCR(c9, 0, c12, 0, 1);
            ASM("nop\\n nop\\n nop\\n nop");
            u32 counted = MRC(c9, 0, c13, 2);
            print(counted >= 4 && counted < 10);
        }"""
    assert values(source, kit=ZYNQ7000) == [1]
    unknown = refusal(
        "void test(void) { MCR(c9, 0, c13, 1, 3); MCR(c9, 0, c12, 1, 1); MCR(c9, 0, c12, 0, 1);"
        " print(MRC(c9, 0, c13, 2)); }",
        kit=ZYNQ7000,
    )
    assert "register PMXEVCNTR (c9, 0, c13, 2 of coprocessor 15) has counted" in unknown


def test_the_lockable_entries_of_the_main_tlb_of_the_a9():
    """cpu_init.S of AMD's standalone BSP clears the address of the first one."""
    source = """
        void test(void) {
            MCR(c15, 5, c5, 2, 0);
            for (u32 n = 0; n < 4; n++) {
                MCR(c15, 5, c4, 4, n);
                MCR(c15, 5, c5, 2, n << 12);
                MCR(c15, 5, c6, 2, n << 20);
                MCR(c15, 5, c7, 2, n << 1);
            }
            MCR(c15, 5, c4, 2, 2);
            print(MRC(c15, 5, c5, 2));
            print(MRC(c15, 5, c6, 2));
            print(MRC(c15, 5, c7, 2));
        }"""
    assert values(source, kit=ZYNQ7000) == [2 << 12, 2 << 20, 2 << 1]
    locked = refusal("void test(void) { MCR(c15, 5, c6, 2, 0x101); }", kit=ZYNQ7000)
    assert "register main TLB PA (c15, 5, c6, 2 of coprocessor 15) locks an entry" in locked


def test_the_l2_of_the_a9_syncs_where_amds_start_up_asks_for_it():
    """Offset 0x740 in place of 0x730, for erratum 753970; the one beside it is no register."""
    assert values("void test(void) { REG(L2 + 0x740) = 0; print(1); }", kit=ZYNQ7000) == [1]
    refused = refusal("void test(void) { REG(L2 + 0x744) = 0; }", kit=ZYNQ7000)
    assert "0xf8f02744 (L2C-310): no such writable register" in refused


TTC = """
    static volatile u32 taken;
    static void handler({entry}) {{
        u32 iar = GICC_IAR;
        (void)REG(TTC + 0x54); /* which clears it */
        taken++;
        GICC_EOIR = iar;
        ASM("{dsb}");
    }}
    void test(void) {{
        on_irq = handler;
        gic_start();
        gic_use(ID, 0);
        {route}
        REG(TTC + 0x24) = 999;
        REG(TTC + 0x60) = 1;
        REG(TTC + 0x0C) = 0x12; /* by the interval, from 0 */
        ASM("{dsb}");
        UNMASK_IRQ();
        counters_start();
        u32 first, begin;
        while (!taken) {{}}
        begin = (u32)CYCLES();
        first = taken;
        while (taken < first + 10) {{}}
        print(((u32)CYCLES() - begin) / 100);
        REG(TTC + 0x0C) = 1;
        ASM("{dsb}");
        print(REG(TTC + 0x18) < 1000);
    }}"""


def test_the_triple_timer_counter_counts_rounds_of_its_interval():
    """A round of 1000 steps: 10 us at 100 MHz, 9 us at 111 MHz."""
    on_a53 = TTC.format(entry="void", dsb="dsb sy", route='MSR("scr_el3", SCR_RW | SCR_IRQ);')
    ten, below = values(on_a53, TTC=0xFF110000, ID=68)
    assert (ten, below) == (1200, 1) or (abs(ten - 1200) <= 2 and below)
    on_a9 = TTC.format(entry="struct entry *entry", dsb="dsb", route="(void)0;")
    on_a9 = on_a9.replace("u32 iar", "entry->link -= 4; u32 iar")
    ten, below = values(on_a9, kit=ZYNQ7000, TTC=0xF8001000, ID=42)
    assert abs(ten - 600) <= 2
    assert below


def test_the_private_watchdog_is_a_timer_until_it_watches():
    source = """
        static volatile u32 taken;
        static void handler(struct entry *entry) {
            entry->link -= 4;
            u32 iar = GICC_IAR;
            REG(MPCORE + 0x62C) = 1;
            taken = iar;
            GICC_EOIR = iar;
            ASM("dsb");
        }
        void test(void) {
            on_irq = handler;
            gic_start();
            REG(GICD + 0x100) = 1u << 30;
            REG(MPCORE + 0x620) = 1000;
            REG(MPCORE + 0x628) = 5;
            UNMASK_IRQ();
            while (!taken) {}
            print(taken);
            REG(MPCORE + 0x628) = 9;
            REG(MPCORE + 0x634) = 0x12345678;
            REG(MPCORE + 0x634) = 0x87654321;
            ASM("dsb");
            print(REG(MPCORE + 0x628) & 8);
        }"""
    assert values(source, kit=ZYNQ7000) == [30, 0]
    line = refusal(
        "void test(void) { REG(MPCORE + 0x620) = 100; REG(MPCORE + 0x628) = 9; while (1) {} }",
        kit=ZYNQ7000,
    )
    assert "a private watchdog runs out" in line


def test_the_registers_that_tf_as_bl31_touches_on_its_way():
    """Chip's identity, boot mode, CCI-400, and a request by IPI, which the PMU does not know."""
    source = """
        void test(void) {
            print(REG(0xFFCA0040) & 0x0FFFFFFF); // CSU.IDCODE without the revision
            print(REG(0xFFCA0044) >> 12 & 15);   // CSU.VERSION, PLATFORM
            print(REG(0xFF5E0200));              // BOOT_MODE_USER
            REG(0xFFD80048) = 0x1234;            // GLOBAL_GEN_STORAGE6
            REG(0xFD6E4000) = REG(0xFD6E4000) | 3;
            ASM("dsb sy");
            print(REG(0xFFD80048));
            print((REG(0xFD6E0FE4) & 15) << 8 | REG(0xFD6E0FE0)); // part number
            print(REG(0xFD6E4000));
            REG(0xFF990400 + 0x1C0) = 1;         // PM_GET_API_VERSION
            REG(0xFF300000) = 1 << 16;
            ASM("dsb sy");
            u32 busy = REG(0xFF300004), polls = 0;
            while (REG(0xFF300004)) polls++;
            print(busy);
            print(polls > 10);
            print(REG(0xFF990400 + 0x1C0 + 0x20));
        }"""
    expected = [0x4738093, 0, 0, 0x1234, 0x420, 0xC0000003, 1 << 16, 1, 19]
    assert values(source) == expected
    line = refusal("void test(void) { REG(0xFF300000) = 0x100; }")
    assert "(IPI): of the other processors only the PMU is modelled" in line
