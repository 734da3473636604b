"""All lines, started together."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS
from .line import Line
from .placement import Placement
from .registers import group_signature


class PatternGenerator(wiring.Component):
    """``lines`` times :class:`~.line.Line` on one start tick; one of them may follow a marker.

    Members are those of a line, with one bit or one array element a line; all timing is a line's.
    ``stamp``, ``armed`` and ``placement`` are of :class:`~.placement.Placement`, which lets the
    placed line go in the place of ``go``.
    ``refused`` has a bit for each enabled line that is refused, and for the placed one.
    ``clear_in`` passes from line to line, a tick each, and leaves as ``clear_out``; the placement
    gets it together with the first line. Meanwhile ``clearing`` is high. ``quiet``: all lines are
    quiet; whether a clear is under way, Control says.
    """

    def __init__(self, *, lines: int = 8, cores: int = 4):
        self._lines = lines
        self._cores = cores
        super().__init__(
            {
                "ahead": In(64),
                "now": In(64),
                "registers": In(group_signature("lines[0]")).array(lines),
                "stamp": In(64),
                "placement": In(group_signature("placement")),
                "armed": In(1),
                "start_tick": In(64),
                "go": In(1),
                "stop": In(1),
                "clear_in": In(1),
                "clear_out": Out(1, init=1),
                "clearing": Out(1),
                "markers": In(cores),
                "codes": In(data.ArrayLayout(CODE_BITS, cores)),
                "levels": Out(lines),
                "rose": Out(lines),
                "fell": Out(lines),
                "refused": Out(lines),
                "done": Out(1),
                "targets": Out(64).array(lines),
                "targets_valid": Out(lines),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lines = [Line(cores=self._cores) for _ in range(self._lines)]
        clears = [Signal(name=f"clear_{i}", init=1) for i in range(self._lines - 1)]
        clears.append(self.clear_out)
        m.submodules.placement = placement = Placement(cores=self._cores)
        placed = Signal(self._lines)
        counted_from = Signal(64)
        m.d.comb += counted_from.eq(Mux(placement.counting, placement.start_tick, self.start_tick))
        for index, line in enumerate(lines):
            m.submodules[f"line_{index}"] = line
            wiring.connect(m, wiring.flipped(self.registers[index]), line.registers)
            for name in ("ahead", "now", "stop", "markers", "codes"):
                m.d.comb += getattr(line, name).eq(getattr(self, name))
            m.d.comb += [
                line.start_tick.eq(counted_from),
                line.go.eq(Mux(placed[index], placement.line_go, self.go)),
            ]
            m.d.sync += clears[index].eq(clears[index - 1] if index else self.clear_in)
            m.d.comb += [line.clear.eq(clears[index]), self.targets[index].eq(line.target)]
        m.d.comb += [
            self.clearing.eq(Cat(clears).any() | placement.clear),
            self.levels.eq(Cat(line.level for line in lines)),
            self.rose.eq(Cat(line.rose for line in lines)),
            self.fell.eq(Cat(line.fell for line in lines)),
            self.refused.eq(
                Cat(
                    (line.refused & line.registers.config_enable)
                    | (placed[i] & (placement.refused | ~line.registers.config_enable))
                    for i, line in enumerate(lines)
                )
            ),
            self.done.eq(Cat(line.done for line in lines).all() & ~placement.waiting),
            self.targets_valid.eq(Cat(line.target_valid for line in lines)),
            self.quiet.eq(Cat(*(line.quiet for line in lines), placement.quiet).all()),
        ]
        self._connect_placement(m, placement, placed, Cat(line.done for line in lines))
        return m

    def _connect_placement(self, m, placement, placed, lines_done):
        """Connects all but its ``start_tick`` and ``line_go``. ``placed``: the mask of its line."""
        wiring.connect(m, wiring.flipped(self.placement), placement.registers)
        for name in ("stamp", "armed", "go", "stop", "markers", "codes"):
            m.d.comb += getattr(placement, name).eq(getattr(self, name))
        clear = Signal(init=1)
        m.d.sync += [
            clear.eq(self.clear_in),
            placed.eq(
                Cat(
                    self.placement.config_enable & (self.placement.config_line == i)
                    for i in range(self._lines)
                )
            ),
        ]
        m.d.comb += [
            placement.clear.eq(clear),
            placement.line_done.eq((placed & lines_done).any()),
        ]
