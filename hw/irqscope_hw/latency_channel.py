"""Measures the time from a start to a stop, and keeps the counters."""

from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .comparator import Comparator
from .constants import DECISION_DELAY, SHORTEST_PHASE
from .events import EventSignature
from .histogram import Histogram
from .registers import encoded, group_signature, with_initial


class LatencyChannel(wiring.Component):
    """Tracks at most one open stimulus, the oldest, and counts all other events.

    Events of one stamp act in this order: a stop, on the stimulus that was open before; the
    timeout; a start, which opens. So, exactly and always:

        starts = served + coalesced + timed_out + pending
        stops  = served + unmatched

    Where more than one selected core sends its marker in one tick, each is counted; the first
    one acts.

    Timing, for stamp s: s + 2 ``events``; s + 3 ``stamp`` equals s and the decision falls; from
    s + 4 on ``pending``, ``served``, ``timed_out`` and ``latency`` show it; s + 5 the counters;
    s + 7 the histogram's update, s + 8 underflow and overflow. A timeout has the stamp start +
    timeout and is decided with the other events of that stamp; ``target`` is that stamp plus
    DECISION_DELAY + 1.

    Args:
        initial: Values of registers after reset that differ from the source's, by member name of
            ``registers``; for tests of counters near their wrap.

    Members:
        ahead, stamp: The Timebase's.
        registers: The channel's registers; configuration may change while not armed only.
        events: See :class:`~.events.EventSignature`.
        armed: Events count that are presented while it is high. When it falls an open stimulus
            stays pending and no longer times out.
        clear: While high, counters are zero, the open stimulus is dropped and each tick clears one
            bin of the histogram. Not while armed. Only this brings the channel into a known state,
            as it has no reset.
        refused: Register, 2 ticks after the configuration while not armed: timeout too short, or a
            stimulus is open.
        served, timed_out, latency: Registers: in this tick a stimulus was served (with that latency
            in ticks) or timed out.
        target, target_valid: Registers: when the open stimulus times out.
        read, read_bin, read_data, read_done: The histogram's.
        quiet: No decision, count or update is in progress.
    """

    def __init__(
        self,
        *,
        lines: int = 8,
        cores: int = 4,
        bins_log2: int = 12,
        initial: Mapping[str, int] | None = None,
    ):
        self._lines = lines
        self._cores = cores
        self._bins_log2 = bins_log2
        super().__init__(
            {
                "ahead": In(64),
                "stamp": In(64),
                "registers": In(with_initial(group_signature("channels[0]"), initial or {})),
                "events": In(EventSignature(lines, cores)),
                "armed": In(1),
                "clear": In(1),
                "refused": Out(1),
                "served": Out(1),
                "timed_out": Out(1),
                "latency": Out(32),
                "target": Out(64),
                "target_valid": Out(1),
                "read": In(1),
                "read_bin": In(bins_log2),
                "read_data": Out(32),
                "read_done": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.comparator = comparator = Comparator()
        m.submodules.histogram = histogram = Histogram(bins_log2=self._bins_log2)
        regs = self.registers
        count = range(self._cores + 1)

        # ---- s + 2: which starts and stops are there? --------------------------------------
        def selected(cores, code):
            return Cat(
                self.events.markers[i] & cores[i] & (self.events.codes[i] == code)
                for i in range(self._cores)
            )

        starts = Signal(self._cores)  # one bit a core; of a line's start, the lowest
        stops = Signal(self._cores)
        starting = Signal()  # one of them
        stop = Signal()
        phase = Signal()
        happening = Signal()  # any of it
        listened = Signal()
        listening = self.armed & regs.config_enable
        m.d.sync += listened.eq(listening)
        start_bits = Signal(self._cores)
        stop_bits = Signal(self._cores)
        m.d.comb += [
            start_bits.eq(
                Mux(
                    regs.config_start_kind == encoded("start_kind", "line"),
                    self.events.rises.bit_select(regs.config_start_line, 1),
                    selected(regs.config_start_cores, regs.config_start_code),
                )
            ),
            stop_bits.eq(selected(regs.config_stop_cores, regs.config_stop_code)),
            happening.eq(starting | stop | phase),
        ]
        m.d.sync += [
            starting.eq(listening & start_bits.any()),
            stop.eq(listening & stop_bits.any()),
            starts.eq(start_bits & listening.replicate(self._cores)),
            stops.eq(stop_bits & listening.replicate(self._cores)),
            phase.eq(listening & self.events.rises.bit_select(regs.config_phase_line, 1)),
        ]

        # ---- s + 3: how many are there, and what do they mean? -----------------------------
        def number(bits, less):
            """Number of set bits; with ``less`` one less, if any is set.

            A table, no subtraction.
            """
            counts = [i.bit_count() for i in range(1 << self._cores)]
            return Mux(less, Array(max(n - 1, 0) for n in counts)[bits], Array(counts)[bits])

        open_ = Signal()
        start = Signal(64)
        serve = Signal()
        expire = Signal()
        keep = Signal()
        opening = Signal()
        m.d.comb += [
            serve.eq(open_ & stop),
            expire.eq(open_ & ~stop & comparator.hit & listened),
            keep.eq(open_ & ~serve & ~expire),
            opening.eq(~keep & starting),
        ]
        counting = Signal()
        more_starts = Signal(count)
        more_coalesced = Signal(count)
        more_stops = Signal(count)
        more_unmatched = Signal(count)
        more_phases = Signal()
        m.d.sync += [
            open_.eq(keep | opening),
            self.served.eq(serve),
            self.timed_out.eq(expire),
            counting.eq(happening),
        ]
        with m.If(happening):
            m.d.sync += [
                more_starts.eq(number(starts, 0)),
                more_coalesced.eq(number(starts, opening)),
                more_stops.eq(number(stops, 0)),
                more_unmatched.eq(number(stops, serve)),
                more_phases.eq(phase),
                self.latency.eq(self.stamp[:32] - start[:32]),
            ]
        with m.If(opening):
            m.d.sync += start.eq(self.stamp)
        m.d.comb += regs.pending_value.eq(open_)

        # ---- s + 4: the deadline -----------------------------------------------------------
        allowed = Signal(33)
        deadline = Signal(64)
        summing = Signal()
        loading = Signal()
        forget = Signal()
        m.d.comb += forget.eq(serve | expire | ~listened | self.clear)
        m.d.sync += [
            summing.eq(opening),
            loading.eq(summing & ~forget),
        ]
        with m.If(~self.armed):
            m.d.sync += [
                allowed.eq(regs.timeout_ticks + DECISION_DELAY + 1),
                self.refused.eq((regs.timeout_ticks < SHORTEST_PHASE) | open_),
            ]
        with m.If(summing):
            m.d.sync += deadline.eq(start + allowed)
        m.d.comb += [
            comparator.ahead.eq(self.ahead),
            comparator.value.eq(deadline),
            comparator.load.eq(loading & ~forget),
            comparator.clear.eq(forget),
            self.target.eq(comparator.target),
            self.target_valid.eq(comparator.valid),
        ]

        # ---- s + 4: count ------------------------------------------------------------------
        implausible = Signal()
        m.d.sync += implausible.eq(self.served & (self.latency < regs.plausible_min_ticks))
        stops_next = Signal(64)
        m.d.comb += stops_next.eq(regs.stops_value + more_stops)
        with m.If(counting):
            m.d.sync += [
                regs.starts_value.eq(regs.starts_value + more_starts),
                regs.coalesced_value.eq(regs.coalesced_value + more_coalesced),
                regs.stops_value.eq(stops_next),
                regs.unmatched_value.eq(regs.unmatched_value + more_unmatched),
                regs.served_value.eq(regs.served_value + self.served),
            ]
            with m.If(more_phases):
                m.d.sync += [
                    regs.phases_value.eq(regs.phases_value + 1),
                    regs.stops_at_phase_value.eq(stops_next),
                ]
            with m.If(self.served):
                m.d.sync += regs.sum_ticks_value.eq(regs.sum_ticks_value + self.latency)
                with m.If(self.latency < regs.min_ticks_ticks):
                    m.d.sync += regs.min_ticks_ticks.eq(self.latency)
                with m.If(self.latency > regs.max_ticks_ticks):
                    m.d.sync += regs.max_ticks_ticks.eq(self.latency)
        with m.If(self.timed_out):
            m.d.sync += regs.timed_out_value.eq(regs.timed_out_value + 1)
        with m.If(implausible):
            m.d.sync += regs.implausible_value.eq(regs.implausible_value + 1)

        # ---- s + 4 to s + 7: the histogram's bin -------------------------------------------
        placing = Signal(3)
        offset = Signal(33)
        below = Signal(2)
        shifted = Signal(32)
        above = Signal()
        m.d.sync += [placing.eq(Cat(self.served, placing[:-1])), histogram.update.eq(0)]
        with m.If(self.served):
            m.d.sync += offset.eq(self.latency - regs.hist_origin_ticks)
        with m.If(placing[0]):
            m.d.sync += [
                below[0].eq(offset[-1]),
                shifted.eq(offset[:32] >> regs.config_hist_shift),
            ]
        with m.If(placing[1]):
            m.d.sync += [
                below[1].eq(below[0]),
                above.eq(~below[0] & shifted[self._bins_log2 :].any()),
                histogram.bin.eq(shifted[: self._bins_log2]),
            ]
            m.d.sync += histogram.update.eq(~below[0] & ~shifted[self._bins_log2 :].any())
        with m.If(placing[2]):
            m.d.sync += [
                regs.underflow_value.eq(regs.underflow_value + below[1]),
                regs.overflow_value.eq(regs.overflow_value + above),
            ]

        with m.If(self.clear):
            m.d.sync += open_.eq(0)
            m.d.sync += [
                getattr(regs, name).eq(member.init or 0)
                for name, member in group_signature("channels[0]").members.items()
                if member.flow == In and name != "pending_value"
            ]

        m.d.comb += [
            histogram.clear.eq(self.clear),
            histogram.read.eq(self.read),
            histogram.read_bin.eq(self.read_bin),
            self.read_data.eq(histogram.read_data),
            self.read_done.eq(histogram.read_done),
            self.quiet.eq(
                histogram.quiet
                & ~(
                    happening
                    | counting
                    | self.timed_out
                    | summing
                    | loading
                    | implausible
                    | placing.any()
                )
            ),
        ]
        return m
