"""Reads the binary export of Saleae Logic 2: a file for each digital channel, little-endian."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from irqscope.files import require_regular
from irqscope.kinds.capture import clock
from irqscope.kinds.capture.model import ROWS, Advance, CaptureError, Changes, Clock, Ticks

MAGIC = b"<SALEAE>"
_HEADER = struct.Struct("<8sii")
_DIGITAL = struct.Struct("<IddQ")
#: Times are doubles in seconds; this is finer than any sample.
_UNIT = Fraction(1, 10**12)


class SaleaeBinary:
    """Open files of one capture. Raises CaptureError if one is damaged or of another kind."""

    form = "Saleae Logic 2 binary export"
    tool = "Saleae Logic 2"

    def __init__(self, paths: Sequence[Path], hz: int | None = None) -> None:
        """Args:
        paths: One file for each channel.
        hz: Sample rate, if it was given.
        """
        self.paths = tuple(paths)
        self.remarks: list[str] = []
        self._channels = [_Channel(path) for path in paths]
        names = [channel.name for channel in self._channels]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CaptureError(f"two files are of {twice}; name one of them")
        self.signals = tuple(names)
        some = np.concatenate([channel.stamps(0, 10_000) for channel in self._channels])
        if hz is not None:
            self._scale = clock.stated(hz, _UNIT, "given", some)
        else:
            self._scale = clock.found(_UNIT, some)
        self.clock: Clock = self._scale.clock
        ends = {(channel.begin, channel.end) for channel in self._channels}
        if len(ends) > 1:
            self.remarks.append("the files do not begin and end at one time: are they one capture?")

    def changes(self, wanted: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places, merged by time."""
        channels = [self._channels[place] for place in wanted]
        begin = self._scale.ticks(_stamps([min(channel.begin for channel in channels)]))
        initial = np.array([channel.initial for channel in channels], np.int8)
        places = np.arange(len(channels), dtype=np.int16)
        yield Changes(np.repeat(begin, len(channels)), places, initial, int(begin[0]))
        done, total = [0] * len(channels), sum(channel.count for channel in channels)
        held = [np.empty(0, np.int64) for _ in channels]
        seen = [0] * len(channels)
        last = int(self._scale.ticks(_stamps([max(c.end for c in channels)]))[0])
        while any(len(h) for h in held) or any(
            d < c.count for d, c in zip(done, channels, strict=True)
        ):
            for place, channel in enumerate(channels):
                if not len(held[place]) and done[place] < channel.count:
                    more = channel.stamps(done[place], ROWS)
                    done[place] += len(more)
                    held[place] = self._scale.ticks(more)
            # Up to the time that each channel is known to.
            open_ends = [
                int(h[-1])
                for h, d, c in zip(held, done, channels, strict=True)
                if d < c.count and len(h)
            ]
            through = min(open_ends, default=None)
            parts = []
            for place, channel in enumerate(channels):
                ticks = held[place]
                n = len(ticks) if through is None else int(np.searchsorted(ticks, through, "right"))
                order = np.arange(seen[place], seen[place] + n)
                levels = (channel.initial + 1 + order & 1).astype(np.int8)
                parts.append((ticks[:n], np.full(n, place, np.int16), levels))
                held[place], seen[place] = ticks[n:], seen[place] + n
            ticks, signals, levels = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(ticks, kind="stable")
            end = int(ticks[order[-1]]) if len(order) else last
            yield Changes(ticks[order], signals[order], levels[order], end)
            advance(sum(done), total)
        yield Changes(
            np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.int8), max(last, 0) or last
        )


class _Channel:
    """One file: initial level, begin and end in seconds, and the times of its transitions."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            size = require_regular(path)
            with path.open("rb") as file:
                head = file.read(_HEADER.size)
                rest = file.read(_DIGITAL.size)
        except OSError as error:
            raise CaptureError(f"cannot read {path}: {error.strerror}") from error
        if len(head) < _HEADER.size or not head.startswith(MAGIC):
            raise CaptureError(f"{path} is no binary export of Saleae Logic 2")
        _, version, kind = _HEADER.unpack(head)
        if kind != 0:
            raise CaptureError(f"{path} holds analog values; export digital channels")
        if version != 0:
            raise CaptureError(
                f"{path}: binary export of version {version}, version 0 is read; export as CSV"
            )
        if len(rest) < _DIGITAL.size:
            raise CaptureError(f"{path} is cut short: {size} bytes; export it again")
        initial, self.begin, self.end, self.count = _DIGITAL.unpack(rest)
        self.initial = int(initial)
        if initial > 1 or not np.isfinite([self.begin, self.end]).all() or self.end < self.begin:
            raise CaptureError(f"{path} is damaged: its header makes no sense; export it again")
        there = (size - _HEADER.size - _DIGITAL.size) // 8
        if there < self.count:
            raise CaptureError(
                f"{path} is cut short: it holds {there} of {self.count} transitions; export again"
            )
        match = re.fullmatch(r"(?:digital|channel)[_ ]?([0-9]+)", path.stem, re.IGNORECASE)
        self.name = f"Channel {int(match[1])}" if match else path.stem

    def stamps(self, first: int, count: int) -> Ticks:
        """Returns times of transitions, in _UNIT, shape (n,). Raises CaptureError."""
        offset = _HEADER.size + _DIGITAL.size + 8 * first
        count = min(count, self.count - first)
        times = np.fromfile(self._path, "<f8", count, offset=offset)
        if len(times) < count or not np.isfinite(times).all() or np.abs(times).max(initial=0) > 1e6:
            raise CaptureError(f"{self._path} is damaged after transition {first}; export it again")
        if (np.diff(times) < 0).any():
            place = first + int(np.flatnonzero(np.diff(times) < 0)[0]) + 2
            raise CaptureError(
                f"{self._path}: time runs backwards at transition {place}; export it again"
            )
        return _stamps(times)


def _stamps(times: object) -> Ticks:
    return np.rint(np.asarray(times, np.longdouble) * 10**12).astype(np.int64)
