"""Serial ports, and who answers on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from serial.tools import list_ports

from irqscope.acquire.session import Session
from irqscope.errors import IrqscopeError
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope.targets import open_target


@dataclass(frozen=True)
class Port:
    """A serial port. ``description``, ``serial_number``: of its USB adapter, empty if unknown."""

    port: str
    description: str
    serial_number: str


@dataclass(frozen=True)
class Answer:
    """``text``: who says hello, or why nobody does. ``ours``: a firmware of irqscope does."""

    text: str
    ours: bool


def ports() -> Iterator[Port]:
    """All serial ports, in the order of their names."""
    for port in sorted(list_ports.comports()):
        about = (port.description, port.serial_number)
        yield Port(port.device, *("" if text in (None, "n/a") else text for text in about))


@dataclass(frozen=True)
class Met:
    """Who said hello. ``stack``: that runs there now; a twin is started with any."""

    identity: Identity
    stack: Stack


def hello(target: str) -> Met:
    """Asks who answers at a target. Raises LinkError, TargetError."""
    with open_target(target) as opened:
        session = Session(opened.link, opened.deviation)
        return Met(session.identity, session.stack)


def ask(target: str) -> Answer:
    """Whether an irqscope answers at a target, and what it says of itself."""
    try:
        return Answer(hello(target).identity.label, ours=True)
    except IrqscopeError as error:
        return Answer(str(error), ours=False)
