"""The STM's stamps of a run, in words."""

from __future__ import annotations

from irqscope.results.stamps import StmCounters, StmSpread, StmStamps
from irqscope.units import NS_PER_S


def by_stm(stm: StmStamps) -> str:
    """Latency in the STM's time, and that of the same stimuli in the gateware's."""
    if stm.latency is None or not stm.stamp_hz:
        return "no stimulus has both of its stamps"
    text = f"{_three(stm.latency)} of N = {stm.latency.n}"
    if stm.same_by_markers and stm.difference_ns:
        less = stm.difference_ns
        text += (
            f"; by the markers {_three(stm.same_by_markers)} of the same {stm.same_by_markers.n}; "
            f"STM less markers {less.min} / {less.median} / {less.max} ns"
        )
    period = NS_PER_S / stm.stamp_hz
    return f"{text} (min / median / max); stamps of {period:.4g} ns, one more or less at each end"


def stm_counters(counters: StmCounters) -> str:
    """Compares the STM's stamps with the expected ones."""
    pairs = (
        ("edges", counters.edges_made, counters.edges_stamped),
        ("stores", counters.stores_made, counters.stores_stamped),
    )
    return "; ".join(
        f"{count} {event} = {stamped} stamped + {count - stamped} lost"
        for event, count, stamped in pairs
    )


def _three(spread: StmSpread) -> str:
    return f"{spread.min_ns} / {spread.median_ns} / {spread.max_ns} ns"
