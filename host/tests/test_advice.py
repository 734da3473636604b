"""Advice about effects that a run would miss."""

from __future__ import annotations

from pathlib import Path

import pytest

from irqscope.experiment import load
from irqscope.experiment.advice import advice
from irqscope.machines.generated import ZYNQMP

pytestmark = pytest.mark.quick

T2 = Path(__file__).parents[2] / "experiments" / "horst2020" / "t2.toml"
HZ = 250_000_000


def test_a_line_that_nobody_measures_is_told():
    experiment = load(T2, count=9999)
    (line,) = experiment.lines
    second = line.model_copy(update={"index": 3})
    several = experiment.model_copy(update={"lines": (line, second)})
    (actual,) = advice(several, ZYNQMP, HZ)
    assert actual.text == "line 3 is on, and no channel measures it"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ["count: enough for p99; p99.9 needs 3688"]),
        ({"count": 3}, ["count: enough for no quantile; p99.9 needs 3688"]),
        ({"count": 3688}, []),
        ({"count": 9999, "lines.0.phase": "locked"}, ["lines: all stimuli meet one phase"]),
        (
            {"count": 9999, "timer_tick.period": "1 ms"},
            ["timer_tick: the line's period is a multiple"],
        ),
        ({"count": 9999, "timer_tick.period": "1 ms", "lines.0.dither_bits": 18}, []),
        ({"count": 9999, "timer_tick.period": "1003 us"}, []),
    ],
)
def test_what_is_said(changes, said):
    collected = [f"{p.path[0]}: {p.text}" for p in advice(load(T2, **changes), ZYNQMP, HZ)]
    assert len(collected) == len(said)
    assert all(text.startswith(start) for text, start in zip(collected, said, strict=True))
