"""Loss maps: which answers belong to which pair, which pairs are always served, and refusals."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from irqscope.acquire.plan import Plan
from irqscope.constants import Marker
from irqscope.experiment import load
from irqscope.kinds.loss import acquisition as loss
from irqscope.kinds.loss.record import LossCell, LossMap
from irqscope.kinds.loss.report import map_in_words
from irqscope.link.records import RECORD
from irqscope.machines.generated import ZYNQMP

ROOT = Path(__file__).parents[2]
EDGE = ROOT / "experiments" / "loss" / "edge.toml"
TICK_HZ = 250_000_000
RISE, ANSWER, OTHER = 1, 1 << 16 | Marker.HANDLER << 20, 1 << 16 | Marker.DONE << 20


@pytest.fixture(scope="module")
def plan():
    return Plan(load(EDGE), ZYNQMP, TICK_HZ)


def counted(plan, *events):
    records = np.array([(stamp, word, 0) for stamp, word in events], RECORD)
    return dict(loss.count(plan, SimpleNamespace(records=records)))


def test_each_answer_belongs_to_the_pair_before_it(plan):
    events = [
        (5, ANSWER),  # to no pair
        (100, RISE), (150, ANSWER), (190, OTHER), (200, ANSWER),
        (1000, RISE), (1100, ANSWER),
        (2000, RISE),
        (3000, RISE | ANSWER), (3100, ANSWER),  # in the tick of a begin: of the pair before
    ]  # fmt: skip
    assert counted(plan, *events) == {
        "pairs": 4, "served": 2 + 1 + 1 + 1, "coalesced": 3, "lost": 0, "spurious": 1
    }  # fmt: skip
    assert counted(plan, (100, RISE), (2000, RISE)) == {
        "pairs": 2, "served": 0, "coalesced": 0, "lost": 4, "spurious": 0
    }  # fmt: skip
    many = [(100 + n, ANSWER) for n in range(1, 6)]
    assert counted(plan, (100, RISE), *many)["spurious"] == 3


def test_both_pulses_of_a_pair_have_one_dither_and_their_spacing(plan):
    batch = next(loss.batches(plan))
    first, second = loss.lines(plan, batch, 50, 175)
    assert (first["high"], first["high"] + first["low"]) == (50, 5000)
    assert second == first | {"index": 1, "start_delay": first["start_delay"] + 175}
    assert first["shared"] == 1 and first["dither_bits"]


def test_cells_whose_pulses_would_merge_are_left_out(plan):
    cells = loss.grid(plan)
    assert (250, 300) in cells and (250, 200) not in cells and (250, 250) not in cells
    assert sum(batch.count for batch in loss.batches(plan)) == 50


def cell(width, spacing, served=20, spurious=0):
    lost = 20 - served
    return LossCell(
        width_ticks=width, spacing_ticks=spacing, pairs=10, served=served, coalesced=0, lost=lost,
        spurious=spurious,
    )  # fmt: skip


def test_what_is_always_served_is_told_with_its_number():
    loss_map = LossMap(
        cells=(cell(10, 50, 5), cell(10, 100), cell(10, 200), cell(20, 50), cell(20, 100),
               cell(20, 200))
    )  # fmt: skip
    messages = [
        (s.width_ticks, s.until_ticks, s.spacing_ticks, s.pulses) for s in loss_map.always()
    ]
    assert messages == [(10, None, 100, 80), (20, None, 50, 60)]
    text = map_in_words(loss_map, TICK_HZ)
    assert "6 cells, 120 pulses: 105 served" in text
    assert "from 40 ns (10 ticks) wide and from 400 ns (100 ticks) apart on" in text
    assert "(N = 80, at most 3.7 % are not)" in text


def test_a_level_that_stays_too_long_has_an_upper_end():
    loss_map = LossMap(cells=(cell(10, 100, 0), cell(20, 100), cell(30, 100), cell(40, 100, 20, 9)))
    (served,) = loss_map.always()
    assert (served.width_ticks, served.until_ticks) == (20, 30)
    assert "80 ns (20 ticks) to 120 ns (30 ticks) wide" in map_in_words(loss_map, TICK_HZ)
    nowhere = LossMap(cells=(cell(10, 100, 0),))
    assert "nowhere in the grid were all served" in map_in_words(nowhere, TICK_HZ)


REFUSED = {
    "samples": ('samples = "none"', 'samples = "all"', 'samples: a loss map has samples = "none"'),
    "a width": ('widths = ["40 ns"', 'widths = [0', "loss.widths[0]: 0 ticks; at least 1"),
    "no width": ('widths = ["40 ns", "80 ns", "200 ns", "400 ns", "1 us"]', "widths = []", "loss"),
    "a spacing": ('"4 us"]', '"40 us"]', "loss.spacings: 10250 ticks with its width; pairs come"),
    "a mode": ('low = "19 us"', 'low = "19 us"\nmode = "acknowledged"', "lines[0].mode: a loss"),
    "software": ('"shared"', '"software"\nperiod = "1 ms"', "loss: it takes a line and one core"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_told_in_one_line(refused, old, new, said):
    assert said in refused(EDGE, old, new)
