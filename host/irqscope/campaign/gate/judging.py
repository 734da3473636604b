"""Judges what a gate has measured: to the tick, by chance, and by limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from irqscope.analysis.stats import pooled
from irqscope.campaign.gate import baseline, exact, statistical
from irqscope.campaign.gate.baseline import Taken
from irqscope.campaign.gate.measuring import Measured, Measuring
from irqscope.campaign.gate.model import Gate
from irqscope.campaign.gate.statement import FAIL, PASS, TOO_FEW, Statement
from irqscope.errors import ExperimentError
from irqscope.report.wording import plain


def judge(items: list[Measured], gate: Gate, measuring: Measuring) -> Iterator[Statement]:
    """Statements on all items, in their order.

    All at once: the level is shared by all statements that chance can make fail. ``measuring``:
    measures paths if a change needs an explanation.
    """
    limits = sum(len(i.entry.item.limits) * len(i.new.runs[0].channels) for i in items)
    compared = [(i.old, i.new) for i in items if i.old is not None and not i.exact]
    count = limits + sum(statistical.groups(old, new, gate) for old, new in compared)
    level = gate.level / max(1, count)
    for item in items:
        if item.old is not None and item.exact:
            yield _exactly(item, item.old, measuring)
        elif item.old is not None:
            yield from statistical.judge(item.entry.name, item.old, item.new, gate, level)
        yield from _limits(item, level)
        yield from _masked(item)


def check_comparable(item: Measured, where: Path | str | None, *, mixed: bool) -> None:
    """Raises ExperimentError if the sides of an item do not compare.

    ``where``: the old side; ``mixed``: one of another experiment, machine or profile compares all
    the same.
    """
    name, old, new = item.entry.name, item.old, item.new
    if old is None:
        return
    foreign = (old.capture or new.capture) and not (old.is_rtl or new.is_rtl)
    if old.tick_hz != new.tick_hz and not foreign:
        raise ExperimentError(
            f"{name}: {where} has ticks of {old.tick_hz} Hz, here {new.tick_hz} Hz: they do not "
            "compare; renew it with --accept"
        )
    if len(old.runs[0].channels) != len(new.runs[0].channels):
        raise ExperimentError(
            f"{name}: {where} has {len(old.runs[0].channels)} channels, here are "
            f"{len(new.runs[0].channels)}; renew it with --accept"
        )
    if not mixed and (why := baseline.why_other(old, new)):
        raise ExperimentError(
            f"{name}: {where} is of {why}; renew it with --accept, or compare all the same "
            "with --mixed"
        )


def _exactly(item: Measured, old: Taken, measuring: Measuring) -> Statement:
    """Judges tick by tick. It measures the paths if a change needs an explanation."""
    budget = item.entry.item.budget.ticks(item.new.tick_hz)
    changes = exact.judge(item.entry.name, old, item.new, budget)
    if changes.state == PASS:
        return changes
    old = measuring.with_old_path(item, old)
    return exact.judge(item.entry.name, old, measuring.with_path(item), budget)


def _masked(item: Measured) -> Iterator[Statement]:
    """Judges the masked map, which is exact."""
    bound = item.entry.item.masked
    if bound is None:
        return
    limit, clock = bound.ticks(item.new.tick_hz), item.new.clock
    longer = [one for one in item.masked if one.greatest_ticks > limit]
    details = tuple(
        f"{plain(one.greatest_ticks, clock)} at most, {one.count} times: from {one.opened} to "
        f"{one.closed}" + (f", called from {one.caller}" if one.caller else "")
        for one in longer
    )
    greatest = max((one.greatest_ticks for one in item.masked), default=0)
    yield Statement(
        item=item.entry.name,
        name=f"masked <= {bound}",
        state=FAIL if longer else PASS,
        said=f"masked for {plain(greatest, clock)} at most, allowed {plain(limit, clock)}",
        details=details,
    )


def _limits(item: Measured, level: float) -> Iterator[Statement]:
    channels = item.new.runs[0].channels
    for limit in item.entry.item.limits:
        for place, channel in enumerate(channels):
            of = f"channel {channel.counters.channel}, " if len(channels) > 1 else ""
            doubt = next((run.doubt for run in item.new.runs if run.doubt), "")
            distribution = pooled(item.new.distributions(place))
            verdict = limit.judge(distribution, item.new.clock, level) if distribution.n else None
            yield Statement(
                item=item.entry.name,
                name=f"{of}{limit}",
                state=verdict.state if verdict and not doubt else TOO_FEW,
                said=f"cannot tell: {doubt}" if doubt else verdict.said if verdict else "none",
                needed=verdict.needed if verdict and not doubt else None,
            )
