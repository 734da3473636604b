"""Figures of each ten seconds of a capture that keeps no stimuli, so that a drift shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irqscope.kinds.capture.figures import Gathered, Ticks
from irqscope.kinds.capture.model import Changes
from irqscope.results.drift import PART_S, drift_row, table_of


class Parts:
    """Takes the figures of one part after another. A part without an edge has no row."""

    def __init__(self, channels: Sequence[Gathered], tick_hz: int) -> None:
        """Args:
        channels: What each channel gathers over the whole capture.
        tick_hz: Rate of the ticks, Hz.
        """
        self._ticks = PART_S * tick_hz
        self._channels = channels
        self._number: int | None = None
        self._restart()

    def cut(self, changes: Changes) -> Iterator[tuple[bool, Changes]]:
        """Yields the changes of each part, and whether another part ends before them."""
        numbers = changes.ticks // self._ticks
        begins = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for begin, end in zip(begins, begins[1:], strict=False):
            if begin == end:  # no change at all
                yield False, changes
                return
            number = int(numbers[begin])
            ends_before = self._number not in (None, number)
            self._number = number
            yield (
                ends_before,
                replace(
                    changes,
                    ticks=changes.ticks[begin:end],
                    signals=changes.signals[begin:end],
                    levels=changes.levels[begin:end],
                    gap=changes.gap if begin == 0 else "",
                    last_tick=changes.last_tick if end == len(numbers) else int(changes.ticks[end]),
                ),
            )

    def add(self, channel: int, served: Ticks) -> None:
        """Takes latencies of a channel in."""
        self._figures[channel].count(served)

    def end(self, section: int, span: tuple[int, int]) -> Any:
        """Ends the part; returns its rows, as a table of DRIFT.

        Args:
            section: Number of the section.
            span: Begin and end of the part in the run's time, ticks.
        """
        rows = []
        for gathered, figures, before in zip(
            self._channels, self._figures, self._before, strict=True
        ):
            counters = {name: n - before[name] for name, n in vars(gathered.books).items()}
            counters |= {"min_ticks": figures.least or 0, "max_ticks": figures.greatest or 0}
            known = figures.known.censored(
                gathered.timeout, counters["timed_out"], counters["coalesced"]
            )
            if any(counters.values()):
                rows.append(drift_row(gathered.channel, section, span, counters, known))
        self._restart()
        return table_of(rows)

    def _restart(self) -> None:
        self._before = [dict(vars(one.books)) for one in self._channels]
        self._figures = [Gathered(one.channel, one.timeout, 0) for one in self._channels]
