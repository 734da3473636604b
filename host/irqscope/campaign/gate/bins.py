"""Counts of latencies in a form that fits into a repository: one line a bin, readable in a diff.

``"58 12"``: 12 latencies of 58 ticks; ``"58-61 12"``: of 58 to 61; ``"2048- 12"``: of 2048 or more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import numpy as np
from pydantic import Field

from irqscope.analysis.stats import OPEN, Distribution

_BIN = re.compile(r"([0-9]{1,18})(-([0-9]{1,18})?)? ([0-9]{1,18})")

Bin = Annotated[str, Field(pattern=rf"^{_BIN.pattern}$")]


def dump(distribution: Distribution) -> tuple[str, ...]:
    """Bins of a distribution, ascending."""
    ends = zip(
        distribution.lower.tolist(),
        distribution.upper.tolist(),
        distribution.counts.tolist(),
        strict=True,
    )
    return tuple(
        f"{low if low == high else f'{low}-' if high == OPEN else f'{low}-{high}'} {count}"
        for low, high, count in sorted(ends)
        if count
    )


def load(bins: Iterable[str]) -> Distribution:
    """The distribution that was dumped."""
    rows = []
    for text in bins:
        match = _BIN.fullmatch(text)
        assert match is not None  # the model has looked
        low = int(match[1])
        high = low if match[2] is None else OPEN if match[3] is None else int(match[3])
        rows.append((low, high, int(match[4])))
    lower, upper, counts = np.array(rows, np.int64).reshape(-1, 3).T
    return Distribution(lower, upper, counts)


def of_values(values: Iterable[int]) -> tuple[str, ...]:
    """Bins of values known one by one."""
    return tuple(f"{value} {count}" for value, count in sorted(Counter(values).items()))
