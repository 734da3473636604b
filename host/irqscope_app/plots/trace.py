"""A bounded series of latencies in order of time, with fast extremes at any zoom."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Capacity of a trace in latencies; 12 bytes each, allocated by the system only when written.
CAPACITY = 1 << 24
#: Latencies in a bucket, whose minimum and maximum are stored.
BUCKET = 64
#: Latencies that are examined one by one in a paint of the app.
SINGLY = 1 << 16

Seconds = npt.NDArray[np.float64]
Ticks = npt.NDArray[np.uint32]


class Trace:
    """A series of latencies; when full, the older half is dropped.

    Times in s and never decreasing; latencies in ticks. ``singly``: up to this many latencies are
    examined one by one; beyond, only the buckets. ``dropped``: number of dropped latencies.
    """

    def __init__(self, capacity: int = CAPACITY, singly: int = SINGLY) -> None:
        if capacity % (2 * BUCKET):
            raise ValueError(f"the capacity is a multiple of {2 * BUCKET}")
        self._capacity, self._singly = capacity, singly
        self._time = np.empty(capacity, np.float64)
        self._latency = np.empty(capacity, np.uint32)
        self._low = np.empty(capacity // BUCKET, np.uint32)
        self._high = np.empty(capacity // BUCKET, np.uint32)
        self._size = 0
        self.dropped = 0

    def __len__(self) -> int:
        return self._size

    @property
    def kept(self) -> int:
        """Bytes in use by latencies; the rest of the capacity was never written."""
        return self._size * 12 + self._size // BUCKET * 8

    @property
    def span(self) -> tuple[float, float] | None:
        """Times of the first and the last latency, s, or None without any."""
        if not self._size:
            return None
        return float(self._time[0]), float(self._time[self._size - 1])

    def append(self, time: Seconds, latency: Ticks) -> None:
        """Adds latencies; both of shape (n,)."""
        half = self._capacity // 2
        for start in range(0, len(time), half):  # no piece exceeds the room that a drop makes
            self._append(time[start : start + half], latency[start : start + half])

    def extremes(self, begin: float, end: float) -> tuple[int, int] | None:
        """Smallest and greatest latency from ``begin`` to ``end``, s, or None without any.

        If there are very many, whole buckets count, and those at the ends may reach further.
        """
        first, last = self._window(begin, end)
        if first == last:
            return None
        if last - first <= self._singly:
            low = high = self._latency[first:last]
        else:
            buckets = slice(first // BUCKET, -(-last // BUCKET))
            low, high = self._low[buckets], self._high[buckets]
        return int(low.min()), int(high.max())

    def between(self, begin: float, end: float) -> Ticks:
        """Latencies from ``begin`` to ``end``, s; shape (n,)."""
        return self.copy(*self.places(begin, end))

    def places(self, begin: float, end: float) -> tuple[int, int]:
        """Numbers of the first latency from ``begin`` to ``end``, s, and of the one after them.

        Numbers count from the first latency ever added, so they hold when some fall out.
        """
        first, last = self._window(begin, end)
        return first + self.dropped, last + self.dropped

    def copy(self, first: int, last: int) -> Ticks:
        """Latencies, ticks, by their numbers, without those that fell out."""
        first, last = (max(0, place - self.dropped) for place in (first, last))
        return self._latency[first:last].copy()

    def times(self, first: int, last: int) -> Seconds:
        """Times, s, of latencies by their numbers, without those that fell out."""
        first, last = (max(0, place - self.dropped) for place in (first, last))
        return self._time[first:last].copy()

    def _window(self, begin: float, end: float) -> tuple[int, int]:
        time = self._time[: self._size]
        first = int(np.searchsorted(time, begin))
        # If the end lies before the beginning the range is empty, as after the end of a paused
        # view.
        return first, max(first, int(np.searchsorted(time, end, "right")))

    def _append(self, time: Seconds, latency: Ticks) -> None:
        if self._size + len(time) > self._capacity:
            self._drop(self._capacity // 2)
        old, new = self._size, self._size + len(time)
        self._time[old:new] = time
        self._latency[old:new] = latency
        self._size = new
        first = old // BUCKET
        values = self._latency[first * BUCKET : new]
        if len(values):
            places = np.arange(0, len(values), BUCKET)
            self._low[first : first + len(places)] = np.minimum.reduceat(values, places)
            self._high[first : first + len(places)] = np.maximum.reduceat(values, places)

    def _drop(self, count: int) -> None:
        count = min(count, self._size - self._size % BUCKET)
        left = self._size - count
        for values, size, step in (
            (self._time, left, count),
            (self._latency, left, count),
            (self._low, -(-left // BUCKET), count // BUCKET),
            (self._high, -(-left // BUCKET), count // BUCKET),
        ):
            values[:size] = values[step : step + size]
        self._size = left
        self.dropped += count
