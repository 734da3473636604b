"""Packets of the MIPI System Trace Protocol 2, as far as an Arm STM makes them (Arm DDI 0444).

The stream is one of nibbles, the lower one of a byte first; numbers begin with their highest
nibble. A reader begins after an alignment (ASYNC, 21 ones and a zero), and again after the next one
when it meets what it does not know. A timestamp carries only the low nibbles that differ from the
previous one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

#: First master that is not software's: an STM has 128 for stores, the next one for hardware events.
FIRST_HARDWARE_MASTER = 128

_ASYNC = re.compile("f{21}0")
#: Packets by their first nibbles: nibbles of payload, whether a timestamp follows, what it is.
_DATA = {"4": 2, "5": 4, "6": 8, "7": 16, "c": 1}
_MARKED = {"8": 2, "9": 4, "a": 8, "b": 16, "d": 1}
_PACKETS: dict[str, tuple[int, bool, str]] = {
    "0": (0, False, "null"),
    "1": (2, False, "master"),
    "2": (2, False, "merr"),
    "3": (2, False, "channel"),
    "e": (0, True, "flag"),
    "f2": (2, False, "gerr"),
    "f3": (4, False, "channel16"),
    "fe": (0, False, "flag"),
    "f00": (1, False, "version"),
    "f01": (0, True, "null"),
    "f06": (2, False, "trigger"),
    "f07": (2, True, "trigger"),
    "f08": (8, False, "frequency"),
    **{code: (nibbles, False, "data") for code, nibbles in _DATA.items()},
    **{"f" + code: (nibbles, True, "data") for code, nibbles in _DATA.items()},
    **{code: (nibbles, True, "data") for code, nibbles in _MARKED.items()},
    **{"f" + code: (nibbles, False, "data") for code, nibbles in _MARKED.items()},
}
_LONGEST_CODE = 3
#: Nibbles of a timestamp by its length nibble; length 15 does not exist.
_STAMP_NIBBLES = {**{n: n for n in range(13)}, 13: 14, 14: 16}
_NATURAL, _GRAY = 3, 4


@dataclass(frozen=True)
class Packet:
    """Data that was traced. ``stamp``: of the timestamp counter, or None if the packet has none."""

    master: int
    channel: int
    value: int
    stamp: int | None

    @property
    def by_hardware(self) -> bool:
        """Whether it is a hardware event, not a store."""
        return self.master >= FIRST_HARDWARE_MASTER


@dataclass
class Stream:
    """Packets of a stream, and its damage.

    ``errors``: packets that report dropped ones; ``unread``: nibbles that could not be read,
    including those before the first alignment; ``alignments``: their number.
    """

    packets: list[Packet] = field(default_factory=list)
    errors: int = 0
    unread: int = 0
    alignments: int = 0
    frequency_hz: int = 0  #: as the stream itself tells; 0: it does not


def decode(data: bytes) -> Stream:
    """All packets of one source, as far as they can be read. Never raises."""
    nibbles = data.hex()
    # Lower nibble first.
    text = "".join(map("".join, zip(nibbles[1::2], nibbles[::2], strict=True)))
    stream = Stream()
    reader = _Reader(stream)
    places = list(_ASYNC.finditer(text))
    stream.alignments = len(places)
    if not places:
        stream.unread = len(text)
        return stream
    stream.unread = places[0].start()
    ends = [place.start() for place in places[1:]] + [len(text)]
    for place, end in zip(places, ends, strict=True):
        reader.read(text[place.end() : end])
    return stream


@dataclass
class _Reader:
    """A reader's state from packet to packet."""

    stream: Stream
    master: int = 0
    channel: int = 0
    stamp: int = 0
    gray: bool = False

    def read(self, text: str) -> None:
        """Reads from after one alignment to the next."""
        consumed = 0
        for code, payload, stamp, end in _split(text):
            consumed = end
            self._take(_PACKETS[code][2], int(payload or "0", 16), stamp)
        self.stream.unread += len(text) - consumed

    def _take(self, kind: str, value: int, stamp: str | None) -> None:
        if stamp is not None:
            self._advance(stamp)
        if kind == "data":
            packet = Packet(self.master, self.channel, value, None if stamp is None else self.stamp)
            self.stream.packets.append(packet)
        elif kind == "master":
            self.master, self.channel = value, 0
        elif kind == "channel":
            self.channel = self.channel & 0xFF00 | value
        elif kind == "channel16":
            self.channel = value
        elif kind == "version":
            self.master = self.channel = 0
            self.gray = value == _GRAY
        elif kind == "frequency":
            self.stream.frequency_hz = value
        elif kind in ("merr", "gerr"):
            self.stream.errors += 1

    def _advance(self, digits: str) -> None:
        """Puts new low nibbles in the place of old ones."""
        before = self.stamp ^ self.stamp >> 1 if self.gray else self.stamp
        bits = 4 * len(digits)
        value = before >> bits << bits | int(digits or "0", 16)
        self.stamp = _from_gray(value) if self.gray else value


def _split(text: str) -> Iterator[tuple[str, str, str | None, int]]:
    """Packets up to the first that is unknown or incomplete: code, payload, timestamp, end."""
    at = 0
    while at < len(text):
        starts = (text[at : at + n] for n in range(1, _LONGEST_CODE + 1))
        code = next((start for start in starts if start in _PACKETS), None)
        if code is None:
            return
        nibbles, stamped, kind = _PACKETS[code]
        first = at + len(code)
        end = first + nibbles
        payload, stamp = text[first:end], None
        if stamped:
            length = _STAMP_NIBBLES.get(int(text[end : end + 1] or "f", 16))
            if length is None:
                return
            stamp = text[end + 1 : end + 1 + length]
            end += 1 + length
        if end > len(text) or (kind == "version" and int(payload, 16) not in (_NATURAL, _GRAY)):
            return
        yield code, payload, stamp, end
        at = end


def _from_gray(value: int) -> int:
    shift = 1
    while value >> shift:
        value ^= value >> shift
        shift <<= 1
    return value
