"""Reads the binary export of Saleae Logic 2: a file for each digital channel, little-endian.

Version 0 is one piece; version 1 states the sample rate, and has a chunk for each piece between
gaps. Where the gaps of the channels differ, a piece is a time in which all of them have data.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO

import numpy as np

from irqscope.files import require_regular
from irqscope.kinds.capture import clock
from irqscope.kinds.capture.model import ROWS, Advance, CaptureError, Changes, Clock, Ticks

MAGIC = b"<SALEAE>"
_HEADER = struct.Struct("<8sii")
_CHUNKS = struct.Struct("<Q")
#: Initial level, begin, end, number of transitions; in version 1 also the sample rate.
_CHUNK = {0: struct.Struct("<IddQ"), 1: struct.Struct("<IdddQ")}
#: No capture is longer, s.
_LONGEST_S = 1e6
#: Times are doubles in seconds; this is finer than any sample.
_UNIT = Fraction(1, 10**12)


class SaleaeBinary:
    """Open files of one capture. Raises CaptureError if one is damaged or of another kind."""

    form = "Saleae Logic 2 binary export"
    tool = "Saleae Logic 2"

    def __init__(self, paths: Sequence[Path], hz: int | None = None) -> None:
        """Args: paths: One file for each channel. hz: Sample rate, if it was given."""
        self.paths = tuple(paths)
        self.remarks: list[str] = []
        self._channels = [_Channel(path) for path in paths]
        names = [channel.name for channel in self._channels]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CaptureError(f"two files are of {twice}; name one of them")
        self.signals = tuple(names)
        chunks = [channel.chunks for channel in self._channels]
        some = np.concatenate(
            [channel.stamps(channel.chunks[0], 0, 10_000) for channel in self._channels]
        )
        rates = {chunk.hz for one in chunks for chunk in one}
        if len(rates) > 1:
            raise CaptureError(f"{paths[0]}: sample rates differ; name channels with one rate")
        basis = "given"
        if hz is None and (stated := rates.pop()):
            hz, basis = stated, "stated in the file"
        if hz is not None:
            self._scale = clock.stated(hz, _UNIT, basis, some)
        else:
            self._scale = clock.found(_UNIT, some)
        self.clock: Clock = self._scale.clock
        ends = {(one[0].begin, one[-1].end) for one in chunks}
        if len(ends) > 1:
            self.remarks.append("the files do not begin and end at one time: are they one capture?")

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places, merged by time."""
        channels = [self._channels[place] for place in selected]
        before: float | None = None
        for chunks in _pieces(channels):
            begin = min(chunk.begin for chunk in chunks)
            gap = "" if before is None else f"no data from {before:.6f} s to {begin:.6f} s"
            before = max(chunk.end for chunk in chunks)
            yield from self._piece(channels, chunks, gap, advance)
        if before is None:
            raise CaptureError(
                f"{self.paths[0]}: the channels have no data at one time; capture them together"
            )

    def _piece(
        self, channels: Sequence[_Channel], chunks: Sequence[_Chunk], gap: str, advance: Advance
    ) -> Iterator[Changes]:
        """Yields the changes between two gaps. ``gap``: the one before, or empty."""
        begin = self._scale.ticks(_stamps([min(chunk.begin for chunk in chunks)]))
        initial = np.array([chunk.initial for chunk in chunks], np.int8)
        places = np.arange(len(channels), dtype=np.int16)
        yield Changes(np.repeat(begin, len(channels)), places, initial, int(begin[0]), gap)
        samples_read, total = [0] * len(channels), sum(chunk.count for chunk in chunks)
        held = [np.empty(0, np.int64) for _ in channels]
        seen = [0] * len(channels)
        last = int(self._scale.ticks(_stamps([max(c.end for c in chunks)]))[0])
        while any(len(h) for h in held) or any(
            d < c.count for d, c in zip(samples_read, chunks, strict=True)
        ):
            for place, channel in enumerate(channels):
                if not len(held[place]) and samples_read[place] < chunks[place].count:
                    more = channel.stamps(chunks[place], samples_read[place], ROWS)
                    samples_read[place] += len(more)
                    held[place] = self._scale.ticks(more)
            # Up to the time that each channel is known to.
            open_ends = [
                int(h[-1])
                for h, d, c in zip(held, samples_read, chunks, strict=True)
                if d < c.count and len(h)
            ]
            through = min(open_ends, default=None)
            parts = []
            for place, chunk in enumerate(chunks):
                ticks = held[place]
                n = len(ticks) if through is None else int(np.searchsorted(ticks, through, "right"))
                order = np.arange(seen[place], seen[place] + n)
                levels = (chunk.initial + 1 + order & 1).astype(np.int8)
                parts.append((ticks[:n], np.full(n, place, np.int16), levels))
                held[place], seen[place] = ticks[n:], seen[place] + n
            ticks, signals, levels = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(ticks, kind="stable")
            end = int(ticks[order[-1]]) if len(order) else last
            yield Changes(ticks[order], signals[order], levels[order], end)
            advance(sum(samples_read), total)
        yield Changes(
            np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.int8), max(last, 0) or last
        )


