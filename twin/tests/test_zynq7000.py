"""The Zynq-7000's devices: its GIC, the PL's lines, timers, L2C-310, SLCR."""

from functools import partial

import pytest

import board
from board import ZYNQ7000, words
from irqscope_hw import regmap
from irqscope_hw.registers import encoded
from irqscope_twin import __main__ as front

values = partial(board.values, kit=ZYNQ7000)
refusal = partial(board.refusal, kit=ZYNQ7000)

LINE = words(
    CONFIG="lines[0].config", HIGH="lines[0].high", LOW="lines[0].low", COUNT="lines[0].count",
    ROUTE="lines[0].route", START="start_tick", NOW="now", COMMAND="command", STATUS="status",
) | {
    "BURST": encoded("line_mode", "burst"),
    "CLEARING": regmap.IRQSCOPE["status"].field("clearing").mask,
}  # fmt: skip

HANDLING = """
    static volatile u32 taken, last, special;
    static __attribute__((unused)) void handler(struct entry *e) {
        u32 iar = GICC_IAR;
        taken++;
        if (iar < 1020) {
            last = iar;
            GICC_EOIR = iar;
        } else {
            special = iar;
        }
        ASM("dsb");
        e->link -= 4;
    }
    static __attribute__((unused)) void wait(u32 loops) {
        for (volatile u32 i = 0; i < loops; i++) {}
    }
    /* One pulse of line 0 of `high` ticks, 2000 ticks from now, by way of `route`. */
    static __attribute__((unused)) void pulse(u32 high, u32 route) {
        while (pl_read(STATUS) & CLEARING) {}
        pl_write(CONFIG, 1 | BURST << 8);
        pl_write(HIGH, high);
        pl_write(LOW, 100);
        pl_write(COUNT, 1);
        pl_write(ROUTE, route);
        pl_write(START, pl_read(NOW) + 2000);
        pl_write(START + 1, 0);
        pl_write(COMMAND, 1);
    }
"""


@pytest.mark.parametrize(
    ("output", "id_"), [(0, 61), (7, 68), (8, 84), (15, 91)], ids=lambda value: str(value)
)
def test_each_shared_output_reaches_its_spi_once_by_edge(output, id_):
    source = (
        HANDLING
        + """
        void test(void) {
            on_irq = handler; gic_start(); gic_use(ID, 1); pl_start(); UNMASK_IRQ();
            pulse(500, 1u << OUTPUT);
            wait(3000);
            print(taken); print(last);
        }"""
    )
    assert values(source, ID=id_, OUTPUT=output, **LINE) == [1, id_]


def test_a_level_fires_again_while_the_line_is_up():
    source = (
        HANDLING
        + """
        void test(void) {
            on_irq = handler; gic_start(); gic_use(61, 0); pl_start(); UNMASK_IRQ();
            pulse(2000, 1);
            wait(6000);
            print(taken > 3); print(last);
        }"""
    )
    assert values(source, **LINE) == [1, 61]


def test_private_outputs_reach_ppi_31_of_their_core_and_the_levels_show_pins():
    source = (
        HANDLING
        + """
        static volatile u32 before, during;
        static void level(struct entry *e) {
            during = REG(GICD + 0xD00);
            handler(e);
            REG(GICD + 0x180) = 1u << 31;
        }
        void test(void) {
            on_irq = level; gic_start(); gic_use(31, 0); pl_start();
            before = REG(GICD + 0xD00);
            UNMASK_IRQ();
            pulse(3000, 1u << 17); /* core 1's: not here */
            wait(6000);
            print(taken);
            pl_write(COMMAND, 2);
            pulse(3000, 1u << 16);
            wait(6000);
            print(taken > 0); print(last); print(before >> 15); print(during >> 15);
            print(REG(GICD + 0xC04));
        }"""
    )
    assert values(source, **LINE) == [0, 1, 31, 1, 0, 0x7DC00000]


def test_a_private_line_drives_the_core_while_its_interface_is_off_and_iar_says_1023():
    source = (
        HANDLING
        + """
        static void bypass(struct entry *e) { REG(GICC) = 1; handler(e); }
        void test(void) {
            on_irq = bypass; gic_start(); pl_start(); UNMASK_IRQ();
            REG(GICC) = 0;
            ASM("dsb");
            pulse(3000, 1u << 16);
            wait(6000);
            print(taken); print(special);
        }"""
    )
    assert values(source, **LINE) == [1, 1023]


def test_an_spi_without_a_target_does_not_become_pending():
    source = """void test(void) {
        gic_start();
        REG(GICD + 0x204) = 1u << 29; /* SPI 61 */
        ASM("dsb"); print(REG(GICD + 0x204));
        BYTE(GICD + 0x800 + 61) = 1;
        REG(GICD + 0x204) = 1u << 29;
        ASM("dsb"); print(REG(GICD + 0x204));
        print(REG(GICD + 0x004) & 0xFF); print(REG(GICC + 0xFC));
    }"""
    assert values(source) == [0, 1 << 29, 0x22, 0x3901243B]


def test_an_interrupt_of_the_other_group_is_not_acknowledged():
    source = (
        HANDLING
        + """
        void test(void) {
            gic_start(); gic_use(61, 1);
            REG(GICD) = 3; REG(GICC) = 3;
            REG(GICD + 0x84) = 1u << 29;
            REG(GICD + 0x204) = 1u << 29;
            ASM("dsb"); wait(10);
            print(GICC_IAR);
            REG(GICC) = 7; /* AckCtl */
            ASM("dsb");
            print(GICC_IAR);
        }"""
    )
    assert values(source, **LINE) == [1022, 61]


