"""Single stimuli of a run folder: the worst, those around one, and the one at a time.

Holds the extent of each part and none of its samples, so a folder may have any number of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.constants import StartKind
from irqscope.errors import StorageError
from irqscope.results.reader import Run, later, left_out, read, read_part
from irqscope.results.record import RunRecord
from irqscope.results.tables import SAMPLES
from irqscope.results.timeline import Timeline

#: Rank of a stimulus without an answer: longer than any latency.
UNANSWERED = (1 << 32) - 1

#: Samples with their place in the run. ``index``: from 0 in the order of time; in a tail, which is
#: written again as it fills, the number of the stimulus in its channel, null if unknown.
#: ``time_ticks``: since the first batch began, the talks between batches left out.
INDEXED: Any = pa.schema(
    [
        pa.field("index", pa.int64()),
        pa.field("time_ticks", pa.int64(), nullable=False),
        *SAMPLES,
    ]
)
#: Rows that a table of :meth:`Samples.tables` has at most.
BLOCK = 1 << 16
_SHORT = ["channel", "batch", "edge_ticks", "latency_ticks"]


@dataclass(frozen=True)
class _Part:
    """``first``: index of its first row; ``begin``: time of it; least and greatest rank."""

    path: Path
    first: int
    rows: int
    begin: int
    least: int
    greatest: int

    @property
    def indices(self) -> range:
        return range(self.first, self.first + self.rows)


@dataclass(frozen=True)
class Only:
    """Selects stimuli. ``low``, ``high``: latencies, both included, ticks."""

    channel: int | None = None
    answered: bool = False
    low: int = 0
    high: int = UNANSWERED

    def mask(self, table: Any) -> npt.NDArray[np.bool_]:
        """Mask of the selected rows of the samples; shape (n,)."""
        rank = _rank(table)
        held = (rank >= self.low) & (rank <= self.high)
        if self.answered:
            held &= rank < UNANSWERED
        if self.channel is not None:
            held &= table["channel"].to_numpy() == self.channel
        return np.asarray(held, np.bool_)

    def greatest(self, part: _Part) -> int | None:
        """Rank that no row of its part exceeds, or None."""
        if part.greatest < self.low or part.least > self.high:
            return None
        return min(part.greatest, self.high)


EVERY = Only()


class Samples:
    """Stimuli of the folder ``path``, up to the flush of the last :meth:`update`.

    ``damaged``: receives the faults of unreadable files, whose stimuli are left out and not
    counted; if None, the first one raises.
    """

    def __init__(self, path: Path, damaged: list[StorageError] | None = None) -> None:
        self.path = path
        self._damaged = damaged
        self._run: Run | None = None
        self._parts: list[_Part] = []
        self._files = 0  # looked at; some hold no sample
        self._begins: dict[int, int] = {}  # of the batches in so many files
        self._timeline = Timeline(self._begins)
        self._listed = 0
        self._channels: set[int] = set()

    @property
    def channels(self) -> tuple[int, ...]:
        """Channels that have samples, ascending."""
        return tuple(sorted(self._channels))

    def __len__(self) -> int:
        return self._parts[-1].indices.stop if self._parts else 0

    @property
    def run(self) -> RunRecord:
        """Contents of run.json. Raises StorageError."""
        if self._run is None:
            self.update()
        assert self._run is not None  # an update that fails raises
        return self._run.run

    @property
    def selected(self) -> bool:
        """Whether only the longest are kept, so that neighbours are not neighbours in the run."""
        return self.run.experiment.samples.which == "tail"

    def update(self) -> None:
        """Reads the rows flushed since. Raises StorageError."""
        self._run = read(self.path) if self._run is None else later(self._run)
        if self.selected:
            self._parts, self._files = [], 0  # it is written again each time
        # Files are listed before batches are read, so batches are at least as new.
        paths = list(self._run.part_paths(self._files, self._damaged))
        self._list_batches(self._run)
        for path in paths:
            self._files += 1
            table = None
            with left_out(self._damaged):
                # To be left out, a file must fail now and not when its other columns are read.
                table = read_part(path, _SHORT if self._damaged is None else None)
            if table is not None and table.num_rows:
                try:
                    rank, time = _rank(table), self._time(table)
                except StorageError as error:
                    if self._damaged is not None:
                        self._damaged.append(StorageError(f"{path}: {error}"))
                        continue
                    if self._run.run.ended is not None or path != paths[-1]:
                        raise
                    self._files -= 1  # its batches are being written: next time
                    break
                extent = int(time[0]), int(rank.min()), int(rank.max())
                self._channels |= set(pc.unique(table["channel"]).to_pylist())
                self._parts.append(_Part(path, len(self), table.num_rows, *extent))

    def worst(self, count: int, only: Only = EVERY) -> Any:
        """Table of the ``count`` longest, longest first; of equal ones the earlier comes first.

        A stimulus without an answer counts as longer than any. Columns as INDEXED.
        """
        return self.rows(self._longest(count, only))

    @property
    def longest(self) -> int | None:
        """Place of the first of :meth:`worst`, or None."""
        places = self._longest(1, EVERY)
        return int(places[0]) if len(places) else None

    def _longest(self, count: int, only: Only) -> npt.NDArray[np.int64]:
        """Places of the longest."""
        ranks, indices = np.empty(0, np.int64), np.empty(0, np.int64)
        bounds = [(bound, part) for part in self._parts if (bound := only.greatest(part))]
        for bound, part in sorted(bounds, key=lambda pair: (-pair[0], pair[1].first)):
            if len(ranks) == count:
                threshold = ranks[-1]
                if bound < threshold or (
                    bound == threshold and part.first > indices[ranks == threshold][-1]
                ):
                    continue
            table = read_part(part.path, _SHORT)
            places = np.flatnonzero(only.mask(table))
            ranked = _rank(table)[places]
            places, ranked = _longest(places, ranked, count)
            indices = np.concatenate((indices, part.first + places))
            ranks = np.concatenate((ranks, ranked))
            order = np.lexsort((indices, -ranks))[:count]
            indices, ranks = indices[order], ranks[order]
        return indices

    def rows(self, places: npt.ArrayLike | range) -> Any:
        """Returns the samples at these places in the order of time, in the given order.

        Places count from 0; missing ones are left out. Columns as INDEXED.
        """
        valid_places = np.asarray(places, np.int64)
        valid_places = valid_places[(valid_places >= 0) & (valid_places < len(self))]
        firsts = [part.first for part in self._parts]
        of_part = np.searchsorted(firsts, valid_places, "right") - 1
        tables = []
        for place in np.unique(of_part).tolist():
            part = self._parts[place]
            tables.append(self._placed(part).take(valid_places[of_part == place] - part.first))
        if not tables:
            return INDEXED.empty_table()
        rows = pa.concat_tables(tables)
        # Sorted by part so far: back to the order asked for.
        return rows.take(np.argsort(np.argsort(of_part, kind="stable"), kind="stable"))

    def place(self, index: int) -> int | None:
        """Place of the sample with that index, or None."""
        if not self.selected:
            return index if 0 <= index < len(self) else None
        indices = [row for table in self.tables() for row in table["index"].to_pylist()]
        return indices.index(index) if index in indices else None

    def at(self, channel: int, time_ticks: int) -> int | None:
        """Place of the sample of a channel with an edge at that time, or None."""
        place = self.nearest(time_ticks, channel)
        exact = place is not None and self.rows([place])["time_ticks"][0].as_py() == time_ticks
        return place if exact else None

    def around(self, place: int, count: int) -> Any:
        """Returns a table of the sample at ``place`` with ``count`` neighbours on each side.

        Of a tail those of them that are kept.
        """
        rows = self.rows(range(max(0, place - count), place + count + 1))
        if not self.selected:
            return rows
        own = self.rows([place])["index"][0]
        if not own.is_valid:
            return self.rows([place])
        return _within(rows, range(own.as_py() - count, own.as_py() + count + 1))

    def nearest(self, time_ticks: int, channel: int | None = None) -> int | None:
        """Place of the sample whose edge is nearest to a time, or None."""
        begins = [part.begin for part in self._parts]
        after = int(np.searchsorted(begins, time_ticks, "right"))
        # It may be the last before or the first after; parts may have none of the channel.
        before = map(self._parts.__getitem__, range(after - 1, -1, -1))
        sides = before, map(self._parts.__getitem__, range(after, len(begins)))
        candidates = [self._nearest(side, time_ticks, channel) for side in sides]
        return min(pair for pair in candidates if pair)[1] if any(candidates) else None

    def _list_batches(self, run: Run) -> None:
        """Takes in where the batches of the last flushes lie in time."""
        for begin in run.begins(self._listed, self._damaged):
            self._begins |= begin
            self._listed += 1

    def _nearest(
        self, parts: Iterator[_Part], time_ticks: int, channel: int | None
    ) -> tuple[int, int] | None:
        """Its distance and index, in the first of the parts that has any."""
        for part in parts:
            table = read_part(part.path, _SHORT)
            held = Only(channel=channel).mask(table)
            if held.any():
                rows = np.flatnonzero(held)
                away = np.abs(self._time(table)[rows] - time_ticks)
                return int(away.min()), part.first + int(rows[np.argmin(away)])
        return None

    def tables(self, window: range | None = None) -> Iterator[Any]:
        """Yields tables of the samples, or of those in ``window``, in the order of time.

        Each has at most BLOCK rows, since a writer may need kilobytes for a row. Columns as
        INDEXED.
        """
        if window is not None and self.selected:
            tables = (_within(table, window) for table in self.tables())
            yield from (table for table in tables if len(table))
            return
        for part in self._parts:
            inside = part.indices
            if window is not None:
                inside = range(max(inside.start, window.start), min(inside.stop, window.stop))
            yield from self._blocks(part, inside)

    def _blocks(self, part: _Part, inside: range) -> Iterator[Any]:
        """Tables of the rows of a part with these indices; the part is let go with the last."""
        if not inside:
            return
        placed = self._placed(part)
        for first in inside[::BLOCK]:
            yield placed.slice(first - part.first, min(BLOCK, inside.stop - first))

    def _placed(self, part: _Part) -> Any:
        table = read_part(part.path)
        columns = {name: table[name] for name in table.column_names}
        columns["index"] = (
            table["sequence"].cast(pa.int64())
            if self.selected
            else pa.array(part.indices, pa.int64())
        )
        columns["time_ticks"] = pa.array(self._time(table))
        return pa.table([columns[name] for name in INDEXED.names], schema=INDEXED)

    def _time(self, table: Any) -> npt.NDArray[np.int64]:
        return self._timeline.elapsed(table["batch"].to_numpy(), table["edge_ticks"].to_numpy())


def _within(table: Any, window: range) -> Any:
    """Rows whose index is known and in the window."""
    return table.filter(
        pc.and_(
            pc.greater_equal(table["index"], window.start), pc.less(table["index"], window.stop)
        )
    )


def flags(run: RunRecord, stimulus: dict[str, Any]) -> list[str]:
    """Lists what is unusual about a stimulus (a row with the columns of INDEXED)."""
    texts = []
    if stimulus["state"] != "served":
        texts.append("no answer" if stimulus["state"] == "timed_out" else "coalesced")
    if is_first(run, stimulus):
        texts.append("first of its batch")
    return texts


def is_first(run: RunRecord, stimulus: dict[str, Any]) -> bool:
    """Whether a stimulus is the first of its batch; where its place is not known, by its edge."""
    if stimulus["place"] is not None:
        return bool(stimulus["place"] == 0)
    return any(
        stimulus["edge_ticks"] == line.start_delay.ticks(run.tick_hz)
        for line in run.experiment.lines
        if line.index in _lines(run, stimulus)
    )


def _lines(run: RunRecord, stimulus: dict[str, Any]) -> list[int]:
    """Lines that start the stimulus's channel: one or none."""
    return [
        channel.start.line
        for channel in run.experiment.channels
        if channel.index == stimulus["channel"] and channel.start.kind is StartKind.LINE
    ]


def _rank(table: Any) -> npt.NDArray[np.int64]:
    return np.asarray(pc.fill_null(table["latency_ticks"], UNANSWERED).to_numpy(), np.int64)


def _longest(
    places: npt.NDArray[np.int64], ranks: npt.NDArray[np.int64], count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The ``count`` longest of these, of equal ones the earlier: without sorting millions."""
    if len(ranks) <= count:
        return places, ranks
    threshold = np.partition(ranks, len(ranks) - count)[len(ranks) - count]
    above = np.flatnonzero(ranks > threshold)
    equal = np.flatnonzero(ranks == threshold)[: count - len(above)]
    selected = np.concatenate((above, equal))
    return places[selected], ranks[selected]
