"""The desk with all its actions, as the screens use it."""

from __future__ import annotations

from PyQt6.QtCore import QObject

from irqscope_app.control.desk import Desk
from irqscope_app.control.folders import Folders
from irqscope_app.control.progress import Progress
from irqscope_app.control.runs import Runs
from irqscope_app.control.suite_runs import SuiteRuns
from irqscope_app.control.targets import Targets


class Station(Desk):
    """Combines the parts. Each of them knows the desk and runs slow actions in threads.

    ``targets``: connections; ``runs``, ``suites``: measurements; ``folders``: stored runs.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.progress = Progress(self)
        self.targets = Targets(self)
        self.runs = Runs(self, self.targets, self.progress)
        self.suites = SuiteRuns(self, self.targets, self.progress)
        self.folders = Folders(self)

    def close(self) -> None:
        """Ends the current action in good order and starts nothing further."""
        self.closed = True
        self.targets.close()
        self.progress.close()
        self.stop("the window was closed")
        self.wait()
