"""One interrupt line: pulses at programmed ticks."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from .comparator import Comparator
from .constants import CODE_BITS, COMPARE_DELAY, EVENT_DELAY, OUTPUT_DELAY, SHORTEST_PHASE
from .registers import encoded, group_signature

LFSR_TAPS = 0x80200003  # x^32 + x^22 + x^2 + x + 1, maximal length (XAPP052), Galois form
DITHER_BITS_MAX = 24


class Phase(enum.Enum, shape=3):
    """State of the line."""

    DONE = 0
    DELAY = 1  # low until the first rise
    LOW = 2
    HIGH = 3
    MINIMUM = 4  # mode acknowledged, high for the shortest phase whatever comes
    HELD = 5  # mode acknowledged, high until the marker or the expiry
    SHORT = 6  # high for less than the shortest phase: counted down, too short for a target


#: Ticks from an edge to the load of the next target, a register each: the base; the dither, which
#: is drawn; the phase's own ticks; these with the dither; the sum of base and all.
TARGET_DELAY = 5
#: An acknowledgement is known to a line this many ticks after its stamp.
ACKNOWLEDGE_DELAY = OUTPUT_DELAY + EVENT_DELAY + 1
# A line is deaf until its target is loaded: so the first marker that it hears was stamped after
# the rise.
assert TARGET_DELAY == ACKNOWLEDGE_DELAY
# The target that ends the shortest phase is loaded in time for the comparator.
assert TARGET_DELAY + COMPARE_DELAY + 1 <= SHORTEST_PHASE


class Line(wiring.Component):
    """Holds the tick of its next edge, and no other state that changes between edges.

    The edge itself is a comparison. After an edge in tick T a pipeline computes the next target,
    and the comparator knows it from T + TARGET_DELAY + 1 (T + 6) on: so phases of 10 ticks or more
    work. A shorter pulse, from one tick on, has no target: a counter ends it. Registers are
    between what the line does and the comparator: ``drop`` has it cleared in the tick of the edge,
    ``stage`` has it loaded.

    ``start_delay`` is the first low phase; each later one is ``low`` plus dither, also the one
    after the last pulse, at whose end the line is done. Dither is the low ``dither_bits`` bits of
    a 32-bit Galois LFSR (taps 0x80200003, shifting right) that holds the seed while the line is
    done, 2 ticks after the configuration, and is stepped once for each low phase, after its use.

    Mode acknowledged: the pulse lasts SHORTEST_PHASE ticks at least; an acknowledging marker ends
    it then or, later, EVENT_DELAY + 2 ticks after its stamp (OUTPUT_DELAY more at the pins);
    ``high`` ends it at the latest and is counted as expired. A marker in the very tick of the
    expiry acknowledges. A marker stamped in the tick of the rise or before does nothing.

    Members:
        ahead, now: The Timebase's ``line_ahead`` and ``line_now``: ticks here are OUTPUT_DELAY
            ahead of the pins', so that the pins change in the tick of a target.
        registers: The line's registers; configuration may change while the line is done only.
        start_tick: Tick from which ``start_delay`` counts. Sampled in the two ticks after ``go``;
            the first rise has to be at least 10 ticks after ``go``.
        go: High for one tick: begin, if enabled.
        stop: High for one tick: fall in the next tick and be done. Wins over everything.
        clear: While high, the counters are zero, and a pulse under way ends as by ``stop``. Nothing
            else brings the line into a known state: it has no reset.
        markers, codes: Markers as MarkerCapture presents them.
        level: Register: the line.
        rose, fell: Registers: high in the tick in which ``level`` changed.
        refused: Register, 2 ticks after the configuration while done: it cannot be carried out.
        done: Register: no pulse under way.
        target, target_valid: Registers: tick of the next edge or end, if one is known.
        quiet: No arithmetic, edge or acknowledgement is under way.
    """

    def __init__(self, *, cores: int = 4):
        self._cores = cores
        super().__init__(
            {
                "ahead": In(64),
                "now": In(64),
                "registers": In(group_signature("lines[0]")),
                "start_tick": In(64),
                "go": In(1),
                "stop": In(1),
                "clear": In(1),
                "markers": In(cores),
                "codes": In(data.ArrayLayout(CODE_BITS, cores)),
                "level": Out(1),
                "rose": Out(1),
                "fell": Out(1),
                "refused": Out(1),
                "done": Out(1, init=1),
                "target": Out(64),
                "target_valid": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.comparator = comparator = Comparator()
        regs = self.registers
        schedule = Signal()
        ending = Signal()
        drop = Signal()  # in the tick before, the target was used up or not set
        hit = Signal()
        m.d.comb += [ending.eq(self.stop | self.clear), hit.eq(comparator.hit & ~drop)]
        m.d.sync += drop.eq(schedule | ending)

        # ---- configuration, digested while it can change -------------------------------------
        free_running = Signal()
        acknowledged = Signal()
        counted = Signal()
        dither_mask = Signal(DITHER_BITS_MAX)
        remaining = Signal(32)
        unseeded = Signal()
        lfsr = Signal(32, init=1)
        short = Signal()
        shortest_high = Mux(acknowledged, 2 * SHORTEST_PHASE, 1)
        with m.If(self.done):
            m.d.sync += [
                free_running.eq(regs.config_mode == encoded("line_mode", "free_running")),
                acknowledged.eq(regs.config_mode == encoded("line_mode", "acknowledged")),
                counted.eq(regs.config_mode != encoded("line_mode", "single_shot")),
                short.eq(~acknowledged & (regs.high_ticks < SHORTEST_PHASE)),
                dither_mask.eq(Cat(regs.config_dither_bits > i for i in range(DITHER_BITS_MAX))),
                self.refused.eq(
                    (regs.high_ticks < shortest_high)
                    | (regs.low_ticks < SHORTEST_PHASE)
                    | (regs.config_dither_bits > DITHER_BITS_MAX)
                    | (counted & ~free_running & (regs.count_value == 0))
                ),
                unseeded.eq(regs.seed_value == 0),
                lfsr.eq(regs.seed_value | unseeded),
                remaining.eq(Mux(counted, regs.count_value, 1)),
            ]

        # ---- acknowledgement ---------------------------------------------------------------
        acknowledge = Signal()
        m.d.sync += acknowledge.eq(0)
        with m.If(self.markers.any()):
            m.d.sync += acknowledge.eq(
                Cat(
                    self.markers[i]
                    & regs.config_ack_cores[i]
                    & (self.codes[i] == regs.config_ack_code)
                    for i in range(self._cores)
                ).any()
            )

        # ---- the next target, a stage a tick -------------------------------------------------
        phase = Signal(Phase)
        stage = Signal(TARGET_DELAY + 1)
        base = Signal(64)
        dither = Signal(DITHER_BITS_MAX)
        own = Signal(32)
        length = Signal(33)
        after = Signal(64)
        m.d.sync += stage.eq(Cat(schedule, Mux(schedule, 0, stage[:-1])))
        # HELD counts from the rise, as MINIMUM before it did.
        with m.If(stage[0] & (phase != Phase.HELD)):
            m.d.sync += base.eq(self.now)
        with m.If(stage[1]):
            m.d.sync += dither.eq(0)
            with m.If(phase == Phase.DELAY):
                m.d.sync += base.eq(self.start_tick)
            with m.If(phase == Phase.LOW):
                m.d.sync += [
                    dither.eq(lfsr & dither_mask),
                    lfsr.eq((lfsr >> 1) ^ Mux(lfsr[0], LFSR_TAPS, 0)),
                ]
        with m.If(stage[2]), m.Switch(phase):
            with m.Case(Phase.DELAY):
                m.d.sync += own.eq(regs.start_delay_ticks)
            with m.Case(Phase.MINIMUM):
                m.d.sync += own.eq(SHORTEST_PHASE)
            with m.Case(Phase.HIGH, Phase.HELD):
                m.d.sync += own.eq(regs.high_ticks)
            with m.Case(Phase.LOW):
                m.d.sync += own.eq(regs.low_ticks)
        with m.If(stage[3]):
            m.d.sync += length.eq(own + dither)
        with m.If(stage[4]):
            m.d.sync += after.eq(base + length)
        # A load in the tick in which the line changes its mind is dropped in the next one.
        m.d.comb += [
            comparator.ahead.eq(self.ahead),
            comparator.value.eq(after),
            comparator.load.eq(stage[-1]),
            comparator.clear.eq(drop),
            self.target.eq(comparator.target),
            self.target_valid.eq(comparator.valid),
        ]

        # ---- phases ------------------------------------------------------------------------
        rise = Signal()
        fall = Signal()
        early = Signal()  # acknowledged before the shortest phase was over
        more = Signal()
        expired = Signal()
        left = Signal(range(SHORTEST_PHASE))  # ticks of a short pulse after this one
        m.d.sync += more.eq(free_running | (remaining != 0))
        with m.Switch(phase):
            with m.Case(Phase.DONE), m.If(self.go & regs.config_enable):
                m.d.comb += schedule.eq(1)
                m.d.sync += [self.done.eq(0), phase.eq(Phase.DELAY)]
            with m.Case(Phase.DELAY), m.If(hit):
                m.d.comb += rise.eq(1)
            with m.Case(Phase.LOW), m.If(hit):
                with m.If(more):
                    m.d.comb += rise.eq(1)
                with m.Else():
                    m.d.sync += [self.done.eq(1), phase.eq(Phase.DONE)]
            with m.Case(Phase.HIGH), m.If(hit):
                m.d.comb += fall.eq(1)
            with m.Case(Phase.MINIMUM):
                with m.If(acknowledge & comparator.valid):
                    m.d.sync += early.eq(1)
                with m.If(hit):
                    with m.If(early | acknowledge):
                        m.d.comb += fall.eq(1)
                    with m.Else():
                        m.d.comb += schedule.eq(1)
                        m.d.sync += phase.eq(Phase.HELD)
            with m.Case(Phase.HELD), m.If(hit | acknowledge):
                m.d.comb += fall.eq(1)
            with m.Case(Phase.SHORT):
                m.d.comb += fall.eq(left == 0)
                m.d.sync += left.eq(left - 1)

        with m.If(rise):
            m.d.comb += schedule.eq(~short)
            m.d.sync += [
                phase.eq(Mux(acknowledged, Phase.MINIMUM, Mux(short, Phase.SHORT, Phase.HIGH))),
                early.eq(0),
                left.eq(regs.high_ticks - 1),
            ]
        with m.If(fall):
            m.d.comb += schedule.eq(1)
            m.d.sync += phase.eq(Phase.LOW)
        with m.If(ending):
            m.d.sync += [stage.eq(0), self.done.eq(1), phase.eq(Phase.DONE)]

        level_next = Signal()
        m.d.comb += level_next.eq((self.level | rise) & ~fall & ~ending)
        m.d.sync += [
            self.level.eq(level_next),
            self.rose.eq(level_next & ~self.level),
            self.fell.eq(~level_next & self.level),
        ]
        # ---- counts, a tick after the edges ----------------------------------------------------
        m.d.sync += expired.eq((phase == Phase.HELD) & hit & ~acknowledge & ~ending)
        with m.If(self.rose):
            m.d.sync += [
                remaining.eq(remaining - 1),
                regs.fired_value.eq(regs.fired_value + 1),
            ]
        with m.If(expired):
            m.d.sync += regs.expired_value.eq(regs.expired_value + 1)
        with m.If(self.clear):
            m.d.sync += [regs.fired_value.eq(0), regs.expired_value.eq(0)]
        m.d.comb += self.quiet.eq(
            ~(
                (stage.any() | drop | self.rose | self.fell | expired | acknowledge)
                | (phase == Phase.SHORT)
            )
        )
        return m
