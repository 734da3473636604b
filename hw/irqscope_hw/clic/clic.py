"""The CLIC: gateways, arbiter, and a register front end that can be replaced."""

from amaranth.hdl import Array, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .arbiter import CONTROL_BITS, Arbiter
from .gateway import Gateway

ID_BITS = 5
LEVEL_BITS = 8


class Clic(wiring.Component):
    """Offers its core the enabled pending interrupt of the highest level and priority.

    The core decides whether to take it: it compares ``level`` with the level that it
    runs at and with its threshold (``mintthresh``). Among sources of equal level and
    priority the highest ID is offered, as in the draft.

    Args:
        front: The register front end: a component with ``ids``, ``bus``, ``configuration``
            (:class:`~.configuration.ConfigurationSignature`) and ``quiet``.

    Latency: 0 ticks from ``irq`` to the offer. A core puts a register after it, as CV32E40P does
    after its interrupt inputs: so a level reaches it through the CLIC as fast as through a CLINT.

    Members:
        irq: The sources, by ID.
        bus: Access to the registers; see the front end.
        valid, id, level, shv: The offer; all 0 without one. ``shv``: whether it is vectored by
            hardware.
        running, open: The level that the core runs at, or its threshold if that is higher; and by
            ID, which sources are enabled and have a higher one: no other could interrupt it. For
            observers; 0 ticks from one to the other.
        claim, claim_id: The core has taken the interrupt of that ID, by a vector or by ``mnxti``:
            if it came by an edge it is no longer pending.
        quiet: Nothing changes in the next tick unless an input does.
    """

    def __init__(self, front: wiring.Component):
        self.front = front
        self.ids = front.ids
        super().__init__(
            {
                "irq": In(1 << ID_BITS),
                "bus": In(front.bus.signature.flip()),
                "valid": Out(1),
                "id": Out(ID_BITS),
                "level": Out(LEVEL_BITS),
                "shv": Out(1),
                "running": In(LEVEL_BITS),
                "open": Out(1 << ID_BITS),
                "claim": In(1),
                "claim_id": In(ID_BITS),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = front = self.front
        m.submodules.arbiter = arbiter = Arbiter(len(self.ids))
        configuration = front.configuration
        wiring.connect(m, wiring.flipped(self.bus), front.bus)
        # Bits of `control` below the level count as ones.
        ones = Array(Const((1 << LEVEL_BITS - n) - 1, LEVEL_BITS) for n in range(LEVEL_BITS + 1))
        below = Signal(CONTROL_BITS)
        m.d.comb += below.eq(ones[configuration.level_bits])
        quiet = front.quiet
        for n, number in enumerate(self.ids):
            m.submodules[f"gateway_{number}"] = gateway = Gateway()
            m.d.comb += [
                gateway.irq.eq(self.irq[number]),
                gateway.edge.eq(configuration.edge[n]),
                gateway.negative.eq(configuration.negative[n]),
                gateway.claim.eq(self.claim & (self.claim_id == number)),
                gateway.write.eq(configuration.write[n]),
                gateway.value.eq(configuration.value[n]),
                configuration.pending[n].eq(gateway.pending),
                arbiter.asks[n].eq(gateway.pending & configuration.enable[n]),
                self.open[number].eq(
                    configuration.enable[n] & ((configuration.control[n] | below) > self.running)
                ),
            ]
            quiet = quiet & gateway.quiet
        numbers = Array(Const(number, ID_BITS) for number in self.ids)
        m.d.comb += [
            arbiter.control.eq(configuration.control),
            self.valid.eq(arbiter.valid),
            self.quiet.eq(quiet),
        ]
        with m.If(arbiter.valid):
            m.d.comb += [
                self.id.eq(numbers[arbiter.index]),
                self.level.eq(arbiter.highest | below),
                self.shv.eq(configuration.shv.bit_select(arbiter.index, 1)),
            ]
        return m
