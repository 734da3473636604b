"""Zephyr's external timer test asks a module for periods: it gets those of the whole instrument."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from instrument import ROOT, record, samples
from irqscope.errors import ExperimentError, IrqscopeError

FILE = ROOT / "experiments/periods/periods.toml"
KEYS = {"mean", "stddev", "var", "min", "max", "total_time"}


def tool(name: str) -> Any:
    """The module, loaded as Zephyr's test does.

    A name with a dot would give the first word's module alone.
    """
    return __import__(name)


def test_the_module_gives_what_the_test_takes(tmp_path: Path) -> None:
    """The shape since Zephyr 3.7, and what the test then asks of the figures."""
    seconds, period = 0.2, 1e-3
    options = f"target=twin:functional,experiment={FILE},out={tmp_path / 'run'}"
    stats, count = tool("irqscope_zephyr").run(seconds, options)
    assert set(stats) == KEYS and all(isinstance(value, float) for value in stats.values())
    assert count == round(seconds / period)
    assert stats["min"] <= stats["mean"] <= stats["max"]
    assert stats["stddev"] == pytest.approx(math.sqrt(stats["var"]))
    # Bounds of the kind that the test sets: its default is 10 us for one, ppm for all together.
    assert stats["stddev"] < 10e-6
    assert abs(stats["min"] - period) < 1e-6 and abs(stats["max"] - period) < 1e-6
    assert abs(stats["total_time"] - seconds) < 10e-6 * seconds + 1e-6
    # It is the run's own: to the tick, and from the first marker to the last.
    run, rows = record(tmp_path / "run"), samples(tmp_path / "run")
    assert run["valid"] and run["counters"][0]["timed_out"] == 1
    hz = run["identity"]["tick_hz"]
    ticks = [t for t in rows["latency_ticks"].to_pylist() if t is not None]
    assert count == len(ticks) and stats["max"] == pytest.approx(max(ticks) / hz, rel=1e-12)
    edges = rows["edge_ticks"].to_pylist()
    assert stats["total_time"] == pytest.approx((edges[-1] - edges[0]) / hz, rel=1e-12)


def test_older_versions_of_the_test_take_the_dictionary_alone() -> None:
    options = f"experiment={FILE},target=twin:functional,returns=dictionary"
    stats = tool("irqscope_zephyr").run(0.02, options)
    assert set(stats) == KEYS and stats["mean"] == pytest.approx(1e-3, rel=1e-4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "experiment=FILE is missing"),
        ("speed=3", '"speed=3"; give KEY=VALUE once each, KEY of experiment, target, out, returns'),
        ("target=a,target=b", '"target=b"; give KEY=VALUE once each'),
        ("target", '"target"; give KEY=VALUE'),
        (f"experiment={FILE},returns=list", "returns=list; give pair or dictionary"),
        (f"experiment={ROOT}/absent.toml", "absent.toml"),
        (
            f"experiment={ROOT}/experiments/horst2020/t2.toml",
            "channels[0] goes from line 0 to handler; a period goes from a marker to the next",
        ),
    ],
)
def test_options_that_do_not_hold_are_one_line(options: str, said: str) -> None:
    with pytest.raises(ExperimentError) as error:
        tool("irqscope_zephyr").run(1.0, options)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_more_periods_than_can_be_kept_together_are_refused() -> None:
    with pytest.raises(IrqscopeError, match="30001 periods of 30 s are kept in 3 batches"):
        tool("irqscope_zephyr").run(30, f"experiment={FILE}")
