"""Bounded, consistent buffer between the thread that measures and the timer that paints."""

from __future__ import annotations

import itertools
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from irqscope.acquire.collect import Collection
from irqscope.acquire.validity import notes, validity_errors
from irqscope.analysis import stats
from irqscope.analysis.stats import Distribution
from irqscope.errors import StorageError
from irqscope.kinds.capture.importing import LiveNews
from irqscope.results.drift import drifts_of
from irqscope.results.reader import Run, left_out
from irqscope.results.record import RunRecord
from irqscope.results.timeline import Timeline
from irqscope_app.plots.drift import DriftTrace
from irqscope_app.plots.trace import BUCKET, CAPACITY, Trace

#: Columns of the samples that a trace needs.
COLUMNS = ["channel", "batch", "edge_ticks", "latency_ticks", "core"]
#: Stimuli without an answer, and seams between batches, that are marked in the trace.
_UNANSWERED, _SEAMS = 1 << 18, 10_000
#: Latencies that are copied at once while the lock is held.
_AT_ONCE = 1 << 16
_NO_CORE = 255
#: Numbers of the views.
_VIEWS = itertools.count()


@dataclass(frozen=True, eq=False)  # each is of its own moment, and arrays have no truth value
class Picture:
    """A run at one moment.

    Attributes:
        run: run.json as it is or would be.
        distributions: by channel, from the gateware's histogram.
        doubts: why the run would be invalid if it ended now.
        notes: remarks to show next to N.
        over: whether the run has ended, even if ``run`` does not say how.
        begin: begin of the run on the axis of the trace, s.
        end: time of its last latency in the trace, s.
    """

    run: RunRecord
    distributions: dict[int, Distribution]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    over: bool = False
    begin: float = 0.0
    end: float = 0.0

    def same_run(self, other: Picture) -> bool:
        """Whether another picture is of the same run in the same view."""
        return (self.begin, self.run.started) == (other.begin, other.run.started)

    @property
    def tick_hz(self) -> int:
        """Rate of the PL clock, Hz."""
        return self.run.tick_hz


class Series(NamedTuple):
    """Source of the latencies of a trace; ``core``: the core that answered, if several could."""

    channel: int
    core: int | None = None

    @property
    def place(self) -> int:
        """Index into the lists of colours and symbols."""
        return self.channel + (self.core or 0)

    def __str__(self) -> str:
        return f"channel {self.channel}" if self.core is None else f"core {self.core}"


@dataclass
class Traces:
    """All traces of a run, and of the runs before it in the same view.

    Attributes:
        unanswered: latest times of stimuli without a latency, s.
        seams: latest times, s, at which the talk between two batches was left out.
        borders: latest times, s, at which a run with another pattern began, with the changes.
        drift: by channel, figures of each batch of a run that does not keep all stimuli.
    """

    channels: dict[Series, Trace] = field(default_factory=dict)
    unanswered: deque[float] = field(default_factory=lambda: deque(maxlen=_UNANSWERED))
    seams: deque[float] = field(default_factory=lambda: deque(maxlen=_SEAMS))
    borders: dict[float, str] = field(default_factory=dict)
    drift: dict[int, DriftTrace] = field(default_factory=dict)

    @property
    def end(self) -> float:
        """Time of the last latency, s, or 0 without any."""
        return max((span[1] for span in self.spans), default=0.0)

    @property
    def spans(self) -> list[tuple[float, float]]:
        """Times of the first and the last latency of each trace, s."""
        return [span for trace in self.every if (span := trace.span) is not None]

    @property
    def every(self) -> list[Trace | DriftTrace]:
        """The traces and the figures of each channel."""
        return [*self.channels.values(), *self.drift.values()]


