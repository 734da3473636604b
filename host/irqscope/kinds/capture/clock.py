"""Finds the clock of a capture: stated by the file, given by the user, or told by its time stamps.

An analyser stamps edges with the number of a sample. A file that holds times instead has each
rounded or cut to its own unit; where all of them fit the samples of one usual rate, that is the
rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from irqscope.kinds.capture.model import CaptureError, Clock, Ticks

#: Rates of analysers that are tried, Hz, in ascending order.
_DIGITS = (
    1, 1.2, 1.25, 1.5, 1.6, 1.92, 2, 2.08, 2.4, 2.5, 3, 3.125, 3.2, 4, 4.8, 5, 6, 6.25, 6.4, 7.2,
    8, 9.6,
)  # fmt: skip
RATES = tuple(sorted(round(digits * 10**power) for power in range(3, 10) for digits in _DIGITS))
#: A rate is found if as many stamps would fit it by chance less often than this.
_CHANCE = 1e-6
#: Stamps that are looked at.
_MOST = 20_000
#: Ticks of a latency that fit the samples' table.
LONGEST_LATENCY = (1 << 32) - 2
#: Finest step of a time stamp, s.
FINEST = Fraction(1, 10**15)


@dataclass(frozen=True)
class Scale:
    """Turns the whole numbers of a file's time stamps into ticks of a clock.

    Attributes:
        clock: The clock.
        factor: Ticks for each unit of the file.
    """

    clock: Clock
    factor: Fraction

    def ticks(self, stamps: Ticks) -> Ticks:
        """Returns the nearest tick of each stamp, shape (n,)."""
        up, down = self.factor.numerator, self.factor.denominator
        if up == down == 1 or not len(stamps):
            return stamps
        greatest = max(abs(int(stamps.min())), abs(int(stamps.max())))
        if greatest * 2 * up + down < 1 << 62:
            return (2 * up * stamps + down) // (2 * down)
        exact = [(2 * up * int(stamp) + down) // (2 * down) for stamp in stamps.tolist()]
        return np.array(exact, np.int64)


def stated(hz: int, unit: Fraction, basis: str, stamps: Ticks) -> Scale:
    """Returns the scale of a file whose sample rate is known.

    Args:
        hz: Sample rate.
        unit: Unit of the stamps, s.
        basis: How the rate is known.
        stamps: Some of the stamps, in units.

    Raises:
        CaptureError: The stamps do not fit the samples of that rate.
    """
    if not _fits(stamps[:_MOST], unit * hz):
        raise CaptureError(
            f"the time stamps do not fall on samples of {rate(hz)} ({basis}); leave --sample-rate "
            "out, or give the analyser's own"
        )
    return Scale(Clock(hz, sampled=True, basis=basis), unit * hz)


def found(unit: Fraction, stamps: Ticks) -> Scale:
    """Returns the scale of a file that does not state its sample rate.

    Args:
        unit: Unit of the stamps, s.
        stamps: Some of the stamps, in units.
    """
    some = np.unique(stamps[:_MOST])
    step = int(np.gcd.reduce(some)) if len(some) else 0
    stepped = step > 1 and (unit * step).numerator == 1
    # Steps of a decimal digit alone are how the file was written.
    written = unit
    if stepped and _is_power_of_ten(step):
        written, some = unit * step, some // step
    elif stepped:
        hz = (unit * step).denominator
        sampled = len(some) >= _needed(1 / step)
        return Scale(Clock(hz, sampled, "by its time stamps"), unit * hz)
    for hz in RATES:
        samples = written * hz
        if samples > Fraction(1, 4):
            break
        if len(some) >= _needed(2 * float(samples)) and _fits(some, samples):
            return Scale(Clock(hz, sampled=True, basis="by its time stamps"), unit * hz)
    if written != unit:
        hz = written.denominator
        return Scale(Clock(hz, sampled=False, basis="by its time stamps"), unit * hz)
    return _plain(unit)


def _plain(unit: Fraction) -> Scale:
    """Returns ticks of the file's own unit, not finer than one of 1 ps."""
    step = unit
    while step.numerator != 1 or step < Fraction(1, 10**12):
        step = step * 10 if step < Fraction(1, 10**12) else Fraction(1, math.ceil(1 / step))
    hz = step.denominator
    return Scale(Clock(hz, sampled=False, basis="by its time stamps"), unit * hz)


def _fits(stamps: Ticks, samples: Fraction) -> bool:
    """Whether each stamp is a sample's time, rounded or cut to the unit."""
    per_unit = np.longdouble(samples.numerator) / np.longdouble(samples.denominator)
    at = stamps.astype(np.longdouble) * per_unit
    away = np.abs(at - np.rint(at))
    # Cut or rounded: less than a unit away; what a double of the file loses is less than that.
    lost = np.abs(at) * np.longdouble(2.0**-50)
    return bool((away < max(per_unit, np.longdouble(1e-6)) + lost).all())


def _needed(chance: float) -> int:
    """Stamps from which on a fit is no chance."""
    return math.ceil(math.log(_CHANCE) / math.log(chance)) if chance < 1 else 1 << 62


def _is_power_of_ten(number: int) -> bool:
    return set(str(number)[1:]) <= {"0"} and str(number)[0] == "1"


def rate(hz: float) -> str:
    """A sample rate in words: 24 MHz."""
    for size, name in ((1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz")):
        if hz >= size:
            return f"{hz / size:.6g} {name}"
    return f"{hz:.6g} Hz"


_RATE = {"ghz": 10**9, "mhz": 10**6, "khz": 10**3, "hz": 1, "ms/s": 10**6, "gs/s": 10**9}


def parse_rate(text: str) -> int:
    """Returns the rate that a text such as "24 MHz" or "24m" states, Hz.

    Raises:
        ValueError: The text is not a whole number of hertz.
    """
    plain = text.strip().lower().replace(" ", "")
    for name, size in (*_RATE.items(), ("g", 10**9), ("m", 10**6), ("k", 10**3), ("", 1)):
        if plain.endswith(name):
            try:
                value = Fraction(plain[: len(plain) - len(name)]) * size
            except (ValueError, ZeroDivisionError):
                break
            if value.denominator == 1 and 0 < value <= 10**12:
                return int(value)
            break
    raise ValueError(f'"{text}" is no sample rate; write Hz, kHz, MHz or GHz, as in "24 MHz"')
