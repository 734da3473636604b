"""Keeps the bytes of a link in a text file, one line for each piece: ``>`` out, ``<`` in, hex.

Lines with ``=`` at the start hold the facts that the bytes lack: how the target deviates from its
identity.
"""

from __future__ import annotations

from pathlib import Path

from irqscope.files import require_replaceable, storage
from irqscope.link.transport import Transport

HEADER = "irqscope-link/1"


def recorded(transport: Transport, path: Path | None, deviation: str = "") -> Transport:
    """The transport, recording if there is a path."""
    return transport if path is None else RecordingTransport(transport, path, deviation)


class RecordingTransport:
    """Passes everything on and writes it down. Raises StorageError where it cannot."""

    def __init__(self, transport: Transport, path: Path, deviation: str = "") -> None:
        self._transport = transport
        self._path = path
        require_replaceable(path, HEADER.encode())
        with storage(path):
            self._file = path.open("w", encoding="ascii")
            print(HEADER, file=self._file)
            if deviation:
                print("=", deviation, file=self._file)

    @property
    def baud(self) -> int:
        """Present rate, bit/s."""
        return self._transport.baud

    @property
    def sets_baud(self) -> bool:
        """Whether the recorded transport can set its rate."""
        return self._transport.sets_baud

    def set_baud(self, baud: int) -> None:
        """Sets the rate of the recorded transport, bit/s."""
        self._transport.set_baud(baud)

    def write(self, data: bytes) -> None:
        """Writes bytes to the recorded transport and keeps them."""
        self._note(">", data)
        self._transport.write(data)

    def read(self, timeout_s: float) -> bytes:
        """Reads bytes from the recorded transport and keeps them."""
        data = self._transport.read(timeout_s)
        self._note("<", data)
        return data

    def close(self) -> None:
        """Closes the recorded transport and the file."""
        self._transport.close()
        self._file.close()

    def _note(self, direction: str, data: bytes) -> None:
        if data:
            with storage(self._path):
                print(direction, data.hex(), file=self._file, flush=True)
