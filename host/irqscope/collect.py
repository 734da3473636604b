"""What a run has gathered so far: books, histograms, samples and link counts, batch by batch."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope import independence, stats
from irqscope.constants import CORES, HIST_BINS, Marker, StartKind
from irqscope.plan import Batch, Plan, Values
from irqscope.results.statistics import (
    Answer,
    Independence,
    Longer,
    QuantileStats,
    StageStats,
    Stats,
    Throughput,
)
from irqscope.results.tables import SAMPLES, STAGES, histogram_rows, sample_rows
from irqscope.session import Outcome
from irqscope.stats import Distribution
from irqscope.stimuli import Rebuilt, State, Stimulus, rebuild, rebuild_served
from irqscope.stm.results import StmResults
from irqscope.stm.stamps import Trace
from irqscope.verdict import (
    Books,
    parts_that_did_nothing,
    samples_against_books,
    samples_against_histogram,
)

#: Counters of the firmware that add up over batches.
TOTALS = (
    *(f"handled_{core}" for core in range(CORES)), "held", "spurious", "others", "idles",
    *(f"lead_in_{core}" for core in range(CORES)),
    *(f"loads_{core}" for core in range(CORES)), "raised", "ticks",
)  # fmt: skip


_NO_COURSE = np.zeros((2, 0), np.int64)


class ChannelResults:
    """One channel over all batches so far.

    ``values``: of its CHANNEL message; ``phases``: of the ticks against the comb of markers;
    ``cores``: of the machine. What a soft core shows of its pipeline has places behind them.
    """

    def __init__(self, values: Values, phases: int, cores: int = CORES) -> None:
        self.values = values
        self.cores = cores
        self.books = Books(values["index"])
        self.histogram: npt.NDArray[np.uint64] = np.zeros(HIST_BINS, np.uint64)
        self.sampled: Counter[int] = Counter()  #: latency of served samples: how often
        self.edges = 0  #: of samples, from the first stimulus on
        self.ends = (0, 0)  #: the first and the last of them, ticks of target time
        self.rebuilt: Counter[str] = Counter()  #: what records say, where they say it all
        self.phases = [0] * phases
        #: of each batch, latencies in the order of their stimuli, timed-out ones as the longest,
        #: and whether each is the batch's first: shape (2, n)
        self.course: list[npt.NDArray[np.int64]] = []
        #: of the samples, ticks since the edge: how often
        self.stages: dict[str, Counter[int]] = {stage: Counter() for stage in STAGES}

    @property
    def samples(self) -> Distribution:
        """Latencies of the served samples."""
        return _counted(self.sampled)

    @property
    def stopping(self) -> list[int]:
        """Cores each of whose handlers is a stop; none if the channel stops at another marker."""
        if self.values["stop_code"] != Marker.HANDLER:
            return []
        return [core for core in range(self.cores) if self.values["stop_cores"] >> core & 1]

    def distribution(self, *, complete: bool) -> Distribution:
        """All stimuli: from the samples where they are complete, else from the histogram.

        Timed-out stimuli are longer than the timeout; of coalesced ones nothing is known.
        """
        if complete:
            known = self.samples
        else:
            known = stats.of_histogram(
                self.histogram,
                origin=self.values["hist_origin"],
                width=1 << self.values["hist_shift"],
                underflow=self.books["underflow"],
                overflow=self.books["overflow"],
            )
        return known.censored(
            self.values["timeout"], self.books["timed_out"], self.books["coalesced"]
        )


class Collection:
    """All channels of a run."""

    def __init__(self, plan: Plan, channels: list[Values], stm: StmResults | None = None) -> None:
        phases = plan.comb.phases
        there = 0 if plan.experiment.external else plan.machine.cores.count
        self.channels = [ChannelResults(values, phases, there) for values in channels]
        self.batches = 0  #: so far
        self.stimuli = 0  #: asked for in them
        self.fired = 0  #: pulses of the measured line
        self.expired = 0  #: of them, not acknowledged in time
        self.stamped = self.delivered = self.lost = 0
        self.totals: Counter[str] = Counter()  #: TOTALS, as the firmware counted them
        self.phases: dict[int, list[int]] = {}  #: of a throughput: stops of each phase, by channel
        self.stm = stm
        self._plan = plan
        self._tail = SAMPLES.empty_table()
        self._started: Counter[int] = Counter()
        #: Ticks from the run's start to that of each batch, by its number.
        self.begins: dict[int, int] = {}

    def complete(self, channel: ChannelResults) -> bool:
        """The samples are all stimuli of this channel."""
        every = self._plan.experiment.samples.which == "all"
        return every and self._sampled(channel)

    @property
    def threshold(self) -> int:
        """Shortest latency that still enters the tail, ticks: of equal ones the earlier stay."""
        number = self._plan.experiment.samples.number
        if self._plan.experiment.samples.which != "tail" or len(self._tail) < number:
            return 0
        return int(pc.min(_length(self._tail)).as_py()) + 1

    def add(self, batch: Batch, outcome: Outcome, since_ticks: int) -> Any:
        """Takes a batch in; returns its sample rows, for a tail all rows that stand for it now.

        ``since_ticks``: from the run's start to that of the batch.
        """
        reply = outcome.reply
        self.begins[batch.number] = since_ticks
        self.batches += 1
        self.stimuli += batch.count
        for line in self._plan.experiment.lines[:1]:
            self.fired += outcome.fired[line.index]
            self.expired += outcome.expired[line.index]
        self.stamped += reply.stamped
        self.lost += reply.lost
        self.delivered += len(outcome.records)
        for name in TOTALS:
            self.totals[name] += reply.values[name]
        if self._plan.experiment.measure == "throughput":
            for index, books in outcome.books.items():
                self.phases.setdefault(index, []).append(books.stops)
        tables = [self._add(channel, batch, outcome) for channel in self.channels]
        rows = pa.concat_tables(tables).sort_by("edge_ticks") if len(tables) > 1 else tables[0]
        if self._plan.experiment.samples.which != "tail":
            return rows
        self._tail = _longest(
            pa.concat_tables([self._tail, rows]), self._plan.experiment.samples.number
        )
        return self._tail

    def add_trace(self, batch: Batch, outcome: Outcome, rows: Any, trace: Trace) -> Any:
        """Takes in what the STM stamped in a batch whose sample rows are ``rows``; its own."""
        assert self.stm is not None
        rows = rows.filter(pc.equal(rows["channel"], self.channels[0].values["index"]))
        made = outcome.fired[self._plan.experiment.lines[0].index]
        reply = outcome.reply
        return self.stm.add(batch.number, trace, made, reply.handled_0, reply.start_tick, rows)

    def histogram_table(self) -> Any:
        """Rows of ``histogram.parquet``."""
        return pa.concat_tables(
            histogram_rows(channel.values, channel.histogram, channel.books)
            for channel in self.channels
        )

    def throughput(self) -> tuple[Throughput, ...]:
        """The ``throughput`` of ``run.json``: handlers while the line was high, phase by phase."""
        if not self.phases:
            return ()
        line = self._plan.experiment.lines[0]
        high = line.high.ticks(self._plan.tick_hz)
        found = []
        for channel in self.channels:
            stops = self.phases[channel.values["index"]]
            hz = [count * self._plan.tick_hz / high for count in stops]
            core = channel.stopping[0] if len(channel.stopping) == 1 else None
            found.append(
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
        return tuple(found)

    def stats(self, stimulus_s: float) -> tuple[Stats, ...]:
        """The ``stats`` of ``run.json``; channels that served nothing have no quantiles."""
        return tuple(self._stats(channel, stimulus_s) for channel in self.channels)

    def independence(self) -> dict[int, Independence]:
        """Whether the latencies of the samples look alike and independent, by channel."""
        return {c.values["index"]: self._independence(c) for c in self.channels}

    def _independence(self, channel: ChannelResults) -> Independence:
        which = self._plan.experiment.samples.which
        selected = which == "tail" or not self._sampled(channel)
        course = [] if selected else channel.course
        latencies, starts = np.concatenate([_NO_COURSE, *course], axis=1)
        untested = None
        if which == "none" or not self._sampled(channel):
            untested = "no samples are kept"
        elif selected:
            untested = "the samples are the longest ones"
        elif len(latencies) < independence.LEAST:
            untested = f"{len(latencies)} samples are too few, {independence.LEAST} tell"
        answers = [] if untested else independence.examine(latencies, starts.astype(bool))
        return Independence(
            n=len(latencies),
            level=independence.LEVEL,
            detectable=independence.detectable(len(latencies)),
            answers=tuple(Answer(**vars(answer), fails=answer.fails) for answer in answers),
            untested=untested,
        )

    def faults(self) -> Iterator[str]:
        """Why this run is not valid, from its numbers."""
        if self._plan.experiment.lines and self.fired != self.stimuli:
            yield f"the line fired {self.fired} times of {self.stimuli}"
        if self.stimuli:
            yield from parts_that_did_nothing(self._plan, self.totals)
        if self.stamped != self.delivered + self.lost:
            yield (
                f"records do not close: {self.stamped} stamped, "
                f"{self.delivered} delivered, {self.lost} lost"
            )
        if self.lost:
            yield f"{self.lost} records were lost: the FIFO overflowed"
        yield from self._lead_in_faults()
        yield from self._stages_never_seen()
        if self.stm is not None:
            yield from self.stm.faults()
        for channel in self.channels:
            yield from channel.books.faults()
            if self._begins(channel) and channel.books["starts"] != self.stimuli:
                yield f"{channel.books['starts']} of {self.stimuli} stimuli were begun"
            handled = sum(self.totals[f"handled_{core}"] for core in channel.stopping)
            if channel.stopping and handled != channel.books["stops"]:
                stops = channel.books["stops"]
                yield f"the handler ran {handled} times, {stops} of its markers were seen"
            complete = self.complete(channel)
            if complete and not self._plan.serves_only:
                yield from samples_against_books(channel.rebuilt, channel.books)
            yield from samples_against_histogram(
                channel.samples, channel.histogram, channel.values, channel.books, complete=complete
            )

    def _begins(self, channel: ChannelResults) -> bool:
        """Each stimulus begins at the marker that the channel starts at.

        Not so at an instruction, which others may come by, too.
        """
        experiment = self._plan.experiment
        start = next(c.start for c in experiment.channels if c.index == channel.values["index"])
        return experiment.by_software and start.symbol is None

    def _lead_in_faults(self) -> Iterator[str]:
        """Each core that handles the interrupt has to go through every round of each lead-in."""
        experiment = self._plan.experiment
        asked = experiment.lead_in * self.batches
        for core in range(CORES):
            found = self.totals[f"lead_in_{core}"]
            if (
                self._plan.handlers >> core & 1
                and experiment.interrupt != "none"
                and found != asked
            ):
                yield f"core {core} handled {found} interrupts of lead-in, {asked} were asked for"

    def _stages_never_seen(self) -> Iterator[str]:
        """Markers that the stack should make and no sample of any channel has."""
        experiment = self._plan.experiment
        sampled = [
            channel
            for channel in self.channels
            if channel.values["start_kind"] == StartKind.LINE
            and channel.values["stop_code"] == Marker.HANDLER
            and channel.books["served"]
            and self.complete(channel)
        ]
        if experiment.markers != "stages" or self._plan.serves_only or not sampled:
            return
        for stage in STAGES:
            if not any(channel.stages[stage] for channel in sampled):
                yield f'the stack "{experiment.stack}" never made the marker {stage}'

    def notes(self) -> Iterator[str]:
        """What must stand beside N."""
        edge = self._plan.experiment.trigger == "rising edge"
        for channel in self.channels:
            yield from channel.books.notes(edge)
        if self.stm is not None:
            yield from self.stm.notes()
        if self.expired:
            yield f"{self.expired} pulses ended without their acknowledgement"
        if held := self.totals["held"]:
            yield f"{held} interrupts were ended with their line still high, and fired again"
        # Further interrupts are the case's own where it has them.
        others = 0 if self._plan.experiment.further else self.totals["others"]
        if self.totals["spurious"] or others:
            spurious = self.totals["spurious"]
            yield f"the firmware saw {spurious} spurious and {others} other interrupts"

    def _add(self, channel: ChannelResults, batch: Batch, outcome: Outcome) -> Any:
        index, start_tick = channel.values["index"], outcome.reply.start_tick
        books = outcome.books[index]
        channel.books.add(dict(books.values))
        channel.histogram += outcome.histograms[index]
        rebuilt = Rebuilt()
        recorded = batch.recorded and self._sampled(channel)
        if recorded and self._plan.serves_only:
            rebuilt = rebuild_served(outcome.records, channel.values, start_tick)
        elif recorded:
            end_tick = outcome.reply.end_tick
            rebuilt = rebuild(outcome.records, channel.values, start_tick, end_tick)
            channel.rebuilt.update(_counts(rebuilt))
        edges = np.array([s.edge_ticks for s in rebuilt.stimuli], np.int64) + start_tick
        if len(edges) and self._plan.experiment.samples.which != "tail":
            began = self.begins[batch.number] - start_tick
            first_edge = channel.ends[0] if channel.edges else int(edges[0]) + began
            channel.ends = (first_edge, int(edges[-1]) + began)
            channel.edges += len(edges)
        for phase, count in enumerate(stats.phase_coverage(edges, len(channel.phases))):
            channel.phases[phase] += count
        channel.sampled.update(
            s.latency_ticks for s in rebuilt.stimuli if s.latency_ticks is not None
        )
        for stage, counts in channel.stages.items():
            ticks = (getattr(stimulus, f"{stage}_ticks") for stimulus in rebuilt.stimuli)
            counts.update(value for value in ticks if value is not None)
        # Rows are numbered where each start has one, which in a tail is chance.
        whole = len(rebuilt.stimuli) == books.starts
        tail = self._plan.experiment.samples.which == "tail"
        first = self._started[index] if whole and not tail else None
        self._started[index] += books.starts
        phases = self._tick_phases(edges, outcome)
        places = self._places(channel, rebuilt.stimuli, whole=whole)
        channel.course.append(_course(rebuilt, places, channel.values["timeout"]))
        return sample_rows(index, batch.number, first, places, rebuilt.stimuli, phases)

    def _places(
        self, channel: ChannelResults, stimuli: list[Stimulus], *, whole: bool
    ) -> list[int | None]:
        """Place of each in its batch; a selection shows only which is the first, by its edge."""
        if whole:
            return list(range(len(stimuli)))
        delays = {
            line.index: line.start_delay.ticks(self._plan.tick_hz)
            for line in self._plan.experiment.lines
        }
        values = channel.values
        if values["start_kind"] != StartKind.LINE:
            return [None] * len(stimuli)
        first = delays.get(values["start_line"])
        return [0 if s.edge_ticks == first else None for s in stimuli]

    def _sampled(self, channel: ChannelResults) -> bool:
        """Whether samples are of this channel, too: the recorder serves only one."""
        return not self._plan.serves_only or channel is self.channels[0]

    def _tick_phases(
        self, edges: npt.NDArray[np.int64], outcome: Outcome
    ) -> npt.NDArray[np.int64] | None:
        """Phases of absolute edges in the software's timer tick; None if there was none."""
        if not outcome.reply.ticks:
            return None
        return self._plan.tick_phases(edges - outcome.reply.first_tick)

    def _stats(self, channel: ChannelResults, stimulus_s: float) -> Stats:
        books = channel.books
        distribution = channel.distribution(complete=self.complete(channel))
        known = stats.QUANTILES if books["served"] else ()
        found = stats.moments(distribution)
        span = channel.ends[1] - channel.ends[0]
        stages = (_stage(name, counts) for name, counts in channel.stages.items() if counts)
        return Stats(
            channel=books.channel,
            n=distribution.n,
            served=books["served"],
            timed_out=books["timed_out"],
            coalesced=books["coalesced"],
            timeout_ticks=channel.values["timeout"],
            min_ticks=books.min_ticks,
            max_ticks=books.max_ticks,
            sum_ticks=books["sum_ticks"],
            deviation_ticks=None if found is None else found.deviation,
            rate_hz=stats.rate(channel.edges, span, self._plan.tick_hz),
            confidence=stats.CONFIDENCE,
            quantiles=tuple(_quantile(distribution.quantile(p), stimulus_s) for p in known),
            longer=_longer(channel, distribution.n),
            phases=tuple(channel.phases),
            stages=tuple(stages),
        )


