"""Notes at a time: on a stimulus, on any moment, or on what lies between two cursors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QInputDialog, QWidget

from irqscope.errors import StorageError
from irqscope.gui.control.station import Station
from irqscope.gui.plots.trace_plot import TracePlot
from irqscope.results import note


class Marks(QObject):
    """Has the trace show those of the run folder that is shown. ``shown``: called when others are
    to be drawn."""

    def __init__(self, station: Station, trace: TracePlot, shown: Callable[[], None]) -> None:
        super().__init__(station)
        self._station, self._trace, self._shown = station, trace, shown
        self._read: Path | None = None
        station.changed.connect(self._on_state)

    def ask(self, parent: QWidget, begin: float, end: float) -> None:
        """Asks what is to be said of a time, s on the axis of the trace, and keeps it."""
        folder, origin = self._station.state.folder, self._station.feed.origin
        if folder is None or self._station.state.suite:
            return
        if begin < origin:
            text = "this time is of an earlier segment: open it from the runs on the right"
            self._station.told.emit("warning", text)
            return
        before = next((m.text for m in note.read(folder).marks if m.begin_s == begin - origin), "")
        when = f"{begin:.6f} s" + (f" to {end:.6f} s" if end > begin else "")
        title = f"A note in {folder.name}"
        text, wanted = QInputDialog.getText(parent, title, f"At {when}:", text=before)
        if not wanted:
            return
        at = begin - origin, end - origin
        self._station.say_command("note", folder, text, "--at", at[0], "--until", at[1])
        self._station.begin(lambda: note.mark(folder, *at, text), lambda _: self.refresh())

    def refresh(self) -> None:
        """Reads them anew."""
        folder, origin = self._station.state.folder, self._station.feed.origin
        self._read = folder
        found: tuple[note.Mark, ...] = ()
        try:
            found = () if folder is None else note.read(folder).marks
        except StorageError as error:
            self._station.report_fault(error)
        self._trace.marks = [(origin + m.begin_s, origin + m.end_s, m.text) for m in found]
        self._shown()

    def _on_state(self) -> None:
        if self._station.state.folder != self._read:
            self.refresh()
