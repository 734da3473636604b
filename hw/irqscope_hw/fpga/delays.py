"""Walks a netlist with published delays of UltraScale+, and one assumed delay for every net.

Usage: ``python -m irqscope_hw.fpga.delays [NET_NS]``: 0.55 ns unless another is given

It prints how many inputs of flip-flops and memories are reached later than a period of 250 MHz
allows, and the slowest path. It does no placement, and only a router knows which nets are long, so
this is not a timing analysis. It shows which paths a router has to keep short, and how much a net
may take.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from . import resources
from .netlist import BLOCK_RAMS, CARRY, LUTS, MUXES, SHIFT_REGISTERS, Bit, Netlist

#: Logic delays in ns: RapidWright's delay model v0.5 for UltraScale+, intrasite_delay_terms.txt;
#: the slowest input of each kind of cell. A LUT RAM and a shift register are taken for a LUT that
#: a clock moves, whose delay the model lacks: twice a LUT.
LUT, MUX, CARRY8 = 0.165, 0.077, 0.231
FF_OUT, FF_SETUP = 0.077, 0.025
RAM_OUT, RAM_SETUP = 1.003, 0.445
SHIFT_OUT = 2 * LUT
#: 250 MHz, less the skew and jitter of a clock on one buffer: 0.12 ns, an assumption.
PERIOD = 4.0 - 0.12
CARRY_BITS = 8


@dataclass(frozen=True)
class Slowest:
    """The walk's result: ends that are late, all ends, and the slowest way to one of them."""

    late: int
    ends: int
    ns: float
    cells: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.late} of {self.ends} inputs are later than {PERIOD:.2f} ns"]
        lines += [f"slowest: {self.ns:.2f} ns", *(f"    {cell}" for cell in self.cells)]
        return "\n".join(lines)


class Walk:
    """Arrival times in a netlist in which every net takes ``net_ns``.

    No net is the way from a LUT to the multiplexer or the carry chain of its slice, between these,
    and from any of them to the data input of a flip-flop that alone takes it.
    """

    def __init__(self, netlist: Netlist, net_ns: float) -> None:
        self._netlist = netlist
        self._net = net_ns
        self._arrivals: dict[Bit, tuple[float, Bit | None]] = {}

    def slowest(self) -> Slowest:
        """Return what the walk over all ends finds."""
        ends = [
            (self._arrival(bit)[0] + self._last(kind, port, bit), bit, f"{kind} {end}.{port}")
            for end, kind, port, bit in self._netlist.ends()
        ]
        late = sum(ns > PERIOD for ns, _, _ in ends)
        ns, bit, end = max(ends)
        return Slowest(late, len(ends), ns, (*reversed([*self._trace(bit)]), end))

    def _last(self, kind: str, port: str, bit: Bit) -> float:
        """The last net and the set-up time of an end."""
        if kind in BLOCK_RAMS:
            return self._net + RAM_SETUP
        is_beside = port == "D" and self._is_logic(bit) and self._netlist.fan_out(bit) == 1
        return FF_SETUP + (0.0 if is_beside else self._net)

    def _is_logic(self, bit: Bit) -> bool:
        return self._netlist.kind(bit) in (*LUTS, *MUXES, CARRY)

    def _start(self, kind: str) -> float:
        if kind in BLOCK_RAMS:
            return RAM_OUT
        return SHIFT_OUT if kind in SHIFT_REGISTERS or kind.startswith("RAM") else FF_OUT

    def _arrival(self, bit: Bit) -> tuple[float, Bit | None]:
        """Time at which a bit is stable, and the bit before it on the slowest way."""
        for each in self._netlist.in_order(bit, self._arrivals):
            kind = self._netlist.kind(each)
            if kind is None:
                self._arrivals[each] = (0.0, None)  # a port, which begins no path
            elif self._netlist.begins(each):
                self._arrivals[each] = (self._start(kind), None)
            else:
                ways = [
                    (self._arrivals[source][0] + ns, source)
                    for source, ns in self._ways(each, kind)
                ]
                self._arrivals[each] = max(ways, default=(0.0, None))
        return self._arrivals[bit]

    def _ways(self, bit: Bit, kind: str) -> Iterator[tuple[Bit, float]]:
        for source, passed in self._netlist.sources(bit):
            beside = self._is_logic(source)
            if kind in LUTS:
                yield source, self._net + LUT
            elif kind in MUXES:
                yield source, MUX + (0.0 if beside else self._net)
            elif kind == CARRY:
                blocks = -(-passed // CARRY_BITS)
                yield source, CARRY8 * blocks + (0.0 if beside else self._net)
            else:
                yield source, 0.0

    def _trace(self, bit: Bit | None) -> Iterator[str]:
        while bit is not None:
            ns, before = self._arrivals[bit]
            fan_out = self._netlist.fan_out(bit)
            yield (
                f"{ns:5.2f} ns  {self._netlist.kind(bit)} {self._netlist.name(bit)}, "
                f"{fan_out} inputs after it"
            )
            bit = before


def main() -> None:
    """Prints the walk over the core of a Zynq UltraScale+."""
    net_ns = float(sys.argv[1]) if sys.argv[1:] else 0.55
    target = resources.ZYNQMP
    netlist = resources.synthesise(target.sources, target.top, target.family)
    print(f"every net {net_ns} ns:\n{Walk(netlist, net_ns).slowest()}")


if __name__ == "__main__":
    main()
