"""Assumptions of the components' proofs about the Timebase, stated once.

A harness holds the Timebase itself and lets the solver choose every skip that the contract allows.
"""

from __future__ import annotations

from collections.abc import Iterable

from amaranth.asserts import AnySeq
from amaranth.hdl import (
    Array,
    Assert,
    Assume,
    Cat,
    Const,
    Fragment,
    MemoryInstance,
    Module,
    Mux,
    Signal,
    Value,
    ValueLike,
)
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from .prover import Gateware

Target = tuple[Value, Value]  #: valid, tick

#: Ticks stay below, so that no sum wraps: 1169 years after reset at 250 MHz.
TICKS = 1 << 63


def legal(now: Value, skip_to: Value, quiet: Value, targets: Iterable[Target], lead: int) -> Value:
    """Whether the contract allows a skip to ``skip_to`` in tick ``now``.

    The component has to be quiet, and no valid target may lie in [now, skip_to + lead - 1].
    """
    free = quiet & (skip_to > now) & (skip_to < TICKS)
    for valid, target in targets:
        free &= ~valid | (target < now) | (target >= skip_to + lead)
    return free


def skipping_timebase(
    m: Module, gateware: Gateware, quiet: ValueLike, targets: Iterable[Target]
) -> wiring.Component:
    """Adds a Timebase that skips whenever the solver likes and the contract allows."""
    m.submodules.timebase = timebase = gateware.timebase.Timebase()
    lead = gateware.constants.COMPARE_DELAY
    allowed = legal(timebase.now, timebase.skip_to, Value.cast(quiet), targets, lead)
    m.d.comb += [
        timebase.skip.eq(AnySeq(1)),
        timebase.skip_to.eq(AnySeq(64)),
        Assume(~timebase.skip | allowed),
        Assume(timebase.now < TICKS),
        # Proved in test_timebase; said again, because an induction step starts anywhere.
        Assert(timebase.ahead == timebase.now + lead),
        Assert(timebase.stamp == (timebase.now - gateware.constants.DECISION_DELAY)[:64]),
    ]
    return timebase


def imminent(timebase: wiring.Component, targets: Iterable[Target], lead: int) -> Value:
    """A valid target lies in [now, now + lead]: too near for any skip."""
    near = Value.cast(0)
    for valid, target in targets:
        near |= valid & (target >= timebase.now) & (target <= timebase.now + lead)
    return near


def add_dut(m: Module, component: wiring.Component) -> Fragment:
    """Adds the component under proof; its fragment gives access to its inner registers."""
    fragment = Fragment.get(component, platform=None)
    m.submodules.dut = fragment
    return fragment


def memories(fragment: Fragment) -> list[MemoryInstance]:
    """The memories of an elaborated component and of its parts, in order."""
    return (
        [fragment]
        if isinstance(fragment, MemoryInstance)
        else [memory for inner, _, _ in fragment.subfragments for memory in memories(inner)]
    )


def peek(fragment: Fragment, address: ValueLike) -> Value:
    """Contents of a component's memories at ``address`` in this tick, in order."""
    place = Value.cast(address)
    words = []
    for memory in memories(fragment):
        bits = len(memory._read_ports[0]._addr)
        words.append(Signal(len(memory._read_ports[0]._data)))
        memory.read_port(
            domain="comb", addr=place[:bits], data=words[-1], en=Const(1), transparent_for=()
        )
    return Array(words)[place[bits:]]


def past(m: Module, value: ValueLike, name: str, init: int = 0) -> Signal:
    """The value in the tick before; ``init`` in the first tick."""
    value = Value.cast(value)
    held = Signal(value.shape(), name=f"past_{name}", init=init)
    m.d.sync += held.eq(value)
    return held


def still(m: Module, condition: Value, signals: dict[str, Signal]) -> None:
    """Asserts that after a tick in which ``condition`` holds none of the signals has changed."""
    was = past(m, condition, "still")
    for path, signal in signals.items():
        value = Value.cast(signal)
        m.d.comb += Assert(~was | (value == past(m, value, path)))


def command(m: Module, dut: wiring.Component) -> Signal:
    """Drives what a component hears of Control and of one core: anything in every tick.

    Returns the commands: go, stop, clear.
    """
    commands = Signal(3)
    m.d.comb += [
        commands.eq(AnySeq(3)),
        Cat(dut.go, dut.stop, dut.clear).eq(commands),
        dut.markers.eq(AnySeq(1)),
        Value.cast(dut.codes).eq(AnySeq(3)),
    ]
    return commands


def configure(
    m: Module, interface: wiring.PureInterface, may_change: Value, live: tuple[str, ...] = ()
) -> Signal:
    """Drives the configuration in a group of registers: anything, changing when it may.

    Members in ``live`` may change in every tick. Returns the ticks since the last change of the
    others, at most 7. Status members are left alone.
    """
    held = Signal(3)
    change = Signal()
    m.d.comb += change.eq(AnySeq(1) & may_change)
    m.d.sync += held.eq(Mux(change, 0, held + ~held.all()))
    for name, member in interface.signature.members.items():
        if member.flow == In:
            port = Value.cast(getattr(interface, name))
            if name in live:
                m.d.comb += port.eq(AnySeq(len(port)))
                continue
            value = Signal(len(port), name=f"config_{name}")
            m.d.sync += value.eq(Mux(change, AnySeq(len(port)), value))
            m.d.comb += port.eq(value)
    return held
