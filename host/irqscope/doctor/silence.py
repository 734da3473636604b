"""What is likely to have failed where nothing of irqscope answers, the likeliest first.

Before the firmware answers there is only a serial port to look at: what comes out of it, and which
adapter it belongs to. Sources of the adapters: linux, drivers/usb/serial, where cp210x.c has
10C4:EA71 and not the name of its chip, and ftdi_sio_ids.h calls 0403:6011 FTDI_4232H;
usb-serial-for-android, UsbId.java, names both. Interfaces of the boards with an FT4232H: a public
udev rule of a ZCU104 (A is JTAG, B the first UART), and public logs of KV260s, whose adapter calls
itself ML Carrier Card. Which board has which: docs/board.md.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass

from irqscope.acquire.ports import Port
from irqscope.errors import LinkError, LinkErrorKind, printable
from irqscope.link.failures import FirmwareError
from irqscope.link.messages import ErrorCode

#: Share of bytes that a text has, at least.
_TEXT = 0.8
#: As much of what somebody else said is shown.
_SHOWN = 40


@dataclass(frozen=True)
class Adapter:
    """A USB adapter. ``usb``: vendor and product; ``product``: what it calls itself, among others;
    ``board``: that has it; ``interface``: of the UART wanted.
    """

    name: str
    usb: tuple[int, int]
    product: str
    board: str
    interface: int

    def is_of(self, port: Port) -> bool:
        """Whether a port belongs to such an adapter."""
        return port.usb == self.usb and self.product in port.description


#: Whatever calls itself by a product of its own stands before those that do not.
ADAPTERS = (
    Adapter("CP2108", (0x10C4, 0xEA71), "", "zcu102", 0),
    Adapter("FT4232H", (0x0403, 0x6011), "ML Carrier Card", "kv260", 1),
    Adapter("FT4232H", (0x0403, 0x6011), "", "zcu104", 1),
)


@dataclass(frozen=True)
class Cause:
    """What may have failed, and what to run, or to look at."""

    what: str
    run: str

    def __str__(self) -> str:
        return f"{self.what}: {self.run}"


def causes(error: LinkError, port: Port | None = None) -> tuple[Cause, ...]:
    """The causes of a hello without an answer, the likeliest first. ``port``: as the system
    describes it, None: it is none of this computer's.
    """
    adapter = None if port is None else next((a for a in ADAPTERS if a.is_of(port)), None)
    board = "BOARD" if adapter is None else adapter.board
    if isinstance(error, FirmwareError):
        return tuple(_of_the_pl(error, board))
    if error.kind is LinkErrorKind.NO_PORT:
        return (Cause("wrong port", "irqscope ports lists those that there are"),)
    if error.kind is LinkErrorKind.SILENT:
        return tuple(_silent(port, adapter, board))
    if error.kind is LinkErrorKind.NONSENSE and _is_text(error.heard):
        said = _shown(error.heard)
        return (
            Cause(f'another program talks there ("{said}")', _START.format(board=board)),
            Cause("wrong port", _PORTS),
        )
    if error.kind in (LinkErrorKind.NONSENSE, LinkErrorKind.DAMAGED):
        return (
            Cause(
                "wrong rate, as an earlier host left it, or by a clock of another board's set-up",
                _START.format(board=board),
            ),
            Cause("wrong port", _PORTS),
        )
    return ()


_PORTS = "irqscope ports --hello asks all of them"
_START = "make program BOARD={board}, until it says `irqscope: running`"


def _silent(port: Port | None, adapter: Adapter | None, board: str) -> Iterator[Cause]:
    """Not one byte: the wire, the program, or the memory that it should stand in."""
    started = Cause("firmware not started", _START.format(board=board))
    memory = Cause(
        "memory: a program that DDR does not hold says nothing",
        f"make program BOARD={board} MEMORY=ocm (a Zynq UltraScale+; it needs no DDR)",
    )
    wanted = None if adapter is None else adapter.interface
    if port is not None and adapter is not None and port.interface not in (None, wanted):
        what = f"wrong port: this is interface {port.interface} of a {adapter.name}"
        yield Cause(f"{what}, the firmware's is {wanted}", _PORTS)
        yield from (started, memory)
        return
    yield started
    yield memory
    yield Cause("wrong port", _PORTS)


def _of_the_pl(error: FirmwareError, board: str) -> Iterator[Cause]:
    """The firmware answers, and what it should talk to does not."""
    if error.code == ErrorCode.NO_GATEWARE:
        yield Cause("PL not programmed", _START.format(board=board))
        yield Cause("PL isolated, without its clock, or in reset", f"make smoke BOARD={board}")
    elif error.code in (ErrorCode.WRONG_GATEWARE, ErrorCode.WRONG_BOARD):
        yield Cause("another bitstream", _START.format(board=board))


def _is_text(heard: bytes) -> bool:
    shown = sum(chr(byte) in string.printable for byte in heard)
    return bool(heard) and shown >= _TEXT * len(heard)


def _shown(heard: bytes) -> str:
    """The first line of it, without characters that act."""
    lines = heard.decode("ascii", "replace").split()
    return printable(" ".join(lines))[:_SHOWN]


def told(found: tuple[Cause, ...]) -> str:
    """The causes in one line."""
    return "; ".join(f"({n}) {cause}" for n, cause in enumerate(found, 1))
