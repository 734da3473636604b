"""The interrupt controller, with lines driven by the real gateware.

What QEMU can do as well is held against it by the firmware's self-test; here is what needs
the PL, several cores, or the GIC-400's own ways.
"""

import json

import pytest

from board import values, words

pytestmark = pytest.mark.quick

REGISTERS = words(
    CONFIG="lines[0].config",
    HIGH="lines[0].high",
    LOW="lines[0].low",
    COUNT="lines[0].count",
    ROUTE="lines[0].route",
    FIRED="lines[0].fired",
    NOW="now",
    START="start_tick",
    COMMAND="command",
    STATUS="status",
)

BURST, ACKNOWLEDGED = 1, 2
HANDLER = 2  # marker code

LINE = """
    static void line(u32 mode, u32 high, u32 low, u32 count, u32 route) {
        pl_start();
        while (pl_read(STATUS) & 4) {} /* clearing, after reset */
        pl_write(CONFIG, 1 | mode << 8 | 0xFu << 24 | 2u << 28);
        pl_write(HIGH, high);
        pl_write(LOW, low);
        pl_write(COUNT, count);
        pl_write(ROUTE, route);
    }
    __attribute__((unused)) static void arm(u32 ahead) {
        pl_write(START, pl_read(NOW) + ahead);
        pl_write(START + 1, 0);
        pl_write(COMMAND, 1);
    }
    __attribute__((unused)) static volatile u32 taken[4], spurious[4];
    __attribute__((unused)) static void marker(u32 core, u32 nibble) {
        REG(GPIO + 0x18) = (0xFFFF & ~(0xFu << 4 * core)) << 16 | nibble << 4 * core;
    }
"""


def pl_values(source: str, **defines: int) -> list[int]:
    return values(LINE + source, **REGISTERS, **defines)


def test_ppi_configuration_is_read_only_and_level():
    source = """
        void test(void) {
            REG(GICD + 0xC04) = 0xFFFFFFFF;
            print(REG(GICD + 0xC04));
            print(REG(GICD + 0xC00));
            REG(GICD + 0xC1C) = 2u << 18;
            print(REG(GICD + 0xC1C));
        }"""
    assert values(source) == [0x55540000, 0xAAAAAAAA, 0x555D5555]


def test_spi_by_edge_remembers_a_pulse_and_by_level_forgets_it():
    source = """
        void test(void) {
            line(1, 500, 500, 1, 1);
            gic_start();
            gic_use(121, EDGE);
            arm(2000);
            while (pl_read(FIRED) == 0) {}
            for (volatile int i = 0; i < 3000; i++) {}
            print(REG(GICD + 0x20C) >> 25 & 1);
            print(GICC_IAR);
        }"""
    assert pl_values(source, EDGE=1) == [1, 121]
    assert pl_values(source, EDGE=0) == [0, 1023]


def test_a_level_seen_raw_in_ppisr_by_the_cores_it_is_routed_to():
    source = """
        void test(void) {
            line(1, 100000, 500, 1, 0x5u << 16);
            start_core(1);
            arm(2000);
            while (pl_read(FIRED) == 0) {}
            print(REG(GICD + 0xD00));
            start_core(2);
            for (volatile int i = 0; i < 5000; i++) {}
            print(taken[1]);
            print(taken[2]);
        }
        void core_main(void) {
            for (volatile int i = 0; i < 1000; i++) {}
            taken[MRS("mpidr_el1") & 3] = REG(GICD + 0xD00);
        }"""
    assert pl_values(source) == [1 << 15, 0, 1 << 15]


def test_one_of_n_one_core_gets_an_spi_and_the_others_read_1023():
    source = """
        static void handler(void) {
            u32 core = MRS("mpidr_el1") & 3;
            u32 iar = GICC_IAR;
            if (iar == 1023) { spurious[core]++; return; }
            taken[core]++;
            GICC_EOIR = iar;
            ASM("dsb sy");
        }
        static void wait(void) {
            gic_start();
            UNMASK_IRQ();
        }
        void test(void) {
            line(1, 100, 20000, 5, 1);
            on_irq = handler;
            gic_use(121, 1);
            BYTE(GICD + 0x800 + 121) = 0xF;
            start_core(1); start_core(2); start_core(3);
            for (volatile int i = 0; i < 2000; i++) {}
            wait();
            arm(5000);
            while (!(pl_read(STATUS) & 2)) {}
            u32 all = 0, none = 0;
            for (int i = 0; i < 4; i++) { all += taken[i]; none += spurious[i]; }
            print(all);
            print(none > 0);
        }
        void core_main(void) { wait(); for (;;) ASM("wfi"); }"""
    assert pl_values(source) == [5, 1]


