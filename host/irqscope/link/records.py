"""Decodes the records of the gateware's recorder from the words of a RECORDS reply."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from irqscope.constants import CORES, LINES, RECORD_CODES, RECORD_CORES, RECORD_FALLS, RECORD_RISES

#: A record: its stamp, all events of that tick, and the latency of the sample channel.
RECORD = np.dtype([("stamp", "<u8"), ("events", "<u4"), ("latency", "<u4")])
WORDS = RECORD.itemsize // 4
#: Precedes a record in its long form.
LONG_FORM = 0xFFFFFFFF
#: Bits of a short form that hold the ticks since the record before; its event is above them.
SINCE_BITS = 26


def _events() -> list[int]:
    """Events of a record by the event of its short form; 0 for an unused code."""
    code_bits = RECORD_CODES.width // CORES
    markers = [
        1 << core << RECORD_CORES.lsb | code << core * code_bits << RECORD_CODES.lsb
        for core in range(CORES)
        for code in range(1 << code_bits)
    ]
    rises = [1 << line << RECORD_RISES.lsb for line in range(LINES)]
    falls = [1 << line << RECORD_FALLS.lsb for line in range(LINES)]
    return [*markers, *rises, *falls]


EVENTS: Sequence[int] = _events()
_EVENTS = np.zeros(1 << 32 - SINCE_BITS, np.uint32)
_EVENTS[: len(EVENTS)] = EVENTS


def decode(words: npt.NDArray[np.uint32], whole: bool) -> npt.NDArray[np.void]:
    """Returns the records in the words of one reply.

    Args:
        words: The reply's tail, shape (n,).
        whole: Whether the request asked for long forms only.

    Returns:
        Records in their order, dtype RECORD. A record that came in its short form has latency 0.

    Raises:
        ValueError: If the words do not form a sequence of records.
    """
    if whole:
        return np.frombuffer(words.astype("<u4").tobytes(), RECORD)
    blocks = [np.empty(0, RECORD)]
    long_forms = np.flatnonzero(words == LONG_FORM).tolist()
    at, stamp = 0, None
    for place in long_forms:
        if place < at:
            continue  # a word of a long form that looks like the sign of one
        blocks.append(_short(words[at:place], stamp))
        at = place + 1 + WORDS
        if at > len(words):
            raise ValueError("its last record is cut off")
        blocks.append(np.frombuffer(words[place + 1 : at].astype("<u4").tobytes(), RECORD))
        stamp = int(blocks[-1]["stamp"][0])
    blocks.append(_short(words[at:], stamp))
    return np.concatenate(blocks)


def _short(words: npt.NDArray[np.uint32], stamp: int | None) -> npt.NDArray[np.void]:
    """Records in short forms, after one with that stamp."""
    records = np.zeros(len(words), RECORD)
    if not len(words):
        return records
    events = _EVENTS[words >> SINCE_BITS]
    if stamp is None or not events.all():
        raise ValueError("a short form follows no record, or names no event")
    since = np.cumsum(words & (1 << SINCE_BITS) - 1, dtype=np.uint64)
    records["stamp"] = np.uint64(stamp) + since
    records["events"] = events
    return records
