"""The memory's side of module irqscope_core."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Fetch(wiring.Signature):
    """A word is wanted in each cycle of ``fetch``; answers come later, in order."""

    def __init__(self):
        super().__init__(
            {
                "fetch": Out(1),
                "fetch_address": Out(32),
                "fetch_valid": In(1),
                "fetch_data": In(32),
            }
        )


class Data(wiring.Signature):
    """An access is taken in a cycle of ``access`` and ``ready``; its answer is ``valid``."""

    def __init__(self):
        super().__init__(
            {
                "access": Out(1),
                "write": Out(1),
                "bytes": Out(4),
                "address": Out(32),
                "write_data": Out(32),
                "ready": In(1),
                "valid": In(1),
                "read_data": In(32),
            }
        )
