"""The main window: screens, docks, fault bar and status bar."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt, QThreadPool
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from irqscope.analysis import stats
from irqscope.errors import StorageError
from irqscope_app import files, glossary, menus
from irqscope_app.arrangement import Arrangement
from irqscope_app.commands import Commands
from irqscope_app.compare import Compare
from irqscope_app.connect import Connect
from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.experiments.screen import Experiments
from irqscope_app.faultbar import FaultBar
from irqscope_app.keys import Key, Keys
from irqscope_app.library.screen import Library
from irqscope_app.logs import Log, LogLine
from irqscope_app.opener import Opener
from irqscope_app.pattern.measuring import Measuring
from irqscope_app.pattern.screen import Pattern
from irqscope_app.pattern.shipped import presets
from irqscope_app.plots.base import Plot
from irqscope_app.preferences import Preferences
from irqscope_app.scope.phase import PhaseMap
from irqscope_app.scope.screen import Scope
from irqscope_app.scope.worst import Worst
from irqscope_app.screens import Screens
from irqscope_app.statusline import StatusLine
from irqscope_app.widgets import theme as themes

#: Height of the line below the screens, pixels, which fits the two lines of a fault.
_STRIP = 38


class Window(QMainWindow):
    """The main window.

    ``station``: state and actions; ``screens``: display; ``measuring`` and ``opener``: user actions
    that involve both.
    """

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self.setWindowTitle("irqscope")
        self.setAcceptDrops(True)
        self.preferences = preferences
        self.without_asking = False  #: the window may be closed during a run
        self.station = Station(self)
        self.connect_screen = Connect(self.station, preferences)
        self.pattern = Pattern(self.station)
        self.worst = Worst(self.station, lambda: self.scope.figures.unit_name)
        self.scope = Scope(self.station, preferences.unit, self.pattern, self.worst)
        self.experiments = Experiments(self.station, preferences)
        self.library = Library(self.station, preferences)
        self.compare = Compare()
        self.screens = Screens(
            self.connect_screen, self.scope, self.experiments, self.library, self.compare
        )
        own = self.station, preferences, self.pattern, self.screens
        self.measuring, self.opener = Measuring(*own), Opener(*own)
        self.fault = FaultBar(self.station)
        self.log_line = LogLine(self.station)
        self._build_centre()
        self.screens.add_rail(self)
        self._build_docks()
        self._build_menus()
        self._connect()
        bar = self.statusBar()
        assert bar is not None  # a main window always has one
        self.status = StatusLine(bar, self.strip, self.station, preferences, self.measuring.viewed)
        self.set_theme(preferences.theme)
        self.arrangement = Arrangement(self, preferences)
        self.scope.parts.tables.setChecked(preferences.tables)
        self.scope.parts.show_lower()
        self.scope.parts.tables.toggled.connect(self._keep_tables)
        paths = [path for path in presets() if path.stem == "t2"]
        if paths:
            self.pattern.load(paths[0])
        self.screens.go_to("Connect")
        # Preloads while the user reads the first screen, so that the first plot is not delayed.
        self.station.begin(stats.load, lambda _: None)

    # ---- actions ---------------------------------------------------------------------------

    def set_theme(self, name: str) -> None:
        """Applies a theme: dark or light."""
        theme = themes.THEMES.get(name, themes.DARK)
        self.preferences.theme = theme.name
        application = QApplication.instance()
        if isinstance(application, QApplication):
            themes.apply(application, theme)
        screens = self.scope, self.worst, self.pattern, self.compare, self.phase
        for part in screens:
            part.dress(theme)

    def toggle_theme(self) -> None:
        """Changes from dark to light, or back."""
        self.set_theme("light" if self.preferences.theme == "dark" else "dark")

    def reset_layout(self) -> None:
        """Restores the layout of the first start; settings stay."""
        self._restore_places()
        self.arrangement.reset()

    def reset(self) -> None:
        """Restores the settings of the first start; the layout stays."""
        self.preferences.forget()
        self.set_theme(self.preferences.theme)
        self.scope.figures.unit.setCurrentText(self.preferences.unit)
        self.scope.parts.tables.setChecked(self.preferences.tables)
        self.connect_screen.show_recent()
        self.library.refresh()

    def ask_command(self) -> None:
        """Opens the searchable list of all actions."""
        Commands(self, self.keys, self.screens).open()

    def show_glossary(self) -> None:
        """Shows the glossary in a separate window, which Esc closes."""
        try:
            page = glossary.read()
        except StorageError as error:
            self.station.report_fault(error)
            return
        dialog = glossary.Glossary(self, page)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Accepts a drag of paths that can be opened."""
        if event is not None and files.dropped(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Opens the dropped path, or compares several runs."""
        if event is not None and self.opener.open_dropped(event.mimeData()):
            event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Ends the current run in good order, if the user agrees; then saves the layout."""
        if event is not None and not self._may_close():
            event.ignore()
            return
        self.station.close()
        pool = QThreadPool.globalInstance()
        if pool is not None:
            pool.waitForDone()
        self.measuring.viewed.forget()
        self._restore_places()
        self.arrangement.keep()
        super().closeEvent(event)

    def _restore_places(self) -> None:
        """Puts back maximised and floating plots, which are not part of the saved layout."""
        for places in (self.scope.parts.places, self.compare.places):
            places.restore()

    def _may_close(self) -> bool:
        """Asks for confirmation during a run."""
        if self.station.state.link is not Link.MEASURING or self.without_asking:
            return True
        live = self.station.state.tabs[0].folder
        answer = QMessageBox.question(
            self,
            "Stop the run?",
            f"{'A run' if live is None else live.name} goes on. Stop it after this batch and close "
            "the window? What was measured is kept.",
        )
        return answer == QMessageBox.StandardButton.Yes

    # ---- building --------------------------------------------------------------------------

    def _build_centre(self) -> None:
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(6, 2, 6, 0)
        layout.setSpacing(2)
        layout.addWidget(self.screens, 1)
        self.strip = QWidget()
        self.strip.setFixedHeight(_STRIP)  # a message does not move the layout
        told = QVBoxLayout(self.strip)
        told.setContentsMargins(0, 0, 0, 0)
        told.addWidget(self.fault)
        told.addWidget(self.log_line)
        self.station.changed.connect(lambda: self.log_line.setVisible(self.fault.isHidden()))
        self.setCentralWidget(centre)

    def _build_docks(self) -> None:
        self.log = Log(self.station)
        self.phase = PhaseMap(self.station)
        contents = {"Log": self.log, "Phase": self.phase}
        self.docks = {title: self._dock(title, content) for title, content in contents.items()}
        self.tabifyDockWidget(self.docks["Log"], self.docks["Phase"])
        self.docks["Log"].raise_()
        for dock in self.docks.values():
            dock.hide()  # until the View menu or the line of the log shows it
        self.log_line.clicked.connect(self._unfold_log)
        self.resizeDocks([self.docks["Log"]], [130], Qt.Orientation.Vertical)

    def _dock(self, title: str, content: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(title)
        dock.setWidget(content)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        return dock

    def _build_menus(self) -> None:
        self.keys = Keys(self, self.scope, self.pattern, self._keys())
        bar = self.menuBar()
        assert bar is not None  # a main window always has one
        file: list[menus.Entry] = [
            ("Open an experiment …", "", self.pattern.ask_open),
            ("Save the experiment as …", "", self.pattern.ask_save),
            ("Open a folder …", "", self.opener.ask_folder),
            ("Import a capture …", "", self.opener.ask_import),
            ("Quit", "Ctrl+Q", self.close),
        ]
        view: list[menus.Entry] = [
            ("Dark or light", "Ctrl+T", self.toggle_theme),
            ("Save the layout as …", "", lambda: self.arrangement.ask_name()),
            ("Reset the layout", "", self.reset_layout),
            ("Reset the settings", "", self.reset),
        ]
        menus.fill(
            bar,
            file,
            lambda: self.preferences.recent,
            self.opener.open,
            self.docks.values(),
            {
                "Layouts": lambda: [
                    (name, partial(self.arrangement.take, parts))
                    for name, parts in self.preferences.layouts.items()
                ],
                "Notes of the run": self.scope.listed_notes,
            },
            view,
            [
                ("Commands and keys …", "Ctrl+K", self.ask_command),
                ("Glossary", "F1", self.show_glossary),
            ],
        )

    def _keys(self) -> list[Key]:
        scope = self.scope
        return [
            Key("H", "Following or paused", scope.chip.toggle),
            Key("R", "Keep the run", scope.keep.toggle),
            Key("F", "Fit and follow", scope.fit),
            Key("M", "The next cursor", scope.add_cursor),
            Key("A", "Cursor A", lambda: scope.put_cursor("A")),
            Key("B", "Cursor B", lambda: scope.put_cursor("B")),
            Key("N", "A note at a time, or between the first two cursors", scope.ask_note),
            Key("T", "Threshold: off, count, stop", scope.next_threshold),
            Key("P", "All of the pattern", scope.strip.edit.toggle),
            Key("Z", "Zoom to the first two cursors", scope.zoom_to_cursors),
            Key(",", "The previous one of the worst, in time", lambda: scope.step_worst(-1)),
            Key(".", "The next one of the worst, in time", lambda: scope.step_worst(1)),
            Key("G", "Go to an index or a time", scope.ask_where),
            Key("W", "The worst", scope.show_worst),
            Key(
                "X",
                "The plot that has the focus, or the trace, alone; or beside the others again",
                scope.maximise,
            ),
            Key("Esc", "Close the stimulus; all plots beside each other again", scope.escape),
            Key("F5", "Look for boards", self.station.targets.rescan),
            Key("Ctrl+O", "Open a folder: of a run, of a suite, of runs", self.opener.ask_folder),
            Key("Ctrl+S", "Save the experiment", self.pattern.ask_save),
            Key("Ctrl+E", "Export the run selected in the library", self.library.ask_export),
            Key("Ctrl+W", "Close the tab", self._close_tab),
            Key("Ctrl+L", "The log", self._unfold_log),
        ]

    def _close_tab(self) -> None:
        self.station.folders.close(self.station.state.at)

    def _unfold_log(self) -> None:
        """Shows or hides the log; its last line is always shown."""
        dock = self.docks["Log"]
        dock.setVisible(not dock.isVisible())
        dock.raise_()

    def _connect(self) -> None:
        self.scope.parts.places.floated.connect(self.keys.serve)
        self.connect_screen.started.connect(self.measuring.start)
        self.connect_screen.folder_asked.connect(self.opener.ask_folder)
        self.connect_screen.open_asked.connect(self.opener.open)
        self.station.changed.connect(self._name_files)
        self.opener.remembered.connect(self.connect_screen.show_recent)
        self.scope.unit_chosen.connect(self._keep_unit)
        self.library.reference_asked.connect(self._refer)
        self.station.ended.connect(lambda _: self.library.refresh())
        self.station.suite_ended.connect(lambda _: self.library.refresh())
        single = (*self.scope.plots.inside, self.scope.waterfall)
        for plot in (*self.scope.plots.all, *single, *self.worst.detail.plots):
            plot.failed = self.station.report_fault
        for plot in (self.compare.histogram, self.compare.ccdf):
            plot.failed = self.station.report_fault
            plot.stale = self.compare.redraw
            plot.run_name = "comparison"

    def _name_files(self) -> None:
        """Sets the run's name as the default file name of plots."""
        folder = self.station.state.folder
        Plot.run_name = "" if folder is None else folder.name

    def _refer(self, folder: Path) -> None:
        self.scope.refer_to(folder)
        self.screens.go_to("Scope")

    def _keep_unit(self, unit: str) -> None:
        self.preferences.unit = unit

    def _keep_tables(self, shown: bool) -> None:
        self.preferences.tables = shown
