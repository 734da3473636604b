"""A program sees its registers and memory as if it had saved them itself.

This holds after any interleaving of interrupts, saves, loads and stores.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, Cat, Cover, Elaboratable, Fragment, Module, Signal

from .prover import Gateware, Mutation, prove, reach, refute, registers

NAME = "fastirq.saving_registers"
#: Saved in the proofs, by their place in the frame, and registers in all: as many as keep the
#: solver quick. All are built alike.
SAVED, COUNT = (1, 5), 8
ALL = range(1, COUNT)


class AsIfSavedBySoftware(Elaboratable):
    """Beside the component a program's view: its registers, and one word of memory, anyone.

    There a frame is written at once, where the banks are swapped. Writes, loads, stores, interrupts
    and returns come as the solver likes. A handler's initial values of the saved registers are the
    component's choice: no software relies on them.
    """

    def __init__(self, gateware: Gateware):
        self.module = getattr(gateware, NAME)
        self.saved = SAVED

    def elaborate(self, platform):
        m = Module()
        dut = self.module.SavingRegisters(self.saved, COUNT)
        frame_bytes, sp = self.module.FRAME_BYTES, self.module.STACK_POINTER
        fragment = Fragment.get(dut, platform=None)
        m.submodules.dut = fragment
        inner = registers(fragment)

        inputs = Cat(
            dut.read_address.as_value(), dut.write, dut.write_address.as_value(),
            dut.write_data.as_value(), dut.taken, dut.returns, dut.settled, dut.saving,
            dut.swapping, dut.trap.as_value(), dut.access_address,
        )  # fmt: skip
        m.d.comb += inputs.eq(AnySeq(len(inputs)))
        m.d.comb += [Assume(address < COUNT) for address in dut.read_address]

        # The program's view.
        seen = {n: Signal(32, name=f"seen_{n}") for n in ALL}
        saved = {n: Signal(32, name=f"saved_{n}") for n in (*self.saved, sp)}
        trap = [Signal(32, name=f"trap_{i}") for i in range(2)]
        enters, leaves = Signal(), Signal()
        entering, leaving, kept = Signal(), Signal(), Signal()
        m.d.comb += [
            Assume(~((entering | leaving) & (dut.taken | dut.returns))),
            Assume(~(dut.taken & dut.returns)),
            enters.eq(entering & ~dut.hold),
            leaves.eq(leaving & ~dut.hold),
        ]
        after = {n: Signal(32, name=f"after_{n}") for n in ALL}
        for n in ALL:
            m.d.comb += after[n].eq(seen[n])
            for port in range(2):
                with m.If(dut.write[port] & (dut.write_address[port] == n)):
                    m.d.comb += after[n].eq(dut.write_data[port])
            m.d.sync += seen[n].eq(after[n])

        def bank(n, number):
            return inner[f"x{n}_{number}"]

        def other(n):
            return Array([bank(n, 1), bank(n, 0)])[inner["bank"]]

        def current(n):
            return Array([bank(n, 0), bank(n, 1)])[inner["bank"]] if n in self.saved else bank(n, 0)

        with m.If(dut.taken & dut.saving):
            m.d.sync += entering.eq(1)
        with m.If(dut.returns):
            m.d.sync += [leaving.eq(dut.swapping & kept), kept.eq(dut.swapping & kept)]
        with m.If(enters):
            m.d.sync += [entering.eq(0), kept.eq(1), saved[sp].eq(after[sp])]
            m.d.sync += [seen[sp].eq(after[sp] - frame_bytes), Cat(trap).eq(dut.trap.as_value())]
            for n in self.saved:
                m.d.sync += [saved[n].eq(after[n]), seen[n].eq(other(n))]
        with m.If(leaves):
            m.d.sync += [leaving.eq(0), kept.eq(0)]
            m.d.sync += [seen[n].eq(value) for n, value in saved.items()]

        # One word of memory, the stored value and the program's view.
        word = Signal(30)
        memory, view = Signal(32), Signal(32)
        stores, stored = Signal(), Signal(32)
        accesses = Signal()
        m.d.comb += [
            word.eq(AnyConst(30)),
            stores.eq(AnySeq(1)),
            stored.eq(AnySeq(32)),
            accesses.eq(AnySeq(1) & (dut.access_address[2:] == word) & ~dut.blocked),
        ]
        saves = dut.save & (dut.save_address[2:] == word)
        written = Signal(32)
        m.d.comb += written.eq(memory)
        m.d.sync += memory.eq(written)
        with m.If(saves):
            m.d.comb += written.eq(dut.save_data)
        with m.If(accesses & stores):
            m.d.comb += written.eq(stored)
            m.d.sync += view.eq(stored)
        with m.If(accesses & ~stores):
            m.d.comb += Assert(memory == view)
        m.d.comb += Assert(~(saves & accesses))
        values = [*(saved[n] for n in self.saved), *trap]
        with m.If(enters):
            frame = [*(after[n] for n in self.saved), dut.trap[0], dut.trap[1]]
            for place, value in enumerate(frame):
                with m.If(word == (after[sp] - frame_bytes + 4 * place)[2:32]):
                    m.d.sync += view.eq(value)
        # Below the stack pointer: nobody's.
        with m.If(leaves & ((word - (saved[sp] - frame_bytes)[2:32])[:30] < len(values))):
            m.d.sync += view.eq(written)
        m.d.comb += Assume(after[sp][:2] == 0)

        for port in range(3):
            want = Array([0, *seen.values()])[dut.read_address[port]]
            m.d.comb += Assert(dut.read_data[port] == want)
        waiting = entering | leaving
        m.d.comb += [
            Assert(~dut.hold | waiting),
            Assert(~waiting | dut.settled | dut.hold),
            Assert(~(waiting & dut.settled & ~dut.save) | ~dut.hold),  # the wait ends
        ]

        # Invariants for the induction step.
        remaining = inner["remaining"]
        valid = Signal()
        with m.If(enters):
            m.d.sync += valid.eq(1)
        with m.If(leaves):
            m.d.sync += valid.eq(0)
        for n in ALL:
            m.d.comb += Assert(current(n) == seen[n])
        for n in self.saved:
            m.d.comb += Assert(~valid | (other(n) == saved[n]))
        place = (word - inner["frame"][2:])[:30]
        to_come = valid & (place < remaining)
        m.d.comb += [
            Assert(inner["entering"] == entering),
            Assert(inner["leaving"] == leaving),
            Assert(inner["kept"] == kept),
            Assert(~(entering & leaving)),
            Assert(~(kept | (remaining != 0) | leaving) | valid),
            Assert(~leaving | kept),
            Assert(~valid | (inner["frame"] == (saved[sp] - frame_bytes)[:32])),
            Assert(~valid | (saved[sp][:2] == 0)),
            Assert(remaining <= len(values)),
            Assert((remaining == 0) | (Cat(inner["mcause"], inner["mepc"]) == Cat(trap))),
            Assert(to_come | (memory == view)),
            Assert(~to_come | (view == Array(values)[place[:5]])),
        ]

        draining = dut.save & (remaining != 0)
        m.d.comb += [
            Cover(enters & ~dut.save & kept & (saved[self.saved[0]] != after[self.saved[0]])),
            Cover(draining & entering & dut.settled),
            Cover(draining & leaves),
            Cover(leaves & accesses & ~stores & (saved[sp] != 0)),
            Cover(draining & accesses & (place < len(values)) & (memory != 0)),
        ]
        return m


MUTATIONS = [
    Mutation("one_not_saved", NAME, "remaining.eq(self.words),", "remaining.eq(self.words - 1),"),
    Mutation("no_stall", NAME, "[:32] < (remaining << 2)", "[:32] < 0"),
    Mutation("stall_ends_early", NAME, "[:32] < (remaining << 2)", "[:32] < (last << 2)"),
    Mutation(
        "overtakes_the_last_save", NAME, "self.settled & (remaining == 0)", "self.settled & 1"
    ),
    Mutation("before_it_has_settled", NAME, "leaving & self.settled", "leaving & 1"),
    Mutation("late_write_of_sp", NAME, "self.write_data[port] - FRAME", "stack - FRAME"),
    Mutation("late_write_to_new_bank", NAME, "used = (bank == number)", "used = (bank != number)"),
    Mutation("swaps_what_is_gone", NAME, "self.swapping & kept", "self.swapping"),
    Mutation("sp_stays_low", NAME, "frame + FRAME_BYTES", "frame"),
    Mutation("first_port_wins", NAME, "for port in range(WRITES):\n                    with",
             "for port in (1, 0):\n                    with"),
]  # fmt: skip

#: Where the solver needs long: the first tick looked at, in which or soon after which a bug shows.
FIRST = {"overtakes_the_last_save": 4, "sp_stays_low": 4}


def test_a_program_sees_what_it_would_have_saved(tmp_path: Path) -> None:
    prove(AsIfSavedBySoftware, 2, tmp_path)


def test_saves_meet_interrupts_returns_and_accesses(tmp_path: Path) -> None:
    reach(AsIfSavedBySoftware, 12, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_bug_is_found(mutation: Mutation, tmp_path: Path) -> None:
    refute(AsIfSavedBySoftware, mutation, 12, tmp_path, first=FIRST.get(mutation.name, 0))
