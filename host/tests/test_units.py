from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.units import Duration, Size, ns_to_ticks, ticks_to_ns

pytestmark = pytest.mark.quick

BOARD_HZ = 249_975_000


def test_whole_range_of_ticks_is_within_half_a_nanosecond_and_comes_back():
    for ticks in range(100_000):
        ns = ticks_to_ns(ticks, BOARD_HZ)
        assert abs(Fraction(ns) - Fraction(ticks * 10**9, BOARD_HZ)) <= Fraction(1, 2)
        assert ns_to_ticks(ns, BOARD_HZ) == ticks


@given(st.integers(0, 1 << 64))
def test_long_times_do_not_lose_a_nanosecond(ticks):
    assert abs(Fraction(ticks_to_ns(ticks, BOARD_HZ)) - Fraction(ticks * 10**9, BOARD_HZ)) <= 1 / 2


@pytest.mark.parametrize(
    ("text", "hz", "ticks"),
    [
        ("1 ms", 250_000_000, 250_000),
        ("1 ms", BOARD_HZ, 249_975),
        ("40 ns", BOARD_HZ, 10),
        ("2.5us", 250_000_000, 625),
        ("0.5 s", BOARD_HZ, BOARD_HZ // 2),
        ("10 ticks", BOARD_HZ, 10),
        ("1 tick", BOARD_HZ, 1),
        (17, BOARD_HZ, 17),
    ],
)
def test_times(text, hz, ticks):
    assert Duration.parse(text).ticks(hz) == ticks


@pytest.mark.parametrize(
    "text", ["1", "ms", "-1 ms", "1 m", "1,5 ms", 1.5, True, None, "1.5 ticks"]
)
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="time|whole number"):
        Duration.parse(text)


def test_a_size_counts_in_1024s():
    assert [Size.parse(text).kib for text in ("3 KB", "96 MB", "1 GB")] == [3, 96 << 10, 1 << 20]
    with pytest.raises(ValueError, match='"96" is not a size; write KB, MB or GB'):
        Size.parse("96")


def test_a_period_counts_in_another_clock():
    """1 ms of a 100 MHz counter with a clock of 250 MHz, given as a time and in ticks."""
    for text in ("1 ms", "250000 ticks"):
        assert Duration.parse(text).counts(100_000_000, 250_000_000) == 100_000
