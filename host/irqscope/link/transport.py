"""Bytes to and from a port: a device, or a URL that leads to a board."""

from __future__ import annotations

import contextlib
import errno
from pathlib import Path
from typing import Protocol

import serial

from irqscope.errors import LinkError, LinkErrorKind, Remedy
from irqscope.link.holders import holders
from irqscope.link.messages import BAUD_AT_RESET

try:
    from termios import error as _TerminalError  # what pyserial lets through; no OSError
except ImportError:  # a system without terminals of this kind
    _TerminalError = OSError  # type: ignore[assignment,misc]

#: A plain bridge, at whose far end the rate of the line is set.
_BRIDGE = "socket"
#: pyserial has further ones: they write files, look for devices, or load classes.
_SCHEMES = (_BRIDGE, "rfc2217")
_WHAT_TO_GIVE = "give a device, socket://HOST:PORT or rfc2217://HOST:PORT"


class Transport(Protocol):
    """Interface of a port for a link: bytes out, bytes in, and the rate."""

    @property
    def baud(self) -> int:
        """Present rate, bit/s."""

    @property
    def sets_baud(self) -> bool:
        """Whether :meth:`set_baud` reaches the line that the firmware sees."""

    def set_baud(self, baud: int) -> None:
        """Changes our side's rate after everything written has left."""

    def write(self, data: bytes) -> None:
        """Writes all of ``data``. Raises LinkError (LOST)."""

    def read(self, timeout_s: float) -> bytes:
        """Returns the received bytes, at least one; nothing after the timeout.

        Raises LinkError (LOST).
        """

    def close(self) -> None:
        """Gives the port back; may be called twice."""


class SerialTransport:
    """A device, ``socket://HOST:PORT`` or ``rfc2217://HOST:PORT``. Raises LinkError (NO_PORT)."""

    def __init__(self, port: str) -> None:
        self._port = port
        self._scheme, url, _ = port.lower().partition("://")
        if url and self._scheme not in _SCHEMES:
            raise LinkError(
                LinkErrorKind.NO_PORT, f"no board can be behind {port}; {_WHAT_TO_GIVE}"
            )
        try:
            self._serial = serial.serial_for_url(port, BAUD_AT_RESET, timeout=0.1, exclusive=True)
        # SerialException is an OSError.
        except (OSError, ValueError, _TerminalError) as error:
            raise LinkError(LinkErrorKind.NO_PORT, _why_not_open(port, error)) from error
        if isinstance(self._serial, serial.Serial):
            # Some USB adapters hold bytes back for 16 ms, which half-duplex feels.
            with contextlib.suppress(OSError, ValueError, AttributeError):
                self._serial.set_low_latency_mode(True)

    @property
    def baud(self) -> int:
        """Present rate, bit/s."""
        return int(self._serial.baudrate)

    @property
    def sets_baud(self) -> bool:
        """False if the rate of the line is set elsewhere, for example with ``socket://``."""
        return self._scheme != _BRIDGE

    def set_baud(self, baud: int) -> None:
        """Changes our side's rate after everything written has left."""
        try:
            self._serial.flush()
            self._serial.baudrate = baud
        except (OSError, ValueError, _TerminalError) as error:
            raise self._lost(error) from error

    def write(self, data: bytes) -> None:
        """Writes all of ``data``."""
        try:
            self._serial.write(data)
            self._serial.flush()
        except (OSError, _TerminalError) as error:
            raise self._lost(error) from error

    def read(self, timeout_s: float) -> bytes:
        """Returns the received bytes, at least one, or nothing after the timeout."""
        try:
            if self._serial.timeout != timeout_s:
                self._serial.timeout = timeout_s
            data: bytes = self._serial.read(1)
            if data and (waiting := self._serial.in_waiting):
                data += self._serial.read(waiting)
        except (
            OSError,
            _TerminalError,
            TypeError,
        ) as error:  # TypeError: pyserial on a port closed meanwhile
            raise self._lost(error) from error
        return data

    def close(self) -> None:
        """Closes the port, so that others can open it."""
        socket = getattr(self._serial, "_socket", None)
        self._serial.close()
        if socket is not None:
            socket.close()  # pyserial leaves it open where the other side has gone

    def _lost(self, error: Exception) -> LinkError:
        return LinkError(
            LinkErrorKind.LOST,
            f"the port {self._port} was lost ({error}); check cable and power, then run again",
        )


def _why_not_open(port: str, error: Exception) -> str:
    if "://" not in port and not Path(port).exists():
        return f"there is no port {port}; {Remedy.LIST_PORTS}"
    cause = str(error)
    if isinstance(error, PermissionError) or "Permission denied" in cause:
        return f"no permission to open {port}; {_group(port)}"
    if "exclusively lock" in cause or getattr(error, "errno", None) == errno.EBUSY:
        holder = " and ".join(holders(port)) or "another program, of another user"
        return f"{port} is in use by {holder}; close that one first"
    return f"cannot open {port} ({cause}); {_WHAT_TO_GIVE}"


def _group(port: str) -> str:
    """Tells a user how to get access to a device that belongs to a group."""
    try:
        group = Path(port).group()
    except (OSError, KeyError, NotImplementedError):
        group = "dialout"
    if group == "root":
        return "give it a group by a udev rule, or run as root"
    return f"`sudo usermod -aG {group} $USER`, then log in again"
