"""When a stimulus came: target time, the talks between batches left out."""

from __future__ import annotations

import itertools
from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from irqscope.errors import StorageError
from irqscope.plan import Plan
from irqscope.results.record import RunRecord

Ticks = npt.NDArray[np.int64]


class Timeline:
    """Lays batches behind each other.

    A batch lasts until a further stimulus of it would have come: a period after its last, and at
    least as long as all of its stimuli take without dither, for samples may be a selection.
    """

    def __init__(self, run: RunRecord) -> None:
        """``run``: contents of run.json."""
        identity = run.identified
        self._plan = Plan(
            run.experiment, identity.tick_hz, run.batch_s, counter_hz=identity.cntfrq_hz
        )
        self._batches = self._plan.batches()
        self._begins = array("q")  # of the batches so far, ticks
        self._end = 0  # of the last of them

    def elapsed(self, batches: npt.NDArray[Any], edges: Ticks) -> Ticks:
        """Ticks since the first batch began; shape (n,).

        ``batches``, ``edges``: columns of the samples, shape (n,), in the order of time. What has
        been seen may be asked for again. Raises StorageError.
        """
        starts = np.flatnonzero(np.diff(batches, prepend=-1))
        for start, end in itertools.pairwise([*starts.tolist(), len(batches)]):
            number = int(batches[start])
            self._enter(number)
            if number == len(self._begins) - 1:
                last = self._begins[number] + int(edges[end - 1])
                self._end = max(self._end, last + self._plan.stimulus_ticks)
        begins: Ticks = np.array(self._begins, np.int64)[batches]
        return begins + edges

    def _enter(self, number: int) -> None:
        while len(self._begins) <= number:
            batch = next(self._batches, None)
            if batch is None:
                raise StorageError(
                    f"samples of batch {number}, which the experiment does not have; "
                    "the folder is damaged"
                )
            self._begins.append(self._end)
            self._end += self._plan.least_ticks(batch.count)
