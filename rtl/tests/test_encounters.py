"""States that a line's rises meet are recorded, and a mask that no rise met refutes a bound."""

import subprocess
import sys

import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.report import summary
from irqscope_rtl.cores import ROOT

LATENCY = ROOT / "examples" / "program" / "latency.toml"
PROGRAM = """
    .option norvc
    .globl _start
    .type _start, @function
_start:
    la t0, vectors + 1
    csrw mtvec, t0
    lui t0, 16
    csrw mie, t0
    li s0, 0x10012000
    li s1, 0
    csrsi mstatus, 8
    {body}
    .balign 256
    .type vectors, @function
vectors:
    .rept 16
    j vectors
    .endr
    j on_line
    .balign 256
    .type on_line, @function
on_line:
    sw s0, 0(s0)
    addi s1, s1, 1
    {handler}
    mret
"""
ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
FLAGS = ["-mcpu=generic_rv32+m+zicsr", "-nostdlib", "-static", "-Wl,--build-id=none"]
SLEEP = "1: wfi\nj 1b"
#: After each eighth interrupt it masks for some 400 cycles, and is done before the next rise.
MASKS = """
1:  wfi
    andi t1, s1, 7
    bnez t1, 1b
    csrci mstatus, 8
    li t2, 100
2:  addi t2, t2, -1
    bnez t2, 2b
    csrsi mstatus, 8
    j 1b
"""
RUNS = "1: nop\n.rept 20\nnop\n.endr\nj 1b"
LASTS = "li t2, {}\n3: addi t2, t2, -1\nbnez t2, 3b"


@pytest.fixture
def found(plain, tmp_path):
    """Encounters of line 0, its row `bound` and its longest latency, of a program."""

    def run(body, handler="nop", **changes):
        source, script, elf = (tmp_path / f"program.{end}" for end in ("S", "ld", "elf"))
        source.write_text(PROGRAM.format(body=body, handler=handler))
        script.write_text("ENTRY(_start) SECTIONS { . = 0x80000000; .text : { *(.text) } }")
        command = [*ZIG, *FLAGS, "-T", str(script), str(source), "-o", str(elf)]
        subprocess.run(command, check=True, capture_output=True)
        experiment = load(LATENCY, count=40)
        first = experiment.channels[0]
        experiment = experiment.model_copy(update={"channels": (first,), **changes})
        record = measure(experiment, f"rtl:ibex:elf={elf}", tmp_path / "run").run
        assert record.valid, record.reasons
        (met,) = record.encounters
        (cell,) = {row.name: row.cells for row in summary.table(record)}["bound"]
        assert met.n == 40
        return met, cell, record.stats[0].max_ticks

    return run


def test_a_core_that_sleeps_is_told_by_count(found):
    met, cell, _ = found(SLEEP)
    assert (met.asleep, met.met_ticks, met.mask_ticks) == (40, 0, 0)
    assert cell.startswith("at most ") and "which met the core asleep (40)" in cell


def test_running_code_is_no_sleep(found):
    met, cell, _ = found(RUNS)
    assert met.running == 40 and met.asleep == 0
    assert "which met running code (40)" in cell


def test_a_mask_that_no_rise_met_leaves_no_bound(found):
    met, cell, longest = found(MASKS)
    assert met.mask_ticks > 200 and met.met_ticks < met.mask_ticks
    assert cell.startswith(f"none: the line was masked for up to {met.mask_ticks} cycles")
    bound = int(cell.split("Both together are ")[1].split()[0])
    assert longest > 0 and bound == met.mask_ticks + longest


def test_the_lines_own_handler_is_no_mask_if_it_ends_before_the_next_rise(found):
    met, cell, _ = found(SLEEP, LASTS.format(100))
    assert met.mask_ticks == 0 and met.asleep == 40
    assert cell.startswith("at most ")


def test_a_rise_that_meets_a_handler_is_counted(found):
    """It lasts for longer than the line is low, so all but the first rise meet it.

    It ends before the line gives up, 1000 cycles after a rise.
    """
    met, cell, _ = found(SLEEP, LASTS.format(350))
    assert (met.asleep, met.handler) == (1, 39)
    assert met.met_ticks > 100
    assert "which met the core asleep (1), a handler in progress (39)" in cell
