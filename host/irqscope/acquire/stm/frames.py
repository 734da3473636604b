"""The formatter protocol of a CoreSight trace memory (Arm IHI 0029): bytes of several sources.

A frame has 16 bytes. Byte 15 holds one bit for each even place below it. An odd value in an even
place names the source of the following bytes, after the next byte if its bit is 1. An even value is
a byte of trace whose lowest bit is that bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FRAME_BYTES = 16
#: IDs that are not sources: filling, and a trigger.
NO_SOURCES = (0x00, 0x7D, 0x7F)


@dataclass
class Sources:
    """``bytes_of``: by source number.

    ``unnamed``: bytes before the first source was named; ``cut``: bytes after the last whole frame.
    """

    bytes_of: dict[int, bytearray] = field(default_factory=dict)
    unnamed: int = 0
    cut: int = 0


def take_apart(data: bytes) -> Sources:
    """Bytes of each source, in their order. Never raises."""
    sources = Sources(cut=len(data) % FRAME_BYTES)
    source: int | None = None
    for start in range(0, len(data) - sources.cut, FRAME_BYTES):
        frame = data[start : start + FRAME_BYTES]
        follows: int | None = None  # a source that takes over after one more byte
        for place, byte in enumerate(frame[:-1]):
            bit = frame[-1] >> place // 2 & 1
            if place % 2:
                _keep(sources, source, byte)
                if follows is not None:
                    source, follows = follows, None
            elif not byte & 1:
                _keep(sources, source, byte | bit)
            elif bit and place < FRAME_BYTES - 2:
                follows = byte >> 1
            else:
                source = byte >> 1
    return sources


def _keep(sources: Sources, source: int | None, byte: int) -> None:
    if source is None:
        sources.unnamed += 1
    elif source not in NO_SOURCES:
        sources.bytes_of.setdefault(source, bytearray()).append(byte)
