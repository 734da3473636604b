"""The Zynq-7000: one line refuses each feature that it lacks, and its own ones run."""

from __future__ import annotations

from pathlib import Path

import pytest

from irqscope import experiment as experiments
from irqscope.acquire import encoding
from irqscope.acquire.plan import Plan
from irqscope.errors import ExperimentError
from irqscope.experiment.checks import problems
from irqscope.experiment.load import check
from irqscope.machines.generated import ZYNQ7000, ZYNQMP

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
#: Errors of a file with changed keys, by file.
REFUSED = {
    "4 cores": ("horst2020/t6-4", {}, "cores: 4; zynq7000 has 2"),
    "108 further ones": (
        "horst2020/t4-108", {},
        "background.interrupts: 108; zynq7000 has 78 besides the measured one",
    ),
    "pages of 2 MB": (
        "random-load/pages-2m", {},
        "pages: zynq7000 has no 2 MB: ARMv7-A has sections of 16 or 1 MB and pages of 4 KB",
    ),
    "the second stamp": (
        "paper-instrument/t2-stm", {}, "markers: zynq7000 has no paper+stm: it has no STM",
    ),
    "a divided clock": (
        "wake-up/wfi-divided", {},
        "clock_divisor: zynq7000 has no more than 1: cores, timers and GPIO share one divisor",
    ),
    "an interrupt of the other": (
        "horst2020/t2", {"interrupt": "spi 121"},
        'interrupt: zynq7000 has no spi 121: give "shared", "private", "software", or "spi 61" to '
        '"spi 68", "spi 84" to "spi 90", "ppi 31", "sgi 0" to "sgi 15"',
    ),
    "an array above DDR": (
        "random-load/plain", {"load.array": "256 MB"}, "load.array: 256 MB; give at least 1 KB and",
    ),
}  # fmt: skip
HAS = [
    "horst2020/t2", "horst2020/t4-36", "horst2020/t4-72", "horst2020/t5", "horst2020/t6-2",
    "horst2020/t7", "horst2020/t2-throughput", "horst2020/b-lmin", "horst2020/b-tmax",
    "a9-cache-states/line", "a9-cache-states/sgi", "random-load/heavy", "random-load/pages-4k",
    "wake-up/wfi", "lockdown/tlb", "lockdown/tlb-l2", "lockdown/ocm",
]  # fmt: skip


def load(name, changes=None):
    return experiments.load(EXPERIMENTS / f"{name}.toml", **(changes or {}))


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_lacks_is_refused_in_one_line(name):
    file, changes, output = REFUSED[name]
    experiment = load(file, changes)
    check(experiment, ZYNQMP, ZYNQMP.tick_hz)
    with pytest.raises(ExperimentError) as caught:
        check(experiment, ZYNQ7000, ZYNQ7000.tick_hz)
    text = str(caught.value)
    assert text.startswith(f"on this target, zynq7000 with a clock of 125000000 Hz: {output}"), text
    assert "\n" not in text


@pytest.mark.parametrize("name", HAS)
def test_what_it_has_runs_there(name):
    assert list(problems(load(name), ZYNQ7000, ZYNQ7000.tick_hz)) == []


@pytest.mark.parametrize("name", ["lockdown/tlb", "lockdown/tlb-l2"])
def test_a_machine_that_locks_nothing_says_so(name):
    experiment = load(name)
    with pytest.raises(ExperimentError, match="zynqmp has no tlb.*: the Cortex-A53 locks nothing"):
        check(experiment, ZYNQMP, ZYNQMP.tick_hz)


def test_the_plan_speaks_of_the_machines_own_pages_and_interrupts():
    plan = Plan(load("lockdown/tlb-l2"), ZYNQ7000, ZYNQ7000.tick_hz)
    case = encoding.case(plan, next(plan.batches()))
    assert (case["interrupt"], case["pages"], encoding.lockdown(plan)) == (61, 3, 3)
    plain = Plan(load("horst2020/t2"), ZYNQMP, ZYNQMP.tick_hz)
    assert encoding.lockdown(plain) == 0


@pytest.mark.parametrize("name", ["yield", "notification"])
def test_a_switch_of_tasks_is_the_kernels_on_both(name):
    experiment = load(f"context-switch/{name}")
    for machine in (ZYNQ7000, ZYNQMP):
        assert list(problems(experiment, machine, machine.tick_hz)) == []
