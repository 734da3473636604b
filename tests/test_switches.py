"""Context switches of FreeRTOS: marked where they begin and end, counted in instructions too."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from instrument import ROOT, Twin
from irqscope.acquire.measure import Result, measure
from irqscope.errors import ExperimentError
from irqscope.experiment import load

SWITCHES = ROOT / "experiments" / "context-switch"
COUNT = 200
CYCLES_PER_NS = 1.2


def run(folder: Path, name: str, profile: str = "functional", **overrides: Any) -> Result:
    experiment = load(SWITCHES / f"{name}.toml", **({"count": COUNT} | overrides))
    return measure(experiment, f"twin:{profile}", folder / "run")


def instructions(name: str) -> tuple[int, int, int, int]:
    """N, least, median and most, of the line that the script prints for one channel."""
    command = ["instructions", str(SWITCHES / f"{name}.toml"), "--count", str(COUNT)]
    main = runpy.run_path(str(ROOT / "scripts" / "instructions.py"))["main"]
    printed = io.StringIO()
    with mock.patch.object(sys, "argv", command), contextlib.redirect_stdout(printed):
        assert main() == 0
    n, minimum, middle, maximum = re.search(
        r"N (\d+), min (\d+), median (\d+), max (\d+)", printed.getvalue()
    ).groups()
    return int(n), int(minimum), int(middle), int(maximum)


@pytest.mark.parametrize("profile", ["functional", "a53"])
@pytest.mark.parametrize("name", ["yield", "notification", "interrupt"])
def test_every_switch_is_served_once(tmp_path: Path, name: str, profile: str) -> None:
    result = run(tmp_path, name, profile)
    assert result.state == "valid", result.error or result.run.reasons
    for counters in result.run.counters:
        assert counters.starts == counters.served == counters.stops == COUNT
    assert result.run.firmware.handled_0 == (COUNT if name == "interrupt" else 0)
    assert result.run.firmware.timer_ticks > 0


def test_a_slice_of_time_delays_a_switch_and_loses_none(tmp_path: Path) -> None:
    """With short slices the task that is waited for may lose the core.

    107 us and 101.3 us meet in phases of 0.1 us, so that some of 1000 switches meet a slice's end.
    """
    result = run(tmp_path, "yield", count=1000, timer_tick={"period": "101.3 us"})
    assert result.state == "valid", result.error or result.run.reasons
    (counters,) = result.run.counters
    assert counters.served == counters.stops == 1000
    assert result.run.firmware.timer_ticks > 1000
    (latency,) = result.run.stats
    assert latency.max_ticks > 1.5 * latency.min_ticks


def test_a_path_takes_its_instructions_and_the_longer_one_longer(tmp_path: Path) -> None:
    """`functional` executes one instruction a cycle; a DSB waits for the stores before it."""
    shortest = {}
    for name in ("yield", "notification"):
        n, minimum, middle, _ = instructions(name)
        assert n >= COUNT  # a warm-up also switches
        assert minimum == middle
        latency = run(tmp_path / name, name).run.stats[0].min_ticks * 4
        assert minimum / CYCLES_PER_NS - 20 <= latency < 4 * minimum / CYCLES_PER_NS
        shortest[name] = minimum
    assert 80 < shortest["yield"] < 150
    assert shortest["notification"] > 1.5 * shortest["yield"]


def test_markers_are_written_with_what_was_executed(tmp_path: Path) -> None:
    log = tmp_path / "markers.csv"
    twin = Twin("--markers", str(log))
    try:
        experiment = load(ROOT / "experiments/horst2020/t2-stages.toml", count=20)
        result = measure(experiment, twin.port, tmp_path / "run")
    finally:
        twin.stop()
    assert result.state == "valid", result.error
    header, *rows = [line.split(",") for line in log.read_text().splitlines()]
    assert header == ["core", "code", "instructions"]
    codes = [int(code) for _, code, _ in rows]
    counts = [int(count) for _, _, count in rows]
    assert counts == sorted(counts)
    # The way from the vector's store (4th instruction) to the handler's (25th): fw/vector_path.py.
    steps = {
        counts[at + 1] - counts[at]
        for at in range(len(codes) - 1)
        if (codes[at], codes[at + 1]) == (1, 2)
    }
    assert steps == {21}


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"stack": "baremetal"}, "stack: case"),
        ({"markers": "stages"}, "markers: case"),
        ({"interrupt": "shared"}, "interrupt: case"),
        ({"period": None}, "period: the core begins a switch of tasks once a period"),
        ({"trigger": "level"}, "trigger: a switch of tasks has no level"),
    ],
)
def test_what_contradicts_a_switch_is_refused(overrides: dict[str, Any], why: str) -> None:
    with pytest.raises(ExperimentError, match=re.escape(why)):
        load(SWITCHES / "yield.toml", **overrides)
