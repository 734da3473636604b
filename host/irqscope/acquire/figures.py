"""Builds the `latencies` object of run.json."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.acquire.collect import ChannelResults, Collection
from irqscope.analysis import independence as tests_of
from irqscope.analysis import stats
from irqscope.analysis.independence import LEAST, LEVEL, examine, lags
from irqscope.results.counters import Counted, Records
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord
from irqscope.results.statistics import (
    Answer,
    Independence,
    Longer,
    PeriodStats,
    QuantileStats,
    StageStats,
    Stats,
    Throughput,
)

#: Columns that tell in which order latencies came.
_CONTINUITY = ["channel", "batch", "place", "edge_ticks", "latency_ticks", "state"]


def so_far(run: RunRecord, collection: Collection) -> RunRecord:
    """A copy of run.json that counts all batches so far."""
    now = run.model_copy()
    now.counters = tuple(channel.counters.record() for channel in collection.channels)
    now.gateware_counters = tuple(
        channel.gateware.counters.record() for channel in collection.channels if channel.queue
    )
    now.records = Records(
        stamped=collection.stamped, delivered=collection.delivered, lost=collection.lost
    )
    now.firmware = Counted(**collection.totals)
    now.stimuli = collection.stimuli
    now.throughput = _throughput(collection)
    now.stats = tuple(_stats(collection, channel) for channel in collection.channels)
    now.stm = collection.stm.record() if collection.stm else None
    return now


def _throughput(collection: Collection) -> tuple[Throughput, ...]:
    """Handlers while the line was high, phase by phase."""
    if not collection.phases:
        return ()
    line = collection.plan.experiment.lines[0]
    high = line.high.ticks(collection.plan.tick_hz)
    rates = []
    for channel in collection.channels:
        stops = collection.phases[channel.values["index"]]
        hz = [count * collection.plan.tick_hz / high for count in stops]
        core = channel.stopping[0] if len(channel.stopping) == 1 else None
        rates.append(
            Throughput(
                channel=channel.values["index"],
                core=core,
                high_ticks=high,
                stops=tuple(stops),
                median_hz=statistics.median(hz),
                min_hz=min(hz),
                max_hz=max(hz),
            )
        )
    return tuple(rates)


def independence(collection: Collection, folder: Run) -> dict[int, Independence]:
    """Whether the latencies of the samples look alike and independent, by channel.

    They are those of the run's ``folder``: in memory each would be kept for this alone. Raises
    StorageError.
    """
    return {
        c.values["index"]: independence_of(
            folder, c.values["index"], c.values["timeout"], sampled=collection.sampled(c)
        )
        for c in collection.channels
    }


def independence_of(
    folder: Run, channel: int, timeout: int, *, sampled: bool = True
) -> Independence:
    """Returns whether the latencies of a channel's samples look alike and independent.

    Args:
        folder: The run's folder.
        channel: Number of the channel.
        timeout: Its timeout, ticks.
        sampled: Whether the folder's samples also cover this channel.

    Raises:
        StorageError: A part cannot be read.
    """
    which = folder.run.experiment.samples.which
    selected = which == "tail" or not sampled
    key = channel, timeout
    ordered = InOrder()
    if not selected:
        begins = _begins(folder, in_run=not folder.run.experiment.of_others)
        for part in folder.parts(_CONTINUITY):
            ordered.add(in_order(part, *key, begins))
    latencies = ordered.latencies
    untested = None
    if which == "none" or not sampled:
        untested = "no samples are kept"
    elif selected:
        untested = "the samples are the longest ones"
    elif len(latencies) < LEAST:
        untested = f"{len(latencies)} samples are too few, {LEAST} tell"
    answers = []
    if not untested:
        (grid,) = (len(number.phases) for number in folder.run.stats if number.channel == channel)
        answers = examine(
            latencies,
            ordered.starts,
            ordered.edges % grid if grid > 1 else None,
            ordered.times,
        )
    return Independence(
        n=len(latencies),
        level=LEVEL,
        lags=lags(len(latencies)),
        answers=tuple(_answer(answer) for answer in answers),
        untested=untested,
    )


def _answer(answer: tests_of.Answer) -> Answer:
    named = tuple(
        PeriodStats(
            length_ticks=one.length, **{k: v for k, v in vars(one).items() if k != "length"}
        )
        for one in answer.periods
    )
    return Answer(**{**vars(answer), "periods": named}, fails=answer.fails)


def _begins(folder: Run, *, in_run: bool) -> dict[int, tuple[int, int]]:
    """Start of each batch by the gateware's clock, and on the axis of times, ticks.

    Args:
        folder: The run.
        in_run: Whether that axis leaves the talks between batches out, as our own firmware begins
            each batch in the phase in which the one before ended; else it is the gateware's clock.
    """
    rows = folder.batches()
    columns = (rows[name].to_pylist() for name in ("batch", "start_tick", "since_ticks"))
    return {
        batch: (start, since if in_run else start)
        for batch, start, since in zip(*columns, strict=True)
    }


@dataclass
class InOrder:
    """Samples of one channel, in the order of their stimuli; arrays of shape (n,).

    Attributes:
        latencies: Ticks; a stimulus that timed out is as the longest.
        starts: Whether each is the first of its batch.
        edges: By the gateware's clock, ticks.
        times: Of the edges, ascending, ticks.
    """

    latencies: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    starts: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    edges: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    times: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, more: InOrder) -> None:
        """Appends later samples."""
        for name, values in vars(more).items():
            setattr(self, name, np.concatenate([getattr(self, name), values]))


def in_order(
    part: Any, channel: int, timeout: int, begins: Mapping[int, tuple[int, int]]
) -> InOrder:
    """Return the samples of one channel in a table of samples.

    The coalesced are left out, since nothing is known of them.

    Args:
        part: Table of samples.
        channel: Number of the channel.
        timeout: Of the channel, ticks.
        begins: As of :func:`_begins`.
    """
    of_it = pc.equal(part["channel"], channel)
    rows = part.filter(pc.and_(of_it, pc.not_equal(part["state"].cast(pa.string()), "coalesced")))
    latencies = pc.fill_null(rows["latency_ticks"].cast(pa.int64()), timeout + 1)
    starts = pc.fill_null(pc.equal(rows["place"], 0), fill_value=False)
    numbers, batches = np.unique(rows["batch"].to_numpy(), return_inverse=True)
    pairs = [begins.get(int(number), (0, 0)) for number in numbers]  # a capture has no batches
    began = np.array(pairs, np.int64).reshape(-1, 2)
    edges = rows["edge_ticks"].to_numpy()
    return InOrder(
        latencies.to_numpy(),
        starts.to_numpy(),
        edges + began[batches, 0],
        edges + began[batches, 1],
    )


def _stats(collection: Collection, channel: ChannelResults) -> Stats:
    """Statistics of a channel; without samples, as after an interrupted batch, no quantiles."""
    counters = channel.counters
    distribution = channel.distribution(complete=collection.complete(channel))
    quantiles = stats.QUANTILES if counters["served"] and distribution.n else ()
    moments = stats.moments(distribution)
    span = channel.ends[1] - channel.ends[0]
    stages = (_stage(name, counts) for name, counts in channel.stages.items() if counts)
    return Stats(
        channel=counters.channel,
        n=distribution.n,
        served=counters["served"],
        timed_out=counters["timed_out"],
        coalesced=counters["coalesced"],
        doubtful=channel.doubtful,
        timeout_ticks=channel.values["timeout"],
        min_ticks=counters.min_ticks,
        max_ticks=counters.max_ticks,
        sum_ticks=counters["sum_ticks"],
        deviation_ticks=None if moments is None else moments.deviation,
        rate_hz=stats.rate(channel.edges, span, collection.plan.tick_hz),
        confidence=stats.CONFIDENCE,
        quantiles=tuple(
            quantile_stats(distribution.quantile(p), collection.plan.stimulus_s) for p in quantiles
        ),
        longer=_longer(channel, distribution.n),
        phases=tuple(channel.phases),
        stages=tuple(stages),
    )


def _longer(channel: ChannelResults, n: int) -> Longer | None:
    """Share longer than the timeout, where a stimulus met it, or than the longest served."""
    counters = channel.counters
    ticks = channel.values["timeout"] if counters["timed_out"] else counters.max_ticks
    if ticks is None:
        return None
    lower, upper = stats.share_longer(n, counters["timed_out"], counters["coalesced"])
    return Longer(ticks=ticks, at_least=lower, at_most=upper)


def _stage(name: str, counts: Counter[int]) -> StageStats:
    """A stage of the samples that have it; ``p50_ticks`` is one of their values."""
    distribution = stats.of_counts(counts)
    middle, _ = distribution.quantile(0.5).value
    ends = {"min_ticks": min(counts), "p50_ticks": middle, "max_ticks": max(counts)}
    return StageStats.model_validate({"stage": name, "n": distribution.n, **ends})


def quantile_stats(quantile: stats.Quantile, stimulus_s: float) -> QuantileStats:
    """A quantile as ``run.json`` has it. ``stimulus_s``: target time of one stimulus."""
    return QuantileStats(
        p=quantile.p,
        value_ticks=quantile.exact,
        lower_ticks=quantile.lower,
        upper_ticks=quantile.upper,
        sample_ticks=quantile.value,
        note=stats.too_small(quantile, stimulus_s),
    )
