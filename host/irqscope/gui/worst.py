"""The list of the worst stimuli, and the one that was chosen.

Reads the run folder, never the trace: so it works alike on a run that goes on (up to its last
flush) and on any folder, of whatever length.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QItemSelectionModel, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from irqscope.errors import IrqscopeError
from irqscope.gui.event import Chosen, Event
from irqscope.gui.eventtable import KEYS, EventTable
from irqscope.gui.state import Link
from irqscope.gui.station import Station
from irqscope.gui.traceplot import Picked
from irqscope.gui.units import Unit
from irqscope.gui.widgets import SpareLabel, button, show_as, switch, timer
from irqscope.results.events import Events, Only
from irqscope.results.export import export
from irqscope.results.reader import read
from irqscope.results.record import RunRecord

_PAINT_MS = 50
#: What was flushed since is looked for this often while a run goes on, s.
_LOOK_S = 2.0
_MOST = 1000
#: Widths of the table's columns, pixels.
_WIDTHS = (60, 82, 92, 64, 44, 104)


@dataclass(frozen=True)
class Listed:
    """The worst. ``samples``: among how many they were looked for."""

    run: RunRecord
    samples: int
    rows: list[dict[str, Any]]


class Worst(QWidget):
    """``unit``: names the unit in which latencies are shown. ``marked``: another event was chosen,
    or another bar; ``sought``: the event that is chosen is to be seen in the trace."""

    marked = pyqtSignal()
    sought = pyqtSignal()

    def __init__(self, station: Station, unit: Callable[[], str]) -> None:
        super().__init__()
        self._station, self._unit_name = station, unit
        self._events: Events | None = None
        self.only = Only()
        self.listed: Listed | None = None
        self.chosen: Chosen | None = None
        self.detail = Event()
        self._wanted: _Wanted | None = None
        self._busy = self._list_wanted = self._measuring = self._selecting = False
        self._listed_at = 0.0
        self._painted = ""
        self._dirty = True
        self._build()
        self.detail.clear()
        self.detail.stale(self.redraw)
        self.detail.export_asked.connect(self.export_to)
        self.detail.again_asked.connect(self._look_again)
        self.detail.closed.connect(self.let_go)
        station.changed.connect(self._on_state)
        timer(self, _PAINT_MS, self.paint_data)
        self._on_state()

    # ---- what the user does ----------------------------------------------------------------

    def show_worst(self) -> None:
        """All filters off, the worst chosen."""
        self.channel.setCurrentIndex(0)
        self.answered.setChecked(False)
        self._filter()
        count = self.count.value()
        self._choose(lambda events: _first(events.worst(count)))

    def choose(self, index: int) -> None:
        """Shows one event, and where it lies."""
        self._choose(lambda _: index)

    def choose_picked(self, picked: Picked) -> None:
        """Shows the event of a place in the trace."""
        if self.listed is None:
            return
        seconds = picked.time - self._station.feed.origin
        if seconds < 0:
            text = "this stimulus is of an earlier segment: open it from the runs on the right"
            show_as(self.hint, "warning", text)
            return
        ticks = round(seconds * self.listed.run.tick_hz)
        self._choose(lambda events: events.nearest(ticks, picked.channel), exactly=ticks)

    def let_go(self) -> None:
        """No event is chosen."""
        self.chosen = self._wanted = None
        self._select()
        self.redraw()

    def go_to(self, text: str) -> None:
        """To an index, or to a time if the text has a decimal point or ends in s."""
        run = self.listed.run if self.listed is not None else None
        if run is None or not run.identity:
            return
        number = text.strip().removesuffix("s").strip()
        try:
            if number == text.strip() and "." not in number:
                self.choose(int(number))
                return
            ticks = round(float(number) * run.tick_hz)
        except ValueError:
            show_as(self.hint, "warning", f'"{text}" is no index and no time; write 1234 or 2.5 s')
            return
        self._choose(lambda events: events.nearest(ticks))

    def filter_to(self, low: int, high: int) -> None:
        """Only latencies between these, both included, ticks."""
        self.only = replace(self.only, low=low, high=high)
        self._filtered()

    @property
    def filtered(self) -> bool:
        """Only what one bar counts is listed."""
        return self.only.high < Only().high

    def export_to(self, path: Path) -> None:
        """Writes the event that is shown and its neighbours into a file."""
        events, chosen = self._events, self.chosen
        if events is None or chosen is None:
            return
        index, around = chosen.row["index"], self.detail.neighbours
        window = range(max(0, index - around), index + around + 1)
        words = ["export", events.path, path, "--around", index, "--neighbours", around]
        self._station.say_command(*words)
        self._station.begin(
            lambda: export(read(events.path), path, window),
            lambda rows: self._station.told.emit("info", f"{rows} samples in {path}"),
        )

    # ---- the folder, in a thread -----------------------------------------------------------

    def _on_state(self) -> None:
        state = self._station.state
        path = None if state.opening or state.suite else state.folder
        if path != (self._events.path if self._events is not None else None):
            self._events = None if path is None else Events(path)
            self._blank()
            self.only = Only()
            self._list_wanted = True
        elif state.link is not Link.MEASURING and self._measuring:
            self._list_wanted = True  # its last flush
        self._measuring = state.link is Link.MEASURING
        self._work()

    def _work(self) -> None:
        """Begins what is wanted. One at a time: Events are used by one thread alone."""
        events, state = self._events, self._station.state
        # A folder that is being made has nothing to read yet.
        if self._busy or events is None or (self._measuring and not state.done):
            return
        if self._list_wanted:
            self._list_wanted, self._listed_at = False, time.monotonic()
            count, only = self.count.value(), self.only
            self._begin(lambda: _list(events, count, only), self._on_listed)
        elif self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            around = self.detail.neighbours
            self._begin(lambda: _look_up(events, wanted, around), self._on_chosen)

    def _begin(self, what: Callable[[], Any], done: Callable[[Any], None]) -> None:
        events, self._busy = self._events, True

        def over(result: Any) -> None:
            self._busy = False
            if self._events is events:  # else another folder is looked at by now
                done(result)
            self._work()

        def failed(error: IrqscopeError) -> None:
            self._busy = False
            if self._events is events:
                self._blank()
                self._station.report_fault(error)
            else:
                self._work()

        self._station.begin(what, over, failed)

    def _choose(self, find: Callable[[Events], int | None], *, exactly: int | None = None) -> None:
        """``exactly``: time that the event must have, ticks; such a one is seen already."""
        self._wanted = _Wanted(find, exactly)
        self._work()

    def _on_listed(self, listed: Listed) -> None:
        self.listed = listed
        channels = [str(channel.index) for channel in listed.run.experiment.channels]
        shown = [self.channel.itemText(n) for n in range(1, self.channel.count())]
        if shown != channels:
            self.channel.blockSignals(True)
            self.channel.clear()
            self.channel.addItems(("all channels", *channels))
            self.channel.blockSignals(False)
            self.channel.setVisible(len(channels) > 1)
        self.model.show_rows(listed.run, listed.rows)
        for key in ("channel", "core", "tick_phase_ticks"):  # what all share tells nothing apart
            alike = len({row[key] for row in listed.rows}) < 2
            self.table.setColumnHidden(KEYS.index(key), alike)
        self._select()
        show_as(self.hint, "faint", _said(listed, self.filtered))
        self.redraw()

    def _on_chosen(self, found: tuple[_Wanted, Chosen | None]) -> None:
        wanted, chosen = found
        if chosen is None:
            show_as(self.hint, "warning", "there is no such event in the samples of this run")
            return
        if wanted.exactly not in (None, chosen.row["time_ticks"]):
            show_as(self.hint, "warning", "not in the run folder yet; ask again in 2 s")
            return
        self.chosen = chosen
        self._select()
        self.redraw()
        if wanted.exactly is None:
            self.sought.emit()

    def _select(self) -> None:
        """The row of what is shown, if the table has it."""
        model = self.table.selectionModel()
        place = None if self.chosen is None else self.model.place(self.chosen.row["index"])
        if model is None:
            return
        self._selecting = True
        if place is None:
            model.clear()
        else:
            flag = QItemSelectionModel.SelectionFlag
            where = self.model.index(place, 0)
            model.setCurrentIndex(where, flag.ClearAndSelect | flag.Rows)
            self.table.scrollTo(where)
        self._selecting = False

    # ---- painting --------------------------------------------------------------------------

    def redraw(self) -> None:
        """Paints anew."""
        self._dirty = True

    def paint_data(self) -> None:
        """Called by the timer."""
        if not self.isVisible():
            return
        if self._measuring and time.monotonic() - self._listed_at > _LOOK_S:
            self._list_wanted = True
            self._work()
        if not self._dirty and self._painted == self._unit_name():
            return
        self._painted, self._dirty = self._unit_name(), False
        if self.listed is not None and self.listed.run.identity:
            unit = Unit.of(self._unit_name(), self.listed.run.identified)
            self.model.show_unit(unit)
            if self.chosen is not None:
                self.detail.show_event(self.chosen, unit, self.listed.run.label)
        if self.chosen is None:
            self.detail.clear()
        self.detail.setVisible(self.chosen is not None)
        self.marked.emit()

    def _blank(self) -> None:
        self.listed = self.chosen = self._wanted = None
        self.model.show_rows(None, [])
        self.hint.setText("")
        self.redraw()

    def _on_row(self) -> None:
        model = self.table.selectionModel()
        if model is not None and not self._selecting and model.hasSelection():
            self.choose(self.model.rows[model.currentIndex().row()]["index"])

    def _filter(self) -> None:
        """All latencies again, of what the fields say."""
        place = self.channel.currentIndex()
        channel = int(self.channel.currentText()) if place > 0 else None
        self.only = Only(channel, self.answered.isChecked())
        self._filtered()

    def _filtered(self) -> None:
        self.whole.setVisible(self.filtered)
        self._list_wanted = True
        self.redraw()
        self._work()

    def _look_again(self) -> None:
        """With more or fewer neighbours."""
        if self.chosen is not None:
            index = self.chosen.row["index"]
            self._choose(lambda _: index, exactly=self.chosen.row["time_ticks"])

    # ---- widgets ---------------------------------------------------------------------------

    def _build(self) -> None:
        self.count = QSpinBox()
        self.count.setRange(1, _MOST)
        self.count.setValue(100)
        self.count.setPrefix("worst ")
        self.count.valueChanged.connect(lambda _: self._filtered())
        self.channel = QComboBox()
        self.channel.addItem("all channels")
        self.channel.currentIndexChanged.connect(lambda _: self._filter())
        self.channel.hide()
        self.answered = switch("answered", self._filter, "Leaves out those without an answer")
        self.whole = button("All latencies", self._filter, "Takes the filter of a bar off")
        self.whole.hide()
        self.where = QLineEdit()
        self.where.setPlaceholderText("G: go to 1234 or 2.5 s")
        self.where.setMinimumWidth(60)
        self.where.setMaximumWidth(170)
        self.where.returnPressed.connect(lambda: self.go_to(self.where.text()))
        self.hint = SpareLabel("faint")
        top = QHBoxLayout()
        for widget in (self.count, self.channel, self.answered, self.whole, self.where):
            top.addWidget(widget)
        top.addStretch()
        self.model = EventTable()
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        across, down = self.table.horizontalHeader(), self.table.verticalHeader()
        assert across is not None and down is not None  # a table view always has them
        across.setStretchLastSection(True)
        across.setHighlightSections(False)
        across.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        down.hide()
        down.setDefaultSectionSize(23)
        for place, width in enumerate(_WIDTHS):
            across.resizeSection(place, width)
        chosen = self.table.selectionModel()
        assert chosen is not None  # a view with a model has one
        chosen.selectionChanged.connect(lambda *_: self._on_row())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.hint)


@dataclass(frozen=True)
class _Wanted:
    find: Callable[[Events], int | None]
    exactly: int | None


def _list(events: Events, count: int, only: Only) -> Listed:
    events.update()
    return Listed(events.run, len(events), events.worst(count, only).to_pylist())


def _look_up(events: Events, wanted: _Wanted, around: int) -> tuple[_Wanted, Chosen | None]:
    index = wanted.find(events)
    if index is None or not 0 <= index < len(events):
        return wanted, None
    return wanted, Chosen.of(events, index, around)


def _first(table: Any) -> int | None:
    return int(table["index"][0].as_py()) if table.num_rows else None


def _said(listed: Listed, of_one_bar: bool) -> str:
    """How much of the run the list is of."""
    kept = listed.run.experiment.samples
    text = f"{len(listed.rows)} of {listed.samples} samples"
    if of_one_bar:
        text += ", of one bar"
    return text if kept.which == "all" else f"{text}; samples = {kept}: no other can be inspected"
