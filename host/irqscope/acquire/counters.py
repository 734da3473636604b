"""Whether a run is valid, and why not: counters, records, and samples against the histogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from irqscope.acquire.plan import Plan
from irqscope.analysis.stats import Distribution
from irqscope.constants import CORES
from irqscope.experiment.stack import Stack
from irqscope.experiment.values import Event
from irqscope.link.codec import Values
from irqscope.machines.cases import CASES
from irqscope.results.counters import ChannelCounters

#: Counters of a channel that add up over batches.
COUNTERS = (
    "starts", "served", "coalesced", "timed_out", "stops", "unmatched", "implausible",
    "underflow", "overflow", "sum_ticks",
)  # fmt: skip
#: The same, with the host's messages about them.
_KEPT = (*COUNTERS, "unanswerable")


@dataclass
class Counters:
    """Counters of one channel over all batches so far. Times in ticks."""

    channel: int
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KEPT, 0))
    pending: int = 0
    min_ticks: int | None = None
    max_ticks: int | None = None

    def __getitem__(self, name: str) -> int:
        return self.counters[name]

    def add(self, values: dict[str, int]) -> None:
        """Adds the fields of one COUNTERS reply."""
        for name in COUNTERS:
            self.counters[name] += values[name]
        self.pending += values["pending"]
        if values["served"]:
            low, high = values["min_ticks"], values["max_ticks"]
            self.min_ticks = low if self.min_ticks is None else min(low, self.min_ticks)
            self.max_ticks = high if self.max_ticks is None else max(high, self.max_ticks)

    def end_period(self) -> None:
        """Counts the last start of a batch apart: of a period, no stop can come after it."""
        self.counters["timed_out"] -= 1
        self.counters["unanswerable"] += 1

    def record(self) -> ChannelCounters:
        """The counters as ``run.json`` keeps them."""
        return ChannelCounters(channel=self.channel, pending=self.pending, **self.counters)

    def validity_errors(self) -> Iterator[str]:
        """Why these counters make a run invalid."""
        yield from self.book_errors()
        if count := self["implausible"]:
            name = f"channel {self.channel}"
            yield f"{name}: {count} stimuli served faster than the calibrated minimum"

    def book_errors(self) -> Iterator[str]:
        """Why these counters contradict each other."""
        b, name = self.counters, f"channel {self.channel}"
        ends = b["served"] + b["coalesced"] + b["timed_out"] + b["unanswerable"] + self.pending
        if b["starts"] != ends:
            yield f"{name}: counters disagree: {b['starts']} starts, {ends} ended or pending"
        if b["stops"] != b["served"] + b["unmatched"]:
            matched = b["served"] + b["unmatched"]
            yield f"{name}: counters disagree: {b['stops']} stops, {matched} served or unmatched"
        if self.pending:
            yield f"{name}: {self.pending} stimuli were still pending at the end of a batch"

    def unserved(self, start: Event, stop: Event) -> str:
        """Why the channel served nothing; empty if it did.

        Args:
            start: Event that starts the channel.
            stop: Event that stops it.
        """
        name, starts = f"channel {self.channel}", self["starts"]
        if self["served"]:
            return ""
        if not starts:
            never = "never seen" if start.symbol is None else "never executed"
            return f"{name}: nothing was measured: {start}, which it starts at, was {never}"
        if stop.symbol is None or self["stops"]:
            return f"{name}: none of {starts} stimuli was served; is the interrupt enabled?"
        return (
            f"{name}: {stop} was never executed, so none of {starts} stimuli was served; "
            "was it inlined, or is the interrupt disabled?"
        )

    def notes(self, edge: bool) -> Iterator[str]:
        """Yields remarks that must accompany N. ``edge``: the interrupt is sensed by its edge."""
        for count in ("coalesced", "timed_out"):
            if self[count]:
                word = count.replace("_", " ")
                yield f"channel {self.channel}: {self[count]} {word}: quantiles are censored"
        if ends := self["unanswerable"]:
            yield f"channel {self.channel}: {ends} ends of a batch have no next edge, and no period"
        if edge and self["unmatched"]:
            yield f"channel {self.channel}: {self['unmatched']} markers without an open stimulus"


def parts_that_did_nothing(plan: Plan, totals: Mapping[str, int]) -> Iterator[str]:
    """Parts of the case without which it is another one. ``totals``: counted by the firmware."""
    case = plan.experiment.case
    # Which core answers is chance, or no stimulus needs an answer.
    chance = CASES[case].chance or plan.experiment.interrupt == "none"
    for core in range(CORES):
        if plan.handlers >> core & 1 and not chance and not totals[f"handled_{core}"]:
            yield f"core {core} handled no interrupt"
        if plan.loaders >> core & 1 and not totals[f"loads_{core}"]:
            yield f"core {core} made no access: the load of case {case} was not there"
    if plan.raises and not totals["raised"]:
        yield "no background interrupt was raised"
    elif plan.raises and not totals["others"]:
        yield f"{totals['raised']} background interrupts were raised, and none was taken"
    # A kernel's ticks are not counted while code under test runs.
    counted = not CASES[case].code_under_test
    if plan.experiment.timer_tick is not None and counted and not totals["timer_ticks"]:
        yield "the software's timer tick never came"


def nesting_that_never_was(stack: Stack, totals: Mapping[str, int]) -> Iterator[str]:
    """A stack that says that a handler can be interrupted, in a run in which none was.

    ``totals``: counted by the firmware; ``nested`` by registers of the core, in the interrupt.
    """
    if not stack.nests or totals["nested"]:
        return
    handled, ticks = totals["handled_0"], totals["timer_ticks"]
    if ticks:
        reason = f"none of {handled} interrupts met one of {ticks} timer ticks' handlers"
    else:
        reason = "there was no timer tick; give [timer_tick]"
    yield f'the stack "{stack.name}" says that a handler can be interrupted, and none was: {reason}'


def samples_against_counters(counts: dict[str, int], counters: Counters) -> Iterator[str]:
    """Yields differences between the counts rebuilt from records and those of the gateware."""
    for name, rebuilt in counts.items():
        if rebuilt != counters[name]:
            yield (
                f"channel {counters.channel}: {rebuilt} {name.replace('_', ' ')} by the records, "
                f"{counters[name]} by the gateware"
            )


def histogram_against_counters(
    histogram: npt.NDArray[np.uint64], channel: Values, counters: Counters
) -> Iterator[str]:
    """Yields differences between the gateware's histogram and its other statistics.

    These are the count, least, greatest and sum of the latencies.

    Only bins from the least to the greatest are fetched, so their number also shows that no other
    bin holds one.
    """
    name, served = f"channel {channel['index']}", counters["served"]
    counts = np.concatenate(
        ([counters["underflow"]], histogram.astype(np.int64), [counters["overflow"]])
    )
    if counts.sum() != served:
        yield f"{name}: {served} served by the counters, {counts.sum()} by the histogram"
        return
    if counters.min_ticks is None or counters.max_ticks is None:
        return
    ends = np.array([counters.min_ticks, counters.max_ticks])
    edges = channel["hist_origin"] + (np.arange(len(histogram) + 1) << channel["hist_shift"])
    if not counts[np.searchsorted(edges, ends, "right")].all():
        yield (
            f"{name}: {counters.min_ticks} to {counters.max_ticks} ticks by the counters, "
            "where the histogram has none"
        )
    lower = int(np.clip(np.append(0, edges), *ends) @ counts)
    upper = int(np.clip(np.append(edges - 1, counters.max_ticks), *ends) @ counts)
    if not lower <= counters["sum_ticks"] <= upper:
        yield (
            f"{name}: the sum of latencies is {counters['sum_ticks']} ticks by the counters, "
            f"{lower} to {upper} by the histogram"
        )


def samples_against_extremes(
    samples: Distribution, counters: Counters, *, complete: bool
) -> Iterator[str]:
    """Yields differences between the served samples and the gateware's statistics.

    These are the least, greatest and sum of the latencies.

    ``complete``: the samples are all there are; else they lie between least and greatest.
    """
    if not samples.n or counters.min_ticks is None or counters.max_ticks is None:
        return
    shortest, longest = int(samples.lower.min()), int(samples.lower.max())
    by_samples, by_counters = (shortest, longest), (counters.min_ticks, counters.max_ticks)
    if (
        by_samples != by_counters
        if complete
        else not by_counters[0] <= shortest <= longest <= by_counters[1]
    ):
        yield (
            f"channel {counters.channel}: samples take {shortest} to {longest} ticks, "
            f"{by_counters[0]} to {by_counters[1]} by the counters"
        )
    total = int(samples.lower @ samples.counts)
    if complete and total != counters["sum_ticks"]:
        yield (
            f"channel {counters.channel}: the samples' sum is {total} ticks, "
            f"{counters['sum_ticks']} by the counters"
        )


def samples_against_histogram(
    samples: Distribution,
    histogram: npt.NDArray[np.uint64],
    channel: Values,
    counters: Counters,
    *,
    complete: bool,
) -> Iterator[str]:
    """Differences between the latencies of served samples and the gateware's histogram.

    ``complete``: the samples are all there are, so the counts are equal; else no bin may hold
    fewer than the samples that lie in it.
    """
    origin, shift = channel["hist_origin"], channel["hist_shift"]
    bins = np.clip((samples.lower - origin) >> shift, -1, len(histogram)) + 1
    sampled = np.zeros(len(histogram) + 2, np.int64)
    np.add.at(sampled, bins, samples.counts)
    counted = np.concatenate(
        ([counters["underflow"]], histogram.astype(np.int64), [counters["overflow"]])
    )
    unequal = sampled != counted if complete else sampled > counted
    if unequal.any():
        first = int(np.flatnonzero(unequal)[0])
        lower = origin + (first - 1 << shift) if first else 0
        yield (
            f"channel {channel['index']}: samples and histogram differ in {int(unequal.sum())} "
            f"bins, first from {lower} ticks on: {sampled[first]} samples, {counted[first]} counted"
        )
