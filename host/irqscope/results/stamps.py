"""The STM's stamps in ``run.json``, next to the markers."""

from __future__ import annotations

from irqscope.units import Natural, Strict


class StmCounters(Strict):
    """The STM's expected stamps, and those in its trace; counts over all batches."""

    edges_made: Natural = 0
    edges_stamped: Natural = 0
    stores_made: Natural = 0
    stores_stamped: Natural = 0
    answered: Natural = 0  #: edges with a store before the next edge
    unstamped: Natural = 0  #: packets without a timestamp
    others: Natural = 0  #: packets of other ports
    errors: Natural = 0  #: packets that tell of dropped ones
    unread: Natural = 0  #: nibbles that could not be read
    wrapped: Natural = 0  #: batches in which the ETF overflowed
    stuck: Natural = 0  #: batches after which it did not stop


class StmSpread(Strict):
    """Latencies in counts of a clock, and in ns."""

    n: Natural
    min: Natural
    median: Natural
    max: Natural
    min_ns: Natural
    median_ns: Natural
    max_ns: Natural


class StmDifference(Strict):
    """Latency by the STM less that by the markers, of the same stimuli, in ns."""

    n: Natural
    min: int
    median: int
    max: int


class StmStamps(Strict):
    """The second stamp. ``set_up``: fields and registers of the message STM."""

    set_up: dict[str, Natural]
    stamp_hz: Natural | None
    counters: StmCounters
    latency: StmSpread | None
    same_by_markers: StmSpread | None
    difference_ns: StmDifference | None