def _longer(channel: ChannelResults, n: int) -> Longer | None:
    """Share longer than the timeout, where a stimulus met it, or than the longest served."""
    books = channel.books
    ticks = channel.values["timeout"] if books["timed_out"] else books.max_ticks
    if ticks is None:
        return None
    lower, upper = stats.share_longer(n, books["timed_out"], books["coalesced"])
    return Longer(ticks=ticks, at_least=lower, at_most=upper)


def _course(rebuilt: Rebuilt, places: list[int | None], timeout: int) -> npt.NDArray[np.int64]:
    """Latencies of one batch without the coalesced, of which nothing is known; below each, whether
    it is the first stimulus': shape (2, n).
    """
    known = [
        (timeout + 1 if s.latency_ticks is None else s.latency_ticks, place == 0)
        for s, place in zip(rebuilt.stimuli, places, strict=True)
        if s.state is not State.COALESCED
    ]
    return np.array(known, np.int64).reshape(-1, 2).T


def _stage(name: str, counts: Counter[int]) -> StageStats:
    """A stage of the samples that have it; ``p50_ticks`` is one of their values."""
    known = _counted(counts)
    middle, _ = known.quantile(0.5).value
    ends = {"min_ticks": min(counts), "p50_ticks": middle, "max_ticks": max(counts)}
    return StageStats.model_validate({"stage": name, "n": known.n, **ends})


