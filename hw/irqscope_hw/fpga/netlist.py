"""Size and depth of a netlist that yosys mapped to cells of UltraScale+ or of the 7 series.

yosys's own ``ltp`` does not know the mapped flip-flops and follows carry chains across, so the walk
is done here, over the JSON that ``synth_xilinx; write_json`` writes.

Levels are counted between the output of a flip-flop or memory and the next input of one:

- a LUT is one level, and so is a LUT with the MUXF7 to MUXF9 that follow it: they are wired to it
  directly in one slice;
- a carry chain that is passed over n bits is 1 + ceil(n / 32) levels, with the LUT that drives its
  input S: S is reached through that slice's LUT only;
- buffers and constants do not count.

Ports neither begin nor end a path.

The fan-out of a net is the number of inputs that it drives, other than clocks. Depth does not
show distance: a net with thousands of loads is spread over the whole chip.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

#: Inputs and outputs of the cells that a path goes through, carry chains aside.
LUTS = {f"LUT{n}": (tuple(f"I{i}" for i in range(n)), "O") for n in range(1, 7)}
MUXES = {f"MUXF{n}": (("I0", "I1", "S"), "O") for n in (7, 8, 9)}
WIRES = {"BUFG": (("I",), "O"), "INV": (("I",), "O"), "BUF": (("I",), "O")}
CARRY = "CARRY4"
CARRY_BITS = 4
CHAIN_BITS_PER_LEVEL = 32

#: Cells that end a path and begin the next: clock inputs and outputs by kind.
FLIP_FLOPS = ("FDRE", "FDSE", "FDCE", "FDPE")
SHIFT_REGISTERS = ("SRL16E", "SRLC32E")
#: In halves of a RAMB36: UltraScale+, 7 series.
BLOCK_RAMS = {"RAMB18E2": 1, "RAMB36E2": 2, "RAMB18E1": 1, "RAMB36E1": 2}
LUT_RAMS = ("RAM32M", "RAM64M", "RAM32M16", "RAM64M8", "RAM32X1D", "RAM64X1D")
CLOCKS = ("C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK")

Bit = int


@dataclass(frozen=True)
class LongestPath:
    """The longest path to one input of a flip-flop or memory."""

    levels: int
    clock: str  #: net that clocks its end
    cells: tuple[str, ...]  #: from the first flip-flop or memory to the last, as "kind name"


class NetlistError(ValueError):
    """The netlist holds what this module does not know: a kind of cell, or a loop."""


class Netlist:
    """One flat module of a yosys JSON netlist.

    Raises NetlistError for a cell of an unknown kind and for a loop without a register.
    """

    def __init__(self, module: dict) -> None:
        self._cells: dict[str, dict] = module["cells"]
        self._names = {}
        for name, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                if not net["hide_name"] or bit not in self._names:
                    self._names[bit] = name if len(net["bits"]) == 1 else f"{name}[{index}]"
        self._driver: dict[Bit, tuple[str, str, int]] = {}
        sequential = (*FLIP_FLOPS, *SHIFT_REGISTERS, *BLOCK_RAMS, *LUT_RAMS)
        known = {*LUTS, *MUXES, *WIRES, CARRY, *sequential}
        self._ends: dict[str, None] = {}  # flip-flops and memories, in the netlist's order
        for name, cell in self._cells.items():
            kind = cell["type"]
            if kind in ("$scopeinfo", "IBUF", "OBUF"):
                continue
            if kind not in known:
                raise NetlistError(f"cell {name} is of unknown kind {kind}")
            if kind in sequential:
                self._ends[name] = None
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    for index, bit in enumerate(bits):
                        self._driver[bit] = (name, port, index)

    # ---- size --------------------------------------------------------------------------------

    @cached_property
    def resources(self) -> dict[str, float]:
        """Numbers of LUTs, flip-flops, carry bits and RAMB36, shift registers counted as LUTs.

        Two CARRY4 make a CARRY8; an upper half that is not used is not counted.
        """
        kinds = Counter(cell["type"] for cell in self._cells.values())
        return {
            "LUT": sum(kinds[kind] for kind in (*LUTS, *SHIFT_REGISTERS))
            + sum(4 * kinds[kind] for kind in LUT_RAMS),
            "FF": sum(kinds[kind] for kind in FLIP_FLOPS),
            "carry bits": CARRY_BITS * kinds[CARRY],
            "RAMB36": sum(kinds[kind] * half / 2 for kind, half in BLOCK_RAMS.items()),
        }

    # ---- fan-out -----------------------------------------------------------------------------

    @cached_property
    def _loads(self) -> Counter[Bit]:
        """Number of inputs that each bit reaches, if a cell drives it."""
        loads: Counter[Bit] = Counter()
        for cell in self._cells.values():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "input" and port not in CLOCKS:
                    loads.update(bit for bit in bits if bit in self._driver)
        return loads

    def widest(self, number: int = 5) -> list[tuple[int, str]]:
        """The nets with the largest fan-outs, largest first: loads and name."""
        return [(loads, self._name(bit)) for bit, loads in self._loads.most_common(number)]

    # ---- depth -------------------------------------------------------------------------------

    def _bits(self, cell: str, *ports: str) -> Iterator[Bit]:
        for port in ports:
            for bit in self._cells[cell]["connections"].get(port, ()):
                if isinstance(bit, int):
                    yield bit

    @cached_property
    def _chains(self) -> dict[str, tuple[list[str], int]]:
        """Returns for each carry cell its chain, from the first cell, and its place there."""
        before = {}
        for name, cell in self._cells.items():
            if cell["type"] == CARRY:
                (carry_in,) = cell["connections"]["CI"]
                driver = self._driver.get(carry_in)
                if driver and driver[1:] == ("CO", CARRY_BITS - 1):
                    before[name] = driver[0]
        after = {first: second for second, first in before.items()}
        chains = {}
        for name, cell in self._cells.items():
            if cell["type"] == CARRY and name not in before:
                chain = [name]
                while chain[-1] in after:
                    chain.append(after[chain[-1]])
                chains.update({link: (chain, place) for place, link in enumerate(chain)})
        return chains

    def _kind(self, bit: Bit) -> str | None:
        """Kind of the cell that drives a bit."""
        return self._cells[self._driver[bit][0]]["type"] if bit in self._driver else None

    def _sources(self, bit: Bit) -> Iterator[tuple[Bit, int]]:
        """Bits that this one depends on without a register, with the levels from each to it."""
        if bit not in self._driver:
            return
        name, port, index = self._driver[bit]
        kind = self._cells[name]["type"]
        if kind in LUTS:
            # The LUT's level is counted after the last of its multiplexers.
            yield from ((source, 1) for source in self._bits(name, *LUTS[kind][0]))
        elif kind in MUXES:
            yield from ((source, 1) for source in self._bits(name, "S"))
            for source in self._bits(name, "I0", "I1"):
                yield source, 0 if self._kind(source) in (*LUTS, *MUXES) else 1
        elif kind in WIRES:
            yield from ((source, 0) for source in self._bits(name, "I"))
        elif kind == CARRY:
            yield from self._carry_sources(name, CARRY_BITS * self._chains[name][1] + index)

    def _carry_sources(self, name: str, last: int) -> Iterator[tuple[Bit, int]]:
        for bit, passed, propagates in self._carry_bits(name, last):
            levels = 1 + math.ceil(passed / CHAIN_BITS_PER_LEVEL)
            yield bit, levels - 1 if propagates and self._kind(bit) in LUTS else levels

    def _carry_bits(self, name: str, last: int) -> Iterator[tuple[Bit, int, bool]]:
        """Bits that enter a chain up to bit ``last``, how many bits each passes, whether by S."""
        chain, _ = self._chains[name]
        for place, link in enumerate(chain[: last // CARRY_BITS + 1]):
            wires = self._cells[link]["connections"]
            for index in range(CARRY_BITS):
                position = CARRY_BITS * place + index
                if position > last:
                    return
                passed = last - position + 1
                if isinstance(propagate := wires["S"][index], int):
                    yield propagate, passed, True
                entries = [wires["DI"][index]]
                if position == 0:
                    entries += [*wires["CYINIT"], *wires["CI"]]
                yield from ((bit, passed, False) for bit in entries if isinstance(bit, int))

    @cached_property
    def _depths(self) -> dict[Bit, tuple[int, Bit | None] | None]:
        """Levels from the last register to each bit, and the bit before it on that way.

        None for a bit that no register leads to.
        """
        depths: dict[Bit, tuple[int, Bit | None] | None] = {}
        under_way: set[Bit] = set()
        stack = [(bit, False) for end in self._ends for bit in self._inputs(end)]
        while stack:
            bit, done = stack.pop()
            if done:
                under_way.discard(bit)
                ways = [
                    (before[0] + levels, source)
                    for source, levels in self._sources(bit)
                    if (before := depths[source])
                ]
                begins = self._driver.get(bit, ("",))[0] in self._ends
                depths[bit] = (0, None) if begins else max(ways, default=None)
            elif bit not in depths:
                under_way.add(bit)
                stack.append((bit, True))
                for source, _ in self._sources(bit):
                    if source in under_way:
                        raise NetlistError(
                            f"a loop without a register goes through {self._name(source)}"
                        )
                    if source not in depths:
                        stack.append((source, False))
        return depths

    def _name(self, bit: Bit) -> str:
        return self._names.get(bit, f"net {bit}")

    def _inputs(self, end: str) -> Iterable[Bit]:
        cell = self._cells[end]
        for port, direction in cell["port_directions"].items():
            if direction == "input" and port not in CLOCKS:
                yield from self._bits(end, port)

    # ---- for a walk with delays (delays.py) --------------------------------------------------

    def ends(self) -> Iterator[tuple[str, str, str, Bit]]:
        """Yield each input of a flip-flop or memory: name and kind of the cell, port, bit."""
        for end in self._ends:
            cell = self._cells[end]
            for port, direction in cell["port_directions"].items():
                if direction == "input" and port not in CLOCKS:
                    yield from ((end, cell["type"], port, bit) for bit in self._bits(end, port))

    def begins(self, bit: Bit) -> bool:
        """Return whether a flip-flop or memory drives a bit."""
        return self._driver.get(bit, ("",))[0] in self._ends

    def in_order(self, bit: Bit, known: Container[Bit]) -> Iterator[Bit]:
        """Yield what a bit depends on without a register, each bit after its sources.

        Bits in ``known``, and what only these depend on, are left out.
        """
        seen: set[Bit] = set()
        stack = [(bit, False)]
        while stack:
            each, is_done = stack.pop()
            if is_done:
                yield each
            elif each not in seen and each not in known:
                seen.add(each)
                stack.append((each, True))
                if not self.begins(each):
                    stack.extend((source, False) for source, _ in self._sources(each))

    def sources(self, bit: Bit) -> Iterator[tuple[Bit, int]]:
        """Yield the bits that the cell of a bit takes, with the carry bits that each passes."""
        name, _, index = self._driver.get(bit, ("", "", 0))
        if name and self._cells[name]["type"] == CARRY:
            last = CARRY_BITS * self._chains[name][1] + index
            yield from ((bit, passed) for bit, passed, _ in self._carry_bits(name, last))
        else:
            yield from ((source, 0) for source, _ in self._sources(bit))

    def kind(self, bit: Bit) -> str | None:
        """Return the kind of the cell that drives a bit, or None for a port."""
        return self._kind(bit)

    def name(self, bit: Bit) -> str:
        """Return the name of a bit's net."""
        return self._name(bit)

    def fan_out(self, bit: Bit) -> int:
        """Return the number of inputs that a bit reaches."""
        return self._loads[bit]

    def longest_paths(self) -> dict[str, LongestPath]:
        """The longest path that ends in each clock's domain, by the name of the clock's net."""
        best: dict[str, tuple[int, Bit, str]] = defaultdict(lambda: (-1, 0, ""))
        for end in self._ends:
            clock = self._name(next(self._bits(end, *CLOCKS)))
            for bit in self._inputs(end):
                if depth := self._depths[bit]:
                    best[clock] = max(best[clock], (depth[0], bit, end))
        return {
            clock: LongestPath(levels, clock, tuple(self._trace(bit, end)))
            for clock, (levels, bit, end) in best.items()
        }

    def _trace(self, bit: Bit | None, end: str) -> list[str]:
        names = [f"{self._cells[end]['type']} {end}"]
        while bit is not None:
            cell = self._driver[bit][0]
            names.append(f"{self._cells[cell]['type']} {self._name(bit)}")
            depth = self._depths[bit]
            bit = depth[1] if depth else None
        return names[::-1]
