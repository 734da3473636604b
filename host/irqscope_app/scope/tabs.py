"""The row of tabs, one for each run that is open, and the row of a suite's runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QPoint, QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import QMenu, QPushButton, QTabBar, QVBoxLayout, QWidget

from irqscope.errors import StorageError
from irqscope.results import suite_record
from irqscope_app.control.state import Link, Tab
from irqscope_app.control.station import Station
from irqscope_app.scope.captions import verdict
from irqscope_app.widgets.common import button
from irqscope_app.widgets.paths import short

_RIGHT = QTabBar.ButtonPosition.RightSide
_MARKS = {
    "waiting": "○", "running": "●", "valid": "✓", "invalid": "✗", "failed": "✗",
    "interrupted": "■", "left out": "–",
}  # fmt: skip


class Tabs(QWidget):
    """``bar``: the open runs, that of the measured one first.

    ``steps``: runs of the suite that the shown one belongs to; those without a folder are disabled.
    ``reference_asked``: emitted with the folder of a run.
    """

    reference_asked = pyqtSignal(Path)

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station
        self._suite: Path | None = None
        self.bar, self.steps = QTabBar(), QTabBar()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for bar, name in ((self.bar, "Runs"), (self.steps, "Runs of the suite")):
            bar.setAccessibleName(name)
            bar.setExpanding(False)
            bar.setDrawBase(False)
            bar.setElideMode(Qt.TextElideMode.ElideMiddle)
            bar.setUsesScrollButtons(True)
            layout.addWidget(bar)
        self.steps.hide()
        self.bar.currentChanged.connect(station.folders.show)
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bar.customContextMenuRequested.connect(self._show_menu)
        self.steps.currentChanged.connect(self._on_step)
        station.changed.connect(self.refresh)
        station.suite_told.connect(lambda _: self._list_steps())
        station.suite_ended.connect(lambda _: self._list_steps())
        self.refresh()

    def refresh(self) -> None:
        """Shows the open runs and their verdicts."""
        state, bar = self._station.state, self.bar
        with QSignalBlocker(bar):
            while bar.count() > len(state.tabs):
                bar.removeTab(bar.count() - 1)
            for place, tab in enumerate(state.tabs):
                if place == bar.count():
                    bar.addTab("")
                    if place:  # the first one is that of the next run, too
                        bar.setTabButton(place, _RIGHT, self._close_button())
                text = self._name(tab)
                if bar.tabText(place) != text:
                    bar.setTabText(place, text)
                bar.setTabToolTip(place, "" if tab.folder is None else short(tab.folder))
            bar.setCurrentIndex(state.at)
        folder = state.folder
        suite = None if folder is None else folder.parent
        if suite != self._suite:
            self._suite = suite
            self._list_steps()
        elif folder is not None and self.steps.currentIndex() >= 0:
            self._choose(folder.name)

    def _close_button(self) -> QPushButton:
        close = button("×", lambda: self._close(close), "Ctrl+W: closes the tab")
        close.setProperty("role", "close")
        close.setAccessibleName("Close the tab")
        return close

    def _close(self, pressed: QPushButton) -> None:
        places = range(1, self.bar.count())
        place = next(n for n in places if self.bar.tabButton(n, _RIGHT) is pressed)
        self._station.folders.close(place)

    def _name(self, tab: Tab) -> str:
        """Mark, name and begin of a run."""
        state, picture = self._station.state, tab.feed.picture
        live = tab is state.tabs[0] and state.link is Link.MEASURING
        if picture is None:
            name = tab.folder.name if tab.folder is not None else "Next run"
            return f"● {name}" if live else name
        run = picture.run
        mark = "●" if live else verdict(picture)[1][0]
        began = "live" if live else f"{datetime.fromisoformat(run.started).astimezone():%H:%M}"
        return f"{mark} {run.experiment.name}  {began}".replace("&", "&&")

    def _list_steps(self) -> None:
        """Lists the runs of the suite in the order in which they are run."""
        with QSignalBlocker(self.steps):
            while self.steps.count():
                self.steps.removeTab(0)
            if self._suite is not None and (self._suite / suite_record.FILE).exists():
                self._add_steps(self._suite)
        self.steps.setVisible(self.steps.count() > 0)

    def _add_steps(self, suite: Path) -> None:
        try:
            record = suite_record.read(suite)
        except StorageError as error:
            self._station.report_fault(error)
            return
        for place, name in enumerate(record.order):
            self.steps.addTab(f"{_MARKS[record.items[name].state]} {name}")
            self.steps.setTabData(place, suite / name)
            self.steps.setTabEnabled(place, (suite / name / "run.json").exists())
        if (folder := self._station.state.folder) is not None:
            self._choose(folder.name)

    def _choose(self, name: str) -> None:
        """Marks the run of the suite that is shown."""
        with QSignalBlocker(self.steps):
            for place in range(self.steps.count()):
                if self.steps.tabData(place).name == name and place != self.steps.currentIndex():
                    self.steps.setTabEnabled(place, True)
                    self.steps.setCurrentIndex(place)

    def _show_menu(self, place: QPoint) -> None:
        """Shows the menu of the tab at a place, or of the current one by the menu key."""
        at = max(self.bar.tabAt(place), 0) or self.bar.currentIndex()
        folder, menu = self._station.state.tabs[at].folder, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        refer = menu.addAction("Take as reference", lambda: self.reference_asked.emit(folder))
        close = menu.addAction("Close", lambda: self._station.folders.close(at))
        assert refer is not None and close is not None  # they were just made
        refer.setEnabled(folder is not None)
        close.setEnabled(at > 0)
        menu.popup(self.bar.mapToGlobal(place))

    def _on_step(self, place: int) -> None:
        self._station.folders.open(self.steps.tabData(place))
