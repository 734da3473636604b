"""Two sides that repeat themselves to the tick: any changed tick is a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from irqscope.analysis.stats import Distribution
from irqscope.campaign.gate import bins
from irqscope.campaign.gate.baseline import ChannelTaken, Step, Taken
from irqscope.campaign.gate.bins import Bin
from irqscope.campaign.gate.statement import FAIL, PASS, Statement
from irqscope.constants import StartKind
from irqscope.report.wording import unit

#: Counts of the counters that latencies do not change.
_COUNTS = ("starts", "served", "coalesced", "timed_out", "stops", "unmatched", "implausible")


def judge(item: str, old: Taken, new: Taken, budget: int) -> Statement:
    """``budget``: ticks by which any latency may move. ``new`` has its path if it is known."""
    changes = [
        change
        for before, now in zip(old.runs[0].channels, new.runs[0].channels, strict=True)
        for change in _Sides(old, new, before, now).changes(budget)
    ]
    order = old.runs[0].order, new.runs[0].order
    if not changes and not budget and None not in order and order[0] != order[1]:
        changes.append("the same latencies, at other stimuli")
    n = sum(channel.counters.served for channel in new.runs[0].channels)
    if not changes:
        ticks = _ticks(new)
        allowed = (
            f"within the budget of {budget} {ticks}" if budget else f"equal to the {ticks[:-1]}"
        )
        return Statement(item=item, name="exact", state=PASS, said=f"{n} latencies, {allowed}")
    details = [*changes, *_path(old, new)]
    if old.build_hash != new.build_hash:
        details.append(
            f"the gateware changed, too: {old.build_hash:#010x}, now {new.build_hash:#010x}"
        )
    return Statement(item=item, name="exact", state=FAIL, said=changes[0], details=tuple(details))


def differences(old: Taken, new: Taken) -> tuple[str, ...]:
    """What differs between two sides, a line each; none where nothing does."""
    return judge("", old, new, 0).details


@dataclass(frozen=True)
class _Sides:
    """One channel before and now."""

    old: Taken
    new: Taken
    before: ChannelTaken
    now: ChannelTaken

    def changes(self, budget: int) -> Iterator[str]:
        """Yields the changes on the channel, a line each."""
        name = f"channel {self.now.counters.channel}"
        for count in _COUNTS:
            before, now = getattr(self.before.counters, count), getattr(self.now.counters, count)
            if before != now:
                yield f"{name}: {before} {count.replace('_', ' ')}, now {now}"
        if self.before.stops != self.now.stops:
            stops = f"{_listed(self.before.stops)}, now {_listed(self.now.stops)}"
            yield f"{name}: stops of each phase {stops}"
        for subject, before, now in self._pairs():
            if moved := _moved(bins.load(before), bins.load(now), budget, _ticks(self.new)):
                yield f"{name}, {subject}: {moved}"

    def _pairs(self) -> Iterator[tuple[str, tuple[Bin, ...], tuple[Bin, ...]]]:
        """Yields the compared distributions: latencies, and all stages except the handler's."""
        measured = self.new.channel(self.now.counters.channel)
        of_line = measured.start.kind is StartKind.LINE
        start = "edge" if of_line else f"{measured.start}"
        yield f"{start} -> {measured.stop}", self.before.latencies, self.now.latencies
        before, now = self.before.stages, self.now.stages
        for stage in sorted(before.keys() | now.keys()):
            if stage != "handler":
                yield f"{start} -> {stage}", before.get(stage, ()), now.get(stage, ())


def _ticks(side: Taken) -> str:
    """Returns the unit of a side's clock: ticks, or cycles of a core."""
    return unit(side.clock) if side.is_rtl else "ticks"


def _moved(old: Distribution, new: Distribution, budget: int, ticks: str) -> str:
    """How far latencies moved, rank by rank; empty where none did by more than the budget."""
    if old.n != new.n:
        return f"{old.n} of them, now {new.n}"
    if not old.n:
        return ""
    shifts, counts = _shifts(old, new)
    if not (np.abs(shifts) > budget).any():
        return ""
    lowest, greatest = int(shifts.min()), int(shifts.max())
    by = f"{lowest:+d}" if lowest == greatest else f"{lowest:+d} to {greatest:+d}"
    parts = [f"{int(counts[shifts != 0].sum())} of {old.n} moved by {by} {ticks}"]
    for label, p in (("min", 0.0), ("p50", 0.5), ("max", 1.0)):
        before, now = _at(old, p), _at(new, p)
        parts.append(f"{label} {before}" if before == now else f"{label} {before} -> {now}")
    return f"{parts[0]} ({', '.join(parts[1:])})"


def _shifts(old: Distribution, new: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """New less old, ticks, of equal ranks, and how many ranks each is of."""
    ends, values = [], []
    for one in (old, new):
        order = np.argsort(one.lower, kind="stable")
        ends.append(np.cumsum(one.counts[order]))
        values.append(one.lower[order])
    ranks = np.unique(np.concatenate(ends))
    places = [np.searchsorted(end, ranks) for end in ends]
    return values[1][places[1]] - values[0][places[0]], np.diff(ranks, prepend=0)


def _at(one: Distribution, p: float) -> int:
    """Lower end of the sample of a rank, ticks."""
    order = np.argsort(one.lower, kind="stable")
    rank = max(1, int(np.ceil(p * one.n)))
    return int(one.lower[order][np.searchsorted(np.cumsum(one.counts[order]), rank)])


def _path(old: Taken, new: Taken) -> Iterator[str]:
    """Which step of the path, or function of a program, a change came from."""
    if old.path is None or new.path is None:
        yield "which step it came from is not known: there is no run with all markers of both"
        return
    steps = {step.name: step for step in old.path}
    changed = [
        difference
        for step in new.path
        if (
            difference := _step(steps[step.name], step, _ticks(new))
            if step.name in steps
            else f"{step.name} is new"
        )
    ]
    changed += [f"{name} is gone" for name in steps if name not in {s.name for s in new.path}]
    of_program = new.experiment.of_program
    how = "by function" if of_program else "with all markers"
    yield from (f"{how}, {difference}" for difference in changed)
    if not changed:
        yield f"{how}, {'nothing' if of_program else 'no step'} changed"


def _step(old: Step, new: Step, ticks: str) -> str:
    moved = _moved(bins.load(old.ticks), bins.load(new.ticks), 0, ticks)
    executed = ""
    if old.instructions is not None and new.instructions is not None:
        before, now = bins.load(old.instructions), bins.load(new.instructions)
        low, high = _span(before), _span(now)
        if low != high:
            executed = f"{low} instructions, now {high}"
        elif moved:
            executed = f"{high} instructions as before: the code is as long, but its timing differs"
    return f"{new.name}: {'; '.join(filter(None, (moved, executed)))}" if moved or executed else ""


def _span(one: Distribution) -> str:
    low, high = int(one.lower.min()), int(one.lower.max())
    return str(low) if low == high else f"{low} to {high}"


def _listed(values: tuple[int, ...] | None) -> str:
    return "none" if values is None else ", ".join(map(str, values))
