"""Recorded bytes in place of a board. The same requests get the same answers."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import LinkError, LinkErrorKind, TargetError, one_line
from irqscope.files import read_bytes
from irqscope.link.frames import Frame, FrameDecoder
from irqscope.link.link import Link
from irqscope.link.messages import BAUD_AT_RESET
from irqscope.link.timeouts import Timeouts
from irqscope.targets.base import Target
from irqscope.targets.recording import HEADER


class ReplayTarget(Target):
    """``path``: a file written by :mod:`.recording`.

    Raises TargetError if it is not a recording.
    """

    def __init__(self, path: Path) -> None:
        self.deviation, pieces = _load(path)
        transport = ReplayTransport(path, pieces)
        name = one_line(path.name)
        self.link = Link(transport, Timeouts(attempts=1), session=_session(pieces), replay=name)


class ReplayTransport:
    """Compares what is written with the recording; reads give what was answered then."""

    def __init__(self, path: Path, pieces: list[tuple[str, bytes]]) -> None:
        self._path = path
        self.baud = BAUD_AT_RESET
        self.sets_baud = True
        self._pieces = pieces
        self._at = 0
        self._expected = b""

    def set_baud(self, baud: int) -> None:
        """Remembers the rate; recorded bytes have none."""
        self.baud = baud

    def write(self, data: bytes) -> None:
        """Expects the bytes that were recorded. Raises LinkError (PROTOCOL) if they are others."""
        recorded = self._next(">")
        if recorded != data:
            raise LinkError(
                LinkErrorKind.PROTOCOL,
                f"{self._path} answers other requests than these; "
                "replay it with the experiment, count and seed that it was recorded with",
            )

    def read(self, timeout_s: float) -> bytes:
        """The recorded bytes up to the next request, one piece a call."""
        if self._at < len(self._pieces) and self._pieces[self._at][0] == "<":
            return self._next("<")
        if self._at == len(self._pieces):
            raise LinkError(
                LinkErrorKind.LOST, f"{self._path} ends here; the recording was cut short"
            )
        return b""

    def close(self) -> None:
        """Does nothing: no port is open."""

    def _next(self, direction: str) -> bytes:
        if self._at < len(self._pieces) and self._pieces[self._at][0] == direction:
            self._at += 1
            return self._pieces[self._at - 1][1]
        return b""


def _session(pieces: list[tuple[str, bytes]]) -> int | None:
    """Session of the first request. Earlier bytes do not answer a request of this session."""
    first_request = next((data for way, data in pieces if way == ">"), b"")
    frames = FrameDecoder().receive(first_request)
    return next((frame.session for frame in frames if isinstance(frame, Frame)), None)


def _load(path: Path) -> tuple[str, list[tuple[str, bytes]]]:
    """Returns the deviation of the recorded target, and the recorded pieces."""
    try:
        header, *lines = read_bytes(path).decode("ascii").splitlines()
        if header != HEADER:
            raise ValueError
        deviation = lines.pop(0)[2:] if lines and lines[0].startswith("= ") else ""
        return one_line(deviation), [(line[0], bytes.fromhex(line[2:])) for line in lines]
    except OSError as error:
        raise TargetError(f"cannot read {path} ({error.strerror}); name a recorded link") from error
    except ValueError as error:
        raise TargetError(f"{path} is not a recorded link ({HEADER}); name one") from error
