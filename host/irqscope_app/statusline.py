"""The status bar: link, last line of the log or fault, recording and free disk space."""

from __future__ import annotations

import shutil

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QStatusBar, QWidget

from irqscope_app.control.state import Link, is_simulation
from irqscope_app.control.station import Station
from irqscope_app.control.viewed import Viewed
from irqscope_app.preferences import Preferences
from irqscope_app.widgets.common import label, show_as, timer

#: Free disk below which the line warns, bytes.
_LITTLE = 1 << 30
_LOOK_MS = 1000


class StatusLine(QObject):
    """Fills a window's status bar. ``line``: log or fault; ``viewed``: holds the temporary run."""

    def __init__(
        self,
        bar: QStatusBar,
        line: QWidget,
        station: Station,
        preferences: Preferences,
        viewed: Viewed,
    ) -> None:
        super().__init__(bar)
        self._station, self._preferences, self._viewed = station, preferences, viewed
        self.link, self.recording = label("", "none"), label("", "none")
        bar.addWidget(self.link)
        bar.addWidget(line, 1)
        bar.addPermanentWidget(self.recording)
        station.changed.connect(self.show)
        station.ended.connect(lambda _: self.show())
        timer(self, _LOOK_MS, self.show_recording)
        self.show()

    def show(self) -> None:
        """Updates the whole line from the current state."""
        state = self._station.state
        roles = {Link.LOST: "bad", Link.READY: "good", Link.MEASURING: "good"}
        text = f"link: {state.link.value}" + (f" {state.target}" if state.target else "")
        role = roles.get(state.link, "none")
        if state.link is Link.READY and is_simulation(state.target):
            role, text = "none", f"{text}, started by each run"  # nothing runs now
        if state.identity is not None:
            text += f", {state.identity.label}"
        if state.pace is not None:
            text += f", {state.pace:.2g} × real time"
        show_as(self.link, role, text)
        self.show_recording()

    def show_recording(self) -> None:
        """Shows the recording light and the free disk space."""
        state = self._station.state
        place = self._preferences.runs
        while not place.exists() and place != place.parent:
            place = place.parent
        free = shutil.disk_usage(place).free
        role, text = "none", f"{free / 1e9:.1f} GB free"
        if self._viewed.holds(state.tabs[0].folder):
            role, text = "warning", f"only looked at, not kept ({text})"
        elif state.recording:
            role, text = "bad", f"● recording ({text})"
        if free < _LITTLE:
            role, text = "bad", f"{text}: make room"
        show_as(self.recording, role, text)