def test_ppi_31_reaches_all_four_cores_each_enabling_it_for_itself():
    source = """
        static void handler(void) {
            u32 core = MRS("mpidr_el1") & 3;
            u32 iar = GICC_IAR;
            taken[core] += iar == 31;
            REG(GICD + 0x180) = 1u << 31; /* the level stays: once is enough */
            ASM("dsb sy");
            GICC_EOIR = iar;
            ASM("dsb sy");
        }
        static void wait(u32 enable) {
            gic_start();
            BYTE(GICD + 0x400 + 31) = 0xA0;
            REG(GICD + 0x100) = enable << 31;
            ASM("dsb sy");
            UNMASK_IRQ();
        }
        void test(void) {
            line(1, 5000, 500, 1, 0xFu << 16);
            on_irq = handler;
            start_core(1); start_core(2); start_core(3);
            for (volatile int i = 0; i < 2000; i++) {}
            wait(1);
            arm(5000);
            while (!(pl_read(STATUS) & 2)) {}
            for (int i = 0; i < 4; i++) print(taken[i]);
        }
        void core_main(void) { wait((MRS("mpidr_el1") & 3) != 2); for (;;) ASM("wfi"); }"""
    assert pl_values(source) == [1, 1, 0, 1]


ACKNOWLEDGING = """
    static void handler(void) {
        u32 iar = GICC_IAR;
        if ((iar & 0x3FF) == 1023) { spurious[0]++; return; }
        taken[0]++;
        if (taken[0] == 1) marker(0, 0x8 | 2);
        if (WAITS) {
            ASM("dsb sy");
            while (REG(GICD + 0xD00) >> 15 & 1) {}
        }
        GICC_EOIR = iar;
        if (WAITS) ASM("dsb sy");
    }
    void test(void) {
        line(2, 100000, 500, 1, 1u << 16);
        marker(0, 0); /* the toggle's state is known */
        on_irq = handler;
        gic_start();
        BYTE(GICD + 0x400 + 31) = 0xA0;
        REG(GICD + 0x100) = 1u << 31;
        UNMASK_IRQ();
        arm(5000);
        while (!taken[0]) {} /* a load under way would hold the phantom off */
        for (volatile int i = 0; i < 2000; i++) {}
        print(taken[0] + spurious[0]);
    }"""


def test_ending_a_level_interrupt_before_the_acknowledge_has_gone_round_gives_a_phantom():
    (waits,) = pl_values(ACKNOWLEDGING, WAITS=1)
    (hurries,) = pl_values(ACKNOWLEDGING, WAITS=0)
    assert waits == 1
    assert hurries > 1


def test_legacy_line_reaches_the_core_past_a_disabled_interface_unless_bypass_is_off():
    source = """
        static void handler(void) { taken[0] = GICC_IAR; MSR("spsr_el3", MRS("spsr_el3") | 0x80); }
        void test(void) {
            line(1, 100000, 500, 1, 1u << 16);
            on_irq = handler;
            MSR("scr_el3", SCR_RW | SCR_IRQ);
            REG(GICC) = CONTROL;
            arm(3000);
            while (pl_read(FIRED) == 0) {}
            UNMASK_IRQ();
            for (volatile int i = 0; i < 1000; i++) {}
            print(taken[0]);
        }"""
    assert pl_values(source, CONTROL=0) == [1023]
    assert pl_values(source, CONTROL=0x1E0) == [0]


def test_group_0_as_fiq():
    source = """
        static volatile u32 taken;
        static void handler(void) { taken = GICC_IAR; GICC_EOIR = taken; ASM("dsb sy"); }
        void test(void) {
            on_fiq = handler;
            gic_start();
            REG(GICC) = 1 | 8; /* FIQEn */
            MSR("scr_el3", SCR_RW | SCR_FIQ);
            REG(GICD + 0xF00) = 2u << 24 | 7;
            ASM("msr daifclr, #1");
            for (volatile int i = 0; i < 1000; i++) {}
            print(taken);
        }"""
    assert values(source) == [7]


