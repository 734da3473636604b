"""Gathers the stimuli of one channel of a capture, and its figures for ``run.json``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from irqscope.acquire.figures import quantile_stats
from irqscope.analysis import stats
from irqscope.analysis.stats import OPEN, Distribution
from irqscope.kinds.capture.pairing import Books, Paired
from irqscope.results.counters import ChannelCounters
from irqscope.results.statistics import Longer, Stats
from irqscope.results.stimuli import State
from irqscope.results.tables import HISTOGRAM, SAMPLES

Ticks = npt.NDArray[np.int64]
_NAMES = [state.name.lower() for state in State]


class Gathered:
    """Latencies of one channel so far. ``span``: first and last edge, ticks of the run's time."""

    def __init__(self, channel: int, timeout: int, resolution: int) -> None:
        self.channel = channel
        self.timeout = timeout
        self.books = Books()
        self.span: tuple[int, int] | None = None
        self.bounds: tuple[Ticks, Ticks] = np.empty(0, np.int64), np.empty(0, np.int64)
        self.counts: Ticks = np.empty(0, np.int64)
        self.least: int | None = None
        self.greatest: int | None = None
        self.total = 0
        self._resolution = resolution
        self._sequence = 0

    def add(self, paired: Paired, batch: int, place: int, origin: int) -> Any:
        """Takes stimuli in; returns their rows of the samples.

        Args:
            paired: Stimuli of one section.
            batch: Number of the section.
            place: How many of the section came before.
            origin: Tick at which the section begins.
        """
        self.count(paired.served)
        n = len(paired)
        if n:
            first = self.span[0] if self.span else int(paired.edges[0])
            self.span = first, int(paired.edges[-1])
        first_number, self._sequence = self._sequence, self._sequence + n
        missing = paired.latencies < 0
        nothing = pa.nulls(n, pa.int64())
        columns = [
            pa.array(np.full(n, self.channel, np.uint8)),
            pa.array(np.full(n, batch, np.uint32)),
            pa.array(np.arange(place, place + n, dtype=np.uint32)),
            pa.array(np.arange(first_number, first_number + n, dtype=np.uint64)),
            pa.array(paired.edges - origin),
            pa.array(np.where(missing, 0, paired.latencies).astype(np.uint32), mask=missing),
            pa.DictionaryArray.from_arrays(pa.array(paired.states), _NAMES),
            pa.nulls(n, pa.uint8()),
            *(nothing for _ in range(4)),
            pa.nulls(n, pa.uint32()),
        ]
        return pa.table(columns, schema=SAMPLES)

    def bins(self, lower: Ticks, upper: Ticks, counts: Ticks) -> None:
        """Takes the bins of a histogram in. ``upper``: greatest latency, or OPEN; shape (n,)."""
        self.bounds, self.counts = (lower, upper), counts
        n = int(counts.sum())
        self.books.starts = self.books.served = self.books.stops = n
        open_ = upper == OPEN
        self.least = int(lower[0]) if self.least is None else self.least
        if self.greatest is None:
            self.greatest = int(lower[-1])
        closed = np.where(open_, np.maximum(self.greatest, lower), lower)
        self.total = sum(int(a) * int(b) for a, b in zip(closed, counts, strict=True))

    @property
    def known(self) -> Distribution:
        """Latencies of the stimuli that were answered."""
        return Distribution(*self.bounds, self.counts, self._resolution)

    @property
    def distribution(self) -> Distribution:
        """Latencies of all stimuli that have ended."""
        return self.known.censored(self.timeout, self.books.timed_out, self.books.coalesced)

    def histogram(self) -> Any:
        """Returns the rows of ``histogram.parquet``."""
        lower, upper = self.bounds
        open_ = upper == OPEN
        ends = np.where(open_, 0, upper) + 1
        columns = [
            pa.array(np.full(len(lower), self.channel, np.uint8)),
            pa.array(lower.astype(np.uint64)),
            pa.array(ends.astype(np.uint64), mask=open_),
            pa.array(self.counts.astype(np.uint64)),
        ]
        return pa.table(columns, schema=HISTOGRAM)

    def counters(self) -> ChannelCounters:
        """Returns the counters as ``run.json`` keeps them."""
        overflow = int(self.counts[self.bounds[1] == OPEN].sum())
        return ChannelCounters(
            channel=self.channel,
            **vars(self.books),
            implausible=0,
            underflow=0,
            overflow=overflow,
            sum_ticks=self.total,
        )

    def stats(self, tick_hz: int) -> Stats:
        """Returns the statistics; a channel that served nothing has no quantiles."""
        books, distribution = self.books, self.distribution
        found = stats.moments(distribution)
        first, last = self.span or (0, 0)
        edges = books.starts - books.pending - books.unanswerable if self.span else 0
        n = distribution.n
        stimulus_s = (last - first) / tick_hz / (n - 1) if n > 1 else 0.0
        return Stats(
            channel=self.channel,
            n=n,
            served=books.served,
            timed_out=books.timed_out,
            coalesced=books.coalesced,
            timeout_ticks=self.timeout,
            min_ticks=self.least,
            max_ticks=self.greatest,
            sum_ticks=self.total,
            deviation_ticks=None if found is None else found.deviation,
            rate_hz=stats.rate(edges, last - first, tick_hz),
            confidence=stats.CONFIDENCE,
            quantiles=tuple(
                quantile_stats(distribution.quantile(p), stimulus_s)
                for p in (stats.QUANTILES if books.served else ())
            ),
            longer=self._longer(n),
            phases=(0,),
            stages=(),
        )

    def _longer(self, n: int) -> Longer | None:
        ticks = self.timeout if self.books.timed_out else self.greatest
        if ticks is None:
            return None
        low, high = stats.share_longer(n, self.books.timed_out, self.books.coalesced)
        return Longer(ticks=ticks, at_least=low, at_most=high)

    def count(self, latencies: Ticks) -> None:
        """Counts latencies known one by one, shape (n,)."""
        if not len(latencies):
            return
        values, counts = np.unique(latencies, return_counts=True)
        lower = self.bounds[0]
        merged, place = np.unique(np.concatenate((lower, values)), return_inverse=True)
        total = np.zeros(len(merged), np.int64)
        np.add.at(total, place, np.concatenate((self.counts, counts)))
        self.bounds, self.counts = (merged, merged), total
        self.least, self.greatest = int(merged[0]), int(merged[-1])
        self.total += int(latencies.sum())
