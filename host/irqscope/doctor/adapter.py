"""Finds the byte values that a link loses, such as a USB adapter's flow-control characters."""

from __future__ import annotations

import contextlib

from irqscope.errors import LinkError
from irqscope.link.link import Link
from irqscope.link.messages import ECHO, ECHO_WORDS

#: What to do about an adapter that loses some values.
REMEDY = (
    "the USB adapter, or a terminal server, takes control characters for its own: use another "
    "adapter, or switch its flow control off; the firmware of an ECP5 sends none of 0x10 to 0x13"
)
#: An adapter swallows a few control characters; a link that loses more loses them otherwise.
_FEW = 8
#: Replies asked for with one value. Each has other bytes besides, in its number and its CRC.
_REPLIES = 6


def lost_values(link: Link) -> list[int]:
    """Return the byte values that never arrive from the firmware though others do.

    Empty if a block of all values comes back, or if more than a few are lost.
    """
    if any(_comes_back(link, _words(range(256))) for _ in range(_REPLIES)):
        return []
    lost: list[int] = []
    for value in range(256):
        if not any(_comes_back(link, _words([value] * 256)) for _ in range(_REPLIES)):
            lost.append(value)
        if len(lost) > _FEW:
            return []
    return lost


def _words(values: range | list[int]) -> dict[str, int]:
    block = bytes(values)
    return {
        f"word_{n}": int.from_bytes(block[8 * n : 8 * n + 8], "little") for n in range(ECHO_WORDS)
    }


def _comes_back(link: Link, words: dict[str, int]) -> bool:
    with contextlib.suppress(LinkError):
        link.ask_once(ECHO, **words)
        return True
    return False
