"""PicoRV32: interrupts that differ from RISC-V's, in the same files."""

import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.kinds.placement import report as placed
from irqscope.report import summary
from irqscope_rtl.cores import ROOT

EXPERIMENTS = ROOT / "experiments" / "cv32rt"
TARGET = "rtl:picorv32"
#: Cycles of each instruction, by the core's README; of getq as measured.
JUMP, ADD, STORE, NOT_TAKEN, GETQ = 3, 3, 5, 3, 4
#: From the line to the entry's jump in decode, out of waitirq.
ENTRY = 8
#: getq, a shift and a branch tell the measured interrupt from others.
AROUND = ENTRY + JUMP + ADD + GETQ + ADD + NOT_TAKEN
#: Registers, and q1 and q0 where the others have mcause and mepc.
DECODE = {
    "clint": AROUND + 16 * STORE + 2 * (GETQ + STORE),
    "clint-e": AROUND + 7 * STORE + 2 * (GETQ + STORE),
    "clint-least": AROUND + STORE,
}


@pytest.mark.parametrize("name", DECODE)
def test_it_takes_what_its_instructions_take(soft, tmp_path, name):
    """The marker is executed a cycle after its decoding, and on the bus two later."""
    record = measure(load(EXPERIMENTS / f"{name}.toml", count=20), TARGET, tmp_path / "run").run
    assert record.valid, record.reasons
    assert record.source.label.startswith("RTL simulation of picorv32 1.0.")
    exactly = DECODE[name]
    extremes = [(stats.min_ticks, stats.max_ticks) for stats in record.stats]
    assert extremes == [(exactly + 3,) * 2, (exactly + 1,) * 2, (exactly,) * 2]
    assert record.firmware.handled[0] == 20


def test_the_bound_is_printed(soft, tmp_path):
    """In a loop of nops the next instruction is at hand: sooner than out of waitirq."""
    record = measure(load(EXPERIMENTS / "bound.toml", count=64), TARGET, tmp_path / "run").run
    assert record.valid, record.reasons
    bound = {row.name: row.cells for row in summary.table(record)}["bound"]
    tried = "tried were 64 interrupts with 256 delays by chance, which met running code (64)"
    assert [cell.removesuffix(f": {tried}") for cell in bound] == [
        f"at most {stats.max_ticks} cycles" for stats in record.stats
    ]
    assert record.stats[2].max_ticks == DECODE["clint"] - 1


def test_what_the_placements_do_not_reach_is_not_called_uninterrupted(soft, tmp_path):
    """It takes three cycles for a nop: 100 end in the first ones of them."""
    nops = load(EXPERIMENTS.parent / "placement" / "nops.toml")
    record = measure(nops, TARGET, tmp_path / "run").run
    assert record.valid, record.reasons
    (said,) = placed.never(record)
    assert said.endswith(": no placement was taken in or after them")
    assert "never" not in {line.latency for line in placed.table(record)}


def test_a_stack_that_wants_csrs_is_refused(soft, tmp_path):
    result = measure(load(EXPERIMENTS / "switch.toml"), TARGET, tmp_path / "run")
    refusal = (
        "picorv32 has no freertos: the kernel's port for RISC-V knows the CSRs of a core with a"
    )
    assert refusal in str(result.error)


@pytest.mark.parametrize(("high", "served"), [("4 ticks", 0), ("8 ticks", 20)])
def test_a_request_that_is_gone_when_the_core_looks_is_lost(soft, tmp_path, high, served):
    """A line is a level here: the core does not latch it (``LATCHED_IRQ`` in core.sv)."""
    pulses = {"lines.0.mode": "burst", "lines.0.high": high}
    record = measure(load(EXPERIMENTS / "clint.toml", count=20, **pulses), TARGET, tmp_path / "run")
    counts = [(stats.served, stats.timed_out) for stats in record.run.stats]
    assert counts == [(served, 20 - served)] * 3
