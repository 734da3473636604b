"""Bus from a port to the register space."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from . import regmap

ADDRESS_BITS = regmap.EMIO["bank3_out"].field("address").width
DATA_BITS = regmap.WORD_BITS


class RegisterBus(wiring.Signature):
    """One access at a time.

    ``request`` is high for one tick, in which ``address`` (words), ``write`` and ``write_data``
    are valid; they stay so until ``done``, high for one tick, in which ``read_data`` is valid.
    """

    def __init__(self):
        super().__init__(
            {
                "request": Out(1),
                "address": Out(ADDRESS_BITS),
                "write": Out(1),
                "write_data": Out(DATA_BITS),
                "read_data": In(DATA_BITS),
                "done": In(1),
            }
        )
