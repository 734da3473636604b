"""Fetches data of a batch that exceeds a single reply, piece by piece.

Every function raises LinkError; of kind PROTOCOL if the pieces do not follow on each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.acquire.stm.stamps import Trace
from irqscope.errors import LinkError, LinkErrorKind
from irqscope.link.codec import Reply, Values
from irqscope.link.link import Link
from irqscope.link.messages import (
    BACKGROUND,
    HISTOGRAM,
    PLACES,
    RECORDS,
    TRACE,
    Message,
)
from irqscope.link.records import RECORD, decode

#: More than fit one reply.
_RECORDS_AT_ONCE = 0xFFFF
#: Fields of the reply to TRACE that pair its clocks.
_CLOCKS = ("first_stamp", "first_tick", "last_stamp", "last_tick")


@dataclass(frozen=True)
class Places:
    """A batch of placements: ``addresses`` at which interrupts were taken, 0: none was."""

    accepted: int
    ignored: int
    addresses: list[int]


def records(link: Link, count: int, whole: bool) -> npt.NDArray[np.void]:
    """Takes records out of the FIFO.

    Args:
        link: Link to the target, disarmed.
        count: Number of records to take.
        whole: Whether to fetch the latency of the sample channel as well.

    Returns:
        The records, shape (count,), dtype RECORD.
    """
    blocks = [np.empty(0, RECORD)]
    fetched = 0
    while fetched < count:
        reply = link.request(RECORDS, first_number=fetched, limit=_RECORDS_AT_ONCE, whole=whole)
        try:
            block = decode(reply.tail["word"], whole)
        except ValueError as error:
            text = f"the reply with record {fetched} of {count} is no list of records: {error}"
            raise LinkError(
                LinkErrorKind.PROTOCOL, f"{text}; reset the target and run again"
            ) from None
        if reply.first_number != fetched or not len(block):
            raise LinkError(
                LinkErrorKind.PROTOCOL,
                f"asked for record {fetched} of {count}, got {len(block)} records from "
                f"{reply.first_number} on; reset the target and run again",
            )
        blocks.append(block)
        fetched += len(block)
    return np.concatenate(blocks)


def histogram(link: Link, channel: Values, counters: Reply, bins: int) -> npt.NDArray[np.uint64]:
    """Counts of all bins, shape (bins,). Only those that can hold some are read."""
    counts = np.zeros(bins, np.uint64)
    if not counters.served:
        return counts
    ends = [
        t - channel["hist_origin"] >> channel["hist_shift"]
        for t in (counters.min_ticks, counters.max_ticks)
    ]
    first, end = max(ends[0], 0), min(ends[1] + 1, bins)
    while first < end:
        reply = link.request(HISTOGRAM, channel=channel["index"], first_bin=first, end_bin=end)
        if not first < reply.next_bin <= end or np.any(reply.tail["bin"] >= end):
            raise LinkError(
                LinkErrorKind.PROTOCOL,
                f"asked for histogram bins {first} to {end - 1}, sent on to {reply.next_bin}; "
                "reset the target and run again",
            )
        counts[reply.tail["bin"]] = reply.tail["count"]
        first = reply.next_bin
    return counts


def trace(link: Link) -> Trace:
    """Returns the ETF's contents after the last batch."""
    data = b""
    while True:
        reply = link.request(TRACE, offset=len(data))
        if reply.offset != len(data) or (reply.total > len(data)) != bool(len(reply.tail)):
            raise LinkError(
                LinkErrorKind.PROTOCOL,
                f"asked for byte {len(data)} of the ETF's {reply.total}, got {len(reply.tail)} "
                f"from {reply.offset} on; reset the target and run again",
            )
        data += reply.tail.tobytes()
        if len(data) >= reply.total:
            break
    clocks = {name: reply.values[name] for name in _CLOCKS}
    return Trace(data, bool(reply.wrapped), bool(reply.stuck), **clocks)


def background(link: Link) -> list[Values]:
    """The case's background interrupts, as read back."""
    interrupts: list[Values] = []
    for reply in _pieces(link, BACKGROUND):
        names = reply.tail.dtype.names or ()
        interrupts += [dict(zip(names, entry, strict=True)) for entry in reply.tail.tolist()]
    return interrupts


def places(link: Link) -> Places:
    """The placements of the last batch."""
    addresses: list[int] = []
    for reply in _pieces(link, PLACES):
        addresses += reply.tail["address"].tolist()
    return Places(reply.accepted, reply.ignored, addresses)


def _pieces(link: Link, message: Message) -> Iterator[Reply]:
    """Yields replies from entry ``first`` on, until ``total`` entries have come."""
    fetched = 0
    while True:
        reply = link.request(message, first=fetched)
        if not len(reply.tail) and fetched < reply.total:
            raise LinkError(
                LinkErrorKind.PROTOCOL,
                f"asked for {message.name} {fetched} of {reply.total}, got none; "
                "reset the target and run again",
            )
        fetched += len(reply.tail)
        yield reply
        if fetched >= reply.total:
            return
