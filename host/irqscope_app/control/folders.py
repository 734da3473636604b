"""Opening and moving the run folder that is shown."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import IrqscopeError, StorageError
from irqscope.results.reader import read
from irqscope_app.control.desk import Desk
from irqscope_app.control.state import Fault, Link
from irqscope_app.widgets.paths import short


class Folders:
    """Reads a run folder in a thread; ``desk.opened`` is emitted once it is shown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def open(self, folder: Path) -> None:
        """Shows a run folder. During a run this only shows a fault."""
        desk = self._desk
        if desk.state.link is Link.MEASURING or desk.state.opening:
            busy = "a run is under way" if not desk.state.opening else "a folder is being opened"
            desk.set(fault=Fault(busy, "open another one when it has ended"))
            return
        desk.say_command("info", folder)
        desk.feed.clear()
        # A lost target stays lost until it answers, whatever is opened.
        fault = desk.state.fault if desk.state.link is Link.LOST else None
        desk.set(fault=fault, folder=None, step="open", opening=True)
        desk.begin(
            lambda: desk.feed.open(read(folder)),
            lambda damaged: self._on_opened(folder, damaged),
            self._on_failed,
        )

    def moved(self, folder: Path) -> None:
        """Records that the run that is shown was moved to ``folder``."""
        self._desk.told.emit("info", f"kept in {short(folder)}")
        self._desk.set(folder=folder)

    def _on_opened(self, folder: Path, damaged: list[StorageError]) -> None:
        desk = self._desk
        desk.set(folder=folder, step="", opening=False)
        if damaged:
            files = f"{len(damaged)} file{'s' if len(damaged) > 1 else ''} of samples"
            text = f"the trace leaves out {files}; histogram and statistics hold every stimulus"
            desk.told.emit("warning", text)
            desk.report_fault(damaged[0])
        desk.opened.emit()

    def _on_failed(self, error: IrqscopeError) -> None:
        self._desk.feed.clear()
        self._desk.set(step="", opening=False)
        self._desk.report_fault(error)
