"""Two sides that do not repeat themselves: whether the second has more long latencies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from irqscope.analysis import exceedance
from irqscope.analysis.exceedance import Exceedances
from irqscope.analysis.stats import Distribution, pooled
from irqscope.campaign.gate.baseline import Taken
from irqscope.campaign.gate.model import Gate
from irqscope.campaign.gate.statement import FAIL, NOT_RESOLVED, PASS, TOO_FEW, Statement
from irqscope.units import ticks_to_ns

#: Clock in which runs of two clocks are compared, Hz.
_COMMON_HZ = 10**12


def groups(old: Taken, new: Taken, gate: Gate) -> int:
    """Statements whose false alarms add up: the quantiles of a permutation are one of them."""
    each = 1 if len(old.runs) > 1 and len(new.runs) > 1 else len(gate.quantiles)
    return each * len(new.runs[0].channels)


def judge(item: str, old: Taken, new: Taken, gate: Gate, level: float) -> list[Statement]:
    """Statements on all channels. ``level``: chance of a false alarm in each :func:`groups`."""
    statements = []
    for place, channel in enumerate(new.runs[0].channels):
        name = f"channel {channel.counters.channel}, " if len(new.runs[0].channels) > 1 else ""
        sides, clock = _in_one_clock(old, new, place)
        if not all(one.n for side in sides for one in side):
            wording = "holds no latency"
            statements.append(
                Statement(item=item, name=f"{name}latency", state=TOO_FEW, said=wording)
            )
            continue
        statements += [
            statement.model_copy(update={"item": item, "name": f"{name}{statement.name}"})
            for statement in _channel(
                *sides, _doubts(old, new), gate, level, clock, _known(old, new)
            )
        ]
    return statements


def _in_one_clock(
    old: Taken, new: Taken, place: int
) -> tuple[tuple[list[Distribution], list[Distribution]], int]:
    """Returns the distributions of both sides, and the rate of their ticks."""
    sides = old.distributions(place), new.distributions(place)
    if old.tick_hz == new.tick_hz:
        return sides, new.tick_hz
    first, second = (
        [one.in_clock(side.tick_hz, _COMMON_HZ) for one in distributions]
        for side, distributions in zip((old, new), sides, strict=True)
    )
    return (first, second), _COMMON_HZ


def _known(old: Taken, new: Taken) -> str:
    """How finely both sides are known, where one was measured elsewhere; else empty."""
    if not (old.capture or new.capture):
        return ""
    binned = any(side.capture and side.capture.what == "histogram" for side in (old, new))
    assumed = "; a histogram cannot show whether its latencies are independent" if binned else ""
    return (
        f"; the baseline is known to {old.resolution}, this to {new.resolution}, and a smaller "
        f"difference is not resolved{assumed}"
    )


def _doubts(old: Taken, new: Taken) -> str:
    return next(filter(None, (run.doubt for side in (old, new) for run in side.runs)), "")


def _channel(
    first: Sequence[Distribution],
    second: Sequence[Distribution],
    doubt: str,
    gate: Gate,
    level: float,
    tick_hz: int,
    resolution: str,
) -> list[Statement]:
    whole = pooled(first), pooled(second)
    wide = [one.widened() for one in first], [one.widened() for one in second]
    nominal = _as_measured(first), _as_measured(second)
    if len(first) > 1 and len(second) > 1:
        if 1 / exceedance.ways(len(first), len(second)) > level:
            wording = (
                f"{len(first)} and {len(second)} runs can be divided in "
                f"{exceedance.ways(len(first), len(second))} ways; an alarm at {level:.2g} needs "
                f"{exceedance.needed_runs(level)} runs of each side"
            )
            return [Statement(item="", name="runs", state=TOO_FEW, said=wording)]
        exceeding, measured = (
            exceedance.permuted(before, now, gate.quantiles) for before, now in (wide, nominal)
        )
        how = f"{len(first)} and {len(second)} whole runs permuted"
    elif doubt:
        wording = (
            f"cannot tell: {doubt}; give several runs of each side, which are compared as wholes"
        )
        return [Statement(item="", name="latency", state=TOO_FEW, said=wording)]
    else:
        exceeding, measured = (
            [exceedance.precedence(pooled(before), pooled(now), p) for p in gate.quantiles]
            for before, now in (wide, nominal)
        )
        how = "what differs between runs is not known"
    return [
        _quantile(one, as_measured, *whole, f"{how}{resolution}", gate, level, tick_hz)
        for one, as_measured in zip(exceeding, measured, strict=True)
    ]


def _as_measured(side: Sequence[Distribution]) -> list[Distribution]:
    """Returns distributions without what their instrument cannot tell."""
    return [dataclasses.replace(one, resolution=0) for one in side]


def _quantile(
    exceeding: Exceedances,
    measured: Exceedances,
    first: Distribution,
    second: Distribution,
    how: str,
    gate: Gate,
    level: float,
    tick_hz: int,
) -> Statement:
    name = first.quantile(exceeding.p).name
    if exceeding.threshold is None:
        wording = "cannot tell: it falls among those of the baseline that were not answered"
        return Statement(item="", name=name, state=TOO_FEW, said=wording)
    now = second.quantile(exceeding.p).value[0]
    growth = 1 + gate.margin
    allowed = exceeding.threshold * growth
    bound, here = (ticks_to_ns(ticks, tick_hz) for ticks in (exceeding.threshold, now))
    before = bound if measured.threshold is None else ticks_to_ns(measured.threshold, tick_hz)
    wording = (
        f"baseline {before} ns, now {here} ns; longer than {bound} ns are {exceeding.first} of "
        f"{first.n} and {exceeding.second} of {second.n}, chance {exceeding.chance:.2g} at a level "
        f"of {level:.2g}; {how}"
    )
    if exceeding.chance <= level and now - second.resolution > allowed:
        return Statement(item="", name=name, state=FAIL, said=f"slower: {wording}")
    slower = measured.threshold is not None and now > measured.threshold * growth
    if slower and measured.chance <= level and (first.resolution or second.resolution):
        wording = f"slower by less than can be told: {wording}"
        return Statement(item="", name=name, state=NOT_RESOLVED, said=wording)
    if not exceedance.sees(exceeding.p, first.n, second.n, level, gate.detect):
        both = exceedance.needed(exceeding.p, level, gate.detect)
        wording = f"{wording}; {gate.detect:g} times as many would not be seen"
        return Statement(item="", name=name, state=TOO_FEW, said=wording, needed=both)
    if exceeding.chance <= level:
        wording = f"slower by no more than the margin of {100 * gate.margin:g} %: {wording}"
    return Statement(item="", name=name, state=PASS, said=wording)
