"""The recorder's counters agree, first records have no gap, and stamps are correct."""

from __future__ import annotations

from functools import reduce
from operator import or_
from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import data

from .contract import TICKS, add_dut, configure, past, skipping_timebase, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

DEPTH_LOG2 = 2


class Counted(Elaboratable):
    """Proves stamped = removed + waiting + lost.

    Nothing is delivered once something was lost, and nothing stamped once the limit is reached.

    Each counter grows by one at the end of a tick, or not; in every tick as much is added to the
    one side as to the other. The sums are shown modulo 2^8, as for the channel.
    """

    LOW = 8
    PIPELINE = 6  # ticks from an event to its record's place in the queue

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.event_recorder.EventRecorder(
            lines=1, cores=1, channels=1, depth_log2=DEPTH_LOG2
        )
        inner = registers(add_dut(m, dut))
        regs, events = dut.registers, dut.events
        m.d.comb += [
            Value.cast(events.rises).eq(AnySeq(1)),
            Value.cast(events.falls).eq(AnySeq(1)),
            Value.cast(events.markers).eq(AnySeq(1)),
            Value.cast(events.codes).eq(AnySeq(3)),
            dut.served.eq(AnySeq(1)),
            dut.timed_out.eq(AnySeq(1)),
            Value.cast(dut.latencies).eq(AnySeq(32)),
            dut.armed.eq(AnySeq(1)),
            dut.clear.eq(AnySeq(1)),
        ]
        written = regs.remove_value_written | regs.take_value_written
        written_before = past(m, written, "written")
        disarmed = ~dut.armed & ~past(m, dut.armed, "armed_was")
        live = ("remove_value", "remove_value_written", "take_value", "take_value_written")
        held = configure(m, regs, disarmed, live)
        happens = events.rises.any() | events.falls.any() | events.markers.any()
        untouched = ~happens & ~dut.timed_out & ~dut.served & ~dut.clear & (held >= 2)
        quiet = dut.quiet & untouched
        timebase = skipping_timebase(m, self.gateware, quiet, [])
        now = timebase.now
        skipped = past(m, timebase.skip, "skipped")
        m.d.comb += [
            dut.stamp.eq(timebase.stamp),
            Assume(now < TICKS),
            # Control clears first.
            Assume((now >= 5) | ~dut.armed),
            # An access to the register space takes longer than a tick.
            Assume(~(written & written_before)),
            # A timeout is decided in the tick before, which no skip can end: see the comparator.
            Assume(~(skipped & (dut.timed_out | dut.served)).any()),
            # Control clears for as many ticks as a histogram has bins, and arms no sooner.
            Assume(~dut.clear | ~dut.armed),
        ]
        clearing = Signal(4)
        m.d.sync += clearing.eq(Mux(dut.clear, clearing + ~clearing.all(), 0))
        m.d.comb += Assume(dut.clear | (clearing == 0) | (clearing > self.PIPELINE))

        # ---- a tick's step -------------------------------------------------------------------
        kept = ~past(m, dut.clear, "kept_clear")
        stamped_was = past(m, regs.stamped_value, "stamped")
        lost_was = past(m, regs.lost_value, "lost")
        removed_was = past(m, regs.head_number_value, "removed")
        waiting_was = past(m, regs.waiting_value[: DEPTH_LOG2 + 1], "waiting")
        stamped, lost, removed = Signal(), Signal(), Signal()
        waiting = regs.waiting_value[: DEPTH_LOG2 + 1]
        m.d.comb += [
            stamped.eq(regs.stamped_value != stamped_was),
            lost.eq(regs.lost_value != lost_was),
            removed.eq(regs.head_number_value != removed_was),
            Assert(~kept | (regs.stamped_value == (stamped_was + stamped)[:64])),
            Assert(~kept | (regs.lost_value == (lost_was + lost)[:64])),
            Assert(~kept | (regs.head_number_value == (removed_was + removed)[:32])),
            Assert(~kept | (stamped + waiting_was == lost + removed + waiting)),
            Assert(
                ~kept
                | (
                    regs.stamped_value[: self.LOW]
                    == (
                        regs.head_number_value[: self.LOW]
                        + regs.waiting_value[: self.LOW]
                        + regs.lost_value[: self.LOW]
                    )[: self.LOW]
                )
            ),
            Assert(
                kept
                | (
                    (regs.stamped_value == 0)
                    & (regs.lost_value == 0)
                    & (regs.head_number_value == 0)
                    & (regs.waiting_value == 0)
                    & ~dut.overflow
                )
            ),
            # ---- the limit --------------------------------------------------------------------
            Assert((held < 1) | (inner["last"] == (regs.limit_value - 1)[:32])),
            Assert(
                (held < 2)
                | (
                    inner["limited"]
                    == ((regs.limit_value != 0) & (regs.stamped_value >= regs.limit_value))
                )
            ),
            # ---- an unbroken beginning -------------------------------------------------------
            Assert(~lost | ~kept | dut.overflow),
            Assert(~kept | ~past(m, dut.overflow, "overflow") | (stamped == lost)),
            Assert(~kept | ~past(m, dut.overflow, "sticky") | dut.overflow),
            Assert((regs.lost_value == 0) | dut.overflow | ~kept),
            Assert(inner["fifo.level"] <= (1 << DEPTH_LOG2)),
            Assert(~inner["remove"] | (waiting != 0) | ~kept),
            Cover(dut.overflow & (regs.head_number_value == 1)),
        ]

        # ---- the head's short form -----------------------------------------------------------
        # What a removal by `take` removes is what the reply showed two ticks before the write.
        has_short = ~regs.take_value_shown.all()
        showed = past(m, past(m, has_short, "showing"), "showed")
        took = past(m, regs.take_value_written, "took") & ~past(
            m, regs.remove_value_written, "told_to_remove"
        )
        moved = past(m, inner["remove"], "moved")
        unsure = (now < 5) | dut.clear
        head = data.View(self.gateware.event_recorder.Record(), inner["fifo.head"])
        happened = Cat(head.rises, head.falls, head.markers)
        lone = happened.any() & ((happened & (happened - 1)) == 0)
        numbers = [*(Const(32 + n, 6) for n in range(16))]
        numbers += [Cat(head.codes[3 * n : 3 * n + 3], Const(n, 3)) for n in range(4)]
        what = Signal(6)
        m.d.comb += what.eq(
            reduce(or_, (n & e.replicate(6) for n, e in zip(numbers, happened, strict=True)))
        )
        m.d.comb += [
            Assert(~(inner["remove"] & took) | past(m, showed, "shown_then") | (now < 3)),
            Assert(~has_short | ~moved),
            Assert(~inner["settled"] | ~moved),
            # Each of the two registers follows what is in front of it, and rests where it rests.
            Assert(unsure | inner["moving"][1] | (inner["settled"] == (waiting != 0))),
            Assert(
                unsure
                | inner["moving"][1]
                | (inner["since"] == (head.stamp - inner["removed_at"])[:64])
            ),
            Assert(unsure | inner["moving"][1] | (inner["what"] == what)),
            Assert(unsure | inner["moving"][1] | (inner["lone"] == lone)),
            Assert(
                unsure
                | inner["moving"].any()
                | (
                    inner["short"]
                    == Mux(
                        (waiting != 0) & lone & (inner["since"][26:] == 0),
                        Cat(inner["since"][:26], what),
                        0xFFFFFFFF,
                    )
                )
            ),
        ]

        # ---- the stamp of gathered events ----------------------------------------------------
        decided = inner["decided"]
        m.d.comb += Assert(
            ~(Value.cast(decided).any() | dut.timed_out)
            | (now < 8)
            | (inner["stamp_before"] == (now - 4)[:64])
        )

        # ---- a skip has nothing to forget; `stamp` is time itself --------------------------------
        # These are looked at only in the tick after something happened.
        moving = ("stamp_before", "record", "selected", "sampled", "expired", "armed_before")
        kept_registers = {path: r for path, r in inner.items() if path not in moving}
        # What the RAM's read port holds at first is not known, and no record.
        following = {path: kept_registers.pop(path) for path in ("since", "what", "lone")}
        still(m, quiet & (now >= 5), following)
        still(m, quiet, kept_registers)
        return m


