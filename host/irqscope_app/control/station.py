"""The desk with all that can be done at it: what the screens are given."""

from __future__ import annotations

from PyQt6.QtCore import QObject

from irqscope_app.control.desk import Desk
from irqscope_app.control.folders import Folders
from irqscope_app.control.progress import Progress
from irqscope_app.control.runs import Runs
from irqscope_app.control.suite_runs import SuiteRuns
from irqscope_app.control.targets import Targets


class Station(Desk):
    """Puts the parts together. Each of them knows the desk; what takes time it does in threads.

    ``targets``: who is measured; ``runs``, ``suites``: what is; ``folders``: what was.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.progress = Progress(self)
        self.targets = Targets(self)
        self.runs = Runs(self, self.targets, self.progress)
        self.suites = SuiteRuns(self, self.targets, self.progress)
        self.folders = Folders(self)

    def close(self) -> None:
        """Ends what is under way, in good order, and begins nothing any more."""
        self.closed = True
        self.targets.close()
        self.progress.close()
        self.stop("the window was closed")
        self.wait()