def _counted(counts: Counter[int]) -> Distribution:
    values = np.array(sorted(counts), np.int64)
    times = np.array([counts[int(value)] for value in values], np.int64)
    return Distribution(values, values, times)


def _quantile(quantile: stats.Quantile, stimulus_s: float) -> QuantileStats:
    return QuantileStats(
        p=quantile.p,
        value_ticks=quantile.exact,
        lower_ticks=quantile.lower,
        upper_ticks=quantile.upper,
        sample_ticks=quantile.value,
        note=stats.too_small(quantile, stimulus_s),
    )


def _counts(rebuilt: Rebuilt) -> dict[str, int]:
    return {
        "starts": len(rebuilt.stimuli) + rebuilt.open,
        "served": rebuilt.count(State.SERVED),
        "coalesced": rebuilt.count(State.COALESCED),
        "timed_out": rebuilt.count(State.TIMED_OUT),
        "stops": rebuilt.stops,
        "unmatched": rebuilt.unmatched,
    }


def _length(table: Any) -> Any:
    """Latency of each row; longer than any for a stimulus that was not served."""
    return pc.fill_null(table["latency_ticks"], (1 << 32) - 1)


def _longest(table: Any, number: int) -> Any:
    """The ``number`` longest rows, in the order of time; of equal ones the earlier."""
    order = np.argsort(-_length(table).to_numpy().astype(np.int64), kind="stable")[:number]
    return table.take(pa.array(np.sort(order)))
