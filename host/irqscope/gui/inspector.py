"""The screen for single stimuli: the worst of a run, what happened in them, and around them.

Reads the run folder, never the trace: so it works alike on a run that goes on (up to its last
flush) and on any folder, of whatever length.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QItemSelectionModel, Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from irqscope import stages, summary
from irqscope.errors import IrqscopeError
from irqscope.gui.eventtable import KEYS, EventTable
from irqscope.gui.plots import HistogramPlot, series_of
from irqscope.gui.station import Link, Station
from irqscope.gui.theme import Theme
from irqscope.gui.traceplot import TracePlot
from irqscope.gui.units import Unit
from irqscope.gui.waterfall import WaterfallPlot
from irqscope.gui.waves import WavesPlot
from irqscope.gui.widgets import button, label, show_as, splitter, switch, timer
from irqscope.results.events import Events, Only, flags
from irqscope.results.export import export
from irqscope.results.reader import read
from irqscope.results.record import RunRecord
from irqscope.results.signals import Signal, signals
from irqscope.stages import Step

_PAINT_MS = 33
#: What was flushed since is looked for this often while a run goes on, s.
_LOOK_S = 2.0
#: The histogram is drawn anew this often at most, s.
_SHAPE_S = 0.5
_MOST = 1000
#: Widths of the table's columns, pixels.
_WIDTHS = (60, 82, 92, 64, 44, 104)


@dataclass(frozen=True)
class Chosen:
    """One event, and what is shown of it. ``row``: with the columns of EVENTS."""

    row: dict[str, Any]
    steps: list[Step]
    signals: list[Signal]
    begin: int  #: times of the first and the last neighbour, ticks
    end: int


@dataclass(frozen=True)
class Listed:
    """The worst. ``samples``: among how many they were looked for."""

    run: RunRecord
    samples: int
    rows: list[dict[str, Any]]


class Inspect(QWidget):
    """``unit``: names the unit in which latencies are shown."""

    def __init__(self, station: Station, unit: Callable[[], str]) -> None:
        super().__init__()
        self._station, self._unit_name = station, unit
        self._events: Events | None = None
        self.only = Only()
        self.listed: Listed | None = None
        self.chosen: Chosen | None = None
        self._wanted: _Wanted | None = None
        self._busy = self._list_wanted = self._measuring = self._selecting = False
        self._listed_at = 0.0
        self._painted: tuple[int, str] = (-1, "")
        self._shape_at = 0.0
        self._dirty = True
        self._build()
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
        self._choose(lambda events: _first(events.worst(count)), zoom=True)

    def choose(self, index: int) -> None:
        """Shows one event, and where it lies."""
        self._choose(lambda _: index, zoom=True)

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
        self._choose(lambda events: events.nearest(ticks), zoom=True)

    def fit(self) -> None:
        """The whole run again."""
        self.trace.fit()
        self.histogram.fit()

    def filter_to(self, low: int, high: int) -> None:
        """Only latencies between these, both included, ticks."""
        self.only = replace(self.only, low=low, high=high)
        self._filtered()

    def export_to(self, path: Path) -> None:
        """Writes the event that is shown and its neighbours into a file."""
        events, chosen = self._events, self.chosen
        if events is None or chosen is None:
            return
        index, around = chosen.row["index"], self.around.value()
        window = range(max(0, index - around), index + around + 1)
        words = ["export", events.path, path, "--around", index, "--neighbours", around]
        self._station.say_command(*words)
        self._station.begin(
            lambda: export(read(events.path), path, window),
            lambda rows: self._station.told.emit("info", f"{rows} samples in {path}"),
        )

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        for plot in self.plots:
            plot.dress(theme)
        self._redraw()

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
            around = self.around.value()
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

    def _choose(
        self, find: Callable[[Events], int | None], *, zoom: bool, exactly: int | None = None
    ) -> None:
        """``exactly``: time that the event must have, ticks."""
        self._wanted = _Wanted(find, zoom, exactly)
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
        ticked = any(row["tick_phase_ticks"] is not None for row in listed.rows)
        self.table.setColumnHidden(KEYS.index("tick_phase_ticks"), not ticked)
        self._select()
        show_as(self.hint, "faint", _said(listed, self.only))
        self._dirty = True

    def _on_chosen(self, found: tuple[_Wanted, Chosen | None]) -> None:
        wanted, chosen = found
        if chosen is None:
            show_as(self.hint, "warning", "there is no such event in the samples of this run")
            return
        if wanted.exactly not in (None, chosen.row["time_ticks"]):
            show_as(self.hint, "warning", "not in the run folder yet; ask again in 2 s")
            return
        self.chosen = chosen
        if wanted.zoom and self.listed is not None:
            hz = self.listed.run.tick_hz
            room = 0.04 * (chosen.end - chosen.begin) + 0.001 * hz
            self.trace.look_at((chosen.begin - room) / hz, (chosen.end + room) / hz)
        self._select()
        self._dirty = True

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

    def paint_data(self) -> None:
        """All that ever touches the plots; called by the timer."""
        if not self.isVisible():
            return
        feed = self._station.feed
        if self._measuring and time.monotonic() - self._listed_at > _LOOK_S:
            self._list_wanted = True
            self._work()
        version, picture = feed.version, feed.picture
        painted = version, self._unit_name()
        if painted == self._painted and not self._dirty:
            return
        if self.listed is None or picture is None or not picture.run.identity:
            self._clear_plots()
            self._painted, self._dirty = painted, False
            return
        unit = Unit.of(self._unit_name(), picture.run.identified)
        for plot in self.plots:
            plot.say("")
            plot.set_source(summary.label(picture.run))
            plot.set_unit(unit.name)
        with feed.traces() as traces:
            self.trace.draw(traces, unit)
        late = time.monotonic() - self._shape_at > _SHAPE_S
        if late or self._dirty or unit.name != self._painted[1]:
            self._shape_at = time.monotonic()
            self.histogram.draw(series_of(picture, unit))
        if self._dirty or unit.name != self._painted[1]:
            self._paint_chosen(unit)
        self._painted, self._dirty = painted, False

    def _paint_chosen(self, unit: Unit) -> None:
        self.model.show_unit(unit)
        filtered = self.only.high < Only().high
        span = (self.only.low - 0.5) * unit.per_tick, (self.only.high + 0.5) * unit.per_tick
        self.histogram.choose(span if filtered else None)
        chosen = self.chosen
        latency = None if chosen is None else chosen.row["latency_ticks"]
        self.histogram.mark(None if latency is None else latency * unit.per_tick)
        if chosen is None or self.listed is None:
            self.trace.mark(None)
            self._clear_event("click a row, a bar or the trace")
            return
        row = chosen.row
        self.trace.mark(row["time_ticks"] / unit.tick_hz)
        self.waterfall.draw(chosen.steps, unit)
        if not chosen.steps:
            self.waterfall.say("no answer, hence no stages")
        elif len(chosen.steps) == 1:
            self.waterfall.say('more stages with markers = "stages"')
        self.waves.draw(chosen.signals, row["time_ticks"], unit)
        took = "no answer" if latency is None else f"{unit.text(latency)} {unit.name}"
        noted = ", ".join(flags(self.listed.run, row))
        text = f"event {row['index']}: {took} at {row['time_ticks'] / unit.tick_hz:.6f} s"
        show_as(self.title, "heading", text + (f"; {noted}" if noted else ""))

    def _clear_event(self, text: str) -> None:
        self.title.setText("")
        self.waterfall.draw([], Unit("ns", 1, 1.0))
        self.waves.draw([], 0, Unit("ns", 1, 1.0))
        for plot in (self.waterfall, self.waves):
            plot.say(text)

    def _clear_plots(self) -> None:
        """Without a run there is nothing to be seen, least of all what was there before."""
        with self._station.feed.traces() as traces:
            self.trace.draw(traces, Unit("ns", 1, 1.0))
        self.trace.mark(None)
        self.histogram.clear()
        self.histogram.mark(None)
        self.histogram.choose(None)
        self._clear_event("no run")
        for plot in self.plots:
            plot.set_source("")
            plot.say("no run")

    def _blank(self) -> None:
        self.listed = self.chosen = self._wanted = None
        self.model.show_rows(None, [])
        self.hint.setText("")
        self.fit()
        self._dirty = True

    # ---- clicks ----------------------------------------------------------------------------

    def _on_trace(self, time_s: float, y: float) -> None:
        if self.listed is None:
            return
        unit = Unit.of(self._unit_name(), self.listed.run.identified)
        with self._station.feed.traces() as traces:
            found = self.trace.pick(traces, time_s, y, unit)
        if found is not None:
            channel, at = found
            ticks = round(at * unit.tick_hz)
            self._choose(lambda e: e.nearest(ticks, channel), zoom=False, exactly=ticks)

    def _on_histogram(self, latency: float, _: float) -> None:
        found = self.histogram.bin_at(latency)
        if found is not None:
            self.filter_to(*found)

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
        self._list_wanted = True
        self._dirty = True
        self._work()

    def _look_again(self) -> None:
        """With more or fewer neighbours."""
        if self.chosen is not None:
            self.choose(self.chosen.row["index"])

    def _redraw(self) -> None:
        self._dirty = True

    def _moved(self) -> None:
        self._painted = (-1, self._painted[1])

    # ---- widgets ---------------------------------------------------------------------------

    def _build(self) -> None:
        self.trace, self.histogram = TracePlot(self._moved), HistogramPlot()
        self.waterfall, self.waves = WaterfallPlot("Stages of the event"), WavesPlot()
        self.plots = (self.trace, self.histogram, self.waterfall, self.waves)
        for plot in self.plots:
            plot.stale = self._redraw
        self.trace.clicked, self.histogram.clicked = self._on_trace, self._on_histogram
        self.trace.widget.setToolTip("Click: shows this stimulus")
        self.histogram.widget.setToolTip("Click on a bar: lists the stimuli that it counts")
        self.count = QSpinBox()
        self.count.setRange(1, _MOST)
        self.count.setValue(100)
        self.count.setPrefix("worst ")
        self.count.valueChanged.connect(lambda _: self._filtered())
        self.channel = QComboBox()
        self.channel.addItem("all channels")
        self.channel.currentIndexChanged.connect(lambda _: self._filter())
        self.channel.hide()
        self.answered = switch("answered only", self._filter)
        self.whole = button("All latencies", self._filter, "Takes the filter of a bar off")
        self.where = QLineEdit()
        self.where.setPlaceholderText("G: go to 1234 or 2.5 s")
        self.where.setMinimumWidth(190)
        self.where.setMaximumWidth(190)
        self.where.returnPressed.connect(lambda: self.go_to(self.where.text()))
        self.hint = label("", "faint")
        fit = button("Fit", self.fit, "F: the whole run in the trace")
        top = QHBoxLayout()
        top.addWidget(label("Inspect", "title"))
        for widget in (self.count, self.channel, self.answered, self.whole, fit, self.where):
            top.addWidget(widget)
        top.addWidget(self.hint, 1)
        self.model = EventTable()
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        across, down = self.table.horizontalHeader(), self.table.verticalHeader()
        assert across is not None and down is not None  # a table view always has them
        across.setStretchLastSection(True)
        across.setHighlightSections(False)
        across.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        down.hide()
        down.setDefaultSectionSize(25)
        for place, width in enumerate(_WIDTHS):
            across.resizeSection(place, width)
        chosen = self.table.selectionModel()
        assert chosen is not None  # a view with a model has one
        chosen.selectionChanged.connect(lambda *_: self._on_row())
        self.title = label("", "heading")
        self.around = QSpinBox()
        self.around.setRange(0, 500)
        self.around.setValue(8)
        self.around.setPrefix("± ")
        self.around.setSuffix(" neighbours")
        self.around.valueChanged.connect(lambda _: self._look_again())
        closer = button("Zoom to the event", self._zoom, "From its edge to its last stage")
        self.save = button("Export …", self._ask_export, "This event and its neighbours: VCD, CSV")
        row = QHBoxLayout()
        row.addWidget(self.title, 1)
        for widget in (self.around, closer, self.save):
            row.addWidget(widget)
        event = QWidget()
        column = QVBoxLayout(event)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        parts = splitter(
            "inspect event", Qt.Orientation.Vertical, self.waterfall.widget, self.waves.widget
        )
        column.addWidget(parts, 1)
        sideways = Qt.Orientation.Horizontal
        upper = splitter("inspect upper", sideways, self.trace.widget, self.histogram.widget)
        upper.setSizes([640, 420])
        lower = splitter("inspect lower", sideways, self.table, event)
        lower.setSizes([560, 500])
        body = splitter("inspect", Qt.Orientation.Vertical, upper, lower)
        body.setSizes([210, 400])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        for keys, action in (("G", self.where.setFocus), ("F", self.fit)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(action)

    def _zoom(self) -> None:
        if self.chosen is not None and self.listed is not None and self.chosen.steps:
            unit = Unit.of("ticks", self.listed.run.identified)
            self.waves.zoom(0, max(step.end for step in self.chosen.steps), unit)

    def _ask_export(self) -> None:
        if self.chosen is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self,
            "Export the event and its neighbours",
            f"event-{self.chosen.row['index']}.vcd",
            "Waves (*.vcd);;CSV (*.csv);;Parquet (*.parquet)",
        )
        if name:
            self.export_to(Path(name))


@dataclass(frozen=True)
class _Wanted:
    find: Callable[[Events], int | None]
    zoom: bool
    exactly: int | None


def _list(events: Events, count: int, only: Only) -> Listed:
    events.update()
    return Listed(events.run, len(events), events.worst(count, only).to_pylist())


def _look_up(events: Events, wanted: _Wanted, around: int) -> tuple[_Wanted, Chosen | None]:
    index = wanted.find(events)
    if index is None or not 0 <= index < len(events):
        return wanted, None
    table = events.around(index, around)
    (row,) = (row for row in table.to_pylist() if row["index"] == index)
    times = table["time_ticks"]
    ends = times[0].as_py(), times[-1].as_py()
    steps = stages.of_event(events.run, row)
    return wanted, Chosen(row, steps, signals(events.run, table), *ends)


def _first(table: Any) -> int | None:
    return int(table["index"][0].as_py()) if table.num_rows else None


def _said(listed: Listed, only: Only) -> str:
    """How much of the run the list is of."""
    kept = listed.run.experiment.samples
    text = f"{len(listed.rows)} of {listed.samples} samples"
    if only.high < Only().high:
        text += ", of one bar"
    return text if kept.which == "all" else f"{text}; samples = {kept}: no other can be inspected"
