"""The prover says no where it has to."""

import pytest
from amaranth.hdl import Assert, Assume, Cover, Module, Signal

from . import prover
from .prover import Mutation

#: Changes nothing: what is refuted here is wrong without it.
NONE = Mutation("none", "events", "class EventSignature", "class EventSignature")


def counter(assertion, assumed=None, goal=None):
    """A count that wraps at 5, with a twin that begins alike."""

    def proof(gateware):
        m = Module()
        count, twin = Signal(3), Signal(3)
        for each in (count, twin):
            with m.If(each == 5):
                m.d.sync += each.eq(0)
            with m.Else():
                m.d.sync += each.eq(each + 1)
        m.d.comb += Assert(assertion(count, twin))
        if assumed is not None:
            m.d.comb += Assume(assumed(count))
        if goal is not None:
            m.d.comb += Cover(goal(count))
        return m

    return proof


BELOW_6 = counter(lambda count, twin: count < 6, goal=lambda count: count == 5)


def test_what_holds_is_proved_and_reached(tmp_path):
    prover.prove(BELOW_6, 2, tmp_path)
    prover.bound(BELOW_6, 9, tmp_path)
    prover.reach(BELOW_6, 6, tmp_path)


def test_what_breaks_later_than_the_depth_is_not_proved(tmp_path):
    below_5 = counter(lambda count, twin: count < 5)
    prover.bound(below_5, 4, tmp_path)
    with pytest.raises(AssertionError, match="yosys-smtbmc -i"):
        prover.prove(below_5, 4, tmp_path)
    with pytest.raises(AssertionError, match="Assert failed in top"):
        prover.bound(below_5, 6, tmp_path)


def test_what_holds_from_reset_but_is_not_inductive_is_not_proved(tmp_path):
    alike = counter(lambda count, twin: (count != 4) | (twin == 4))
    prover.bound(alike, 12, tmp_path)
    with pytest.raises(AssertionError, match="yosys-smtbmc -i"):
        prover.prove(alike, 2, tmp_path)


def test_contradictory_assumptions_prove_nothing(tmp_path):
    nothing = counter(lambda count, twin: count == 0, assumed=lambda count: count != count)
    with pytest.raises(AssertionError, match="Assumptions are unsatisfiable"):
        prover.prove(nothing, 2, tmp_path)


def test_what_is_not_reached_is_told(tmp_path):
    with pytest.raises(AssertionError, match="yosys-smtbmc -c"):
        prover.reach(BELOW_6, 5, tmp_path)
    with pytest.raises(AssertionError, match="yosys-smtbmc -c"):
        prover.reach(counter(lambda *_: 1, goal=lambda count: count == 7), 12, tmp_path)


def test_what_holds_is_not_refuted(tmp_path):
    with pytest.raises(AssertionError, match="not refuted"):
        prover.refute(BELOW_6, NONE, 12, tmp_path)
