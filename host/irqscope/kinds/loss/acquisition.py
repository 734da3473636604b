"""Loss maps: pairs of pulses over a grid of widths and spacings, and how many were answered.

Two lines with one dither go to one output: so a pair keeps its spacing wherever it falls against
the clocks of the measured system. A pair belongs to the time until the next pair begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irqscope.acquire import encoding
from irqscope.acquire.grid import Grid
from irqscope.acquire.measurement import Measurement
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Outcome, Session
from irqscope.constants import CORES, RECORD_CODES, RECORD_CORES, RECORD_RISES, SHORTEST_PHASE
from irqscope.errors import TargetError
from irqscope.kinds.loss import schema
from irqscope.kinds.loss.record import LossCell, LossMap
from irqscope.link.codec import Values
from irqscope.results.stimuli import Batch
from irqscope.targets import Target

if TYPE_CHECKING:
    from irqscope.acquire.running import Running

#: Records of a pair that is answered once a pulse; a batch leaves room for as many again.
_RECORDS_PER_PAIR = 2 * 4
_CODE_BITS = RECORD_CODES.width // CORES


class Loss(Grid):
    """A map of the served pairs, cell by cell."""

    def __init__(self, plan: Plan, target: Target, answering: Measurement) -> None:
        super().__init__(plan, target, answering)
        self._cells = list[LossCell]()

    def measure(self, session: Session, running: Running) -> None:
        number = len(grid(self.plan))
        for cell in cells(session, self.plan, running.ask):
            self._cells.append(cell)
            running.counted(2 * cell.pairs)
            running.advance(f"cell {len(self._cells)} of {number}", len(self._cells), number)

    def record(self) -> dict[str, Any]:
        return {"loss": LossMap(cells=tuple(self._cells))} if self._cells else {}

    def validity_errors(self) -> Iterator[str]:
        if self._cells and not any(cell.served for cell in self._cells):
            yield "no pulse was served in any cell"


def grid(plan: Plan) -> list[tuple[int, int]]:
    """(width, spacing) in ticks of each cell; pulses that would merge are left out."""
    loss = plan.experiment.part(schema.Loss)
    assert loss is not None  # called only if one exists
    widths = sorted({time.ticks(plan.tick_hz) for time in loss.widths})
    spacings = sorted({time.ticks(plan.tick_hz) for time in loss.spacings})
    return [(w, s) for w in widths for s in spacings if s - w >= SHORTEST_PHASE]


def batches(plan: Plan) -> Iterator[Batch]:
    """Batches of one cell: so many pairs that the FIFO holds what they leave."""
    limit, planned_pairs = plan.records_per_batch // _RECORDS_PER_PAIR, 0
    while planned_pairs < plan.experiment.count:
        count = min(limit, plan.experiment.count - planned_pairs)
        yield Batch(0, planned_pairs, count, True, plan.lasting_s(count))
        planned_pairs += count


def cells(session: Session, plan: Plan, ask: Callable[[str], None]) -> Iterator[LossCell]:
    """Measures one cell after the other.

    ``ask``: called before each batch with how far it is; ends the map by raising. Raises
    TargetError where counts of a batch do not hold.
    """
    channels, pairs = encoding.channels(plan, 0), grid(plan)
    for number, (width, spacing) in enumerate(pairs):
        counted = Counter[str]()
        for batch in batches(plan):
            ask(f"after {number} of {len(pairs)} cells")
            pulses, recorder = lines(plan, batch, width, spacing), encoding.recorder(plan, batch, 0)
            outcome = session.batch(0, pulses, channels, recorder, batch.lasting_s)
            served = count(plan, outcome)
            for validity_error in validity_errors(plan, served, outcome):
                raise TargetError(f"pulses of {width} ticks, {spacing} apart: {validity_error}")
            counted += served
        yield cell(width, spacing, counted)


def lines(plan: Plan, batch: Batch, width: int, spacing: int) -> list[Values]:
    """Values of the LINE messages of a cell's batch: a line for each pulse of the pairs."""
    (line,) = encoding.lines(plan, batch)
    period = line["high"] + line["low"]
    pulse = line | {"high": width, "low": period - width}
    # Two batches differ only in their start; a seed of their own spreads it.
    pulse["seed"] = (line["seed"] + batch.first) % (1 << 32) or 1
    second = {"index": line["index"] + 1, "start_delay": line["start_delay"] + spacing}
    return [pulse, pulse | second]


def count(plan: Plan, outcome: Outcome) -> Counter[str]:
    """Counts of a LossCell: the outcome of a batch's pairs."""
    line, channel = plan.experiment.lines[0].index, encoding.channels(plan, 0)[0]
    records = outcome.records
    begins = records["stamp"][_rises(records["events"], line)]
    stops = records["stamp"][_stops(records["events"], channel)]
    # An answer in the tick in which a pair begins belongs to the previous one.
    pair = np.searchsorted(begins, stops, side="left") - 1
    answers = np.bincount(pair[pair >= 0], minlength=len(begins))
    return Counter(
        pairs=len(begins),
        served=int(np.minimum(answers, 2).sum()),
        coalesced=int((answers == 1).sum()),
        lost=2 * int((answers == 0).sum()),
        spurious=int(np.maximum(answers - 2, 0).sum() + (pair < 0).sum()),
    )


def cell(width: int, spacing: int, counted: Counter[str]) -> LossCell:
    """One cell of the map, from the counts of all its batches."""
    names = ("pairs", "served", "coalesced", "lost", "spurious")
    return LossCell(
        width_ticks=width, spacing_ticks=spacing, **{name: counted[name] for name in names}
    )


def validity_errors(plan: Plan, counted: Counter[str], outcome: Outcome) -> Iterator[str]:
    """Why a batch's counts do not hold."""
    index = plan.experiment.lines[0].index
    fired = [outcome.fired[index], outcome.fired[index + 1]]
    if fired[0] != fired[1] or fired[0] != counted["pairs"]:
        yield f"{fired[0]} and {fired[1]} pulses fired, {counted['pairs']} pairs recorded"
    if outcome.reply.lost:
        yield f"{outcome.reply.lost} records were lost: give longer spacings or a shorter level"


def _rises(events: npt.NDArray[np.uint32], line: int) -> npt.NDArray[np.bool_]:
    return (events >> (RECORD_RISES.lsb + line) & 1).astype(bool)


def _stops(events: npt.NDArray[np.uint32], channel: Values) -> npt.NDArray[np.bool_]:
    """Records that hold the channel's stop of any of its cores."""
    stops = np.zeros(len(events), bool)
    for core in range(CORES):
        if channel["stop_cores"] >> core & 1:
            sent = events >> (RECORD_CORES.lsb + core) & 1
            code = events >> (RECORD_CODES.lsb + _CODE_BITS * core) & ((1 << _CODE_BITS) - 1)
            stops |= (sent == 1) & (code == channel["stop_code"])
    return stops
