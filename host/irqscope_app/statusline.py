"""The status bar: source of the numbers, link, verdict and recording."""

from __future__ import annotations

import shutil

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QStatusBar

from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.control.viewed import Viewed
from irqscope_app.preferences import Preferences
from irqscope_app.scope import captions
from irqscope_app.widgets.common import label, show_as, timer
from irqscope_app.widgets.paths import short

#: Free disk below which the line warns, bytes.
_LITTLE = 1 << 30
_LOOK_MS = 1000


class StatusLine(QObject):
    """Fills a window's status bar. ``viewed``: holds the temporary run."""

    def __init__(
        self, bar: QStatusBar, station: Station, preferences: Preferences, viewed: Viewed
    ) -> None:
        super().__init__(bar)
        self._station, self._preferences, self._viewed = station, preferences, viewed
        self.source, self.link, self.verdict, self.recording = (label("", "none") for _ in range(4))
        for widget in (self.source, self.link, self.verdict):
            bar.addWidget(widget)
        bar.addPermanentWidget(self.recording)
        station.changed.connect(self.show)
        station.ended.connect(lambda _: self.show())
        timer(self, _LOOK_MS, self.show_recording)
        self.show()

    def show(self) -> None:
        """Updates the whole line from the current state."""
        state, feed = self._station.state, self._station.feed
        run = None if feed.picture is None else feed.picture.run
        source = None if run is None else run.source
        if run is None or source is None:
            show_as(self.source, "none", "no source")
        else:
            opened = " (from a folder)" if feed.opened else ""
            role = run.origin
            show_as(self.source, role, f"{source.label}{opened}")
        roles = {Link.LOST: "bad", Link.READY: "good", Link.MEASURING: "good"}
        text = f"link: {state.link.value}" + (f" {state.target}" if state.target else "")
        if state.identity is not None and (source is None or feed.opened):
            text += f", {state.identity.label}"  # otherwise the source names it
        if state.pace is not None:
            text += f", {state.pace:.2g} × real time"
        show_as(self.link, roles.get(state.link, "none"), text)
        self.show_recording()

    def show_recording(self) -> None:
        """Shows the recording light, free disk space and the verdict."""
        state = self._station.state
        folder = state.folder
        place = self._preferences.runs
        while not place.exists() and place != place.parent:
            place = place.parent
        free = shutil.disk_usage(place).free
        disk = f"{free / 1e9:.1f} GB free"
        if self._viewed.holds(folder):
            role, text = "warning", f"only looked at, not kept ({disk})"
        elif state.recording and folder is not None:
            role, text = "bad", f"● recording {short(folder)} ({disk})"
        elif folder is not None:
            role, text = "none", f"{short(folder)} ({disk})"
        else:
            role, text = "none", disk
        if free < _LITTLE:
            role, text = "bad", f"{text}: make room"
        show_as(self.recording, role, text)
        show_as(self.verdict, *captions.verdict(self._station.feed.picture))
