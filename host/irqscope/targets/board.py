"""A board at a port."""

from __future__ import annotations

from pathlib import Path

from irqscope.link.link import Link
from irqscope.link.transport import SerialTransport
from irqscope.targets.base import Target
from irqscope.targets.recording import recorded


class BoardTarget(Target):
    """``port``: a device such as /dev/ttyUSB0, socket://HOST:PORT or rfc2217://HOST:PORT."""

    def __init__(self, port: str, record: Path | None = None) -> None:
        self.link = Link(recorded(SerialTransport(port), record))