MUTATIONS = [
    Mutation(
        "removes_from_empty_queue", "event_recorder", "                & (fifo.level != 0)\n", ""
    ),
    Mutation(
        "stamp_one_early",
        "event_recorder",
        "stamp_before.eq(self.stamp)",
        "stamp_before.eq(self.stamp + 1)",
    ),
    Mutation("one_above_the_limit", "event_recorder", "Mux(take, stamped >= last, ", "("),
]
# These need a record or a full queue to show, which takes the solver minutes.
DEEP = [
    Mutation("quiet_too_early", "event_recorder", "                | wanted\n", ""),
    Mutation(
        "reopens_after_overflow",
        "event_recorder",
        "fifo.push.eq(take & ~self.overflow)",
        "fifo.push.eq(take)",
    ),
    Mutation(
        "forgets_to_count_lost",
        "event_recorder",
        "regs.lost_value.eq(regs.lost_value + 1)",
        "regs.lost_value.eq(regs.lost_value)",
    ),
]


def test_book_is_proved(tmp_path: Path) -> None:
    prove(Counted, 5, tmp_path)


@pytest.mark.soak
def test_book_is_reached(tmp_path: Path) -> None:
    reach(Counted, 24, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_book_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Counted, mutation, 12, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("mutation", DEEP, ids=lambda mutation: mutation.name)
def test_book_is_refuted_deep(mutation: Mutation, tmp_path: Path) -> None:
    refute(Counted, mutation, 18, tmp_path)
