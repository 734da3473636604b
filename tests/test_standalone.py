"""The stack in the shape of the vendor's: the paper's cases on the twin, and each variant of it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from instrument import ROOT, Twin, brief
from irqscope.acquire.measure import Result, measure
from irqscope.campaign.suite import load as load_suite
from irqscope.experiment.load import load
from irqscope.results.record import RunRecord
from irqscope.targets import Target, open_target
from objects import seed

HORST = ROOT / "experiments" / "horst2020"
COUNT = 24
ENTRIES = {
    entry.name: entry.experiment
    for suite in (HORST, ROOT / "experiments" / "two-stacks")
    for entry in load_suite(suite, "quick").entries
    if entry.experiment.stack == "standalone"
}


def make(*arguments: str) -> None:
    """Builds the stack."""
    with (ROOT / "build" / "fw-tests.lock").open("w") as lock:  # two workers, the same files
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.run(
            ["make", "--no-print-directory", "-C", "fw", "STACK=standalone", *arguments],
            cwd=ROOT,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
    assert process.returncode == 0, process.stdout


@pytest.fixture(scope="session", autouse=True)
def firmware() -> Path:
    make()
    return ROOT / "build" / "fw" / "irqscope-standalone.elf"


def least(run: RunRecord) -> int:
    """Latency in ticks."""
    actual = run.stats[0].min_ticks
    assert actual is not None
    return actual


def run(target: str, folder: Path, file: str = "t2", **changes: Any) -> Result:
    settings = {"stack": "standalone", "count": COUNT} | changes
    result = measure(load(HORST / f"{file}.toml", **settings), target, folder)
    assert result.error is None, result.error
    assert result.run.valid, result.run.reasons
    return result


@pytest.mark.parametrize("idle", ["wfi", "spin"])
@pytest.mark.parametrize("profile", ["functional", "a53"])
def test_t2_by_markers_and_by_the_firmwares_count(profile: str, idle: str, tmp_path: Path) -> None:
    actual = run(f"twin:{profile}", tmp_path / "run", idle=idle).run
    assert actual.stack is not None and actual.readback is not None
    assert actual.stack.name == "standalone"
    assert actual.stack.version == "shape of the vendor's BSP 6.6"
    assert actual.experiment.dispatcher == "table"
    (counters,) = actual.counters
    assert counters.starts == counters.served == actual.firmware.handled_0 == COUNT
    assert actual.readback.handler != actual.readback.vector


def test_the_vendors_way_is_longer_than_our_own(tmp_path: Path) -> None:
    for target in ("twin:functional", "twin:a53"):
        vendor = run(target, tmp_path / target / "vendor").run
        own = run(target, tmp_path / target / "own", stack="baremetal").run
        assert least(own) < least(vendor)


#: Between an experiment with fewer and one with more of the same: cores, background interrupts,
#: parts. `make soak` has them.
BETWEEN = {
    *(f"t4-{number}{how}-standalone" for number in (36, 72, 108, 144) for how in ("", "-enabled")),
    *(f"{case}-standalone" for case in ("t6-3", "t6-3-throughput", "b-tmax-3")),
    *(f"b-lmax-{parts}-standalone" for parts in ("t4-144-t6-3", "t4-36-t7", "t4-144-t7")),
    *(f"b-lmax-{parts}-standalone" for parts in ("t4-36-t6-3-t7", "t6-3-t7")),
}


def test_what_is_left_to_the_soak_test_is_there() -> None:
    assert ENTRIES.keys() > BETWEEN


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """One twin for all cases: each run sets up what it needs."""
    with open_target("twin:functional", stack="standalone") as opened:
        yield opened


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.soak) if name in BETWEEN else name for name in ENTRIES],
)
def test_every_experiment_of_the_suites_is_valid(name: str, target: Target, tmp_path: Path) -> None:
    result = measure(brief(ENTRIES[name]), "twin:functional", tmp_path / "run", opened=target)
    assert result.error is None, result.error
    assert result.run.valid, result.run.reasons


def test_a_shared_interrupt_runs_on_it_too(tmp_path: Path) -> None:
    experiment = brief(load(HORST / "t6-spi-2.toml", stack="standalone"))
    result = measure(experiment, "twin:functional", tmp_path / "run")
    assert result.error is None, result.error
    assert result.run.valid, result.run.reasons


@pytest.mark.parametrize("idle", ["wfi", "spin"])
def test_stages_are_in_order(idle: str, tmp_path: Path) -> None:
    result = run("twin:functional", tmp_path / "run", "t2-stages", idle=idle)
    rows = pq.read_table(result.folder / "samples").to_pylist()
    assert len(rows) == COUNT
    for row in rows:
        stages = [row[f"{stage}_ticks"] for stage in ("vector", "handler", "done", "task")]
        assert None not in stages
        assert sorted(set(stages)) == stages


def test_a_tick_runs_beside(tmp_path: Path) -> None:
    actual = run("twin:functional", tmp_path / "run", **{"timer_tick.period": "1 ms"}).run
    assert abs(actual.firmware.timer_ticks - COUNT * 5) <= 3


def test_each_variant_is_as_long_as_what_it_adds(tmp_path: Path, firmware: Path) -> None:
    """In the functional profile an instruction is a cycle of 5/6 ns."""
    shortest = {}
    for bsp, fp in (("6.1", "0"), ("6.2", "0"), ("6.6", "0"), ("6.6", "1")):
        elf = firmware
        if (bsp, fp) != ("6.6", "0"):
            build = seed(firmware.parent, tmp_path / f"{bsp}-{fp}")
            make(f"BSP={bsp}", f"FP={fp}", f"BUILD={build}")
            elf = build / firmware.name
        twin = Twin("--elf", str(elf))
        try:
            actual = run(twin.port, tmp_path / f"run-{bsp}-{fp}").run
        finally:
            twin.stop()
        assert actual.stack is not None
        assert f"BSP {bsp}" in actual.stack.version
        assert ("q0-q31 saved" in actual.stack.configuration) == (fp == "1")
        shortest[bsp, fp] = least(actual)
    assert shortest["6.1", "0"] < shortest["6.2", "0"] <= shortest["6.6", "0"]
    assert shortest["6.6", "0"] < shortest["6.6", "1"] - 10
