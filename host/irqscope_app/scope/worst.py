"""The list of the worst stimuli, and the selected one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from irqscope.results.export import export
from irqscope.results.reader import read
from irqscope.results.samples import Only, Samples
from irqscope_app.control.station import Station
from irqscope_app.plots.trace_plot import Picked
from irqscope_app.scope.finder import Finder, Listed, Wanted
from irqscope_app.scope.stimulus import Chosen, Stimulus
from irqscope_app.scope.stimulus_table import Key, StimulusTable, StimulusView, key_of
from irqscope_app.widgets.common import SpareLabel, button, show_as, switch, timer
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

#: The timer that paints, ms.
PAINT_MS = 50
_MOST = 1000


class Worst(QWidget):
    """``unit``: returns the unit in which latencies are shown.

    ``marked``: emitted when another stimulus or bar is selected; ``sought``: emitted to bring the
    selected stimulus into view.
    """

    marked = pyqtSignal()
    sought = pyqtSignal()

    def __init__(self, station: Station, unit: Callable[[], str]) -> None:
        super().__init__()
        self._station, self._unit_name = station, unit
        self.listed: Listed | None = None
        self.chosen: Chosen | None = None
        self.detail = Stimulus()
        self._painted = ""
        self._dirty = True
        self.paused = False  #: the view stands still, and so does the list
        self._build()
        self._finder = Finder(station, self.count.value())
        self._finder.emptied.connect(self._blank)
        self._finder.listed.connect(self._on_listed)
        self._finder.found.connect(self._on_found)
        self.detail.clear()
        self.detail.stale(self.redraw)
        self.detail.export_asked.connect(self.export_to)
        self.detail.again_asked.connect(self._look_again)
        self.detail.closed.connect(self.let_go)
        timer(self, PAINT_MS, self._on_timer)

    # ---- what the user does ----------------------------------------------------------------

    def show_worst(self) -> None:
        """Removes all filters and selects the worst stimulus."""
        self.channel.setCurrentIndex(0)
        self.answered.setChecked(False)
        self._filter()
        self._choose(lambda samples: samples.longest)

    def choose(self, index: int) -> None:
        """Shows the stimulus with an index, also in the trace."""
        self._choose(lambda samples: samples.place(index))

    def choose_row(self, stimulus: Key) -> None:
        """Shows the stimulus of a row, also in the trace."""
        self._choose(lambda samples: samples.at(*stimulus))

    def step(self, by: int) -> None:
        """Shows the next (1) or previous (-1) listed stimulus in time, or else the worst."""
        if self.listed is None or self.chosen is None:
            self.show_worst()
            return
        at = self.chosen.row["time_ticks"]
        rows = [row for row in self.listed.rows if (row["time_ticks"] - at) * by > 0]
        if rows:
            self.choose_row(key_of(min(rows, key=lambda row: abs(row["time_ticks"] - at))))
        else:
            where = "after" if by > 0 else "before"
            show_as(self.hint, "faint", f"none of these {len(self.listed.rows)} comes {where} it")

    def choose_picked(self, picked: Picked) -> None:
        """Shows the stimulus picked in the trace."""
        if self.listed is None:
            return
        seconds = picked.time - self._station.feed.origin
        if seconds < 0:
            text = "this stimulus is of an earlier segment: open its run in the Library"
            show_as(self.hint, "warning", text)
            return
        ticks = round(seconds * self.listed.run.tick_hz)
        self._choose(lambda samples: samples.nearest(ticks, picked.channel), exactly=ticks)

    def let_go(self) -> None:
        """Clears the selection."""
        self.chosen = None
        self._finder.find(None)
        self.table.select(None)
        self.redraw()

    def go_to(self, text: str) -> None:
        """Selects the stimulus with an index, or at a time: a text with a point or an s."""
        run = self.listed.run if self.listed is not None else None
        if run is None or not run.has_clock:
            return
        number = text.strip().removesuffix("s").strip()
        try:
            if number == text.strip() and "." not in number:
                self.choose(int(number))
                return
            ticks = round((float(number) - self._station.feed.origin) * run.tick_hz)
        except ValueError:
            show_as(self.hint, "warning", f'"{text}" is no index and no time; write 1234 or 2.5 s')
            return
        self._choose(lambda samples: samples.nearest(ticks))

    def filter_to(self, low: int, high: int) -> None:
        """Lists only latencies from ``low`` to ``high``, both included, ticks."""
        self._list(replace(self.only, low=low, high=high))

    @property
    def only(self) -> Only:
        """The filter of the list."""
        return self._finder.only

    @property
    def filtered(self) -> bool:
        """Whether the list is limited to one bar of the histogram."""
        return self.only.high < Only().high

    def export_to(self, path: Path) -> None:
        """Writes the stimulus that is shown and its neighbours into a file."""
        folder, selected = self._finder.path, self.chosen
        if folder is None or selected is None:
            return
        index, around = selected.row["index"], self.detail.neighbours
        if index is None:
            text = "the run does not tell which stimulus this is; export the run from the Library"
            show_as(self.hint, "warning", text)
            return
        window = range(max(0, index - around), index + around + 1)
        words = ["export", folder, path, "--around", index, "--neighbours", around]
        self._station.say_command(*words)
        self._station.begin(
            lambda: export(read(folder), path, window),
            lambda rows: self._station.told.emit("info", f"{rows} samples in {path}"),
        )

    # ---- what was found --------------------------------------------------------------------

    def _choose(self, find: Callable[[Samples], int | None], *, exactly: int | None = None) -> None:
        self._finder.find(Wanted(find, self.detail.neighbours, exactly))

    def _on_listed(self, listed: Listed) -> None:
        self.listed = listed
        channels = [str(index) for index in listed.channels]
        entries = [self.channel.itemText(n) for n in range(1, self.channel.count())]
        if entries != channels:
            with QSignalBlocker(self.channel):
                self.channel.clear()
                self.channel.addItems(("all channels", *channels))
            self.channel.setVisible(len(channels) > 1)
        self.model.origin = self.detail.origin = self._station.feed.origin
        if listed.run.has_clock:  # before its rows are visible, as they would show the wrong unit
            self.model.show_unit(Unit.of(self._unit_name(), listed.run))
        self.model.show_rows(listed.run, listed.rows)
        self.table.hide_alike(several=len(listed.run.experiment.channels) > 1)
        self._select()
        show_as(self.hint, "faint", _said(listed, self.filtered))
        self.redraw()

    def _on_found(self, wanted: Wanted, chosen: Chosen | None) -> None:
        if chosen is None:
            show_as(self.hint, "warning", "there is no such stimulus in the samples of this run")
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
        """Selects the row of the stimulus that is shown, if the table has it."""
        self.table.select(None if self.chosen is None else key_of(self.chosen.row))

    # ---- painting --------------------------------------------------------------------------

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self.detail.dress(theme)
        self.redraw()

    def redraw(self) -> None:
        """Repaints everything at the next timer tick."""
        self._dirty = True

    def _on_timer(self) -> None:
        """Updates the list if it is visible; the plots mark the selection in any case."""
        if self.isVisible() and not self.paused:
            self._finder.keep_up()
        if not self._dirty and self._painted == self._unit_name():
            return
        self._painted, self._dirty = self._unit_name(), False
        if self.listed is not None and self.listed.run.has_clock:
            unit = Unit.of(self._unit_name(), self.listed.run)
            self.model.show_unit(unit)
            if self.chosen is not None:
                self.detail.show_stimulus(self.chosen, unit, self.listed.run.label)
        if self.chosen is None:
            self.detail.clear()
        self.detail.setVisible(self.chosen is not None)
        self.marked.emit()

    def _blank(self) -> None:
        self.listed = self.chosen = None
        self.model.show_rows(None, [])
        self.hint.setText("")
        with QSignalBlocker(self.channel), QSignalBlocker(self.answered):  # all are listed again
            self.channel.setCurrentIndex(0)
            self.answered.setChecked(False)
        self.whole.hide()
        self.redraw()

    def _filter(self) -> None:
        """Lists latencies of any length, filtered by the channel and kind in the fields."""
        place = self.channel.currentIndex()
        channel = int(self.channel.currentText()) if place > 0 else None
        self._list(Only(channel, self.answered.isChecked()))

    def _list(self, only: Only) -> None:
        self._finder.list(self.count.value(), only)
        self.whole.setVisible(self.filtered)
        self.redraw()

    def _look_again(self) -> None:
        """Looks up the selected stimulus again, with more or fewer neighbours."""
        if self.chosen is not None:
            stimulus = key_of(self.chosen.row)
            self._choose(lambda samples: samples.at(*stimulus), exactly=stimulus[1])

    # ---- widgets ---------------------------------------------------------------------------

    def _build(self) -> None:
        self.count = QSpinBox()
        self.count.setRange(1, _MOST)
        self.count.setValue(100)
        self.count.setPrefix("worst ")
        self.count.valueChanged.connect(lambda _: self._list(self.only))
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
        self.model = StimulusTable()
        self.table = StimulusView(self.model)
        self.table.picked.connect(self.choose_row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.hint)


def _said(listed: Listed, of_one_bar: bool) -> str:
    """Describes how many samples of the run are listed, and which samples the run has kept."""
    selection = listed.run.experiment.samples
    text = f"{len(listed.rows)} of {listed.samples} samples"
    if listed.run.ended is None:
        text += " written so far"
    if len(listed.run.experiment.channels) > len(listed.channels) == 1:
        text += f", of channel {listed.channels[0]} alone"
    if of_one_bar:
        text += ", of one bar"
    return (
        text
        if selection.which == "all"
        else f"{text}; samples = {selection}: no other can be inspected"
    )