@dataclass(frozen=True)
class _Chunk:
    """A piece without gaps: times in s; `hz` None if not stated; `offset` of its transitions."""

    initial: int
    hz: int | None
    begin: float
    end: float
    count: int
    offset: int


def _pieces(channels: Sequence[_Channel]) -> Iterator[list[_Chunk]]:
    """Yields a chunk of each channel for each time in which all of them have data."""
    if all(len(channel.chunks) == 1 for channel in channels):
        yield [channel.chunks[0] for channel in channels]
        return
    at = [0] * len(channels)
    while all(place < len(channel.chunks) for place, channel in zip(at, channels, strict=True)):
        chunks = [channel.chunks[place] for place, channel in zip(at, channels, strict=True)]
        begin, end = max(chunk.begin for chunk in chunks), min(chunk.end for chunk in chunks)
        if begin < end:
            yield [
                channel.between(chunk, begin, end)
                for channel, chunk in zip(channels, chunks, strict=True)
            ]
        at = [place + (chunk.end == end) for place, chunk in zip(at, chunks, strict=True)]


class _Channel:
    """One file: its pieces, and the times of their transitions."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._size = require_regular(path)
            with path.open("rb") as file:
                self.chunks = self._read(file)
        except OSError as error:
            raise CaptureError(f"cannot read {path}: {error.strerror}") from error
        match = re.fullmatch(r"(?:digital|channel)[_ ]?([0-9]+)", path.stem, re.IGNORECASE)
        self.name = f"Channel {int(match[1])}" if match else path.stem

    def _read(self, file: IO[bytes]) -> list[_Chunk]:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(MAGIC):
            raise CaptureError(f"{self._path} is no binary export of Saleae Logic 2")
        _, version, kind = _HEADER.unpack(head)
        if kind != 0:
            raise CaptureError(f"{self._path} holds analog values; export digital channels")
        if version not in _CHUNK:
            raise CaptureError(
                f"{self._path}: binary export of version {version}, versions 0 and 1 are read; "
                "export as CSV"
            )
        number = _CHUNKS.unpack(self._more(file, _CHUNKS.size))[0] if version else 1
        chunks = list[_Chunk]()
        while len(chunks) < number:
            chunks.append(self._chunk(file, _CHUNK[version]))
            if len(chunks) > 1 and chunks[-1].begin < chunks[-2].end:
                raise CaptureError(
                    f"{self._path}: time runs backwards at chunk {len(chunks)}; export it again"
                )
            file.seek(8 * chunks[-1].count, os.SEEK_CUR)
        if not chunks:
            raise CaptureError(f"{self._path} holds no data; capture with this channel on")
        return chunks

    def _chunk(self, file: IO[bytes], form: struct.Struct) -> _Chunk:
        initial, *rate, begin, end, count = form.unpack(self._more(file, form.size))
        sound = initial <= 1 and np.isfinite([begin, end, *rate]).all() and begin <= end
        sound = sound and max(abs(begin), abs(end)) <= _LONGEST_S
        if not sound or any(not 1 <= hz < 1 << 62 for hz in rate):
            raise CaptureError(f"{self._path} is damaged: its header makes no sense; export again")
        remaining = (self._size - file.tell()) // 8
        if remaining < count:
            raise CaptureError(
                f"{self._path} is cut short: it holds {remaining} of {count} transitions; "
                "export again"
            )
        hz = round(rate[0]) if rate else None
        return _Chunk(int(initial), hz, begin, end, count, file.tell())

    def _more(self, file: IO[bytes], size: int) -> bytes:
        data = file.read(size)
        if len(data) < size:
            raise CaptureError(f"{self._path} is cut short: {self._size} bytes; export it again")
        return data

    def between(self, chunk: _Chunk, begin: float, end: float) -> _Chunk:
        """Returns the part of a chunk between two times, s."""
        times = np.empty(0)
        if chunk.count:
            times = np.memmap(self._path, "<f8", "r", chunk.offset, (chunk.count,))
        first = int(np.searchsorted(times, begin, "left"))
        count = int(np.searchsorted(times, end, "right")) - first
        # The level changes at each transition.
        initial, offset = chunk.initial ^ (first & 1), chunk.offset + 8 * first
        return _Chunk(initial, chunk.hz, begin, end, count, offset)

    def stamps(self, chunk: _Chunk, first: int, count: int) -> Ticks:
        """Returns times of transitions, in _UNIT, shape (n,). Raises CaptureError."""
        count = min(count, chunk.count - first)
        times = np.fromfile(self._path, "<f8", count, offset=chunk.offset + 8 * first)
        if (
            len(times) < count
            or not np.isfinite(times).all()
            or np.abs(times).max(initial=0) > _LONGEST_S
        ):
            raise CaptureError(f"{self._path} is damaged after transition {first}; export it again")
        if (np.diff(times) < 0).any():
            place = first + int(np.flatnonzero(np.diff(times) < 0)[0]) + 2
            raise CaptureError(
                f"{self._path}: time runs backwards at transition {place}; export it again"
            )
        return _stamps(times)


def _stamps(times: object) -> Ticks:
    return np.rint(np.asarray(times, np.longdouble) * 10**12).astype(np.int64)
