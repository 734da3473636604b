"""The likely causes where no firmware of irqscope answers, the likeliest first.

Before the firmware answers, only a serial port can be examined: its output, and its adapter.
Sources of the adapters: Linux, drivers/usb/serial (cp210x.c has 10C4:EA71
without the chip's name; ftdi_sio_ids.h has 0403:6010 to 6015); usb-serial-for-android, UsbId.java.
Interfaces of the boards with an FT4232H: a public udev rule of a ZCU104 (A is JTAG, B the first
UART), and public logs of KV260s, whose adapter calls itself ML Carrier Card. ZedBoard: 0xstubs.org,
"Stuck UART on the ZedBoard". Colorlight i5: openFPGALoader, issue 413. Which board has which is in
docs/board.md.
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
    """A USB adapter of a board.

    Attributes:
        name: the chip.
        usb: vendor and product.
        product: a part of the adapter's name, or an empty string for any name.
        board: the board that has it.
        interface: the interface of the UART that the firmware uses, or None if it has one UART.
    """

    name: str
    usb: tuple[int, int]
    product: str
    board: str
    interface: int | None

    def is_of(self, port: Port) -> bool:
        """Whether a port belongs to such an adapter."""
        return port.usb == self.usb and self.product in port.description


#: Those that are known by a name of their own stand before those that are not.
ADAPTERS = (
    Adapter("CP2108", (0x10C4, 0xEA71), "", "zcu102", 0),
    Adapter("FT4232H", (0x0403, 0x6011), "ML Carrier Card", "kv260", 1),
    Adapter("FT4232H", (0x0403, 0x6011), "", "zcu104", 1),
    Adapter("CY7C64225", (0x04B4, 0x0008), "", "zedboard", None),
    Adapter("FT2232H", (0x0403, 0x6010), "", "pynqz2", 1),
    Adapter("FT231X", (0x0403, 0x6015), "ULX3S", "ulx3s", None),
    Adapter("DAPLink", (0x0D28, 0x0204), "", "colorlight-i5", None),
)
#: Boards whose firmware is a part of the bitstream.
_ECP5 = ("ulx3s", "colorlight-i5")
#: Boards whose firmware can stand in on-chip memory.
_ON_CHIP = ("zcu102", "zcu104", "kv260")


@dataclass(frozen=True)
class Cause:
    """A likely cause, and the command or check for it."""

    what: str
    run: str

    def __str__(self) -> str:
        return f"{self.what}: {self.run}"


def causes(error: LinkError, port: Port | None = None) -> tuple[Cause, ...]:
    """The causes of a hello without an answer, the likeliest first.

    ``port``: as the system describes it, or None for a port of another computer.
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
        text = _shown(error.heard)
        return (
            Cause(f'another program talks there ("{text}")', _started(board)),
            Cause("wrong port", _PORTS),
        )
    if error.kind in (LinkErrorKind.NONSENSE, LinkErrorKind.DAMAGED):
        return (
            Cause(
                "wrong rate, as an earlier host left it, or by a clock of another board's set-up",
                _started(board),
            ),
            Cause("wrong port", _PORTS),
            _SWALLOWING,
        )
    return ()


_PORTS = "irqscope ports --hello asks all of them"
_START = "make program BOARD={board}, until it says `irqscope: running`"
_LOAD = "make program BOARD={board} loads the bitstream, which has the firmware in it"
_SWALLOWING = Cause(
    "a USB adapter or terminal server that swallows control characters",
    "another adapter; flow control by XON and XOFF off",
)


def _started(board: str) -> str:
    """Command that starts the firmware of a board."""
    return (_LOAD if board in _ECP5 else _START).format(board=board)


def _silent(port: Port | None, adapter: Adapter | None, board: str) -> Iterator[Cause]:
    """Not one byte: the wire, the program, or the memory that it should stand in."""
    expected = None if adapter is None else adapter.interface
    if (
        port is not None
        and adapter is not None
        and expected is not None
        and port.interface not in (None, expected)
    ):
        cause = f"wrong port: this is interface {port.interface} of a {adapter.name}"
        yield Cause(f"{cause}, the firmware's is {expected}", _PORTS)
        yield from _not_running(board)
        return
    yield from _not_running(board)
    yield Cause("wrong port", _PORTS)


def _not_running(board: str) -> Iterator[Cause]:
    """Why the firmware of a board does not run, the likeliest first."""
    if board in _ECP5:
        yield Cause("bitstream not loaded", _started(board))
        yield Cause(
            "the PLL is not locked: reset lasts until it is, and LED 0 stays dark",
            "is LED 0 lit? If not, power-cycle and load again; report it with build/ecp5/"
            f"{board}/report.txt",
        )
        if board == "ulx3s":
            yield Cause(
                "the ESP32 loaded another bitstream, which its GPIO0 held high should prevent",
                "does LED 0 light and go out after seconds? Erase the ESP32 or hold its GPIO0 high",
            )
        return
    yield Cause("firmware not started", _started(board))
    if board == "zedboard":
        yield Cause(
            "USB autosuspend: the ZedBoard's adapter sleeps and drops what the board sends",
            "write `on` into its power/control below /sys/bus/usb/devices",
        )
    if board in ("zedboard", "pynqz2"):
        yield Cause(
            "the boot jumpers are not at JTAG, and another program was started from them",
            f"jumpers as docs/board.md has them, power-cycle, make program BOARD={board}",
        )
    elif board in (*_ON_CHIP, "BOARD"):
        yield Cause(
            "memory: a program that DDR does not hold says nothing",
            f"make program BOARD={board} MEMORY=ocm (a Zynq UltraScale+; it needs no DDR)",
        )


def _of_the_pl(error: FirmwareError, board: str) -> Iterator[Cause]:
    """Explains a firmware that answers without its gateware."""
    if error.code == ErrorCode.NO_GATEWARE:
        yield Cause("PL not programmed", _started(board))
        if board not in _ECP5:
            yield Cause("PL isolated, without its clock, or in reset", f"make smoke BOARD={board}")
    elif error.code in (ErrorCode.WRONG_GATEWARE, ErrorCode.WRONG_BOARD):
        yield Cause("another bitstream", _started(board))


def _is_text(received: bytes) -> bool:
    printable = sum(chr(byte) in string.printable for byte in received)
    return bool(received) and printable >= _TEXT * len(received)


def _shown(received: bytes) -> str:
    """The first line of it, without characters that act."""
    lines = received.decode("ascii", "replace").split()
    return printable(" ".join(lines))[:_SHOWN]


def told(causes: tuple[Cause, ...]) -> str:
    """The causes in one line."""
    return "; ".join(f"({n}) {cause}" for n, cause in enumerate(causes, 1))
