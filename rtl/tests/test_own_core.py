"""Cores of one's own: the example, one whose interrupts share a cause, one next to a program."""

import hashlib
import shutil
from pathlib import Path

import pytest

from irqscope.acquire.measure import measure
from irqscope.errors import TargetError
from irqscope.experiment import load
from irqscope.targets import open_target
from irqscope_rtl import build
from irqscope_rtl.__main__ import arguments, command
from irqscope_rtl.cores import ROOT

EXAMPLE = ROOT / "rtl" / "examples" / "multicycle"
CLINT = ROOT / "experiments" / "cv32rt" / "clint.toml"
MASKED = ROOT / "experiments" / "placement" / "masked.toml"
PROGRAM = ROOT / "examples" / "program"
#: By what multicycle.sv says of itself: it wakes, goes to the entry, fetches it and executes its
#: jump, fetches; then adds (2 cycles), stores 16 registers (4 each), reads mcause and mepc (2
#: each), stores both. The marker is executed then, and is on the bus a cycle later.
EXECUTION = 5 + 2 + 16 * 4 + 2 * 2 + 2 * 4
#: With a shared cause there is no jump, but a load, a shift and a branch find the interrupt.
SHARED_EXECUTION = EXECUTION - 2 + 4 + 2 + 2
#: What makes of the example a core with one external interrupt, direct mtvec and no multiplier.
ONE_CAUSE = {
    "7'h13, 7'h33: result(alu);": "7'h13: result(alu);\n"
    "7'h33: if (i[25]) trap(2, i); else result(alu);",
    "mie <= changed;": "mie <= changed & 32'h800;",
    "mtvec <= changed;": "mtvec <= changed & ~32'h3;",
}


def altered(folder, changes, description=""):
    """A copy of the example with other text, built without a host."""
    shutil.copytree(EXAMPLE, folder)
    text = (folder / "multicycle.sv").read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "multicycle.sv").write_text(text)
    with (folder / "core.toml").open("a") as file:
        file.write(description)
    build.build([str(folder)], report=lambda text: None, host=str(folder))
    return f"rtl:{folder}"


@pytest.fixture(scope="session")
def own(plain):
    build.build([str(EXAMPLE)], report=lambda text: None)
    return f"rtl:{EXAMPLE}"


@pytest.fixture(scope="session")
def one_cause(shared_firmware, tmp_path_factory):
    return altered(tmp_path_factory.mktemp("own") / "mine", ONE_CAUSE, "first_cause = 11\n")


def extremes(record):
    return [(stats.min_ticks, stats.max_ticks) for stats in record.stats]


def test_it_takes_as_many_cycles_as_its_states_say(own, tmp_path):
    record = measure(load(CLINT, count=20), own, tmp_path / "run").run
    assert record.valid, record.reasons
    assert record.source.label.startswith("RTL simulation of ")
    assert extremes(record) == [(EXECUTION + 1,) * 2, (EXECUTION,) * 2, (EXECUTION,) * 2]


def test_our_firmware_on_a_core_whose_interrupts_share_a_cause(
    one_cause, shared_firmware, tmp_path
):
    record = measure(load(CLINT, count=20), one_cause, tmp_path / "run").run
    assert record.valid, record.reasons
    cycles = SHARED_EXECUTION
    assert extremes(record) == [(cycles + 1,) * 2, (cycles,) * 2, (cycles,) * 2]
    data = shared_firmware.read_bytes()
    assert record.provenance.files["firmware"].sha256 == hashlib.sha256(data).hexdigest()


def test_its_code_under_test_is_that_of_the_firmware_it_runs(one_cause, tmp_path):
    record = measure(load(MASKED, count=121), one_cause, tmp_path / "run").run
    assert record.valid, record.reasons


def test_a_stack_that_needs_a_cause_for_each_line(one_cause):
    with pytest.raises(TargetError, match="all its interrupts have cause 11; take baremetal, eabi"):
        open_target(one_cause, stack="nested")


def test_a_core_that_starts_elsewhere_is_told_where(plain, tmp_path):
    target = altered(tmp_path / "mine", {"pc <= 32'h100000;": "pc <= 32'h80;"})
    result = measure(load(CLINT, count=20), target, tmp_path / "run")
    reason = "did not get to the program's start at 0x100000: first fetch 0x80, now PC 0x"
    assert reason in str(result.error)


def test_another_core_serves_it_next_to_a_program(own, program, tmp_path):
    target = f"{own}:elf={program}"
    experiment = load(PROGRAM / "latency.toml", count=20)
    record = measure(experiment, target, tmp_path / "run").run
    assert record.valid, record.reasons
    assert "RTL simulation of multicycle 1 running program.elf" in record.source.label
    words = command(arguments(["--core", str(EXAMPLE), "--program", str(program)]))
    assert Path(words[0]).name == "irqscope-rtl-ibex"
    itself = measure(
        load(PROGRAM / "latency.toml", count=20),
        f"{target}:host={EXAMPLE.name}",
        tmp_path / "itself",
    ).run
    assert extremes(itself) == extremes(record)
    with pytest.raises(TargetError, match="host=none: give one of cv32e40p, "):
        open_target(f"{target}:host=none", of_program=True)
    with pytest.raises(TargetError, match="run `make cores CORES=.*multicycle HOST=cv32e40x`"):
        open_target(f"{target}:host=cv32e40x", of_program=True)
