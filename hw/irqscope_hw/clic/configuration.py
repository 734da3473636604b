"""The interface between a register front end and the CLIC."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .arbiter import CONTROL_BITS


class ConfigurationSignature(wiring.Signature):
    """Settings of each source, in the order of their IDs, as the front end sees them.

    Each draft defines its own registers. A front end translates them into these settings.

    ``enable``, ``edge``, ``negative``, ``shv``: a bit for each source. ``control``: its level
    and priority. ``level_bits``: how many upper bits of ``control`` are the level, 0 to 8; what is
    left of 8 bits counts as ones. ``write``, ``value``: software writes pending bits. ``pending``:
    the bits as they are.
    """

    def __init__(self, sources: int):
        super().__init__(
            {
                "enable": Out(sources),
                "edge": Out(sources),
                "negative": Out(sources),
                "shv": Out(sources),
                "control": Out(data.ArrayLayout(CONTROL_BITS, sources)),
                "level_bits": Out(4),
                "write": Out(sources),
                "value": Out(sources),
                "pending": In(sources),
            }
        )


class BusSignature(wiring.Signature):
    """Accesses of a core to the registers, as the core sees them. ``address`` counts words.

    An access lasts one tick; ``read_data`` is there in the next one.
    """

    def __init__(self, address_bits: int):
        super().__init__(
            {
                "access": Out(1),
                "write": Out(1),
                "bytes": Out(4),
                "address": Out(address_bits),
                "write_data": Out(32),
                "read_data": In(32),
            }
        )
