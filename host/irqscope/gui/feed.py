"""Between the thread that measures and the timer that paints: bounded, and always whole."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow.compute as pc

from irqscope.collect import Collection
from irqscope.errors import StorageError
from irqscope.gui.trace import BUCKET, CAPACITY, Ticks, Trace
from irqscope.results.reader import Run
from irqscope.results.timeline import Timeline
from irqscope.stats import Distribution

#: Columns of the samples that a trace needs.
COLUMNS = ["channel", "batch", "edge_ticks", "latency_ticks"]
#: Stimuli without an answer that are marked in the trace.
_MARKED = 10_000
#: Latencies that are copied while everybody else waits.
_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Picture:
    """A run at one moment.

    ``run``: run.json as it is or would be. ``distributions``: by channel, from the gateware's
    histogram. ``doubts``: why it would be invalid if it ended now; ``notes``: what must stand
    beside N.
    """

    run: dict[str, Any]
    distributions: dict[int, Distribution]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tick_hz(self) -> int:
        """PL clock."""
        return int(self.run["identity"]["tick_hz"])


@dataclass
class Traces:
    """All traces of a run, by channel; ``unanswered``: times of stimuli without a latency, s."""

    channels: dict[int, Trace] = field(default_factory=dict)
    unanswered: deque[float] = field(default_factory=lambda: deque(maxlen=_MARKED))


class Feed:
    """Takes in what a run yields, in any thread; gives out what is painted.

    ``version`` grows with each change. ``longest_ticks``: latencies beyond it ask for an end of
    the run; None: none does.
    """

    def __init__(self) -> None:
        self.version = 0
        self.picture: Picture | None = None
        self.longest_ticks: int | None = None
        self.beyond = False  #: the run has a latency beyond ``longest_ticks``
        self.samples = 0  #: rows taken in since the program began
        self._traces = Traces()
        self._timeline: Timeline | None = None
        self._lock = threading.Lock()

    @contextmanager
    def traces(self) -> Iterator[Traces]:
        """The traces, held still meanwhile."""
        with self._lock:
            yield self._traces

    def between(self, channel: int, begin: float, end: float) -> Ticks | None:
        """Latencies of a channel from ``begin`` to ``end``, s; None if it has none.

        Millions are copied piece by piece, for who paints must not wait for them.
        """
        with self._lock:
            trace = self._traces.channels.get(channel)
            if trace is None:
                return None
            first, last = trace.places(begin, end)
        pieces = [np.empty(0, np.uint32)]
        for start in range(first, last, _AT_ONCE):
            with self._lock:
                pieces.append(trace.copy(start, min(start + _AT_ONCE, last)))
        return np.concatenate(pieces)

    def clear(self) -> None:
        """Forgets all: nothing stale is ever shown."""
        with self._lock:
            self._traces = Traces()
            self._timeline = None
            self.picture = None
            self.beyond = False
            self.version += 1

    def watch(self, run: dict[str, Any], collection: Collection, rows: Any) -> None:
        """Takes in a batch; fits ``measure(watch=)``."""
        if run["experiment"]["samples"].startswith("tail"):
            with self._lock:
                self._traces, self._timeline = Traces(), None
        distributions = {
            channel.values["index"]: channel.distribution(complete=False)
            for channel in collection.channels
        }
        picture = Picture(run, distributions, tuple(collection.faults()), tuple(collection.notes()))
        self.take(rows, picture)

    def take(self, rows: Any, picture: Picture) -> None:
        """Takes in sample rows and what the run is with them."""
        self._take(rows, picture.run)
        limit = self.longest_ticks
        if limit is not None:
            known = picture.distributions.values()
            self.beyond = any(one.longer_than(limit) for one in known)
        self._show(picture)

    def open(self, folder: Run) -> list[StorageError]:
        """Takes in a run folder; returns what is wrong with samples that were left out.

        Raises StorageError where not even the histogram can be read.
        """
        self.clear()
        run, damaged = folder.run, list[StorageError]()
        known = {books["channel"]: folder.distribution(books["channel"]) for books in run["books"]}
        if run["identity"]:
            for part in folder.parts(COLUMNS, damaged):
                self._take(part, run)
        reasons = run["reasons"] if not folder.cut_short else [folder.ending]
        self._show(Picture(run, known, tuple(reasons), tuple(run["notes"])))
        return damaged

    def settle(self, run: dict[str, Any]) -> None:
        """The run has ended: what is shown is now judged."""
        before = self.picture
        known = {} if before is None else before.distributions
        self._show(Picture(run, known, tuple(run["reasons"]), tuple(run["notes"])))

    def _show(self, picture: Picture) -> None:
        self.picture = picture
        self.version += 1

    def _take(self, rows: Any, run: dict[str, Any]) -> None:
        if not rows.num_rows:
            return
        tick_hz = run["identity"]["tick_hz"]
        share = CAPACITY // len(run["experiment"]["channels"])
        if self._timeline is None:
            self._timeline = Timeline(run)
        edges = rows["edge_ticks"].to_numpy()
        seconds = self._timeline.elapsed(rows["batch"].to_numpy(), edges) / tick_hz
        answered = pc.is_valid(rows["latency_ticks"]).to_numpy()
        latency = pc.fill_null(rows["latency_ticks"], 0).to_numpy()
        channels = rows["channel"].to_numpy()
        with self._lock:
            self.samples += rows.num_rows
            self._traces.unanswered.extend(seconds[~answered].tolist())
            for index in np.unique(channels).tolist():
                trace = self._traces.channels.get(index)
                if trace is None:
                    trace = Trace(share - share % (2 * BUCKET))
                    self._traces.channels[index] = trace
                of_it = answered & (channels == index)
                trace.append(seconds[of_it], latency[of_it])
