"""Selection of a suite's runs: a list with check boxes and the purpose of each run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QShowEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.campaign.suite import COUNTS, Loaded, load
from irqscope.errors import IrqscopeError
from irqscope.experiment import Experiment
from irqscope.experiment.load import check
from irqscope_app.control.state import is_simulation
from irqscope_app.control.station import Station
from irqscope_app.pattern.presets import unable
from irqscope_app.pattern.shipped import presets, suites
from irqscope_app.widgets.common import button, label

#: What a fault is about that goes away with the next suite without one.
SUITE = "the suite"
#: The suite that is offered before another is chosen.
_FIRST = "horst2020"
_DEFAULT = "counts for the target"
_COLUMNS = ("run", "stimuli", "what it is")


class Chooser(QWidget):
    """``chosen``: emitted with the suite and its checked runs."""

    chosen = pyqtSignal(object)

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station
        self._loaded: Loaded | None = None
        self._wanted: tuple[Path, str] | None = None
        self._machine: tuple[str, bool] | None = None
        self._files = suites()
        station.connected.connect(lambda _: self._on_choice())
        self._build()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Reads the suite when first shown, and again for another target."""
        super().showEvent(event)
        self.refresh()

    def use(self, path: Path) -> None:
        """Adds a suite's file to the list and selects it."""
        place = self.suite.findData(path)
        if place < 0:
            self._files.append(path)
            self.suite.addItem(path.parent.name, path)
            place = self.suite.count() - 1
        self.suite.setCurrentIndex(place)
        self.refresh()

    def refresh(self) -> None:
        """Lists the runs of the suite, unless they are shown already."""
        path, counts = self.suite.currentData(), self._counts()
        machine = self._runs_on()
        if path is None or (self._wanted == (path, counts) and self._machine == machine):
            return
        if self._machine != machine:
            self._machine = machine
            self._narrow()
        if self._wanted is not None and self._wanted[0] != path:
            self._clear()  # the check marks belong to another suite
        self._wanted = (path, counts)
        self.told.setText(f"reading {path.parent.name} …")

        # Another suite may have been requested since, and its answer may have come first.
        def done(loaded: Loaded) -> None:
            if self._wanted == (path, counts):
                self._station.mended(SUITE)
                self._show(loaded)

        def failed(error: IrqscopeError) -> None:
            if self._wanted != (path, counts):
                return
            self._wanted = None
            self._clear()
            self._station.report_fault(error, SUITE)

        self._station.begin(lambda: load(path, counts), done, failed)

    def _narrow(self) -> None:
        """Offers the suites with runs that the target supports; all suites without a target."""
        identity = self._station.state.identity
        if identity is None:
            self._offer(frozenset())
            return

        def done(found: frozenset[Path]) -> None:
            if self._machine == machine:  # else another has answered since
                self._offer(found)

        machine, of_program = self._machine, self._station.state.of_program
        self._station.begin(lambda: unable(identity.machine, identity.tick_hz, of_program), done)

    def _offer(self, unable: frozenset[Path]) -> None:
        """Lists the suites with at least one run that the target supports; keeps the selection."""
        selected = self.suite.currentData()
        with QSignalBlocker(self.suite):
            self.suite.clear()
            for path in self._files:
                own = {one for one in presets() if one.parent == path.parent}
                if path == selected or not own or not own <= unable:
                    self.suite.addItem(path.parent.name, path)
            self.suite.setCurrentIndex(self.suite.findData(selected))

    def checked(self) -> tuple[str, ...]:
        """Names of the runs, in the suite's order."""
        return tuple(
            item.text(0) for item in self._items() if item.checkState(0) is Qt.CheckState.Checked
        )

    def check(self, names: Collection[str]) -> None:
        """Ticks these runs and no other."""
        for item in self._items():
            checked = item.text(0) in names
            item.setCheckState(0, Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)

    def add(self) -> None:
        """Requests the checked runs, with the counts for the current target."""
        path, names, counts = self.suite.currentData(), self.checked(), self._counts()
        if path is not None and names:
            self._station.begin(lambda: load(path, counts, names), self.chosen.emit)

    def _on_choice(self) -> None:
        if self.isVisible():
            self.refresh()

    def _counts(self) -> str:
        target = self._station.state.target
        quick = not target or is_simulation(target)
        selected = self.counts.currentText()
        return ("quick" if quick else "paper") if selected == _DEFAULT else selected

    def _items(self) -> list[QTreeWidgetItem]:
        items = (self.runs.topLevelItem(place) for place in range(self.runs.topLevelItemCount()))
        return [item for item in items if item is not None]

    def _show(self, loaded: Loaded) -> None:
        """Lists the runs of a suite. If only counts have changed, the check marks stay."""
        before = self._loaded
        same = before is not None and before.path == loaded.path
        off = {item.text(0) for item in self._items()} - set(self.checked()) if same else set()
        self._loaded = loaded
        self.runs.blockSignals(True)
        self.runs.clear()
        able = [entry for entry in loaded.entries if self._can_run(entry.experiment)]
        others = len(loaded.entries) - len(able)
        more = "more" if able else "runs, all of which"
        self.others.setText(f"{others} {more} need another target" if others else "")
        for entry in able:
            description = entry.experiment.description
            item = QTreeWidgetItem([entry.name, str(entry.experiment.count), description])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setToolTip(0, description or entry.name)
            item.setToolTip(2, description)
            checked = Qt.CheckState.Unchecked if entry.name in off else Qt.CheckState.Checked
            item.setCheckState(0, checked)
            self.runs.addTopLevelItem(item)
        for column in (0, 1):
            self.runs.resizeColumnToContents(column)
        self.runs.blockSignals(False)
        self.suite.setToolTip(loaded.suite.description)
        self.told.setText(loaded.suite.description)
        self._filter()
        self._on_ticks()

    def _can_run(self, experiment: Experiment) -> bool:
        """Whether the target can run the experiment; always true without a target."""
        identity = self._station.state.identity
        if identity is None:
            return True
        of_program = self._station.state.of_program
        try:
            check(experiment, identity.machine, identity.tick_hz, of_program)
        except IrqscopeError:
            return False
        return True

    def _runs_on(self) -> tuple[str, bool] | None:
        """The target's machine, and whether it runs a foreign program; None without a target."""
        state = self._station.state
        return None if state.identity is None else (state.identity.machine.name, state.of_program)

    def _clear(self) -> None:
        self._loaded = None
        self.runs.clear()
        self.told.setText("")
        self._on_ticks()

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        for item in self._items():
            text = f"{item.text(0)} {item.text(2)}".lower()
            item.setHidden(not all(word in text for word in words))

    def _tell(self, item: QTreeWidgetItem | None) -> None:
        """Shows the full description of the selected row."""
        self.told.setText("" if item is None else f"{item.text(0)}: {item.text(2)}")

    def _check(self, state: Qt.CheckState) -> None:
        """Checks or unchecks each run that is shown."""
        for item in self._items():
            if not item.isHidden():
                item.setCheckState(0, state)

    def _on_ticks(self) -> None:
        number = len(self.checked())
        self.add_button.setText(f"Add {number} run{'' if number == 1 else 's'} to the queue")
        self.add_button.setEnabled(bool(number))

    def _build(self) -> None:
        self.suite = QComboBox()
        self.suite.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.suite.setMinimumContentsLength(14)
        for path in self._files:
            self.suite.addItem(path.parent.name, path)
        self.suite.setCurrentIndex(max(0, self.suite.findText(_FIRST)))
        self.suite.currentIndexChanged.connect(self._on_choice)
        self.counts = QComboBox()
        self.counts.addItems((_DEFAULT, *COUNTS))
        self.counts.setToolTip(
            "quick: minutes on a twin; paper: as published; tail: what tails need.\n"
            "For the target: quick in simulation, paper on a board."
        )
        self.counts.currentIndexChanged.connect(self._on_choice)
        self.search = QLineEdit()
        self.search.setPlaceholderText("search: words of name and description")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _: self._filter())
        self.runs = QTreeWidget()
        self.runs.setColumnCount(len(_COLUMNS))
        self.runs.setHeaderLabels(_COLUMNS)
        self.runs.setRootIsDecorated(False)
        self.runs.setAlternatingRowColors(True)
        self.runs.setUniformRowHeights(True)
        self.runs.itemChanged.connect(lambda *_: self._on_ticks())
        # Space is for the box of the row, whichever of its columns was clicked.
        self.runs.itemClicked.connect(lambda item, _: self.runs.setCurrentItem(item, 0))
        ticks: tuple[tuple[str, Callable[[], object], str], ...] = (
            ("All", lambda: self._check(Qt.CheckState.Checked), "Check each run that is shown"),
            ("None", lambda: self._check(Qt.CheckState.Unchecked), "Uncheck each that is shown"),
        )
        self.all, self.none = (button(*one) for one in ticks)
        self.add_button = button("", self.add)
        self.others = label("", "faint")
        self.told = label("", "faint", wraps=True)
        self.told.setFixedHeight(3 * self.told.fontMetrics().height() + 6)
        self.told.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.runs.currentItemChanged.connect(self._tell)
        top = QGridLayout()
        top.addWidget(self.suite, 0, 0)
        top.addWidget(button("Other file …", self._ask_file), 0, 1)
        top.addWidget(self.counts, 1, 0, 1, 2)
        top.addWidget(self.search, 2, 0, 1, 2)
        below = QHBoxLayout()
        below.addWidget(self.all)
        below.addWidget(self.none)
        below.addWidget(self.add_button, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 6, 0)
        layout.addLayout(top)
        layout.addWidget(self.runs, 1)
        layout.addWidget(self.told)
        below.addWidget(self.others)
        layout.addLayout(below)
        self._on_ticks()

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open a suite", "", "Suites (*.toml)")
        if name:
            self.use(Path(name))