def test_group_1_interrupt_read_without_ackctl_is_1022():
    source = """
        void test(void) {
            gic_start();
            REG(GICD) = 3;
            REG(GICC) = 3;
            REG(GICD + 0x8C) = 1u << 25;
            gic_use(121, 1);
            REG(GICD + 0x20C) = 1u << 25;
            ASM("dsb sy");
            print(GICC_IAR);
            REG(GICC) = 3 | 4; /* AckCtl */
            print(GICC_IAR);
        }"""
    assert values(source) == [1022, 121]


def test_priority_drop_and_deactivation_apart():
    source = """
        void test(void) {
            gic_start();
            REG(GICC) = 1 | 1u << 9; /* EOImodeS */
            gic_use(121, 1);
            REG(GICD + 0x20C) = 1u << 25;
            ASM("dsb sy");
            u32 iar = GICC_IAR;
            print(REG(GICC + 0x14)); /* running priority */
            GICC_EOIR = iar;
            print(REG(GICC + 0x14));
            print(REG(GICD + 0x30C) >> 25 & 1);
            REG(0xF9030000) = iar; /* GICC_DIR: not at GICC + 0x1000 */
            ASM("dsb sy");
            print(REG(GICD + 0x30C) >> 25 & 1);
        }"""
    assert values(source) == [0xA0, 0xFF, 1, 0]


@pytest.mark.parametrize(("point", "preempts"), [(2, 1), (3, 1), (4, 0), (7, 0)])
def test_binary_point_decides_what_preempts(point, preempts):
    source = """
        static volatile u32 taken[2];
        static void handler(void) {
            u32 iar = GICC_IAR;
            taken[iar == 122]++;
            if (iar == 121) {
                u64 elr = MRS("elr_el3"), spsr = MRS("spsr_el3");
                REG(GICD + 0x20C) = 1u << 26;
                ASM("dsb sy");
                UNMASK_IRQ();
                for (volatile int i = 0; i < 500; i++) {}
                MASK_IRQ();
                MSR("elr_el3", elr);
                MSR("spsr_el3", spsr);
                print(taken[1]);
            }
            GICC_EOIR = iar;
            ASM("dsb sy");
        }
        void test(void) {
            on_irq = handler;
            gic_start();
            REG(GICC + 8) = POINT;
            gic_use(121, 1);
            gic_use(122, 1);
            BYTE(GICD + 0x400 + 121) = 0xB8;
            BYTE(GICD + 0x400 + 122) = 0xA8;
            REG(GICD + 0x20C) = 1u << 25;
            UNMASK_IRQ();
            for (volatile int i = 0; i < 2000; i++) {}
        }"""
    assert values(source, POINT=point) == [preempts]


def test_sgi_carries_its_source_core():
    source = """
        static volatile u32 got[2];
        static volatile u32 ready;
        static void handler(void) {
            u32 iar = GICC_IAR;
            got[MRS("mpidr_el1") & 1] = iar;
            GICC_EOIR = iar;
            if ((MRS("mpidr_el1") & 3) == 1) REG(GICD + 0xF00) = 1u << 16 | 6;
            ASM("dsb sy");
        }
        void test(void) {
            on_irq = handler;
            gic_start();
            UNMASK_IRQ();
            start_core(1);
            while (!ready) {}
            REG(GICD + 0xF00) = 2u << 16 | 5;
            while (!got[0]) {}
            print(got[1]);
            print(got[0]);
        }
        void core_main(void) { gic_start(); UNMASK_IRQ(); ready = 1; for (;;) ASM("wfi"); }"""
    assert values(source) == [5, 1 << 10 | 6]


