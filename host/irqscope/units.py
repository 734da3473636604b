"""Ticks and nanoseconds. Stored values are integers in ticks; ns appear at the program's edge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

NS_PER_S = 1_000_000_000
#: The PL clock that the design asks for; what a target really has stands in its identity.
NOMINAL_TICK_HZ = 250_000_000

_NS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": NS_PER_S}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ticks?|ns|us|µs|ms|s)\s*")


def ticks_to_ns(ticks: int, tick_hz: int) -> int:
    """Nearest whole nanosecond, halves up; integer arithmetic, rounded once."""
    return (2 * ticks * NS_PER_S + tick_hz) // (2 * tick_hz)


def ns_to_ticks(ns: Fraction | int, tick_hz: int) -> int:
    """Nearest whole tick, halves up."""
    exact = Fraction(ns) * tick_hz / NS_PER_S
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


@dataclass(frozen=True)
class Duration:
    """A time as a file gives it: in ticks, or in units that a target's clock turns into ticks."""

    text: str
    exact_ticks: int | None
    ns: Fraction

    @classmethod
    def parse(cls, value: object) -> Duration:
        """From an integer (ticks) or a text such as ``"1 ms"`` or ``"10 ticks"``.

        Raises ValueError for anything else.
        """
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError('a time is a whole number of ticks or a text such as "1 ms"')
        if isinstance(value, int):
            value = f"{value} ticks"
        match = _DURATION.fullmatch(value)
        if match is None:
            raise ValueError(f'"{value}" is no time; write ticks, ns, us, ms or s, as in "1 ms"')
        number, unit = Fraction(match[1]), match[2]
        if not unit.startswith("tick"):
            return cls(value, None, number * _NS[unit])
        if number.denominator != 1:
            raise ValueError(f'"{value}" is not a whole number of ticks')
        return cls(value, int(number), Fraction(0))

    def ticks(self, tick_hz: int) -> int:
        """Whole ticks of a clock of ``tick_hz``."""
        return self.exact_ticks if self.exact_ticks is not None else ns_to_ticks(self.ns, tick_hz)

    def __str__(self) -> str:
        return self.text
