"""Round values along an axis, few enough to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def decades(low: float, high: float, digits: Sequence[int]) -> list[float]:
    """Products of these digits and the powers of ten from below ``low`` to above ``high``."""
    powers = range(int(np.log10(low)) - 1, int(np.log10(high)) + 2)
    return [digit * 10.0**power for power in powers for digit in digits]


def round_step(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-9)))
    return float(next(digit * power for digit in (1, 2, 5, 10) if digit * power >= step))


def logarithmic_labels(span: tuple[float, float], most: int = 7) -> list[tuple[float, str]]:
    """Positions and labels of a logarithmic axis, few enough to be read."""
    low, high = (10 ** min(max(end, -3.0), 15.0) for end in span)
    if high > 50 * low:
        values: Iterable[float] = decades(low, high, (1, 2, 5) if high < 100 * low else (1,))
        if np.log10(high / low) > most:
            values = [10.0**power for power in range(-2, 16, 2)]
    else:
        step = round_step((high - low) / max(2, most - 1))
        values = (np.arange(np.ceil(low / step), high / step + 1) * step).tolist()
    return [(float(np.log10(v)), f"{v:g}") for v in values if low <= v <= high and v > 0]
