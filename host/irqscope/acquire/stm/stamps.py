"""Lines and handlers of one batch as the STM stamped them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from irqscope.acquire.stm.frames import take_apart
from irqscope.acquire.stm.stp import Packet, decode

#: Source number of the STM in the ETF's frames (fw/machine/zynqmp/stm.h).
TRACE_ID = 0x10
#: Stimulus port that the handler stores to.
PORT = 0


@dataclass(frozen=True)
class Trace:
    """Values that the firmware read after a batch.

    ``stamp`` counts the timestamp generator, ``tick`` the gateware's clock; each pair was read at
    almost the same time.
    """

    data: bytes
    wrapped: bool
    stuck: bool
    first_stamp: int
    first_tick: int
    last_stamp: int
    last_tick: int


@dataclass(frozen=True)
class Stamps:
    """Edges and answers that the STM stamped.

    ``edges``, ``answers``: int64, shape (n,), stamps from the batch's first one; the answer of an
    edge is the first store after it and before the next edge, or -1 without one.
    """

    edges: npt.NDArray[np.int64]
    answers: npt.NDArray[np.int64]
    stores: int  #: of the handler, decoded
    unstamped: int  #: packets without a timestamp
    others: int  #: data of other ports
    errors: int  #: packets that tell of dropped ones
    unread: int  #: nibbles and bytes that could not be read


def stamps(trace: Trace) -> Stamps:
    """Decodes a trace and pairs its edges with the stores. Never raises."""
    sources = take_apart(trace.data)
    stream = decode(bytes(sources.bytes_of.get(TRACE_ID, b"")))
    sorted_stamps = _Sorted()
    for packet in stream.packets:
        sorted_stamps.add(packet)
    edges = np.array(sorted(sorted_stamps.edges), np.int64) - trace.first_stamp
    stores = np.array(sorted(sorted_stamps.stores), np.int64) - trace.first_stamp
    return Stamps(
        edges,
        _answers(edges, stores),
        len(stores),
        sorted_stamps.unstamped,
        sorted_stamps.others,
        stream.errors,
        stream.unread + sources.unnamed + sources.cut,
    )


@dataclass
class _Sorted:
    edges: list[int] = field(default_factory=list)
    stores: list[int] = field(default_factory=list)
    unstamped: int = 0
    others: int = 0

    def add(self, packet: Packet) -> None:
        """One line alone is an event, so that whatever a hardware packet holds is its edge."""
        if packet.stamp is None or packet.stamp >= 1 << 63:
            self.unstamped += 1
        elif packet.by_hardware:
            self.edges.append(packet.stamp)
        elif packet.channel == PORT:
            self.stores.append(packet.stamp)
        else:
            self.others += 1


def _answers(edges: npt.NDArray[np.int64], stores: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    places = np.searchsorted(stores, edges)
    ends = np.append(edges[1:], np.iinfo(np.int64).max)
    after = np.append(stores, np.iinfo(np.int64).max)[places]
    return np.where(after < ends, after, -1)


def nearest(
    times: npt.NDArray[np.int64], candidates: npt.NDArray[np.int64], within: int
) -> npt.NDArray[np.int64]:
    """Returns the index of the nearest of the sorted ``candidates`` to each time, or -1.

    It is -1 if the nearest is farther away than ``within``.
    """
    if not len(candidates):
        return np.full(len(times), -1, np.int64)
    right = np.clip(np.searchsorted(candidates, times), 1, max(1, len(candidates) - 1))
    left = right - 1
    right = np.minimum(right, len(candidates) - 1)
    closer = np.where(
        np.abs(candidates[left] - times) <= np.abs(candidates[right] - times), left, right
    )
    return np.where(np.abs(candidates[closer] - times) <= within, closer, -1)
