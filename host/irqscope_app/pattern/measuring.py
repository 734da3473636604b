"""Runs the pattern: begins a run, continues with another segment, keeps or queues it."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QObject, QTimer

from irqscope.errors import IrqscopeError
from irqscope.results.folder import new_folder
from irqscope.results.record import RunRecord
from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.control.viewed import Viewed
from irqscope_app.pattern.draft import checked
from irqscope_app.pattern.screen import EXPERIMENT, Pattern
from irqscope_app.preferences import Preferences
from irqscope_app.screens import Screens

#: An edit ends after this long without a change.
_AMEND_MS = 700


class Measuring(QObject):
    """``viewed``: holds the run that is not kept; ``amending``: timer that runs during an edit."""

    def __init__(
        self, station: Station, preferences: Preferences, pattern: Pattern, screens: Screens
    ) -> None:
        super().__init__(station)
        self._station, self._preferences = station, preferences
        self._pattern, self._screens = pattern, screens
        self.viewed = Viewed()
        self.amending = QTimer(self)
        self.amending.setSingleShot(True)
        self.amending.setInterval(_AMEND_MS)
        self.amending.timeout.connect(self.amend)
        pattern.edited.connect(self._on_edited)
        pattern.queue_asked.connect(self.queue)
        station.ended.connect(lambda _: self.keep())
        screens.scope.run_asked.connect(self.run)
        screens.scope.keep_asked.connect(self.keep)
        screens.library.again_asked.connect(self.again)

    def start(self, target: str) -> None:
        """Connects to a target and measures the pattern: one click to a live plot."""
        self._station.targets.connect_to(target, then=self.run)

    def run(self) -> None:
        """Measures the pattern, or the edges of a logic analyser."""
        draft, station = self._pattern.draft, self._station
        if station.state.signals:
            self._capture()
            return
        try:
            experiment = checked(draft)
        except IrqscopeError as error:
            station.report_fault(error, EXPERIMENT)
            self._screens.edit_pattern()
            return
        try:
            folder = self._place(experiment.name)
        except IrqscopeError as error:
            station.report_fault(error)
            return
        station.folders.show(0)
        station.runs.run(experiment, draft.source, folder)
        self._screens.go_to("Scope")

    def _capture(self) -> None:
        station = self._station
        try:
            recipe = self._screens.scope.strip.edges.recipe
            folder = self._place(recipe.name)
        except IrqscopeError as error:
            station.report_fault(error, EXPERIMENT)
            return
        station.mended(EXPERIMENT)
        station.folders.show(0)
        station.runs.capture(recipe, folder)
        self._screens.go_to("Scope")

    def amend(self) -> None:
        """Applies a change of the pattern during a run to the next segment."""
        experiment, station = self._pattern.draft.experiment, self._station
        if station.state.link is not Link.MEASURING or experiment is None:
            return
        if experiment != station.runs.experiment:
            station.runs.go_on_with(experiment, lambda: self._place(experiment.name))

    def keep(self) -> None:
        """Keeps a temporary run in a permanent folder, once it has ended."""
        state = self._station.state
        folder, wanted = state.tabs[0].folder, self._screens.scope.keep.isChecked()
        if state.link is Link.MEASURING or folder is None or not wanted:
            return
        if not self.viewed.holds(folder):
            return
        try:
            kept = self.viewed.keep(folder, self._preferences.runs)
            self._station.folders.moved(kept)
        except IrqscopeError as error:
            self._station.report_fault(error)
        self._screens.library.refresh()

    def queue(self) -> None:
        """Adds the pattern to the queue."""
        draft = self._pattern.draft
        try:
            self._screens.experiments.add(checked(draft), draft.source)
        except IrqscopeError as error:
            self._station.report_fault(error, EXPERIMENT)
            return
        self._screens.go_to("Experiments")

    def again(self, run: RunRecord) -> None:
        """Loads the settings of a run, ready to repeat it."""
        self._pattern.take(run)
        self._screens.edit_pattern()

    def _on_edited(self) -> None:
        if self._pattern.draft.experiment is not None:
            self._station.mended(EXPERIMENT)
        self.amending.start()

    def _place(self, name: str) -> Path:
        """Creates the folder of the next run. Raises StorageError."""
        if self._screens.scope.keep.isChecked():
            return new_folder(name, self._preferences.runs)
        return self.viewed.folder(name)
