"""Looks up samples in the run folder, in a thread: the worst ones, and a requested one.

Reads the run folder, never the trace, so it works on a run in progress (up to its last flush) and
on any folder of any length.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, pyqtSignal

from irqscope.errors import IrqscopeError
from irqscope.results.record import RunRecord
from irqscope.results.samples import Only, Samples
from irqscope_app.control.station import Station
from irqscope_app.scope.stimulus import Chosen

#: Interval at which a running measurement is checked for newly flushed samples, s.
_LOOK_S = 2.0


@dataclass(frozen=True)
class Listed:
    """The worst samples. ``samples``: number of samples searched; ``channels``: theirs."""

    run: RunRecord
    samples: int
    channels: tuple[int, ...]
    rows: list[dict[str, Any]]


@dataclass(frozen=True)
class Wanted:
    """A stimulus to look up.

    ``find``: returns its position; ``around``: neighbours on each side; ``exactly``: required time,
    ticks, of a stimulus that is already visible.
    """

    find: Callable[[Samples], int | None]
    around: int
    exactly: int | None = None


class Finder(QObject):
    """``path``: the folder, if any; ``count``: number of listed samples; ``only``: their filter.

    Signals: ``emptied`` when all results are void; ``listed`` with a Listed; ``found`` with a
    Wanted and the Chosen, or None if the stimulus does not exist.
    """

    emptied = pyqtSignal()
    listed = pyqtSignal(object)
    found = pyqtSignal(object, object)

    def __init__(self, station: Station, count: int) -> None:
        super().__init__()
        self.count, self.only = count, Only()
        self._station = station
        self._samples: Samples | None = None
        self._wanted: Wanted | None = None
        self._busy = self._list_wanted = self._measuring = False
        self._listed_at = 0.0
        station.changed.connect(self._on_state)

    @property
    def path(self) -> Path | None:
        """Folder of the run in which samples are looked up, or None."""
        return None if self._samples is None else self._samples.path

    def list(self, count: int, only: Only) -> None:
        """Lists the ``count`` longest samples that pass ``only``."""
        self.count, self.only, self._list_wanted = count, only, True
        self._work()

    def find(self, wanted: Wanted | None) -> None:
        """Looks up one stimulus; cancels a pending request."""
        self._wanted = wanted
        self._work()

    def keep_up(self) -> None:
        """Updates the list of a running measurement from time to time. May be called often."""
        if self._measuring and time.monotonic() - self._listed_at > _LOOK_S:
            self._list_wanted = True
            self._work()

    def _on_state(self) -> None:
        state = self._station.state
        path = state.folder
        if path != self.path:
            self._samples = None if path is None else Samples(path)
            self._empty()
            self._list_wanted = True
        elif not state.goes_on and self._measuring:
            self._list_wanted = True  # its last flush
        self._measuring = state.goes_on
        self._work()

    def _empty(self) -> None:
        self.only, self._wanted = Only(), None
        self.emptied.emit()

    def _work(self) -> None:
        """Begins the next request. One at a time, since Samples may be used by one thread only."""
        samples, state = self._samples, self._station.state
        # A folder that is being created has no data yet.
        if self._busy or samples is None or (self._measuring and not state.done):
            return
        if self._list_wanted:
            self._list_wanted, self._listed_at = False, time.monotonic()
            count, only = self.count, self.only
            self._begin(lambda: _list(samples, count, only), self.listed.emit)
        elif self._wanted is not None:
            request, self._wanted = self._wanted, None
            self._begin(lambda: _look_up(samples, request), lambda c: self.found.emit(request, c))

    def _begin(self, what: Callable[[], Any], done: Callable[[Any], None]) -> None:
        samples, self._busy = self._samples, True

        def over(result: Any) -> None:
            self._busy = False
            if self._samples is samples:  # otherwise the folder has changed since
                done(result)
            self._work()

        def failed(error: IrqscopeError) -> None:
            self._busy = False
            if self._samples is samples:
                self._empty()
                self._station.report_fault(error)
            else:
                self._work()

        self._station.begin(what, over, failed)


def _list(samples: Samples, count: int, only: Only) -> Listed:
    samples.update()
    rows = samples.worst(count, only).to_pylist()
    return Listed(samples.run, len(samples), samples.channels, rows)


def _look_up(samples: Samples, wanted: Wanted) -> Chosen | None:
    place = wanted.find(samples)
    if place is None:  # it may have been written since
        samples.update()
        place = wanted.find(samples)
    return None if place is None else Chosen.of(samples, place, wanted.around)
