"""Time of a stimulus: target time without the talks between batches."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from irqscope.errors import StorageError

Ticks = npt.NDArray[np.int64]


class Timeline:
    """Joins batches on one axis of time, without the gaps.

    ``begins``: ticks from the run's start to that of each batch, by number; it may grow.
    """

    def __init__(self, begins: Mapping[int, int]) -> None:
        self._begins = begins

    def elapsed(self, batches: npt.NDArray[Any], edges: Ticks) -> Ticks:
        """Ticks since the run began; shape (n,).

        ``batches``, ``edges``: columns of the samples, shape (n,), in the order of time. Earlier
        edges may be asked for again. Raises StorageError.
        """
        elapsed_ticks = np.empty(len(edges), np.int64)
        starts = np.flatnonzero(np.diff(batches, prepend=-1))
        for start, end in itertools.pairwise([*starts.tolist(), len(batches)]):
            begin = self._begin(int(batches[start]))
            elapsed_ticks[start:end] = begin + edges[start:end]
        return elapsed_ticks

    def _begin(self, number: int) -> int:
        try:
            return self._begins[number]
        except KeyError:
            raise StorageError(
                f"samples of batch {number}, which the folder does not list; it is damaged"
            ) from None