def test_every_spi_is_made_and_unmade_pending_by_software():
    source = """
        void test(void) {
            gic_start();
            u32 wrong = 0;
            for (u32 word = 1; word < 6; word++) {
                REG(GICD + 0x200 + 4 * word) = 0xFFFFFFFF;
                wrong |= ~REG(GICD + 0x200 + 4 * word);
                wrong |= REG(GICD + 0xD00 + 4 * word); /* SPISR shows lines, not pending bits */
                REG(GICD + 0x280 + 4 * word) = 0xFFFFFFFF;
                wrong |= REG(GICD + 0x200 + 4 * word);
            }
            print(wrong);
            REG(GICD + 0x200) = 0xFFFF; /* SGIs have registers of their own */
            print(REG(GICD + 0x200));
        }"""
    assert values(source) == [0, 0]


def test_interrupts_are_taken_by_priority_then_by_number():
    source = """
        static volatile u32 order[8], count;
        static void handler(void) {
            u32 iar = GICC_IAR;
            order[count++] = iar;
            GICC_EOIR = iar;
            ASM("dsb sy");
        }
        void test(void) {
            static const u32 ids[] = {191, 64, 63, 40, 3};
            static const u32 priorities[] = {0x18, 0xF0, 0x18, 0xF7, 0x10}; /* F7: F0, 5 bits */
            on_irq = handler;
            gic_start();
            for (int i = 0; i < 5; i++) {
                if (ids[i] >= 32) gic_use(ids[i], 1);
                REG(GICD + 0x200 + ids[i] / 32 * 4) = 1u << ids[i] % 32;
            }
            REG(GICD + 0xF00) = 2u << 24 | 3;
            /* Also what is pending already may change its place. */
            for (int i = 0; i < 5; i++) BYTE(GICD + 0x400 + ids[i]) = (unsigned char)priorities[i];
            print(BYTE(GICD + 0x400 + 40));
            UNMASK_IRQ();
            while (count < 5) {}
            for (int i = 0; i < 5; i++) print(order[i]);
        }"""
    assert values(source) == [0xF0, 3, 63, 191, 40, 64]


def test_each_core_has_its_own_secure_timer():
    source = """
        static volatile u32 taken[4];
        static void handler(void) {
            u32 core = MRS("mpidr_el1") & 3;
            taken[core] = GICC_IAR;
            MSR("cntps_ctl_el1", 0);
            ASM("isb");
            GICC_EOIR = taken[core];
            ASM("dsb sy");
        }
        static void use(u64 counts) {
            gic_start();
            BYTE(GICD + 0x400 + 29) = 0x50;
            REG(GICD + 0x100) = 1u << 29;
            MSR("cntps_tval_el1", counts);
            MSR("cntps_ctl_el1", 1);
            UNMASK_IRQ();
        }
        void test(void) {
            on_irq = handler;
            counters_start();
            start_core(1); start_core(2); start_core(3);
            for (u32 core = 1; core < 4; core++) while (!taken[core]) {}
            print(taken[0]);
            for (u32 core = 1; core < 4; core++) print(taken[core]);
        }
        void core_main(void) { use(500 * (MRS("mpidr_el1") & 3)); for (;;) ASM("wfi"); }"""
    assert values(source) == [0, 29, 29, 29]


WAITING = """
    static volatile u32 taken;
    static void handler(void) {
        u32 iar = GICC_IAR;
        if (iar == 121) {
            REG(GICD + 0x204) = 0x7; /* SPIs 32, 33, 34 while 121 is active */
            ASM("dsb sy");
        }
        taken++;
        GICC_EOIR = iar;
        ASM("dsb sy");
    }
    void test(void) {
        on_irq = handler;
        gic_start();
        for (u32 id = 32; id < 35; id++) gic_use(id, 1);
        gic_use(121, 1);
        REG(GICD + 0x20C) = 1u << 25;
        UNMASK_IRQ();
        while (taken < 4) {}
        REG(GICD + 0xF00) = 0xF << 16 | 9;
        while (taken < 5) {}
        for (volatile int i = 0; i < 1000; i++) {}
    }"""


def test_statistics_tell_what_waited_and_what_software_raised(tmp_path):
    values(WAITING, "--stats", str(tmp_path / "stats.json"))
    stats = json.loads((tmp_path / "stats.json").read_text())
    first, second = stats["cores"][:2]
    assert first["interrupts"] == {"9": 1, "32": 1, "33": 1, "34": 1, "121": 1}
    assert first["waited"] == 3
    assert first["pending_max"] == 3
    assert first["set_pending"] == 4 + 4  # an SGI to four cores counts four times
    assert (second["pending_max"], second["waited"], second["set_pending"]) == (1, 0, 0)


