"""Replaces a link of the register file's chains in proofs about the chains.

It passes accesses on as the real one does. Its own registers change as the solver likes, but only
two ticks after a write, with a reset or a bit that is set, and it joins the reply only after an
access: the theorem ``Link`` of test_register_file shows this of the real ones.
"""

from __future__ import annotations

from amaranth.asserts import AnySeq
from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from irqscope_hw import register_group
from irqscope_hw.register_group import REPLY, REPLY_DELAY, Access, range_of

__all__ = ["REPLY", "REPLY_DELAY", "Access", "RegisterGroup", "range_of"]


def calm(link, m, deciding):
    """No access is at this link or was in the tick before, none comes, and nobody sets a bit."""
    passing = Cat(
        *(getattr(side, name) for side in (link.before, link.after) for name in STROBES),
        *(port for name, port in ports(link, In).items() if name.endswith("_set")),
    )
    own = [port for name, port in ports(link, Out).items() if is_strobe(link, name)]
    joined = Value.cast(link.reply) == Value.cast(link.reply_before)
    return ~(passing.any() | deciding | Cat(own).any()) & joined


STROBES = ("reset", "read", "write")


def ports(link, flow):
    """The members of the group that go in or out, by name."""
    return {
        path[-1]: Value.cast(port)
        for path, member, port in link.registers.signature.flatten(link.registers)
        if member.flow == flow
    }


def is_strobe(link, name):
    """Whether a member is high for one tick."""
    pulses = [f for r in link._registers for f in r.fields if f.singlepulse]
    return name.endswith("_written") or any(name.endswith(f"_{f.name}") for f in pulses)


class RegisterGroup(register_group.RegisterGroup):
    def elaborate(self, platform):
        m = Module()
        before, after = self.before, self.after
        for name in (*STROBES, "armed", "offset", "data"):
            m.d.sync += getattr(after, name).eq(getattr(before, name))
        m.d.sync += after.select.eq(before.select.rotate_right(1))
        decided_read = Signal()
        decided_write = Signal()
        m.d.sync += [decided_read.eq(after.read), decided_write.eq(after.write)]
        deciding = decided_read | decided_write
        reply = Value.cast(self.reply)
        m.d.sync += reply.eq(Value.cast(self.reply_before) | Mux(deciding, AnySeq(len(reply)), 0))
        # The file looks at no configuration, so what may change stands for what does.
        self.moves = decided_write | after.reset
        for name, port in ports(self, Out).items():
            if is_strobe(self, name):
                m.d.sync += port.eq(Mux(decided_write, AnySeq(len(port)), 0))
        self.calm = Signal()
        m.d.comb += self.calm.eq(calm(self, m, deciding))
        return m
