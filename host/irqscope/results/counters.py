"""The counts in ``run.json``: of the gateware, the firmware and the link."""

from __future__ import annotations

from irqscope.units import Channel, Natural, Strict, Sum


class ChannelCounters(Strict):
    """Counters of one channel."""

    channel: Channel
    pending: Natural
    starts: Natural
    served: Natural
    coalesced: Natural
    timed_out: Natural
    #: Starts that nothing could answer: of a period, the last of each batch has no next one.
    unanswerable: Natural = 0
    stops: Natural
    unmatched: Natural
    implausible: Natural
    underflow: Natural
    overflow: Natural
    sum_ticks: Sum


class Records(Strict):
    """Counters of the event records."""

    stamped: Natural = 0
    delivered: Natural = 0
    lost: Natural = 0


class Counted(Strict):
    """The firmware's counts over all batches; fields as in the message BATCH."""

    handled_0: Natural = 0
    handled_1: Natural = 0
    handled_2: Natural = 0
    handled_3: Natural = 0
    held: Natural = 0
    warm_up_0: Natural = 0
    warm_up_1: Natural = 0
    warm_up_2: Natural = 0
    warm_up_3: Natural = 0
    spurious: Natural = 0
    others: Natural = 0
    idles: Natural = 0
    loads_0: Natural = 0
    loads_1: Natural = 0
    loads_2: Natural = 0
    loads_3: Natural = 0
    raised: Natural = 0
    timer_ticks: Natural = 0
    nested: Natural = 0

    @property
    def handled(self) -> tuple[int, ...]:
        """Number of measured interrupts handled, by core."""
        return self.handled_0, self.handled_1, self.handled_2, self.handled_3

    @property
    def loads(self) -> tuple[int, ...]:
        """Accesses of a load, by core."""
        return self.loads_0, self.loads_1, self.loads_2, self.loads_3


class LinkCounts(Strict):
    """Number and causes of the link's retries."""

    baud: Natural = 0
    requests: Natural = 0
    retries: Natural = 0
    timeouts: Natural = 0
    stale: Natural = 0
    bytes_out: Natural = 0
    bytes_in: Natural = 0
    rejected: dict[str, Natural] = {}  #: by kind of damage
