"""Text of a given width: nothing is cut, and lines end between words."""

from __future__ import annotations

import pytest

from irqscope.cli.layout import columns, wrap
from irqscope.report import wording
from irqscope.units import NominalHz, shown_ns, shown_rate

HEADS = ("folder", "p50, ns", "max, ns", "verdict")


def test_a_wide_table_goes_on_below_with_its_first_column():
    lines = list(
        columns(HEADS, [("a", "324", "328", "valid"), ("bb", "4", "5", "INVALID: no")], 24)
    )
    assert lines == [
        "folder  p50, ns  max, ns",
        "a           324      328",
        "bb            4        5",
        "",
        "folder  verdict",
        "a       valid",
        "bb      INVALID: no",
    ]


def test_one_long_column_of_text_is_wrapped_so_that_its_table_stays_one():
    rows = [["a", "a source with a long name and more words", "1"], ["b", "short", "2"]]
    assert list(columns(["folder", "source", "p50"], rows, 40)) == [
        "folder  source                     p50",
        "a       a source with a long name    1",
        "        and more words",
        "b       short                        2",
    ]


def test_a_long_cell_is_wrapped_between_words():
    lines = list(columns(("run", "verdict"), [("a", "channel 0: from pin:wake-up to handler")], 25))
    assert lines == ["run  verdict", "a    channel 0: from", "     pin:wake-up to", "     handler"]


@pytest.mark.parametrize("width", [40, 80, 100])
def test_no_line_is_wider_and_no_word_is_lost(width):
    text = "counters: " + "2400 starts = 2400 served + 0 coalesced, p50 324 ns (N = 2400); " * 4
    lines = wrap(text, width)
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert not any(line.endswith(("N =", "324", "N")) for line in lines)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (324, "324 ns"),
        (9_999, "9999 ns"),
        (10_000, "10 µs"),
        (999_960, "1000 µs"),
        (4_781_751, "4.782 ms"),
        (4_781_751.4, "4.782 ms"),
        (3.4567, "3.457 ns"),
        (12_345_678_000_000, "12346 s"),
    ],
)
def test_a_time_has_a_unit_that_fits(ns, text):
    assert shown_ns(ns) == text


def test_a_rate_has_no_exponent():
    assert [shown_rate(hz) for hz in (500e3, 999.8, 12.5e6)] == ["500 k/s", "999.8 /s", "12.5 M/s"]


def test_an_interval_is_in_the_unit_of_its_value():
    assert wording.between(4_000_000, None, 4_781_751, 10**9) == "[4, open]"
    assert wording.between(None, 330, 324, 10**9) == "[0, 330]"
    assert wording.between(20_000, 20_100, 20_050, NominalHz(10**8)) == "[20000, 20100]"
