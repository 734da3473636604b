"""The performance dock: whether the window keeps up with incoming data."""

from __future__ import annotations

import time

from PyQt6.QtWidgets import QFormLayout, QLabel, QWidget

from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.scope.painter import PAINT_MS
from irqscope_app.scope.screen import Scope
from irqscope_app.widgets.common import timer

#: Duration of a freeze that a user takes for a hung window.
_HANGS_S = 1.0
_LOOK_MS = 500


class Performance(QWidget):
    """Figures of the last seconds, and the longest freeze of the window."""

    def __init__(self, station: Station, scope: Scope) -> None:
        super().__init__()
        self._station, self._scope = station, scope
        self.frames, self.paint, self.samples, self.longest = (QLabel("-") for _ in range(4))
        form = QFormLayout(self)
        form.addRow("frames painted", self.frames)
        form.addRow("time of a paint", self.paint)
        form.addRow("samples", self.samples)
        form.addRow("longest standstill", self.longest)
        self.forget()
        self._before = (time.monotonic(), station.live.samples)
        self._beat_at, self._worked = time.monotonic(), time.thread_time()
        timer(self, PAINT_MS, self._on_beat)
        timer(self, _LOOK_MS, self._show)

    def forget(self) -> None:
        """Resets the maxima. ``longest_s``: longest freeze; ``busiest_s``: greatest processor time
        of the window's own thread between two ticks, independent of other programs.
        """
        self.longest_s = self.busiest_s = 0.0

    def _on_beat(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        stood_s = now - self._beat_at - PAINT_MS / 1000
        self.longest_s = max(self.longest_s, stood_s)
        self.busiest_s = max(self.busiest_s, worked - self._worked)
        self._beat_at, self._worked = now, worked
        if stood_s > _HANGS_S:
            text = f"the window was still for {stood_s:.1f} s; close other programs"
            goes_on = self._station.state.link is Link.MEASURING
            self._station.told.emit("warning", text + (", the run goes on" if goes_on else ""))

    def _show(self) -> None:
        now = time.perf_counter()
        recent = [lasted for at, lasted in self._scope.paints if now - at < 1]
        self.frames.setText(f"{len(recent)} a second")
        if recent:
            self.paint.setText(f"{1000 * sorted(recent)[len(recent) // 2]:.1f} ms (median)")
        at, count = self._before
        self._before = (time.monotonic(), self._station.live.samples)
        rate = (self._before[1] - count) / max(self._before[0] - at, 1e-9)
        self.samples.setText(f"{rate:.0f} a second, {self._before[1]} in all")
        slow = "; the host is too slow" if self.longest_s > _HANGS_S else ""
        self.longest.setText(f"{1000 * self.longest_s:.0f} ms{slow}")
