"""Values of messages that set a board up by hand, without an experiment."""

from __future__ import annotations

from irqscope.constants import SHORTEST_PHASE, LineMode, Marker, StartKind
from irqscope.link import messages
from irqscope.link.codec import Values, request_values

#: Phases of a pulse, ticks: long enough for every core to look several times, and for a handler.
HIGH = LOW = 5_000
#: Timeout of a pulse, ticks: a handler answers sooner.
TIMEOUT = HIGH + LOW - SHORTEST_PHASE


def line(index: int = 0, *, count: int = 1, **values: int) -> Values:
    """Values of a LINE message: ``count`` pulses of 20 us, dithered."""
    pulse = {"mode": LineMode.BURST, "high": HIGH, "low": LOW, "dither_bits": 3, "seed": 1}
    fields = {"index": index, "enable": 1, "count": count} | pulse | values
    return request_values(messages.LINE, **fields)


def acknowledged(core: int = 0) -> Values:
    """Values of a line that stays up until the core's marker."""
    return {
        "mode": LineMode.ACKNOWLEDGED,
        "ack_cores": 1 << core,
        "ack_code": Marker.HANDLER,
    }


def channel(core: int) -> Values:
    """Values of a CHANNEL message: from line 0 to the core's handler."""
    return request_values(
        messages.CHANNEL,
        enable=1,
        start_kind=StartKind.LINE,
        stop_cores=1 << core,
        stop_code=Marker.HANDLER,
        timeout=TIMEOUT,
    )
