"""Serial ports, and who answers on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from serial.tools import list_ports

from irqscope.acquire.session import Session
from irqscope.errors import IrqscopeError, LinkError
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope.targets import open_target
from irqscope.targets.programs import runs_program


@dataclass(frozen=True)
class Port:
    """A serial port. ``description``, ``serial_number``: of its USB adapter, empty if unknown.

    ``usb``: its vendor and product; ``interface``: its number among the adapter's interfaces; None
    if unknown.
    """

    port: str
    description: str
    serial_number: str
    usb: tuple[int, int] | None = None
    interface: int | None = None


@dataclass(frozen=True)
class Answer:
    """``text``: the identity that answers, or the reason for silence.

    ``ours``: a firmware of irqscope does; ``error``: why not, where the link says so.
    """

    text: str
    ours: bool
    error: LinkError | None = None


def ports() -> Iterator[Port]:
    """All serial ports, in the order of their names."""
    for port in sorted(list_ports.comports()):
        about, serial = (
            "" if text in (None, "n/a") else text for text in (port.description, port.serial_number)
        )
        usb = None if port.vid is None else (port.vid, port.pid)
        # As 1-1.4:1.2 names it: configuration 1, interface 2.
        number = (port.location or "").rpartition(":")[2].rpartition(".")[2]
        interface = int(number) if usb is not None and number.isdecimal() else None
        yield Port(port.device, about, serial, usb, interface)


@dataclass(frozen=True)
class Met:
    """Who said hello.

    ``stack``: that runs there now; a twin is started with any. ``of_program``: whether a foreign
    program also runs there and is the one to measure.
    """

    identity: Identity
    stack: Stack
    of_program: bool


def hello(target: str) -> Met:
    """Asks who answers at a target. Raises LinkError, TargetError."""
    of_program = runs_program(target)
    with open_target(target, of_program=of_program) as opened:
        session = Session(opened.link, opened.deviation)
        return Met(session.identity, session.stack, of_program)


def ask(target: str) -> Answer:
    """Asks whether an irqscope answers at a target, and for its identity."""
    try:
        return Answer(hello(target).identity.label, ours=True)
    except IrqscopeError as error:
        return Answer(str(error), False, error if isinstance(error, LinkError) else None)
