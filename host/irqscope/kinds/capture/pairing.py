"""Pairs starts with stops by the rules of the gateware's latency channels.

The oldest start stays open. In one tick a stop acts first on the stimulus that was open before
that tick, then the timeout, then the start opens. So these always hold:

    starts = served + coalesced + timed_out + pending
    stops = served + unmatched

:mod:`irqscope.results.stimuli` has the same rules for records of the gateware, one by one: those
also carry cores and stages, which a capture lacks. Tens of millions of edges need whole arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.results.stimuli import State

Ticks = npt.NDArray[np.int64]
States = npt.NDArray[np.int8]

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Paired:
    """Stimuli in the order of their edges.

    Attributes:
        edges: Tick of each start, shape (n,).
        states: How each ended, as State, shape (n,).
        latencies: Ticks from start to stop; -1 unless served, shape (n,).
    """

    edges: Ticks
    states: States
    latencies: Ticks

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def served(self) -> Ticks:
        """Latencies of the answered stimuli, ticks, shape (m,)."""
        served: Ticks = self.latencies[self.states == State.SERVED]
        return served


@dataclass
class Books:
    """Counters of one channel, as the gateware keeps them."""

    starts: int = 0
    served: int = 0
    coalesced: int = 0
    timed_out: int = 0
    unanswerable: int = 0
    pending: int = 0
    stops: int = 0
    unmatched: int = 0

    @property
    def closed(self) -> bool:
        """Whether both equations hold."""
        ends = self.served + self.coalesced + self.timed_out + self.unanswerable + self.pending
        return self.starts == ends and self.stops == self.served + self.unmatched


class Pairing:
    """Pairs the edges of one channel, block by block.

    A stimulus leaves as soon as its end is known; the open one and those that it coalesced wait.
    """

    def __init__(self, timeout: int, *, period: bool = False) -> None:
        """Args:
        timeout: Ticks after which a stimulus without a stop has timed out.
        period: Each stop is the next start, so that the last start of a section has none.
        """
        self._period = period
        self.books = Books()
        self._timeout = timeout
        self._held: tuple[Ticks, Ticks] = (_NONE, _NONE)  # of the last tick, which may go on
        self._open: int | None = None
        self._coalesced: list[Ticks] = []  # since the open one

    def add(self, starts: Ticks, stops: Ticks, through: int) -> Paired:
        """Takes edges in, and returns the stimuli that have ended.

        Args:
            starts: Ticks of starts, ascending, shape (n,).
            stops: Ticks of stops, ascending, shape (m,).
            through: No later block has an edge before this tick.
        """
        starts = np.concatenate((self._held[0], starts))
        stops = np.concatenate((self._held[1], stops))
        first, second = np.searchsorted(starts, through), np.searchsorted(stops, through)
        self._held = starts[first:], stops[second:]
        return self._pair(starts[:first], stops[:second])

    def end(self, last: int) -> Paired:
        """Ends the section: a stimulus that is still open is pending unless its deadline passed.

        Args:
            last: Tick up to which the signals are known.
        """
        starts, stops = self._held
        self._held = _NONE, _NONE
        before = self._pair(starts, stops)
        if self._open is None:
            return before
        opened, self._open = self._open, None
        later = np.concatenate([_NONE, *self._coalesced])
        self._coalesced = []
        self.books.coalesced += len(later)
        states = np.full(len(later) + 1, State.COALESCED, np.int8)
        edges = np.concatenate(([opened], later)).astype(np.int64)
        if self._period:
            self.books.unanswerable += 1
            edges, states = edges[1:], states[1:]
        elif opened + self._timeout <= last:
            self.books.timed_out += 1
            states[0] = State.TIMED_OUT
        else:
            self.books.pending += 1
            edges, states = edges[1:], states[1:]
        return _joined([before, Paired(edges, states, np.full(len(edges), -1, np.int64))])

    def _pair(self, starts: Ticks, stops: Ticks) -> Paired:
        """Pairs all edges of some ticks that are complete."""
        self.books.starts += len(starts)
        self.books.stops += len(stops)
        if not len(starts) + len(stops):
            return Paired(_NONE, np.empty(0, np.int8), _NONE)
        carried = self._open is not None
        if self._open is not None:
            starts = np.concatenate((np.array([self._open], np.int64), starts))
        # A run is what comes between two stops: its first start opens, unless a deadline passes.
        # A stop in the tick of a start acts before it.
        run_of = np.searchsorted(stops, starts, "right")
        states = np.full(len(starts), State.COALESCED, np.int8)
        latencies = np.full(len(starts), -1, np.int64)
        firsts = np.flatnonzero(np.diff(run_of, prepend=-1))
        lasts = np.append(firsts, len(starts))[1:] - 1
        opened = self._opened(starts, states, firsts, lasts)
        runs = run_of[firsts]
        answered = runs < len(stops)
        served = opened[answered]
        took = stops[runs[answered]] - starts[served]
        in_time = took <= self._timeout
        states[served] = np.where(in_time, State.SERVED, State.TIMED_OUT)
        latencies[served[in_time]] = took[in_time]
        self.books.served += int(in_time.sum())
        self.books.unmatched += len(stops) - int(in_time.sum())
        return self._leave(starts, states, latencies, opened[~answered], carried)

    def _opened(self, starts: Ticks, states: States, firsts: Ticks, lasts: Ticks) -> Ticks:
        """Place of the start that is open at the end of each run; marks those timed out before."""
        opened = firsts.copy()
        # Only where the deadline of the first passes within the run does another one open.
        for run in np.flatnonzero(starts[lasts] >= starts[firsts] + self._timeout).tolist():
            place, last = int(firsts[run]), int(lasts[run])
            while starts[last] >= starts[place] + self._timeout:
                states[place] = State.TIMED_OUT
                deadline = starts[place] + self._timeout
                # The one in the tick of the deadline opens.
                after = np.searchsorted(starts[place + 1 : last + 1], deadline)
                place += 1 + int(after)
            opened[run] = place
        return opened

    def _leave(
        self, starts: Ticks, states: States, latencies: Ticks, open_: Ticks, carried: bool
    ) -> Paired:
        """Returns what has ended; keeps the start that is open, and those after it."""
        end = int(open_[0]) if len(open_) else len(starts)
        edges, states, latencies = starts[:end], states[:end], latencies[:end]
        waiting = self._coalesced
        self._coalesced = []
        if carried and end:  # those that the open one coalesced come after it
            between = np.concatenate([_NONE, *waiting])
            edges = np.insert(edges, 1, between)
            states = np.insert(states, 1, np.full(len(between), State.COALESCED, np.int8))
            latencies = np.insert(latencies, 1, np.full(len(between), -1, np.int64))
        elif carried:
            self._coalesced = waiting
        self._open = int(starts[end]) if len(open_) else None
        if len(open_) and end + 1 < len(starts):
            self._coalesced.append(starts[end + 1 :])
        self.books.coalesced += int((states == State.COALESCED).sum())
        self.books.timed_out += int((states == State.TIMED_OUT).sum())
        return Paired(edges, states, latencies)


def _joined(parts: list[Paired]) -> Paired:
    return Paired(
        np.concatenate([part.edges for part in parts]),
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.latencies for part in parts]),
    )
