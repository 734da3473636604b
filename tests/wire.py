"""A pseudo-terminal between host and twin: a test passes on, changes or drops what it carries."""

from __future__ import annotations

import contextlib
import os
import pty
import termios
import threading
import tty
from collections.abc import Callable

#: Passes bytes on.
Send = Callable[[bytes], object]
#: Is given what came, and passes on what it will.
Treat = Callable[[Send, bytes], object]


def untouched(send: Send, data: bytes) -> None:
    send(data)


def by_frame(treat: Treat) -> Treat:
    """``treat`` is given whole frames, each with the zero at its end."""
    rest = bytearray()

    def gather(send: Send, data: bytes) -> None:
        rest.extend(data)
        while b"\0" in rest:
            end = rest.index(0) + 1
            frame = bytes(rest[:end])
            del rest[:end]
            treat(send, frame)

    return gather


class Wire:
    """Between host and twin; ``port``: for the host. The twin's side is ``twin``, a port.

    The rate that the host sets is that of both sides, so that a twin at another one hears nothing.
    """

    def __init__(self, twin: str, to_twin: Treat = untouched, to_host: Treat = untouched) -> None:
        self._twin = os.open(twin, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._twin)
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)

        def at_the_hosts_rate(send: Send, data: bytes) -> None:
            settings = termios.tcgetattr(self._twin)
            rate = slice(4, 6)
            settings[rate] = termios.tcgetattr(self._slave)[rate]
            termios.tcsetattr(self._twin, termios.TCSANOW, settings)
            to_twin(send, data)

        ways = (
            (self._master, self._twin, at_the_hosts_rate),
            (self._twin, self._master, to_host),
        )
        for way in ways:
            threading.Thread(target=self._carry, args=way, daemon=True).start()

    def close(self) -> None:
        for descriptor in (self._slave, self._master, self._twin):
            os.close(descriptor)

    def _carry(self, source: int, sink: int, treat: Treat) -> None:
        def send(data: bytes) -> None:
            while data:
                data = data[os.write(sink, data) :]

        with contextlib.suppress(OSError):  # a side that closed
            while data := os.read(source, 256):
                treat(send, data)
