"""The row `bound`: the most cycles of an answer, from the observed encounters of the interrupts."""

from __future__ import annotations

from irqscope.report import wording
from irqscope.results.encounters import Encounters
from irqscope.results.statistics import Stats


def bound(stats: Stats, met: Encounters, hz: int, when: str) -> str:
    """Describes the most cycles of an answer and the encounters of the interrupts.

    Also those that did not occur.

    A masked interval that is longer than any that a rise met refutes a bound: a rise at its
    beginning would have waited for all of it.

    Args:
        stats: Statistics of the channel.
        met: Encounters of its line's rises.
        hz: Rate of the clock.
        when: When the line rose, in words.
    """
    top = stats.max_ticks or 0
    tried = f"tried were {stats.n} interrupts {when}, which {_met(met)}"
    if met.mask_ticks is None or met.met_ticks is None:
        unseen = "this core does not show when it is masked or in a handler"
        return f"at most {wording.plain(top, hz)}: {tried}; {unseen}"
    if met.mask_ticks <= met.met_ticks:
        return f"at most {wording.plain(top, hz)}: {tried}"
    mask = wording.plain(met.mask_ticks, hz)
    longest = f"a rise met {wording.plain(met.met_ticks, hz)} of a masked interval at most"
    if not met.met_ticks:
        longest = "no rise met a masked interval"
    return (
        f"none: the line was masked for up to {mask}, and {longest}. Both together are "
        f"{wording.plain(top + met.mask_ticks, hz)} ({wording.number(met.mask_ticks, hz)} masked "
        f"and the longest latency, {wording.number(top, hz)}), if nothing else is answered in "
        f"between; {tried}"
    )


def _met(met: Encounters) -> str:
    """Describes the encounters of the rises, by count."""
    parts_met = (
        (met.asleep, "the core asleep"),
        (met.handler, "a handler in progress"),
        (met.masked, "masked interrupts outside a handler"),
        (met.running, "running code"),
        (met.awake, "the core awake"),
    )
    parts = [f"{state} ({count})" for count, state in parts_met if count]
    return f"met {', '.join(parts)}"
