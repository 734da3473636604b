"""Frames of the link: COBS, a zero byte at the end, CRC-32. See :mod:`.messages`."""

from __future__ import annotations

import enum
import struct
import zlib
from dataclasses import dataclass, replace

from cobs import cobs

from irqscope.link.messages import MAX_PAYLOAD, PROTOCOL_VERSION

_HEAD = struct.Struct("<BBHI")
_CRC = struct.Struct("<I")
_SHORTEST = _HEAD.size + _CRC.size
_LONGEST = _SHORTEST + MAX_PAYLOAD
#: COBS adds one byte for each started 254.
_LONGEST_ENCODED = _LONGEST + _LONGEST // 254 + 1
#: An escaped frame may have an escape before each byte.
_LONGEST_ESCAPED = 2 * _LONGEST_ENCODED
#: On links whose adapter swallows control characters the firmware sends this byte before them, and
#: turns bit 6 of them round (fw/machine/ecp5/uart.c).
ESCAPE = 0x1B
_ESCAPED_BIT = 0x40


@dataclass(frozen=True)
class Frame:
    """One undamaged frame of our protocol version."""

    kind: int
    session: int
    number: int
    payload: bytes

    @property
    def turn(self) -> tuple[int, int]:
        """Session and number of the request that the frame is or answers."""
        return self.session, self.number


class Damage(enum.Enum):
    """Reasons why bytes between two zero bytes are not a frame."""

    COBS = "not COBS"
    SHORT = "too short"
    LONG = "too long"
    CRC = "wrong CRC"
    VERSION = "another protocol version"


@dataclass(frozen=True)
class Rejection:
    """Bytes that were not a frame."""

    damage: Damage
    size: int  #: encoded bytes, without the zero byte
    version: int | None = None  #: with VERSION: the version that the frame bears


def encode(frame: Frame) -> bytes:
    """Bytes on the wire, with the zero byte at the end."""
    if len(frame.payload) > MAX_PAYLOAD:
        raise ValueError(f"payload of {len(frame.payload)} bytes is over {MAX_PAYLOAD}")
    body = _HEAD.pack(PROTOCOL_VERSION, frame.kind, *frame.turn) + frame.payload
    return bytes(cobs.encode(body + _CRC.pack(zlib.crc32(body)))) + b"\0"


def unescape(sent: bytes) -> bytes:
    """Return the bytes of a frame that was sent with escapes; a last ESCAPE alone is dropped."""
    first, *parts = sent.split(bytes([ESCAPE]))
    return first + b"".join(bytes([part[0] ^ _ESCAPED_BIT]) + part[1:] for part in parts if part)


def decode(sent: bytes) -> Frame | Rejection:
    """Return the frame between two zero bytes, sent with escapes or without.

    The link does not need to know which of the two it has: the CRC distinguishes them.
    """
    plain = _decode(sent)
    if isinstance(plain, Frame) or ESCAPE not in sent:
        return plain
    escaped = _decode(unescape(sent))
    if isinstance(escaped, Frame):
        return escaped
    return replace(escaped, size=len(sent)) if escaped.damage is Damage.VERSION else plain


def _decode(encoded: bytes) -> Frame | Rejection:
    if len(encoded) > _LONGEST_ENCODED:
        return Rejection(Damage.LONG, len(encoded))
    try:
        raw: bytes = cobs.decode(encoded)
    except cobs.DecodeError:
        return Rejection(Damage.COBS, len(encoded))
    if len(raw) < _SHORTEST:
        return Rejection(Damage.SHORT, len(encoded))
    body, crc = raw[: -_CRC.size], raw[-_CRC.size :]
    if _CRC.pack(zlib.crc32(body)) != crc:
        return Rejection(Damage.CRC, len(encoded))
    version, kind, session, number = _HEAD.unpack_from(body)
    if version != PROTOCOL_VERSION:
        return Rejection(Damage.VERSION, len(encoded), version)
    return Frame(kind, session, number, body[_HEAD.size :])


class FrameDecoder:
    """A pure function of the bytes received so far; never raises.

    The result does not depend on how the bytes were cut into pieces.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._overlong = 0  # bytes dropped of a frame that can no longer be one

    def receive(self, data: bytes) -> list[Frame | Rejection]:
        """Frames and rejections that ``data`` completes, in order. Empty frames are padding."""
        results: list[Frame | Rejection] = []
        *complete, rest = data.split(b"\0")
        for piece in complete:
            self._append(piece)
            if self._overlong:
                results.append(Rejection(Damage.LONG, self._overlong + len(self._pending)))
            elif self._pending:
                results.append(decode(bytes(self._pending)))
            self._pending.clear()
            self._overlong = 0
        self._append(rest)
        return results

    def _append(self, piece: bytes) -> None:
        self._pending += piece
        if len(self._pending) > _LONGEST_ESCAPED:
            # A sender that never ends a frame must not fill the memory.
            self._overlong += len(self._pending)
            self._pending.clear()
