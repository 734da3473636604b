"""The steps in their order, as far as machines share them."""

from __future__ import annotations

from collections.abc import Callable

from irqscope.doctor import board, interrupts, latency, markers, pattern, uart
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes, Step
from irqscope.machines.interrupts import name_of
from irqscope.machines.model import Machine


def walk(
    machine: Machine, pl: Callable[[DeviceUnderTest, Notes], None], counter: str
) -> tuple[Step, ...]:
    """Returns the steps of a machine with its own view of the hardware.

    ``pl``: reads the processor system's view of the PL; ``counter``: the clock that its clock is
    compared with.
    """
    of = machine.interrupts
    assert of.private is not None  # each machine with a board has one
    shared, private = (name_of(machine, number) for number in (of.shared.ids[0], of.private.id))
    word = of.shared.word
    answering = (board.IDENTITY, interrupts.FINISH, markers.marker_fact(0))
    answered = (*answering, interrupts.at_rest(shared))
    finish = (board.IDENTITY, interrupts.at_rest(name_of(machine, of.finished)))
    identity, gateware = (board.IDENTITY,), (board.GATEWARE,)
    first_core = markers.core_fact(0)
    prerequisites = (markers.LOOPBACK, interrupts.EDGE, uart.RATES)
    return (
        Step("hello", "ask the firmware who it is", (), board.hello),
        Step("pl", "read what the processor system says of the PL", (board.ANSWERS,), pl),
        Step("port", "walk ones and zeros through the register port", gateware, board.port),
        Step("identity", "compare gateware, firmware and host", (board.PORT,), board.identity),
        Step("clock", f"count PL ticks against the {counter}", identity, board.clock),
        Step("loop-back", "have line 0 be its own marker", identity, markers.loopback),
        Step("pattern", "measure what is known", (markers.LOOPBACK,), pattern.known_answers),
        Step("cores", "start every core", identity, markers.cores),
        Step("markers", "send every marker from every core", (first_core,), markers.markers),
        Step("inputs", "look at the interrupt inputs at rest", identity, interrupts.inputs),
        Step("finish", "see the interrupt that ends a batch", finish, interrupts.finish),
        Step(f"{word}-edge", f"answer {shared} by edge", answered, interrupts.shared_edge),
        Step(f"{word}-level", f"answer {shared} by level", answered, interrupts.shared_level),
        Step("routes", f"drive every {word.upper()} by every line", identity, interrupts.routes),
        Step(
            of.private.word,
            f"see and answer {private} on every core",
            (first_core, interrupts.FINISH),
            interrupts.private,
        ),
        Step("uart", "echo blocks at every baud rate", (board.ANSWERS,), uart.uart),
        Step("t2", "measure T2", prerequisites, latency.t2),
    )
