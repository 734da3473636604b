"""Wording about the ratio of two builds: whether the placement of code alone could cause it."""

from __future__ import annotations

import json

import pytest
from irqscope_fake.folder import A53, ZCU102, answered_by, record
from irqscope_fake.folder import experiment as made
from test_assumptions import stored

from irqscope.report.layout_text import apart
from irqscope.results.statistics import QuantileStats, Stats


def run(median_ticks, layout=None, stack="baremetal", source=A53):
    model = None
    if layout is not None:
        actual = stored(layout={"low_ns": layout[0], "high_ns": layout[1]})
        model = {"assumptions": json.loads(actual.model_dump_json()), "unknown": None}
    reported = record(made(), **answered_by(source), model=model)
    quantile = QuantileStats(
        p=0.5,
        value_ticks=median_ticks,
        lower_ticks=None,
        upper_ticks=None,
        sample_ticks=(median_ticks, median_ticks),
        note=None,
    )
    stats = Stats(
        channel=0,
        n=9,
        served=9,
        timed_out=0,
        coalesced=0,
        timeout_ticks=1000,
        min_ticks=median_ticks,
        max_ticks=median_ticks,
        sum_ticks=9 * median_ticks,
        deviation_ticks=0.0,
        rate_hz=None,
        confidence=0.95,
        quantiles=(quantile,),
        longer=None,
        phases=(9,),
        stages=(),
    )
    changed = made().model_copy(update={"stack": stack})
    return reported.model_copy(update={"stats": (stats,), "experiment": changed})


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ((364, 388), "ratio 1.10 to 1.21; the difference exceeds that"),
        ((324, 388), "ratio 0.98 to 1.21; the difference does not exceed that"),
    ],
)
def test_a_ratio_of_two_builds_is_held_against_the_layouts(layout, said):
    reported = apart(run(81, (320, 332)), run(92, layout, stack="standalone"))
    assert reported.startswith("medians of two builds, 324 and 368 ns, ratio 1.14: ")
    assert reported.endswith(said)


def test_what_is_not_known_is_said_and_one_build_says_nothing():
    reported = apart(run(81, (320, 332)), run(92, None, stack="standalone"))
    assert reported.endswith("what the layout of the code alone does to t2 is unknown")
    assert apart(run(81), run(92)) == ""
    assert apart(run(81, source=ZCU102), run(92, stack="standalone")) == ""
