"""Writes down, tick by tick, what happened."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS
from .events import EventSignature
from .record_fifo import RecordFifo
from .registers import group_signature

MARKS = 1 << CODE_BITS
CORES = 4  # of the record's layout, whatever the number of cores is
LINES = 8  # likewise
SINCE_BITS = 26  # of a short form: ticks since the record before
NO_SHORT_FORM = 0xFFFFFFFF


class Record(data.StructLayout):
    """One tick: latency of the sample channel, events as in ``recorder.head_events``, stamp."""

    def __init__(self):
        super().__init__(
            {
                "latency": 32,
                "rises": LINES,
                "falls": LINES,
                "markers": CORES,
                "codes": CORES * CODE_BITS,
                "stamp": 64,
            }
        )


class EventRecorder(wiring.Component):
    """Queues one record for each tick in which something selected happened.

    A tick is selected if it has a selected edge, marker or timeout and, with a threshold above 0,
    the sample channel served at or above the threshold or timed out in it. All events of a
    selected tick are in its record.

    Every selected tick is ``stamped``, until ``limit``. A record that meets a full queue closes
    the recorder until ``clear``: it and all later ones are ``lost``, so that the first records are
    delivered without a gap, and stamped = removed + waiting + lost.

    Timing, for stamp s: s + 4 gathered, s + 5 looked up, s + 6 selected, s + 7 queued and counted;
    the head's registers hold it at s + 10 if it is the oldest.

    The head's short form, one word, is two registers after the head and what was removed before it.
    It follows them while disarmed only, so that it keeps no tick awake while the instrument waits.

    Members:
        registers: The recorder's registers; configuration may change while not armed only.
        events: See :class:`~.events.EventSignature`.
        stamp: The Timebase's: the stamp of the events of the tick before.
        served, timed_out, latencies: Outcomes of all channels, one tick after their decision.
        armed: Events count that are presented while it is high.
        clear: While high, all state is dropped. Not while armed. Only this brings the recorder into
            a known state, as it has no reset.
        some, high, overflow: Registers, or one gate after them: records wait; at least 3/4 of the
            queue is taken; closed.
        quiet: No record or removal is in progress.
    """

    def __init__(self, *, lines: int = 8, cores: int = 4, channels: int = 8, depth_log2: int = 14):
        self._lines = lines
        self._cores = cores
        self._channels = channels
        self._depth_log2 = depth_log2
        super().__init__(
            {
                "registers": In(group_signature("recorder")),
                "events": In(EventSignature(lines, cores)),
                "stamp": In(64),
                "served": In(channels),
                "timed_out": In(channels),
                "latencies": In(data.ArrayLayout(32, channels)),
                "armed": In(1),
                "clear": In(1),
                "some": Out(1),
                "high": Out(1),
                "overflow": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.fifo = fifo = RecordFifo(width=Record().size, depth_log2=self._depth_log2)
        regs = self.registers
        events = self.events

        # ---- s + 2, s + 3: wait for the channels -------------------------------------------
        tick = data.StructLayout(
            {
                "rises": self._lines,
                "falls": self._lines,
                "markers": self._cores,
                "codes": self._cores * CODE_BITS,
            }
        )
        presented = Signal(tick)
        decided = Signal(tick)
        stamp_before = Signal(64)
        armed_before = Signal(2)
        m.d.sync += armed_before.eq(Cat(self.armed, armed_before[0]))
        m.d.sync += [
            presented.rises.eq(events.rises),
            presented.falls.eq(events.falls),
            presented.markers.eq(events.markers),
            presented.codes.eq(
                Cat(
                    events.codes[i] & events.markers[i].replicate(CODE_BITS)
                    for i in range(self._cores)
                )
            ),
            decided.eq(presented),
            stamp_before.eq(self.stamp),
        ]

        # ---- s + 4: look up ----------------------------------------------------------------
        happened = Signal()
        m.d.comb += happened.eq(
            armed_before[-1]
            & (
                decided.rises.any()
                | decided.falls.any()
                | decided.markers.any()
                | self.timed_out.any()
            )
        )
        looked_up = Signal()
        record = Signal(Record())
        selected = Signal(3 + self._cores)
        sampled = Signal()
        expired = Signal()
        marks = [
            decided.markers[i]
            & regs.select_markers_markers.word_select(i, MARKS).bit_select(
                decided.codes.word_select(i, CODE_BITS), 1
            )
            for i in range(self._cores)
        ]
        channel = regs.sample_channel
        m.d.sync += [
            looked_up.eq(happened),
            selected.eq(
                Cat(
                    (decided.rises & regs.select_rises).any(),
                    (decided.falls & regs.select_falls).any(),
                    (self.timed_out & regs.select_timeouts).any(),
                    *marks,
                )
            ),
            sampled.eq(self.served.bit_select(channel, 1)),
            expired.eq(self.timed_out.bit_select(channel, 1)),
            record.latency.eq(Array(self.latencies)[channel]),
            record.rises.eq(decided.rises),
            record.falls.eq(decided.falls),
            record.markers.eq(decided.markers),
            record.codes.eq(decided.codes),
            record.stamp.eq(stamp_before),
        ]

        # ---- s + 5: select -----------------------------------------------------------------
        wanted = Signal()
        entry = Signal(Record())
        m.d.sync += wanted.eq(0)
        with m.If(looked_up):
            m.d.sync += [
                wanted.eq(
                    selected.any()
                    & (
                        (regs.threshold_ticks == 0)
                        | expired
                        | (sampled & (record.latency >= regs.threshold_ticks))
                    )
                ),
                entry.eq(record),
                entry.latency.eq(Mux(expired, 0xFFFFFFFF, Mux(sampled, record.latency, 0))),
            ]

        # ---- s + 6: queue ------------------------------------------------------------------
        limited = Signal()  # with all that was taken before this tick
        take = Signal()
        last = Signal(32)  # the limit less one: so that the sum is not in the comparison's way
        stamped = regs.stamped_value[:32]
        m.d.sync += [
            last.eq(regs.limit_value - 1),
            limited.eq(
                (regs.limit_value != 0)
                & (
                    regs.stamped_value[32:].any()
                    | Mux(take, stamped >= last, stamped >= regs.limit_value)
                )
            ),
        ]
        m.d.comb += [
            take.eq(wanted & ~limited),
            fifo.data.eq(entry),
            fifo.push.eq(take & ~self.overflow),
            fifo.clear.eq(self.clear),
        ]
        with m.If(take):
            m.d.sync += regs.stamped_value.eq(regs.stamped_value + 1)
            with m.If(self.overflow | fifo.full):
                m.d.sync += [self.overflow.eq(1), regs.lost_value.eq(regs.lost_value + 1)]

        # ---- the other end -----------------------------------------------------------------
        remove = Signal()
        has_short = Signal()
        shown = Signal(2)  # and two ticks before, when the reply to a write was sampled
        m.d.sync += [
            shown.eq(Cat(has_short, shown[0])),
            remove.eq(
                (
                    (regs.remove_value_written & (regs.remove_value == regs.head_number_value))
                    | (
                        regs.take_value_written
                        & (regs.take_value == regs.head_number_value)
                        & shown[-1]
                    )
                )
                & (fifo.level != 0)
            ),
        ]
        m.d.comb += fifo.pop.eq(remove)
        with m.If(remove):
            m.d.sync += regs.head_number_value.eq(regs.head_number_value + 1)
        head = data.View(Record(), fifo.head)

        # ---- the head's short form ---------------------------------------------------------
        removed_at = Signal(64)  # stamp of what was removed last
        calm = Signal()
        moving = Signal(2, init=0b11)  # the head has moved, and the registers do not follow yet
        settled = Signal()
        since = Signal(64)
        what = Signal(6)
        lone = Signal()
        short = Signal(32, init=NO_SHORT_FORM)
        events = Cat(head.rises, head.falls, head.markers)
        whats = [
            *(Const(32 + line, 6) for line in range(2 * LINES)),
            *(
                Cat(head.codes.word_select(core, CODE_BITS), Const(core, 3))
                for core in range(CORES)
            ),
        ]
        m.d.comb += self.quiet.eq(
            fifo.quiet
            & ~(
                presented.as_value().any()
                | decided.as_value().any()
                | looked_up
                | wanted
                | remove
                | regs.remove_value_written
                | regs.take_value_written
                | (~self.armed & moving.any())
                | (shown[0] ^ has_short)
                | (shown[1] ^ shown[0])
            )
        )
        m.d.comb += calm.eq(fifo.quiet & ~remove)
        with m.If(~self.armed):
            m.d.sync += [
                settled.eq(calm & (fifo.level != 0)),
                since.eq(head.stamp - removed_at),
                what.eq(
                    reduce(or_, (w & e.replicate(6) for w, e in zip(whats, events, strict=True)))
                ),
                lone.eq(events.any() & ((events & (events - 1)) == 0)),
                short.eq(NO_SHORT_FORM),
            ]
            with m.If(settled & lone & ~since[SINCE_BITS:].any()):
                m.d.sync += short.eq(Cat(since[:SINCE_BITS], what))
        with m.If(remove):
            m.d.sync += [removed_at.eq(head.stamp), settled.eq(0), short.eq(NO_SHORT_FORM)]
        with m.If(~calm):
            m.d.sync += moving.eq(0b11)
        with m.Elif(~self.armed):
            m.d.sync += moving.eq(moving >> 1)
        m.d.comb += [has_short.eq(~short.all()), regs.take_value_shown.eq(short)]
        m.d.comb += [
            regs.waiting_value.eq(fifo.level),
            regs.overflow_value.eq(self.overflow),
            regs.head_stamp_ticks.eq(head.stamp),
            regs.head_events_rises.eq(head.rises),
            regs.head_events_falls.eq(head.falls),
            regs.head_events_cores.eq(head.markers),
            regs.head_events_codes.eq(head.codes),
            regs.head_latency_ticks.eq(head.latency),
            self.some.eq(fifo.level != 0),
            self.high.eq(fifo.level[-1] | fifo.level[-3:-1].all()),
        ]
        with m.If(self.clear):
            m.d.sync += [
                regs.stamped_value.eq(0),
                regs.lost_value.eq(0),
                regs.head_number_value.eq(0),
                self.overflow.eq(0),
                limited.eq(0),
            ]
        return m
