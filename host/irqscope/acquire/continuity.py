"""Makes a run continuous across its batches.

The conditions of a stimulus must not depend on how many others were measured with it. So each batch
continues where the previous one ended: with the dither's next state, and in the phase that the next
stimulus would have had to everything periodic.

A high phase of throughput is a batch, and a batch begins in one phase of all clocks. So the dither
of the low phase before it is in its start delay, or each would count the same.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irqscope.acquire import encoding
from irqscope.acquire.dither import Dither
from irqscope.acquire.plan import Plan
from irqscope.constants import RECORD_RISES, SHORTEST_PHASE, LineMode
from irqscope.experiment.tables import Line
from irqscope.link.codec import Values
from irqscope.results.stimuli import ACKNOWLEDGED_TICKS, Batch, markers

Ticks = npt.NDArray[np.int64]


def rises(line: Values) -> Ticks | None:
    """Ticks of a batch in which a line rises, by its LINE message; shape (count,).

    None if a pulse lasts until it is acknowledged, so that its end is not known before.
    """
    if line["mode"] == LineMode.ACKNOWLEDGED:
        return None
    added = list(Dither(line["seed"], line["dither_bits"]).take(line["count"] - 1))
    gaps = np.asarray(added, np.int64) + line["high"] + line["low"]
    return line["start_delay"] + np.concatenate(([0], np.cumsum(gaps))).astype(np.int64)


class Continuity:
    """Goes along a run, batch by batch.

    ``since_ticks``: from the run's start tick to that of the batch to come, in a run of one batch.
    """

    def __init__(self, plan: Plan) -> None:
        self.since_ticks = 0
        self._plan = plan
        self._late = [0 for _ in plan.experiment.lines]
        seed = plan.experiment.seed
        self._dithers = [
            Dither(encoding.line_seed(seed, line.index), line.dither)
            for line in plan.experiment.lines
        ]

    def lines(self, batch: Batch) -> list[Values]:
        """Values of the LINE messages of the batch to come."""
        lines = zip(encoding.lines(self._plan, batch), self._dithers, self._late, strict=True)
        return [
            line | {"seed": dither.state, "start_delay": line["start_delay"] + late}
            for line, dither, late in lines
        ]

    def batch(self, batch: Batch) -> Values:
        """Values of the BATCH message that begins a batch."""
        return {
            "number": batch.number,
            "first_stimulus": batch.first,
            "since_ticks": self.since_ticks,
        }

    def advance(
        self, batch: Batch, start_tick: int = 0, records: npt.NDArray[np.void] | None = None
    ) -> None:
        """Goes after a batch.

        Only ``records`` show the end of a pulse that lasts until it is acknowledged; without them,
        the shortest pulse is assumed.
        """
        lines = self._plan.experiment.lines
        if not lines or self._plan.experiment.code_under_test is not None:
            self.since_ticks += batch.count * self._plan.stimulus_ticks
            return
        added = [list(dither.take(batch.count)) for dither in self._dithers]
        if self._plan.experiment.measure == "throughput":
            self.since_ticks += batch.count * self._plan.stimulus_ticks + self._late[0]
            self._late = [ticks[-1] for ticks in added]
            return
        line, hz = lines[0], self._plan.tick_hz
        low = line.low.ticks(hz)
        fall = None
        if line.mode == "acknowledged" and records is not None:
            fall = _last_fall(line, encoding.lines(self._plan, batch)[0], records)
        if fall is None:
            self.since_ticks += batch.count * self._plan.stimulus_ticks + sum(added[0])
        else:
            next_rise = fall + low + added[0][-1]
            self.since_ticks += next_rise - start_tick - line.start_delay.ticks(hz)


def _last_fall(line: Line, values: Values, records: npt.NDArray[np.void]) -> int | None:
    """Tick in which the last pulse of an acknowledged line ended; None if it is not recorded."""
    end = None
    for stamp, events in zip(
        reversed(records["stamp"].tolist()), reversed(records["events"].tolist()), strict=True
    ):
        if RECORD_RISES.of(events) >> line.index & 1:
            expiry: int = stamp + values["high"]
            return expiry if end is None else min(expiry, max(end, stamp + SHORTEST_PHASE))
        for core, code in markers(events):
            if values["ack_cores"] >> core & 1 and code == values["ack_code"]:
                end = stamp + ACKNOWLEDGED_TICKS
    return None
