"""All that the window knows and all that it can do, in one place.

Every action is one that the command line has, and the log says which. Ports, runs and folders are
handled in threads; what they find out becomes a new :class:`State`, on the window's thread.
"""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QObject

from irqscope.errors import IrqscopeError, StorageError
from irqscope.gui.desk import Desk
from irqscope.gui.paths import short
from irqscope.gui.progress import Progress
from irqscope.gui.runs import Runs
from irqscope.gui.state import Fault, Link
from irqscope.gui.suiteruns import SuiteRuns
from irqscope.gui.targets import Targets
from irqscope.results.reader import read


class Station(Desk):
    """``targets``: who is measured; ``runs`` and ``suites``: what is; folders are opened here."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.progress = Progress(self)
        self.targets = Targets(self)
        self.runs = Runs(self, self.targets, self.progress)
        self.suites = SuiteRuns(self, self.targets, self.progress)

    def open(self, folder: Path) -> None:
        """Shows a run folder."""
        if self.state.link is Link.MEASURING or self.state.opening:
            busy = "a run is under way" if not self.state.opening else "a folder is being opened"
            self.set(fault=Fault(busy, "open another one when it has ended"))
            return
        self.say_command("info", folder)
        self.set(fault=None, folder=None, step="open", opening=True)
        self.begin(
            lambda: self.feed.open(read(folder)),
            lambda damaged: self._on_opened(folder, damaged),
            self._on_open_failed,
        )

    def moved(self, folder: Path) -> None:
        """The run that is shown lies in another folder now."""
        self.told.emit("info", f"kept in {short(folder)}")
        self.set(folder=folder)

    def close(self) -> None:
        """Ends what is under way, in good order, and begins nothing any more."""
        self.closed = True
        self.targets.close()
        self.progress.close()
        self.stop("the window was closed")
        self.wait()

    def _on_opened(self, folder: Path, damaged: list[StorageError]) -> None:
        self.set(folder=folder, step="", opening=False)
        if damaged:
            files = f"{len(damaged)} file{'s' if len(damaged) > 1 else ''} of samples"
            text = f"the trace leaves out {files}; histogram and statistics hold every stimulus"
            self.told.emit("warning", text)
            self.report_fault(damaged[0])
        self.opened.emit()

    def _on_open_failed(self, error: IrqscopeError) -> None:
        self.feed.clear()
        self.set(step="", opening=False)
        self.report_fault(error)
