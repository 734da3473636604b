"""Data collected in a run so far: counters, histograms, samples and link counts, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.acquire.continuity import rises
from irqscope.acquire.counters import Counters
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Outcome
from irqscope.acquire.stm.results import StmResults
from irqscope.acquire.stm.stamps import Trace
from irqscope.analysis import stats
from irqscope.analysis.stats import Distribution
from irqscope.constants import CORES, HIST_BINS, Marker, StartKind
from irqscope.experiment.kinds import kind_of
from irqscope.link.codec import Values
from irqscope.machines import under_linux
from irqscope.results.drift import drift_row, table_of
from irqscope.results.pairing import pair
from irqscope.results.stimuli import Batch, Rebuilt, State, rebuild, rebuild_served
from irqscope.results.tables import SAMPLES, STAGES, histogram_rows, sample_rows

#: Counters of the firmware that add up over batches.
TOTALS = (
    *(f"handled_{core}" for core in range(CORES)), "held", "spurious", "others", "idles",
    *(f"warm_up_{core}" for core in range(CORES)),
    *(f"loads_{core}" for core in range(CORES)), "raised", "timer_ticks", "nested",
)  # fmt: skip


class ChannelResults:
    """One channel over all batches so far.

    ``values``: of its CHANNEL message; ``phases``: of the ticks against the sampling grid of
    markers; ``cores``: of the machine. Places in a soft core's pipeline follow them. ``queue``:
    starts and stops are paired by a queue, and not by the gateware; then ``counters``,
    ``histogram`` and ``samples`` are the queue's, and ``gateware`` has those that must agree.
    """

    def __init__(
        self,
        values: Values,
        phases: int,
        cores: int = CORES,
        bins: int = HIST_BINS,
        *,
        queue: bool = False,
    ) -> None:
        self.values = values
        self.cores = cores
        self.queue = queue
        self.counters = Counters(values["index"])
        self.histogram: npt.NDArray[np.uint64] = np.zeros(bins, np.uint64)
        self.sampled: Counter[int] = Counter()  #: latency of served samples: how often
        #: The gateware's own pairing.
        self.gateware = ChannelResults(values, phases, cores, bins) if queue else self
        self.doubtful = 0  #: served ones that may answer an earlier stimulus
        self.edges = 0  #: of samples, from the first stimulus on
        self.ends = (0, 0)  #: the first and the last of them, ticks of target time
        self.rebuilt: Counter[str] = Counter()  #: what records say, where they say it all
        self.phases = [0] * phases
        #: of the samples, ticks since the edge: how often
        self.stages: dict[str, Counter[int]] = {stage: Counter() for stage in STAGES}

    @property
    def samples(self) -> Distribution:
        """Latencies of the served samples."""
        return stats.of_counts(self.sampled)

    @property
    def is_period(self) -> bool:
        """Whether each stop is the next start."""
        values = self.values
        return (
            not self.queue
            and values["start_kind"] == StartKind.MARKER
            and (
                (values["start_cores"], values["start_code"])
                == (values["stop_cores"], values["stop_code"])
            )
        )

    @property
    def stopping(self) -> list[int]:
        """Cores each of whose handlers is a stop; none if the channel stops at another marker."""
        if self.values["stop_code"] != Marker.HANDLER:
            return []
        return [core for core in range(self.cores) if self.values["stop_cores"] >> core & 1]

    def add_pairs(self, rebuilt: Rebuilt) -> None:
        """Counts a batch that a queue has paired."""
        latencies = _latencies(rebuilt)
        ticks = np.array(latencies, np.int64)
        bins = (ticks - self.values["hist_origin"]) >> self.values["hist_shift"]
        inside = (bins >= 0) & (bins < len(self.histogram))
        np.add.at(self.histogram, bins[inside], 1)
        self.counters.add(
            {
                **_counts(rebuilt),
                "implausible": int((ticks < self.values["plausible_min"]).sum()),
                "underflow": int((bins < 0).sum()),
                "overflow": int((bins >= len(self.histogram)).sum()),
                "sum_ticks": int(ticks.sum()),
                "pending": 0,
                "min_ticks": min(latencies, default=0),
                "max_ticks": max(latencies, default=0),
            }
        )

    def binned(
        self, histogram: npt.NDArray[np.uint64], counters: Mapping[str, int]
    ) -> Distribution:
        """Latencies of the answered stimuli by a histogram, shape (bins,)."""
        return stats.of_histogram(
            histogram,
            origin=self.values["hist_origin"],
            width=1 << self.values["hist_shift"],
            underflow=counters["underflow"],
            overflow=counters["overflow"],
        )

    def distribution(self, *, complete: bool) -> Distribution:
        """All stimuli: from the samples where they are complete, else from the histogram.

        Timed-out stimuli are longer than the timeout; of coalesced ones nothing is known.
        """
        known = self.samples if complete else self.binned(self.histogram, self.counters.counters)
        return known.censored(
            self.values["timeout"], self.counters["timed_out"], self.counters["coalesced"]
        )


class Collection:
    """All channels of a run."""

    def __init__(self, plan: Plan, channels: list[Values], stm: StmResults | None = None) -> None:
        phases = plan.sampling_grid.phases
        there = 0 if plan.experiment.of_others else plan.machine.cores.count
        queued = {c.index for c in plan.experiment.channels if c.pairing == "queue"}
        self.channels = [
            ChannelResults(
                values, phases, there, plan.machine.sizes.bins, queue=values["index"] in queued
            )
            for values in channels
        ]
        self.batches = 0  #: so far
        self.stimuli = 0  #: asked for in them
        self.fired = 0  #: pulses of the measured line
        self.expired = 0  #: of them, not acknowledged in time
        self.stamped = self.delivered = self.lost = 0
        self.totals: Counter[str] = Counter()  #: TOTALS, as the firmware counted them
        self.phases: dict[int, list[int]] = {}  #: of a throughput: stops of each phase, by channel
        self.stm = stm
        self.plan = plan
        self._staged = {
            channel.index: channel.stop.symbol is None and channel.stop.pin is None
            for channel in plan.experiment.channels
        }
        linux = plan.machine.name == under_linux.NAME
        self._sources = {under_linux.MODULE_SOURCE: plan.experiment.core} if linux else {}
        self._tail = SAMPLES.empty_table()
        self._started: Counter[int] = Counter()
        self._drift: list[dict[str, int | None]] = []
        #: Whether a row is kept of each batch: the stimuli alone do not show a drift.
        self.drifts = (
            plan.experiment.samples.which != "all"
            and plan.experiment.measure != "throughput"
            and not kind_of(plan.experiment).grid
        )
        #: Ticks from the run's start to that of each batch, by its number.
        self.begins: dict[int, int] = {}

    def complete(self, channel: ChannelResults) -> bool:
        """Whether the samples of a channel are all its stimuli."""
        every = self.plan.experiment.samples.which == "all"
        return every and self.sampled(channel)

    @property
    def threshold(self) -> int:
        """Shortest latency that still enters the tail, ticks: of equal ones the earlier stay."""
        number = self.plan.experiment.samples.number
        if self.plan.experiment.samples.which != "tail" or len(self._tail) < number:
            return 0
        return int(pc.min(_length(self._tail)).as_py()) + 1

    def add(
        self, batch: Batch, outcome: Outcome, since_ticks: int, lines: Sequence[Values] = ()
    ) -> Any:
        """Takes a batch in; returns its sample rows, for a tail all rows of it so far.

        ``since_ticks``: from the run's start to that of the batch; ``lines``: values of the LINE
        messages that it was set up by.
        """
        reply = outcome.reply
        self.begins[batch.number], self._drift = since_ticks, []
        self.batches += 1
        self.stimuli += batch.count
        for line in self.plan.experiment.lines[:1]:
            self.fired += outcome.fired[line.index]
            self.expired += outcome.expired[line.index]
        self.stamped += reply.stamped
        self.lost += reply.lost
        self.delivered += len(outcome.records)
        for name in TOTALS:
            self.totals[name] += reply.values[name]
        if self.plan.experiment.measure == "throughput":
            for index, counters in outcome.counters.items():
                self.phases.setdefault(index, []).append(counters.stops)
        tables = [self._add(channel, batch, outcome, lines) for channel in self.channels]
        rows = pa.concat_tables(tables).sort_by("edge_ticks") if len(tables) > 1 else tables[0]
        if self.plan.experiment.samples.which != "tail":
            return rows
        self._tail = _longest(
            pa.concat_tables([self._tail, rows]), self.plan.experiment.samples.number
        )
        return self._tail

    @property
    def drift(self) -> Any:
        """Rows of the last batch, as a table of DRIFT; none if all samples are kept."""
        return table_of(self._drift)

    def add_trace(self, batch: Batch, outcome: Outcome, rows: Any, trace: Trace) -> Any:
        """Adds the STM's stamps of a batch whose sample rows are ``rows``; returns them."""
        assert self.stm is not None
        rows = rows.filter(pc.equal(rows["channel"], self.channels[0].values["index"]))
        made = outcome.fired[self.plan.experiment.lines[0].index]
        reply = outcome.reply
        return self.stm.add(batch.number, trace, made, reply.handled_0, reply.start_tick, rows)

    def histogram_table(self) -> Any:
        """Rows of ``histogram.parquet``."""
        return pa.concat_tables(
            histogram_rows(
                channel.values,
                channel.histogram,
                underflow=channel.counters["underflow"],
                overflow=channel.counters["overflow"],
            )
            for channel in self.channels
        )

    def _add(
        self, channel: ChannelResults, batch: Batch, outcome: Outcome, lines: Sequence[Values]
    ) -> Any:
        index, start_tick = channel.values["index"], outcome.reply.start_tick
        counters = outcome.counters[index]
        before = (
            (dict(channel.counters.counters), channel.histogram.copy()) if self.drifts else None
        )
        channel.gateware.counters.add(dict(counters.values))
        ending = channel.is_period and bool(counters.timed_out)
        if ending:
            channel.gateware.counters.end_period()
        channel.gateware.histogram += outcome.histograms[index]
        rebuilt = Rebuilt()
        recorded = batch.recorded and self.sampled(channel)
        if recorded and self.plan.serves_only:
            rebuilt = rebuild_served(
                outcome.records, channel.values, start_tick, stages=self._staged[index]
            )
        elif recorded:
            end_tick = outcome.reply.end_tick
            rebuilt = rebuild(
                outcome.records,
                channel.values,
                start_tick,
                end_tick,
                stages=self._staged[index],
                sources=self._sources,
            )
            channel.gateware.rebuilt.update(_counts(rebuilt))
            if ending:
                channel.gateware.rebuilt["timed_out"] -= 1
            if channel.queue:
                channel.gateware.sampled.update(_latencies(rebuilt))
                rebuilt = pair(outcome.records, channel.values, start_tick)
                channel.add_pairs(rebuilt)
        if recorded and not self.plan.serves_only:
            channel.doubtful += rebuilt.doubtful
        elif counters.values["timed_out"] > ending:  # without all records in order each may be
            channel.doubtful += counters.values["served"]
        if ending and rebuilt.stimuli and rebuilt.stimuli[-1].state is State.TIMED_OUT:
            rebuilt.stimuli.pop()
        edges = np.array([s.edge_ticks for s in rebuilt.stimuli], np.int64) + start_tick
        if len(edges) and self.plan.experiment.samples.which != "tail":
            began = self.begins[batch.number] - start_tick
            first_edge = channel.ends[0] if channel.edges else int(edges[0]) + began
            channel.ends = (first_edge, int(edges[-1]) + began)
            channel.edges += len(edges)
            for phase, count in enumerate(stats.phase_coverage(edges, len(channel.phases))):
                channel.phases[phase] += count
        channel.sampled.update(_latencies(rebuilt))
        if before is not None:
            self._add_drift(channel, batch, outcome, before, rebuilt)
        for stage, counts in channel.stages.items():
            ticks = (getattr(stimulus, f"{stage}_ticks") for stimulus in rebuilt.stimuli)
            counts.update(value for value in ticks if value is not None)
        whole = len(rebuilt.stimuli) + ending == counters.starts
        places = (
            list[int | None](range(len(edges)))
            if whole
            else self._places(channel, edges - start_tick, lines)
        )
        first = self._started[index]
        self._started[index] += counters.starts
        phases = self._timer_tick_phases(edges, outcome)
        return sample_rows(index, batch.number, first, places, rebuilt.stimuli, phases)

    def _add_drift(
        self,
        channel: ChannelResults,
        batch: Batch,
        outcome: Outcome,
        before: tuple[dict[str, int], npt.NDArray[np.uint64]],
        rebuilt: Rebuilt,
    ) -> None:
        """Keeps the figures of a batch. ``before``: counters and histogram before it."""
        counters = {
            name: value - before[0][name] for name, value in channel.counters.counters.items()
        }
        values = outcome.counters[channel.values["index"]].values
        ends = values["min_ticks"], values["max_ticks"]
        if channel.queue:
            latencies = _latencies(rebuilt)
            ends = min(latencies, default=0), max(latencies, default=0)
        counters["min_ticks"], counters["max_ticks"] = ends
        known = channel.binned(channel.histogram - before[1], counters)
        unanswered = counters["timed_out"], counters["coalesced"]
        since = self.begins[batch.number]
        self._drift.append(
            drift_row(
                channel.values["index"],
                batch.number,
                (since, since + outcome.reply.end_tick - outcome.reply.start_tick),
                counters,
                known.censored(channel.values["timeout"], *unanswered),
            )
        )

    def _places(
        self, channel: ChannelResults, edges: npt.NDArray[np.int64], lines: Sequence[Values]
    ) -> list[int | None]:
        """Returns the places in the batch of a selection's edges, from the times when its line
        rises, or None if unknown.
        """
        values = channel.values
        by_line = values["start_kind"] == StartKind.LINE
        line = next((one for one in lines if one["index"] == values["start_line"]), None)
        if not by_line or line is None:
            return [None] * len(edges)
        due = rises(line)
        if due is None:  # of a line that waits for its acknowledgements only the first is known
            return [0 if edge == line["start_delay"] else None for edge in edges.tolist()]
        at = np.searchsorted(due, edges).clip(max=len(due) - 1)
        return [
            place if met else None
            for place, met in zip(at.tolist(), (due[at] == edges).tolist(), strict=True)
        ]

    def sampled(self, channel: ChannelResults) -> bool:
        """Whether samples also cover this channel: the recorder serves only one."""
        return not self.plan.serves_only or channel is self.channels[0]

    def _timer_tick_phases(
        self, edges: npt.NDArray[np.int64], outcome: Outcome
    ) -> npt.NDArray[np.int64] | None:
        """Phases of absolute edges in the software's timer tick, or None without one."""
        if not outcome.reply.timer_ticks:
            return None
        return self.plan.timer_tick_phases(edges - outcome.reply.first_timer_tick)


def _counts(rebuilt: Rebuilt) -> dict[str, int]:
    return {
        "starts": len(rebuilt.stimuli) + rebuilt.open,
        "served": rebuilt.count(State.SERVED),
        "coalesced": rebuilt.count(State.COALESCED),
        "timed_out": rebuilt.count(State.TIMED_OUT),
        "stops": rebuilt.stops,
        "unmatched": rebuilt.unmatched,
    }


def _latencies(rebuilt: Rebuilt) -> list[int]:
    return [s.latency_ticks for s in rebuilt.stimuli if s.latency_ticks is not None]


def _length(table: Any) -> Any:
    """Latency of each row; longer than any for a stimulus that was not served."""
    return pc.fill_null(table["latency_ticks"], (1 << 32) - 1)


def _longest(table: Any, number: int) -> Any:
    """The ``number`` longest rows, in the order of time; of equal ones the earlier."""
    order = np.argsort(-_length(table).to_numpy().astype(np.int64), kind="stable")[:number]
    return table.take(pa.array(np.sort(order)))