def test_the_private_timer_ticks_again_and_again_with_its_prescaler():
    source = (
        HANDLING
        + """
        static void tick(struct entry *e) { REG(MPCORE + 0x60C) = 1; handler(e); }
        void test(void) {
            on_irq = tick; gic_start(); gic_use(29, 1); counters_start(); UNMASK_IRQ();
            REG(MPCORE + 0x600) = 999;
            REG(MPCORE + 0x608) = 7 | 1 << 8; /* 1000 counts of 6 ns */
            u32 first = 0, end = 0;
            while (taken < 1) {}
            first = CYCLES();
            while (taken < 11) {}
            end = CYCLES();
            u32 spent = end - first;
            print(last); print(spent > 39900 && spent < 40100);
            REG(MPCORE + 0x608) = 0;
            ASM("dsb");
            u32 still = REG(MPCORE + 0x604);
            print(REG(MPCORE + 0x604) == still);
        }"""
    )
    assert values(source, **LINE) == [29, 1, 1]


def test_the_global_timer_counts_every_second_cycle_and_compares():
    source = (
        HANDLING
        + """
        static void due(struct entry *e) { REG(MPCORE + 0x20C) = 1; handler(e); }
        void test(void) {
            on_irq = due; gic_start(); gic_use(27, 1); counters_start(); UNMASK_IRQ();
            REG(MPCORE + 0x208) = 1;
            ASM("dsb");
            u32 count = REG(MPCORE + 0x200), cycles = CYCLES();
            wait(500);
            count = REG(MPCORE + 0x200) - count;
            cycles = CYCLES() - cycles;
            print(cycles - 2 * count < 8 || 2 * count - cycles < 8);
            REG(MPCORE + 0x210) = REG(MPCORE + 0x200) + 1000;
            REG(MPCORE + 0x208) = 7;
            ASM("wfi");
            wait(10);
            print(taken); print(last);
        }"""
    )
    assert values(source, **LINE) == [1, 1, 27]


def test_an_operation_by_way_of_the_l2_runs_in_the_background():
    source = """void test(void) {
        print(REG(L2)); counters_start();
        REG(L2 + 0x7FC) = 0xFF;
        ASM("dsb");
        u32 since = CYCLES(), polls = 0;
        while (REG(L2 + 0x7FC))
            polls++;
        print(polls > 1); print((CYCLES() - since) / 1000);
        REG(L2 + 0x900) = 0xFE; REG(L2 + 0x93C) = 0x01;
        ASM("dsb"); print(REG(L2 + 0x900)); print(REG(L2 + 0x93C));
    }"""
    assert values(source) == [0x410000C8, 1, 20, 0xFE, 0x01]


def test_a_store_to_the_locked_slcr_vanishes():
    source = """void test(void) {
        print(REG(SLCR + 0x900)); print(REG(SLCR + 0x00C));
        REG(SLCR + 0xA1C) = 0x20202;
        ASM("dsb"); print(REG(SLCR + 0xA1C));
        REG(SLCR + 0x008) = 0xDF0D;
        REG(SLCR + 0xA1C) = 0x20202;
        ASM("dsb"); print(REG(SLCR + 0xA1C)); print(REG(SLCR + 0x00C));
    }"""
    assert values(source) == [0xF, 1, 0x10101, 0x20202, 0]


def test_start_up_code_may_set_what_is_set_and_name_what_is_not_there():
    # As zynq7000-rt, zynq7000-hal and arm-gic do: cores by eFUSE, the way to the PL, all of
    # 16 ways, groups of all 1020 interrupts.
    source = """void test(void) {
        print(REG(0xF800D010));
        REG(SLCR + 0x008) = 0xDF0D;
        REG(SLCR + 0x900) = 0xF; REG(SLCR + 0x240) = 0;
        REG(L2 + 0x7FC) = 0xFFFF; REG(L2 + 0x900) = 0xFFFF;
        REG(GICD + 0x084) = 0xFFFFFFFF; REG(GICD + 0x0FC) = 0xFFFFFFFF;
        ASM("dsb");
        print(REG(L2 + 0x900)); print(REG(GICD + 0x084)); print(REG(GICD + 0x0FC));
    }"""
    assert values(source) == [0, 0xFF, 0xFFFFFFFF, 0]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("REG(SLCR + 0x900) = 0;", "the PL stays as it was started"),
        ("REG(GPIO + 0x200 + 4) = 1;", "banks 2 and 3"),
        ("REG(SLCR + 0x910) = 0;", "is not mapped high"),
        ('REG(L2 + 0x100) = 1; ASM("dsb"); REG(L2 + 0x104) = 0;', "not while the cache is on"),
    ],
)
def test_what_is_not_modelled_stops_it(statement, reason):
    assert reason in refusal(f'void test(void) {{ {statement} ASM("dsb"); }}')


@pytest.mark.parametrize(
    ("profile", "stack", "program", "command"),
    [
        ("functional", "baremetal", "fw/irqscope.elf", "make build"),
        ("functional", "mine", "fw/irqscope-mine.elf", "make stacks STACKS=mine"),
        ("zynq7000:functional", "baremetal", "fw-zynq7000/irqscope.elf", "make build"),
        (
            "zynq7000:functional",
            "mine",
            "fw-zynq7000/irqscope-mine.elf",
            "make stacks STACKS=mine MACHINE=zynq7000",
        ),
    ],
)
def test_a_missing_program_is_named_with_the_command_that_builds_it(
    monkeypatch, tmp_path, profile, stack, program, command
):
    monkeypatch.setattr("irqscope.machines.firmware_file.BUILD", tmp_path)
    with pytest.raises(FileNotFoundError) as missing:
        front.engine_command(front.arguments(["--profile", profile, "--stack", stack]))
    assert str(missing.value) == f"{tmp_path / program} is missing: run `{command}`"
