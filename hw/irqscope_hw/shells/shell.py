"""Functions that all shells share."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..instrument import Instrument, surroundings

__all__ = ["pass_on", "surroundings"]


def pass_on(m: Module, shell: wiring.Component, instrument: Instrument) -> None:
    """Connects ``rst`` and the members of :func:`~..instrument.surroundings` through."""
    for name, member in {"rst": In(1), **surroundings()}.items():
        outer, inner = getattr(shell, name), getattr(instrument, name)
        m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
