"""Serial ports, and who answers on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from serial.tools import list_ports

from irqscope.errors import IrqscopeError
from irqscope.identity import Identity
from irqscope.session import Session
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


def hello(target: str) -> Identity:
    """Who answers there. Raises LinkError, TargetError."""
    with open_target(target) as opened:
        return Session(opened.link, opened.deviation).identity


def ask(target: str) -> Answer:
    """Says hello."""
    try:
        return Answer(hello(target).label, ours=True)
    except IrqscopeError as error:
        return Answer(str(error), ours=False)
