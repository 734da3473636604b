"""Notes on a stimulus, a moment, or the time between two cursors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QInputDialog, QWidget

from irqscope.errors import StorageError
from irqscope.results import note
from irqscope_app.control.station import Station
from irqscope_app.plots.trace_plot import TracePlot

#: Times closer than this are equal, s, since a time on the axis is a rounded sum.
_SAME_S = 1e-9


class Marks(QObject):
    """Shows the notes of the current run folder in the trace.

    ``shown``: called when the notes need to be redrawn.
    """

    def __init__(self, station: Station, trace: TracePlot, shown: Callable[[], None]) -> None:
        super().__init__(station)
        self._station, self._trace, self._shown = station, trace, shown
        self._read: Path | None = None
        station.changed.connect(self._on_state)

    def ask(self, parent: QWidget, begin: float, end: float) -> None:
        """Asks for a note on a time of the trace, s, and saves it, or edits an existing one."""
        folder, origin = self._station.state.folder, self._station.feed.origin
        if folder is None:
            return
        if begin < origin:
            text = "this time is of an earlier segment: open its run in the Library"
            self._station.told.emit("warning", text)
            return
        begin, end = begin - origin, end - origin
        marks = note.read(folder).marks
        before = next((m for m in marks if abs(m.begin_s - begin) < _SAME_S), None)
        if before is not None:
            begin, end = before.begin_s, max(before.begin_s, end)
        when = f"{origin + begin:.6f} s" + (f" to {origin + end:.6f} s" if end > begin else "")
        text, accepted = QInputDialog.getText(
            parent,
            f"A note in {folder.name}",
            f"At {when}{'; empty takes it away' if before else ''}:",
            text=before.text if before else "",
        )
        if accepted and (text.strip() or before):
            self._station.say_command("note", folder, text, "--at", begin, "--until", end)
            self._station.begin(
                lambda: note.mark(folder, begin, end, text), lambda _: self.refresh()
            )

    def refresh(self) -> None:
        """Reads the notes again."""
        folder, origin = self._station.state.folder, self._station.feed.origin
        self._read = folder
        marks: tuple[note.Mark, ...] = ()
        try:
            marks = () if folder is None else note.read(folder).marks
        except StorageError as error:
            self._station.report_fault(error)
        self._trace.marks = [(origin + m.begin_s, origin + m.end_s, m.text) for m in marks]
        self._shown()

    def _on_state(self) -> None:
        if self._station.state.folder != self._read:
            self.refresh()