def test_statistics_tell_how_long_a_core_slept_and_stalled(tmp_path):
    source = """
        static void handler(void) { MSR("cntps_ctl_el1", 0); GICC_EOIR = GICC_IAR; ASM("dsb sy"); }
        void test(void) {
            on_irq = handler;
            timer_interrupt_start();
            ASM("dsb sy");
            MSR("cntps_tval_el1", 1000000);
            MSR("cntps_ctl_el1", 1);
            UNMASK_IRQ();
            ASM("wfi");
            for (int i = 0; i < 1000; i++) { REG(GPIO + 0x40 + 12) = 0; ASM("dsb sy"); }
        }"""
    values(source, "--stats", str(tmp_path / "stats.json"))
    stats = json.loads((tmp_path / "stats.json").read_text())
    core = stats["cores"][0]
    # 10 ms in WFI, and after the program for as long as its last byte takes at 115200 baud.
    assert 10_000_000 - 1000 < core["asleep_ns"] < 10_000_000 + 400_000
    # A store to the GPIO and its response: 190 to 200 ns each, and a few DSBs more.
    assert 180_000 < core["stalled_ns"] < 210_000
    assert stats["cores"][1]["asleep_ns"] == 0  # held in reset


# Cycles from making SPI 100 pending to its handler, beside OTHERS that are enabled, of lower
# priority than this core takes, and pending, too, if PENDING.
SELECTION = """
    static volatile u64 begin, end;
    static void handler(void) {
        end = CYCLES();
        GICC_EOIR = GICC_IAR;
        ASM("dsb sy");
    }
    void test(void) {
        counters_start();
        gic_start();
        on_irq = handler;
        REG(GICC + 4) = 0x80;
        gic_use(100, 1);
        BYTE(GICD + 0x400 + 100) = 0x40;
        for (u32 id = 40; id < 40 + OTHERS; id++) {
            gic_use(id, 1);
            if (PENDING)
                REG(GICD + 0x200 + id / 32 * 4) = 1u << id % 32;
        }
        ASM("dsb sy");
        UNMASK_IRQ();
        begin = CYCLES();
        REG(GICD + 0x200 + 100 / 32 * 4) = 1u << 100 % 32;
        while (!end) {}
        print(end - begin);
    }
"""


@pytest.mark.parametrize(
    ("constant", "pending", "dearer"),
    [
        ("gic_select_pending", 1, True),
        ("gic_select_pending", 0, False),
        ("gic_select_enabled", 1, True),
        ("gic_select_enabled", 0, True),
    ],
)
def test_selection_takes_longer_the_more_interrupts_it_chooses_from(constant, pending, dearer):
    def cycles(others: int, ns: int) -> int:
        constants = {constant: ns * 6}
        (actual,) = values(SELECTION, constants=constants, OTHERS=others, PENDING=pending)
        return actual

    assert cycles(20, 0) == pytest.approx(cycles(1, 0), abs=3)
    # 19 more of them at 3 ns: 68 cycles. The loop that waits is a few cycles long.
    assert cycles(20, 3) - cycles(1, 3) == pytest.approx(68 if dearer else 0, abs=4)


def test_changes_of_an_output_arrive_in_their_order_however_long_a_selection_takes():
    source = """
        static volatile u32 taken;
        static void handler(void) { taken++; GICC_EOIR = GICC_IAR; }
        void test(void) {
            gic_start();
            on_irq = handler;
            for (u32 id = 40; id < 104; id++) {
                gic_use(id, 1);
                BYTE(GICD + 0x400 + id) = 0xA0;
            }
            REG(GICD + 0x204) = 0xFFFFFF00;
            REG(GICD + 0x208) = 0xFFFFFFFF; /* the output rises, late */
            REG(GICD + 0x284) = 0xFFFFFF00;
            REG(GICD + 0x288) = 0xFFFFFFFF; /* and falls at once */
            ASM("dsb sy");
            for (volatile int i = 0; i < 5000; i++) {}
            UNMASK_IRQ();
            for (volatile int i = 0; i < 5000; i++) {}
            print(taken);
        }"""
    assert values(source, constants={"gic_select_pending": 600}) == [0]  # 2 us and more
