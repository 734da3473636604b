"""The window: a rail of screens, docks, one place for faults, and the status bar."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QByteArray, QSize, Qt, QThreadPool, QTimer
from PyQt6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
)
from PyQt6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMessageBox,
    QSplitter,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from irqscope import stats
from irqscope.errors import IrqscopeError
from irqscope.gui import files
from irqscope.gui import theme as themes
from irqscope.gui.compare import COMPARISON, Compare
from irqscope.gui.connect import Connect
from irqscope.gui.draft import checked, presets
from irqscope.gui.experiments import Experiments
from irqscope.gui.filmstrip import Filmstrip
from irqscope.gui.library import Library
from irqscope.gui.logs import Log, LogLine
from irqscope.gui.paths import short
from irqscope.gui.pattern import EXPERIMENT, Pattern
from irqscope.gui.performance import Performance
from irqscope.gui.phase import PhaseMap
from irqscope.gui.preferences import Preferences
from irqscope.gui.scope import Scope
from irqscope.gui.state import Link
from irqscope.gui.station import Station
from irqscope.gui.viewed import Viewed
from irqscope.gui.widgets import button, label, show_as, style_as, timer
from irqscope.gui.worst import Worst
from irqscope.measure import Result
from irqscope.results.folder import new_folder
from irqscope.results.record import RunRecord

SCREENS = ("Connect", "Scope", "Experiments", "Library", "Compare")
#: Default size, and what a window's frame takes of a screen.
_SIZE, _FRAME = (1280, 820), (16, 48)
#: Parts of the layout beside the splitters.
_GEOMETRY, _DOCKS = "window geometry", "window docks"
#: An edit is over when nothing was changed for so long.
_AMEND_MS = 700
#: Free disk below which the status bar warns, bytes.
_LITTLE = 1 << 30


class Window(QMainWindow):
    """Everything of the app. ``station``: what it knows and does; ``screens``: by name."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self.setWindowTitle("irqscope")
        self.setAcceptDrops(True)
        self.preferences = preferences
        self.without_asking = False  #: it may be closed in the middle of a run
        self.station = Station(self)
        self._viewed = Viewed()
        self.connect_screen = Connect(self.station, preferences)
        self.pattern = Pattern(self.station)
        self.worst = Worst(self.station, lambda: self.scope.figures.unit.currentText())
        self.films = Filmstrip(self.station)
        self.scope = Scope(self.station, preferences.unit, self.pattern, self.worst, self.films)
        self.experiments = Experiments(self.station, preferences)
        self.library = Library(self.station, preferences)
        self.compare = Compare()
        screens: tuple[QWidget, ...] = (
            self.connect_screen, self.scope, self.experiments, self.library, self.compare,
        )  # fmt: skip
        self.screens = dict(zip(SCREENS, screens, strict=True))
        self._build_centre()
        self._build_rail()
        self._build_docks()
        self._build_status()
        self._build_shortcuts()
        self._connect()
        self.set_theme(preferences.theme)
        self._take_size()
        self._first_layout = self._layout()
        if (layout := preferences.layout()) is not None:
            self._lay_out(layout)
        found = [path for path in presets() if path.stem == "t2"]
        if found:
            self.pattern.load(found[0])
        self.go_to("Connect")
        self._on_state()
        # While the first screen is read, not between the first click and its plot.
        self.station.begin(stats.load, lambda _: None)

    # ---- actions ---------------------------------------------------------------------------

    def go_to(self, screen: str) -> None:
        """Shows a screen; its keys work at once."""
        self._actions[screen].setChecked(True)
        self._stack.setCurrentWidget(self.screens[screen])
        shown = self.screens[screen]
        first = shown.pages.first if isinstance(shown, Experiments | Library) else shown
        first.setFocus()

    def run(self) -> None:
        """Measures what the pattern says."""
        try:
            experiment = checked(self.pattern.draft)
        except IrqscopeError as error:
            self.station.report_fault(error, EXPERIMENT)
            self.edit_pattern()
            return
        try:
            folder = self._place(experiment.name)
        except IrqscopeError as error:
            self.station.report_fault(error)
            return
        self.scope.fit()
        self.station.runs.run(experiment, self.pattern.draft.source, folder)
        self.go_to("Scope")

    def edit_pattern(self) -> None:
        """All of the pattern on the Scope screen."""
        self.go_to("Scope")
        self.scope.show_pattern()

    def amend(self) -> None:
        """The pattern was changed while a run goes on: the next segment has it."""
        experiment, station = self.pattern.draft.experiment, self.station
        if station.state.link is not Link.MEASURING or experiment is None:
            return
        if experiment != station.runs.experiment:
            station.runs.go_on_with(experiment, lambda: self._place(experiment.name))

    def keep(self) -> None:
        """A run that was only looked at gets a folder like any other, once it has ended."""
        state = self.station.state
        viewed = state.folder is not None and self._viewed.holds(state.folder)
        if state.link is Link.MEASURING or not viewed or not self.scope.keep.isChecked():
            return
        assert state.folder is not None  # it is held
        try:
            self.station.moved(self._viewed.keep(state.folder, self.preferences.runs))
        except IrqscopeError as error:
            self.station.report_fault(error)
        self.library.refresh()

    def _place(self, name: str) -> Path:
        """Folder of the next run. Raises StorageError."""
        if self.scope.keep.isChecked():
            return new_folder(name, self.preferences.runs)
        return self._viewed.folder(name)

    def queue(self) -> None:
        """Puts what the pattern says into the queue."""
        draft = self.pattern.draft
        try:
            self.experiments.queue(checked(draft), draft.source)
        except IrqscopeError as error:
            self.station.report_fault(error, EXPERIMENT)
            return
        self.go_to("Experiments")

    def start_twin(self, target: str) -> None:
        """From nothing to a live plot."""
        self.station.targets.connect_to(target, then=self.run)

    def open_folder(self, folder: Path) -> None:
        """Shows a run folder on the Scope screen."""
        self.scope.fit()
        self.station.open(folder)

    def again(self, run: RunRecord) -> None:
        """Takes the settings of a run, ready to be run."""
        self.pattern.take(run)
        self.edit_pattern()

    def set_theme(self, name: str) -> None:
        """Dark or light."""
        theme = themes.THEMES.get(name, themes.DARK)
        self.preferences.theme = theme.name
        application = QApplication.instance()
        if isinstance(application, QApplication):
            themes.apply(application, theme)
        screens = (
            self.scope,
            self.worst.detail,
            self.pattern,
            self.films,
            self.compare,
            self.phase,
        )
        for part in screens:
            part.dress(theme)

    def toggle_theme(self) -> None:
        """The other one."""
        self.set_theme("light" if self.preferences.theme == "dark" else "dark")

    def reset(self) -> None:
        """Layout and settings as at the first start."""
        self.preferences.forget()
        self._lay_out(self._first_layout)
        self._take_size()
        self.set_theme(self.preferences.theme)
        self.scope.figures.unit.setCurrentText(self.preferences.unit)
        self.connect_screen.show_recent()
        self.library.refresh()

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Takes what can be opened."""
        if event is not None and files.dropped(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Opens it; several runs are compared."""
        paths = [] if event is None else files.dropped(event.mimeData())
        if event is None or not paths:
            return
        event.acceptProposedAction()
        if len(paths) > 1:
            self._compare(paths)
        else:
            self.open_any(paths[0])

    def open_any(self, path: Path) -> None:
        """Shows a run, an experiment, a suite or a folder of runs, and remembers it."""
        what = files.kind(path)
        if what not in ("run", "experiment"):  # which are remembered when they are open
            self._remember_file(path)
        self._openers[what](path)

    def open_suite(self, path: Path) -> None:
        """Offers the runs of a suite's file."""
        self.go_to("Experiments")
        self.experiments.show_queue()
        self.experiments.chooser.use(path)

    def open_card(self, folder: Path) -> None:
        """Shows the card of a suite's folder."""
        self.go_to("Experiments")
        self.experiments.show_card_of(folder)

    def open_runs(self, folder: Path) -> None:
        """Shows the runs below a folder in the library."""
        self.library.look_into(folder)
        self.go_to("Library")

    def open_experiment(self, path: Path) -> None:
        """Shows an experiment file on the Scope screen."""
        self.pattern.load(path)
        self.edit_pattern()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """A run that goes on ends in good order, if that is wanted; then the layout is kept."""
        if event is not None and not self._may_close():
            event.ignore()
            return
        self.station.close()
        pool = QThreadPool.globalInstance()
        if pool is not None:
            pool.waitForDone()
        self._viewed.forget()
        self.preferences.save_layout(self._layout())
        super().closeEvent(event)

    def _may_close(self) -> bool:
        """Asks while a run goes on."""
        if self.station.state.link is not Link.MEASURING or self.without_asking:
            return True
        answer = QMessageBox.question(
            self,
            "Stop the run?",
            "A run goes on. Stop it after this batch and close the window? What was measured is "
            "kept.",
        )
        return answer == QMessageBox.StandardButton.Yes

    def _layout(self) -> dict[str, QByteArray]:
        """Geometry, docks and splitters, by name."""
        parts = {name: one.saveState() for name, one in self._splitters().items()}
        return parts | {_GEOMETRY: self.saveGeometry(), _DOCKS: self.saveState()}

    def _lay_out(self, layout: dict[str, QByteArray]) -> None:
        if _GEOMETRY in layout:
            self.restoreGeometry(layout[_GEOMETRY])
        if _DOCKS in layout:
            self.restoreState(layout[_DOCKS])
        for name, splitter in self._splitters().items():
            if name in layout:
                splitter.restoreState(layout[name])

    def _splitters(self) -> dict[str, QSplitter]:
        """Qt has some of its own, in dialogs."""
        named = (one for one in self.findChildren(QSplitter) if one.objectName())
        return {one.objectName(): one for one in named}

    def _take_size(self) -> None:
        """As large as is comfortable, and never larger than the screen."""
        screen = self.screen()
        size = QSize(*_SIZE)
        if screen is not None:
            room = screen.availableGeometry().size() - QSize(*_FRAME)
            size = size.boundedTo(room)
        self.resize(size)

    # ---- state -----------------------------------------------------------------------------

    def _on_state(self) -> None:
        state = self.station.state
        fault = state.fault or state.hint
        self._fault.setVisible(fault is not None)
        if fault is not None:
            style_as(self._fault, "bad" if state.fault else "warning")
            self._dismiss.setVisible(state.fault is not None)
            self._cause.setText(fault.cause if state.fault else f"! {fault.cause}")
            self._remedy.setText(fault.remedy and f"What to do: {fault.remedy}.")
            self._remedy.setVisible(bool(fault.remedy))
        identity = state.identity
        picture = self.station.feed.picture
        if identity is not None:
            show_as(self._source, "board" if identity.profile is None else "twin", identity.label)
        elif picture is not None and picture.run.source:
            source = picture.run.source
            role = "twin" if source.profile else "board"
            show_as(self._source, role, f"{source.label} (from a folder)")
        else:
            show_as(self._source, "none", "no source")
        roles = {Link.LOST: "bad", Link.READY: "good", Link.MEASURING: "good"}
        text = f"link: {state.link.value}" + (f" {state.target}" if state.target else "")
        if state.pace is not None:
            text += f", {state.pace:.2g} × real time"
        show_as(self._link, roles.get(state.link, "none"), text)
        self._show_recording()

    def _show_recording(self) -> None:
        """Recording light, free disk, and books at a glance."""
        state = self.station.state
        folder = state.folder
        place = self.preferences.runs
        while not place.exists() and place != place.parent:
            place = place.parent
        free = shutil.disk_usage(place).free
        disk = f"{free / 1e9:.1f} GB free"
        if self._viewed.holds(folder):
            role, text = "warning", f"only looked at, not kept ({disk})"
        elif state.recording and folder is not None:
            role, text = "bad", f"● recording {short(folder)} ({disk})"
        elif folder is not None:
            role, text = "none", f"{short(folder)} ({disk})"
        else:
            role, text = "none", disk
        if free < _LITTLE:
            role, text = "bad", f"{text}: make room"
        show_as(self._recording, role, text)
        picture = self.station.feed.picture
        if picture is None or not picture.run.books:
            show_as(self._books, "none", "no books")
        elif picture.doubts and not picture.run.interrupted:
            show_as(self._books, "bad", "✗ books")
        else:
            show_as(self._books, "good", "✓ books")

    def _on_ended(self, result: Result) -> None:
        self.keep()
        self._on_state()
        self.library.refresh()

    # ---- building --------------------------------------------------------------------------

    def _build_centre(self) -> None:
        self._fault = QFrame()
        self._fault.setObjectName("fault")
        self._cause, self._remedy = QLabel(""), QLabel("")
        for text in (self._cause, self._remedy):
            text.setWordWrap(True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        texts = QVBoxLayout()
        texts.addWidget(self._cause)
        texts.addWidget(self._remedy)
        row = QHBoxLayout(self._fault)
        row.addLayout(texts, 1)
        self._dismiss = button("Dismiss", self.station.dismiss)
        row.addWidget(self._dismiss)
        self._stack = QStackedWidget()
        for screen in self.screens.values():
            self._stack.addWidget(screen)
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(6, 4, 6, 0)
        layout.addWidget(self._fault)
        layout.addWidget(self._stack, 1)
        self.log_line = LogLine(self.station)
        layout.addWidget(self.log_line)
        self.setCentralWidget(centre)

    def _build_rail(self) -> None:
        rail = QToolBar("Screens")
        rail.setObjectName("rail")
        rail.setMovable(False)
        rail.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, rail)
        group = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for number, name in enumerate(SCREENS, 1):
            action = QAction(name, self)
            action.setCheckable(True)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.setToolTip(f"{name} (Ctrl+{number})")
            action.triggered.connect(lambda _, n=name: self.go_to(n))
            group.addAction(action)
            rail.addAction(action)
            self._actions[name] = action
        self._rail = rail

    def _build_docks(self) -> None:
        self.log = Log(self.station)
        self.performance = Performance(self.station, self.scope)
        self.phase = PhaseMap(self.station)
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        self.docks = {
            "Log": self._dock("Log", self.log, bottom),
            "Performance": self._dock("Performance", self.performance, bottom),
            "Phase": self._dock("Phase", self.phase, bottom),
        }
        self.tabifyDockWidget(self.docks["Log"], self.docks["Performance"])
        self.tabifyDockWidget(self.docks["Performance"], self.docks["Phase"])
        self.docks["Log"].raise_()
        for dock in self.docks.values():
            dock.hide()  # until the View menu or the line of the log shows it
        self.log_line.clicked.connect(self._unfold_log)
        self.resizeDocks([self.docks["Log"]], [130], Qt.Orientation.Vertical)
        bar = self.menuBar()
        assert bar is not None  # a main window always has one
        file, view, help_menu = (bar.addMenu(name) for name in ("&File", "&View", "&Help"))
        assert file is not None and view is not None and help_menu is not None  # just made
        entries: list[tuple[str, str, Callable[[], object]]] = [
            ("Open an experiment …", "", self.pattern.ask_open),
            ("Save the experiment as …", "", self.pattern.ask_save),
            ("Open a folder …", "", self._ask_folder),
            ("Quit", "Ctrl+Q", self.close),
        ]
        self._openers = {
            "run": self.open_folder,
            "experiment": self.open_experiment,
            "suite": self.open_suite,
            "card": self.open_card,
            "runs": self.open_runs,
        }
        files.fill(file, entries, lambda: self.preferences.recent, self.open_any)
        for dock in self.docks.values():
            view.addAction(dock.toggleViewAction())
        view.addSeparator()
        view.addAction("Dark or light", QKeySequence("Ctrl+T"), self.toggle_theme)
        view.addAction("Reset layout and settings", self.reset)
        keys_of_screens = [("Space", "Scope: run or stop, unless a button has the focus")]
        for keys, text in (*keys_of_screens, *(one[:2] for one in self._shortcuts())):
            entry = help_menu.addAction(f"{text}\t{keys}")
            assert entry is not None  # it was just made
            entry.setEnabled(False)

    def _dock(self, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(title)
        dock.setWidget(content)
        self.addDockWidget(area, dock)
        return dock

    def _build_status(self) -> None:
        self._source, self._link, self._books, self._recording = (
            label("", "none") for _ in range(4)
        )
        bar = self.statusBar()
        assert bar is not None  # a main window always has one
        for widget in (self._source, self._link, self._books):
            bar.addWidget(widget)
        bar.addPermanentWidget(self._recording)

    def _shortcuts(self) -> list[tuple[str, str, Callable[[], object]]]:
        scope = self.scope
        return [
            ("H", "Following or paused", scope.chip.toggle),
            ("R", "Keep the run", scope.keep.toggle),
            ("F", "Fit and follow", scope.fit),
            ("M", "The next cursor", scope.add_cursor),
            ("A", "Cursor A", lambda: scope.put_cursor("A")),
            ("B", "Cursor B", lambda: scope.put_cursor("B")),
            ("T", "Threshold: off, count, stop", scope.next_threshold),
            ("P", "All of the pattern", scope.strip.edit.toggle),
            ("G", "Go to an index or a time", self.worst.where.setFocus),
            ("W", "The worst", self.worst.show_worst),
            ("Esc", "Close the event", self.worst.let_go),
            ("F5", "Look for boards", self.station.targets.rescan),
            ("Ctrl+O", "Open a folder: of a run, of a suite, of runs", self._ask_folder),
            ("Ctrl+S", "Save the experiment", self.pattern.ask_save),
            ("Ctrl+E", "Export the run that is selected in the library", self.library.ask_export),
            ("Ctrl+L", "The log", self._unfold_log),
        ]

    def _build_shortcuts(self) -> None:
        self._letters: list[QShortcut] = []
        for keys, _, action in self._shortcuts():
            # Keys without Ctrl belong to the screen that they act on.
            here = len(keys) == 1 or keys == "Esc"
            shortcut = QShortcut(QKeySequence(keys), self.scope if here else self)
            shortcut.setContext(
                Qt.ShortcutContext.WidgetWithChildrenShortcut
                if here
                else Qt.ShortcutContext.WindowShortcut
            )
            shortcut.activated.connect(action)
            self._letters += [shortcut] * here

        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """In the pattern letters are for its fields."""
        editing = now is not None and self.pattern.isAncestorOf(now)
        for shortcut in self._letters:
            shortcut.setEnabled(not editing)

    def _unfold_log(self) -> None:
        """All of it, or its last line alone."""
        dock = self.docks["Log"]
        dock.setVisible(not dock.isVisible())
        dock.raise_()

    def _connect(self) -> None:
        self.station.changed.connect(self._on_state)
        self.station.ended.connect(self._on_ended)
        self.station.opened.connect(self._on_opened)
        self.connect_screen.started.connect(self.start_twin)
        self.connect_screen.folder_asked.connect(self._ask_folder)
        self.connect_screen.open_asked.connect(self.open_any)
        self.station.connected.connect(self._remember)
        self.scope.run_asked.connect(self.run)
        self.scope.unit_chosen.connect(self._keep_unit)
        self.scope.keep_asked.connect(self.keep)
        self.films.open_asked.connect(self.open_folder)
        self.films.changed.connect(self.library.refresh)
        self.library.listed.connect(self.films.show_entries)
        single = (self.scope.plots.placement.plot, self.scope.waterfall)
        for plot in (*self.scope.plots.all, *single, *self.worst.detail.plots):
            plot.failed = self.station.report_fault
        for plot in (self.compare.histogram, self.compare.ccdf):
            plot.failed = self.station.report_fault
            plot.stale = self.compare.redraw
        self.experiments.open_asked.connect(self.open_folder)
        self.pattern.queue_asked.connect(self.queue)
        self.pattern.edited.connect(self._on_edited)
        self.pattern.file_used.connect(self._remember_file)
        self.station.suite_ended.connect(lambda _: self.library.refresh())
        self.library.open_asked.connect(self.open_folder)
        self.library.again_asked.connect(self.again)
        self.library.compare_asked.connect(self._compare)
        timer(self, 1000, self._show_recording)
        self._amending = QTimer(self)
        self._amending.setSingleShot(True)
        self._amending.setInterval(_AMEND_MS)
        self._amending.timeout.connect(self.amend)

    def _remember(self, one: str) -> None:
        self.preferences.remember(one)
        self.connect_screen.show_recent()

    def _on_opened(self) -> None:
        folder = self.station.state.folder
        if folder is not None:
            self._remember(str(folder.resolve()))
        self.go_to("Scope")

    def _remember_file(self, path: Path) -> None:
        self._remember(str(path.resolve()))

    def _on_edited(self) -> None:
        if self.pattern.draft.experiment is not None:
            self.station.mended(EXPERIMENT)
        self._amending.start()

    def _keep_unit(self, unit: str) -> None:
        self.preferences.unit = unit

    def _compare(self, folders: list[Path]) -> None:
        try:
            self.compare.show_runs(folders)
            self.station.mended(COMPARISON)
            mixed = ["--mixed"] if self.compare.mixed else []
            self.station.say_command("compare", *mixed, *folders)
        except IrqscopeError as error:
            self.compare.clear()
            self.station.report_fault(error, COMPARISON)
        self.go_to("Compare")

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self, "Open a folder: of a run, of a suite, of runs", str(self.preferences.runs)
        )
        if name and files.kind(Path(name)):
            self.open_any(Path(name))
        elif name:
            self.open_folder(Path(name))  # which says what is wrong with it
