"""Two sides that do not repeat themselves: whether the second has more long latencies."""

from __future__ import annotations

from collections.abc import Sequence

from irqscope.analysis import exceedance
from irqscope.analysis.exceedance import Exceedances
from irqscope.analysis.stats import Distribution, pooled
from irqscope.campaign.gate.baseline import Taken
from irqscope.campaign.gate.model import Gate
from irqscope.campaign.gate.statement import FAIL, PASS, TOO_FEW, Statement
from irqscope.units import ticks_to_ns


def groups(old: Taken, new: Taken, gate: Gate) -> int:
    """Statements whose false alarms add up: the quantiles of a permutation are one of them."""
    each = 1 if len(old.runs) > 1 and len(new.runs) > 1 else len(gate.quantiles)
    return each * len(new.runs[0].channels)


def judge(item: str, old: Taken, new: Taken, gate: Gate, level: float) -> list[Statement]:
    """Statements on all channels. ``level``: chance of a false alarm in each :func:`groups`."""
    found = []
    for place, channel in enumerate(new.runs[0].channels):
        name = f"channel {channel.counters.channel}, " if len(new.runs[0].channels) > 1 else ""
        sides = old.distributions(place), new.distributions(place)
        if not all(one.n for side in sides for one in side):
            said = "holds no latency"
            found.append(Statement(item=item, name=f"{name}latency", state=TOO_FEW, said=said))
            continue
        found += [
            told.model_copy(update={"item": item, "name": f"{name}{told.name}"})
            for told in _channel(*sides, _doubts(old, new), gate, level, new.tick_hz)
        ]
    return found


def _doubts(old: Taken, new: Taken) -> str:
    return next(filter(None, (run.doubt for side in (old, new) for run in side.runs)), "")


def _channel(
    first: Sequence[Distribution],
    second: Sequence[Distribution],
    doubt: str,
    gate: Gate,
    level: float,
    tick_hz: int,
) -> list[Statement]:
    whole = pooled(first), pooled(second)
    if len(first) > 1 and len(second) > 1:
        if 1 / exceedance.ways(len(first), len(second)) > level:
            said = (
                f"{len(first)} and {len(second)} runs can be divided in "
                f"{exceedance.ways(len(first), len(second))} ways; an alarm at {level:.2g} needs "
                f"{exceedance.needed_runs(level)} runs of each side"
            )
            return [Statement(item="", name="runs", state=TOO_FEW, said=said)]
        found = exceedance.permuted(first, second, gate.quantiles)
        how = f"{len(first)} and {len(second)} whole runs permuted"
    elif doubt:
        said = f"cannot tell: {doubt}; give several runs of each side, which are compared as wholes"
        return [Statement(item="", name="latency", state=TOO_FEW, said=said)]
    else:
        found = [exceedance.precedence(*whole, p) for p in gate.quantiles]
        how = "what differs between runs is not known"
    return [_quantile(one, *whole, how, gate, level, tick_hz) for one in found]


def _quantile(
    found: Exceedances,
    first: Distribution,
    second: Distribution,
    how: str,
    gate: Gate,
    level: float,
    tick_hz: int,
) -> Statement:
    name = first.quantile(found.p).name
    if found.threshold is None:
        said = "cannot tell: it falls among those of the baseline that were not answered"
        return Statement(item="", name=name, state=TOO_FEW, said=said)
    now = second.quantile(found.p).value[0]
    allowed = found.threshold * (1 + gate.margin)
    bound, here = (ticks_to_ns(ticks, tick_hz) for ticks in (found.threshold, now))
    said = (
        f"baseline {bound} ns, now {here} ns; longer than {bound} ns are {found.first} of {first.n}"
        f" and {found.second} of {second.n}, chance {found.chance:.2g} at a level of {level:.2g}; "
        f"{how}"
    )
    if found.chance <= level and now > allowed:
        return Statement(item="", name=name, state=FAIL, said=f"slower: {said}")
    if not exceedance.sees(found.p, first.n, second.n, level, gate.detect):
        both = exceedance.needed(found.p, level, gate.detect)
        said = f"{said}; {gate.detect:g} times as many would not be seen"
        return Statement(item="", name=name, state=TOO_FEW, said=said, needed=both)
    if found.chance <= level:
        said = f"slower by no more than the margin of {100 * gate.margin:g} %: {said}"
    return Statement(item="", name=name, state=PASS, said=said)