class Feed:
    """Collects the results of a run, in any thread, and hands out what is painted.

    Attributes:
        version: grows with each change.
        longest_ticks: a longer latency ends the run; None if no latency does.
    """

    def __init__(self) -> None:
        self.version = 0
        self.view = next(_VIEWS)  #: another one once the data are of another run
        self.picture: Picture | None = None
        self.longest_ticks: int | None = None
        self.opened = False  #: whether the run was read from a folder
        self.beyond = False  #: the run has a latency beyond ``longest_ticks``
        self.samples = 0  #: rows taken in since the program began
        self.before: tuple[Picture, ...] = ()  #: segments before in the view
        self._reset()
        self._lock = threading.Lock()

    @contextmanager
    def traces(self) -> Iterator[Traces]:
        """The traces, locked during the ``with`` block."""
        with self._lock:
            yield self._traces

    def lasting(self, channel: int, begin: float, end: float) -> float:
        """Time from the first to the last latency of a channel between ``begin`` and ``end``, s; 0
        without any.
        """
        with self._lock:
            moments = []
            for series, trace in self._traces.channels.items():
                first, last = trace.places(begin, end)
                if series.channel == channel and first < last:
                    moments += [trace.times(first, first + 1)[0], trace.times(last - 1, last)[0]]
        return float(max(moments) - min(moments)) if moments else 0.0

    def held(self, channel: int, begin: float, end: float) -> int:
        """Number of latencies of a channel from ``begin`` to ``end``, s."""
        with self._lock:
            of_it = (t for series, t in self._traces.channels.items() if series.channel == channel)
            ends = [trace.places(begin, end) for trace in of_it]
        return sum(last - first for first, last in ends)

    def between(
        self,
        channel: int,
        begin: float,
        end: float,
        low: float = -np.inf,
        high: float = np.inf,
    ) -> Distribution | None:
        """Latencies of a channel from ``begin`` to ``end``, s, and from ``low`` to ``high``, ticks;
        None if it has none at all.

        Millions are counted piece by piece: painting must not wait for them, and in a run of hours
        they would be copied four times a second.
        """
        with self._lock:
            traces = [t for series, t in self._traces.channels.items() if series.channel == channel]
            spans = [trace.places(begin, end) for trace in traces]
        if not traces:
            return None
        counts = Counter[int]()
        for trace, (first, last) in zip(traces, spans, strict=True):
            for start in range(first, last, _AT_ONCE):
                with self._lock:
                    piece = trace.copy(start, min(start + _AT_ONCE, last))
                known = stats.of_samples(piece[(piece >= low) & (piece <= high)])
                counts.update(dict(zip(known.lower.tolist(), known.counts.tolist(), strict=True)))
        return stats.of_counts(counts)

    def go_on(self, changed: str) -> None:
        """Keeps the traces and draws a border, as another run begins in the same view. ``changed``:
        text at the border.
        """
        with self._lock:
            self.origin = self._traces.end
            if self.picture is not None:
                self.before = (*self.before, self.picture)
            self._traces.borders[self.origin] = changed
            self._last_batch = 0
            self.beyond = False
            self.version += 1

    def clear(self, *, opened: bool = False) -> None:
        """Discards all data, so that nothing stale is shown. ``opened``: a folder is read next."""
        with self._lock:
            self._reset()
            self.picture = None
            self.opened, self.beyond = opened, False
            self.version += 1
            self.view = next(_VIEWS)

    def watch(self, run: RunRecord, collection: Collection, rows: Any) -> None:
        """Takes in a batch; fits ``measure(watch=)``."""
        if run.experiment.samples.which == "tail":
            with self._lock:
                drift = self._traces.drift
                self._reset()
                self._traces.drift = drift
        distributions = {
            channel.values["index"]: channel.distribution(complete=False)
            for channel in collection.channels
        }
        # The record of a running measurement keeps changing.
        doubts = tuple(validity_errors(collection))
        picture = Picture(run.model_copy(), distributions, doubts, tuple(notes(collection)))
        self.take(rows, picture, collection.begins, collection.drift)

    def look(self, news: LiveNews) -> None:
        """Takes in what a logic analyser has measured; fits ``measure_live(watch=)``."""
        picture = Picture(news.run, news.distributions, (), news.run.notes)
        self.take(news.rows, picture, news.begins, news.drift)

    def take(
        self, rows: Any, picture: Picture, begins: Mapping[int, int], drift: Any = None
    ) -> None:
        """Adds sample rows and the updated run. ``begins``: ticks from the run's start to that of
        each batch, by its number; ``drift``: figures of batches, as DRIFT.
        """
        self._take(rows, picture.run, Timeline(begins))
        if drift is not None:
            self._take_drift(drift, picture.tick_hz)
        limit = self.longest_ticks
        if limit is not None:
            known = picture.distributions.values()
            self.beyond = any(one.longer_than(limit) for one in known)
        self._show(picture)

    def open(self, folder: Run) -> list[StorageError]:
        """Reads a run folder; returns why samples were left out.

        Raises StorageError if not even the histogram can be read.
        """
        self.clear(opened=True)
        run, damaged = folder.run, list[StorageError]()
        known = {
            counters.channel: folder.distribution(counters.channel) for counters in run.counters
        }
        if run.has_clock:
            timeline = folder.timeline(damaged)
            for part in folder.parts(COLUMNS, damaged):
                with left_out(damaged):
                    self._take(part, run, timeline)
            with left_out(damaged):
                self._take_drift(folder.drift(), run.tick_hz)
        reasons = run.reasons if not folder.cut_short else (folder.ending, *run.reasons)
        self._show(Picture(run, known, reasons, run.notes, over=True))
        return damaged

    def settle(self, run: RunRecord) -> None:
        """Marks the run as ended, so that its verdict is final."""
        before = self.picture
        # A run that ended before its first batch has no picture: the previous segment is still
        # shown.
        own = before is not None and before.run.started == run.started
        known = before.distributions if before is not None and own else {}
        self._show(Picture(run, known, run.reasons, run.notes))

    def _reset(self) -> None:
        self._traces = Traces()
        self._last_batch = 0
        self.before = ()
        self.origin = 0.0  #: time at which the run begins among those before it in the view, s

    def _show(self, picture: Picture) -> None:
        with self._lock:
            end = max(self.origin, self._traces.end)
            self.picture = replace(picture, begin=self.origin, end=end)
            self.version += 1

    def _take_drift(self, table: Any, tick_hz: int) -> None:
        with self._lock:
            for one in drifts_of(table):
                trace = self._traces.drift.setdefault(one.channel, DriftTrace())
                served = one.figures["max"] >= 0
                times = self.origin + one.begins[served] / tick_hz
                trace.append(times, {name: t[served] for name, t in one.figures.items()})

    def _take(self, rows: Any, run: RunRecord, timeline: Timeline) -> None:
        if not rows.num_rows:
            return
        tick_hz = run.tick_hz
        batches, edges = rows["batch"].to_numpy(), rows["edge_ticks"].to_numpy()
        seconds = self.origin + timeline.elapsed(batches, edges) / tick_hz
        answered = pc.is_valid(rows["latency_ticks"]).to_numpy()
        latency = pc.fill_null(rows["latency_ticks"], 0).to_numpy()
        with self._lock:
            self.samples += rows.num_rows
            self._traces.unanswered.extend(seconds[~answered].tolist())
            seams = np.diff(batches, prepend=self._last_batch) > 0
            self._last_batch = int(batches[-1])
            self._traces.seams.extend(seconds[seams].tolist())
            for series, of_it in _series(rows, run):
                if series not in self._traces.channels:
                    share = CAPACITY // _most_series(run)
                    self._traces.channels[series] = Trace(share - share % (2 * BUCKET))
                of_it &= answered
                self._traces.channels[series].append(seconds[of_it], latency[of_it])


def _series(rows: Any, run: RunRecord) -> Iterator[tuple[Series, npt.NDArray[np.bool_]]]:
    """Splits sample rows into series; yields each series with its rows."""
    channels = rows["channel"].to_numpy()
    cores = pc.fill_null(rows["core"], _NO_CORE).to_numpy()
    for index in np.unique(channels).tolist():
        of_it = channels == index
        if index not in _shared(run):
            yield Series(index), of_it
            continue
        for core in np.unique(cores[of_it & (cores != _NO_CORE)]).tolist():
            yield Series(index, core), of_it & (cores == core)


def _shared(run: RunRecord) -> set[int]:
    """Channels that several cores may answer."""
    channels = run.experiment.channels
    return {channel.index for channel in channels if channel.stop.core == "any"}


def _most_series(run: RunRecord) -> int:
    experiment = run.experiment
    return len(experiment.channels) + len(_shared(run)) * (experiment.cores - 1)
