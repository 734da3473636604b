"""The screen that people leave open: the pattern, what it does, and the worst of it."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFileDialog

from irqscope import stages
from irqscope.gui import figures, scopewords
from irqscope.gui.counting import Counting, Part
from irqscope.gui.feed import Picture
from irqscope.gui.figures import Cells
from irqscope.gui.filmstrip import Filmstrip
from irqscope.gui.pattern import Pattern
from irqscope.gui.reference import Reference
from irqscope.gui.scopelayout import ScopeLayout
from irqscope.gui.station import Link, Station
from irqscope.gui.theme import Theme
from irqscope.gui.threshold import MODES
from irqscope.gui.units import Unit
from irqscope.gui.widgets import show_as, style_as, timer
from irqscope.gui.worst import Worst

#: The one timer that paints, ms: a little more than 30 frames a second, for a late one is skipped.
PAINT_MS = 28
#: Histogram and tail are drawn anew this often at most, s: their shape changes slowly.
_SHAPES_S = 0.2
#: A maximum is new for so long, s.
_NEW_S = 5.0


@dataclass(frozen=True)
class _Paused:
    """What is shown while the view is paused: what came up to ``until``, s, of a run."""

    picture: Picture
    until: float
    version: int
    runs: int


class Scope(ScopeLayout):
    """``run_asked``: the user wants a run; ``keep_asked``: to keep the run that is shown.

    ``paints``: time and duration of the last paints, s.
    """

    run_asked = pyqtSignal()
    keep_asked = pyqtSignal()
    unit_chosen = pyqtSignal(str)

    def __init__(
        self, station: Station, unit: str, pattern: Pattern, worst: Worst, films: Filmstrip
    ) -> None:
        super().__init__(station, unit, pattern, worst, films)
        self._station = station
        self._painted: tuple[int, Unit | None] = (-1, None)
        self._drawn: Picture | None = None  # whose histogram and tail are drawn
        self._drawn_at = 0.0
        self._tail: Picture | None = None  # whose tail is to be drawn next
        self._view_moved = True
        self._staged = False  # the case has markers that tell where the time went
        self._reference: Reference | None = None
        self._paused: _Paused | None = None
        self._greatest: tuple[str, int | None, float] = ("", None, 0.0)
        self.paints: deque[tuple[float, float]] = deque(maxlen=100)
        self._counting = Counting(station.feed)
        self._counting.counted.connect(self._on_counted)
        for plot in self.plots.all:
            plot.stale = self.redraw
            plot.fit_asked = self.fit
        self.trace.clicked = self._on_trace
        self.histogram.clicked = self._on_histogram
        worst.marked.connect(self._mark)
        worst.sought.connect(self._seek)
        films.reference_asked.connect(self.refer_to)
        self.view.dropped.connect(self.refer_to)
        station.changed.connect(self._on_state)
        timer(self, PAINT_MS, self._on_timer)
        self._on_state()

    # ---- what the user does ----------------------------------------------------------------

    def toggle_run(self) -> None:
        """Run, or stop."""
        if self._station.state.link is Link.MEASURING:
            self._station.stop()
        else:
            self.run_asked.emit()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Space runs and stops, arrows and signs move the view, where nothing that has the focus
        takes them for itself."""
        if event is None:
            return
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            if self.run_button.isEnabled():
                self.toggle_run()
        elif not self._move(event):
            super().keyPressEvent(event)

    def fit(self) -> None:
        """Shows all, and follows what comes."""
        self.plots.fit()
        self.chip.setChecked(False)
        self.moved(False)

    def add_cursor(self) -> None:
        """The next cursor, where the mouse, the chosen event or the middle of what is seen is."""
        self.plots.cursors.add(self._here())

    def put_cursor(self, name: str) -> None:
        """A cursor of that name to the same place."""
        self.plots.cursors.put(name, self._here())

    def next_threshold(self) -> None:
        """Off, count, stop, off."""
        self.threshold.setCurrentIndex((self.threshold.currentIndex() + 1) % len(MODES))

    def ask_reference(self) -> None:
        """A run to be drawn behind the others, from a folder; or none any more."""
        if self._reference is not None:
            self._refer(None)
            return
        name = QFileDialog.getExistingDirectory(self, "A run to compare with")
        if name:
            self.refer_to(Path(name))
        else:
            self._refer(None)

    def refer_to(self, folder: Path) -> None:
        """Draws the run of a folder behind what is shown."""
        self._station.begin(lambda: Reference.of(folder), self._refer)

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self.strip.dress(theme)
        self.plots.dress(theme)
        self.waterfall.dress(theme)
        self.redraw()

    def redraw(self) -> None:
        """Paints anew."""
        self._painted, self._drawn, self._drawn_at = (-1, None), None, 0.0

    def moved(self, in_time: bool) -> None:
        """Something else is looked at; who moves in time looks at what does not move by itself."""
        if in_time and not self.trace.follows and self._station.feed.picture is not None:
            self.chip.setChecked(True)
        self._view_moved = True
        self._counting.hurry()

    def pause(self) -> None:
        """What is seen stands still and can be zoomed; the run and its recording go on."""
        feed = self._station.feed
        self._paused = None
        if self.chip.isChecked() and feed.picture is not None:
            with feed.traces() as traces:
                # The record of a run that goes on is changed as it goes on.
                picture = replace(feed.picture, run=feed.picture.run.model_copy())
                self._paused = _Paused(picture, traces.end, feed.version, feed.runs)
        elif self.chip.isChecked():
            self.chip.setChecked(False)  # there is nothing to be looked at
        else:
            self.plots.follow()
        self.moved(False)

    def _refer(self, reference: Reference | None) -> None:
        self._reference = reference
        self.reference.blockSignals(True)
        self.reference.setChecked(reference is not None)
        self.reference.blockSignals(False)
        self.redraw()

    def _move(self, event: QKeyEvent) -> bool:
        """Arrows pan, + and - zoom time, with Ctrl latency; with Shift arrows move the cursor that
        was moved last to the next stimulus, or the threshold by a tick."""
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, 1),
            Qt.Key.Key_Down: (0, -1),
        }
        notches = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}
        key = Qt.Key(event.key())
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if key in notches:
            self.trace.box.notch(notches[key], across=not control)
        elif key not in steps:
            return False
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            x, y = steps[key]
            if x:
                self.plots.cursors.step(x, self._station.feed)
            else:
                self.plots.limit.step(y)
        else:
            self.trace.box.step(*steps[key])
        return True

    def _here(self) -> float:
        """Time that a cursor is put to, s."""
        if self.plots.crosshair.time is not None:
            return self.plots.crosshair.time
        begin, end = self.trace.visible
        at = self._time_of_chosen()
        return at if at is not None and begin <= at <= end else (begin + end) / 2

    # ---- single stimuli --------------------------------------------------------------------

    def _on_trace(self, time_s: float, level: float) -> None:
        found = self.plots.pick(time_s, level)
        if found is not None:
            self.worst.choose_picked(found)

    def _on_histogram(self, _: float, level: float) -> None:
        found = self.histogram.bin_at(level)
        if found is not None:
            self.worst.filter_to(*found)

    def _time_of_chosen(self) -> float | None:
        chosen = self.worst.chosen
        if chosen is None:
            return None
        return self._station.feed.origin + float(chosen.row["time_ticks"]) / chosen.run.tick_hz

    def _mark(self) -> None:
        """The event that is chosen, in trace and histogram; and the bar that is listed alone."""
        chosen, only, unit = self.worst.chosen, self.worst.only, self._painted[1]
        self._show_stages()
        self.trace.mark(self._time_of_chosen())
        latency = None if chosen is None else chosen.row["latency_ticks"]
        if unit is None or latency is None:
            self.histogram.mark(None)
        else:
            self.histogram.mark(latency * unit.per_tick)
        if self.worst.filtered and unit is not None:
            ends = (only.low - 0.5) * unit.per_tick, (only.high + 0.5) * unit.per_tick
            self.histogram.choose(ends)
        else:
            self.histogram.choose(None)

    def _seek(self) -> None:
        """An event that is not seen is brought into the middle; what is seen stays as wide."""
        at = self._time_of_chosen()
        begin, end = self.trace.visible
        if at is not None and not begin <= at <= end:
            self.trace.look_at(at - (end - begin) / 2, at + (end - begin) / 2)

    # ---- painting --------------------------------------------------------------------------

    def _on_timer(self) -> None:
        """Nobody looks at a screen that is not shown."""
        if self.isVisible():
            self.paint_data()

    def paint_data(self) -> None:
        """All that ever touches the plots."""
        began = time.perf_counter()
        feed = self._station.feed
        version, picture = feed.version, feed.picture
        self._progress()
        if self._paused is not None and self._paused.runs != feed.runs:
            self.chip.setChecked(False)  # of another run nothing is held
        if self._paused is not None:
            version, picture = self._paused.version, self._paused.picture
        self._show_chip()
        if picture is None or not picture.run.identity:
            if self._painted[0] != version:
                self._blank()
                self._painted = (version, None)
            return
        unit = Unit.of(self.figures.unit.currentText(), picture.run.identified)
        if (version, unit) == self._painted and not self._view_moved:
            return
        if unit != self._painted[1]:
            self._drawn, self._drawn_at = None, 0.0
            self.worst.redraw()
        complete = self._paint(picture, unit)
        self._painted = (version, unit)
        # The shapes follow at their own pace.
        self._view_moved = self._drawn is not picture or self._tail is not None or not complete
        self.paints.append((began, time.perf_counter() - began))

    def _paint(self, picture: Picture, unit: Unit) -> bool:
        reference = self._reference_of(picture)
        labels = [picture.run.label]
        if reference is not None and reference.label != labels[0]:
            labels.append(reference.label)
        until = np.inf if self._paused is None else self._paused.until
        complete = self.plots.draw_trace(picture, unit, until, labels)
        with self._station.feed.traces() as traces:
            self.trace_note.setText(scopewords.of_trace(picture, traces))
        self.plots.limit.settle(self.threshold.currentText(), unit)
        self._station.feed.longest_ticks = self.plots.limit.stops
        if picture is not self._drawn and time.monotonic() - self._drawn_at > _SHAPES_S:
            self._drawn, self._drawn_at = picture, time.monotonic()
            self.plots.draw_histogram(picture, unit, reference)
            self._tail = picture
        elif self._tail is not None:  # not in the same paint, which would be a long one
            self.plots.draw_tail(self._tail, reference)
            self._steps(self._tail, unit)
            self._tail = None
        show_as(self.books, *scopewords.of_books(picture))
        self._whole(picture, unit)
        self._referred(unit, reference)
        self._maximum(picture, unit)
        self.plots.cursors.fill(unit)
        self._parts(picture, unit)
        return complete

    def _show_chip(self) -> None:
        """Following, or paused and where."""
        if self._paused is None:
            show_as(self.chip, "", "● following")
            return
        counted = sum(known.n for known in self._paused.picture.distributions.values())
        text = f"❚❚ paused at {counted}"
        if self._station.state.link is Link.MEASURING:
            text += "; the run goes on"
        show_as(self.chip, "", text)

    def _blank(self) -> None:
        """Without data nothing is shown, least of all what was there before."""
        self.plots.blank(scopewords.why_blank(self._station.state))
        self._staged = False
        self._show_stages()
        self.maximum.hide()
        self._drawn, self._drawn_at, self._tail = None, 0.0, None
        for column in figures.COLUMNS:
            self.figures.show_column(column, {})
        show_as(self.books, "", "")
        self.trace_note.setText("")
        self.figures.show_wants(None)

    def _reference_of(self, picture: Picture) -> Reference | None:
        """The one that was chosen; a twin is never drawn behind a board, nor a board behind it."""
        reference, source = self._reference, picture.run.source
        if reference is None or (source is not None and reference.kind == source.target):
            self.reference.setToolTip(scopewords.REFERENCE)
            return reference
        self.reference.setToolTip(
            f"Not shown: {reference.name} is of a {reference.kind}. A twin is held against a board "
            "only on the Compare screen."
        )
        return None

    def _referred(self, unit: Unit, reference: Reference | None) -> None:
        """The column of the reference."""
        cells: Cells = {}
        if reference is not None:
            own = Unit.of(unit.name, reference.run.identified)
            cells = figures.of_run(reference.picture, reference.channel, own, 0, None)
        self.figures.show_column("reference", cells)

    def _steps(self, picture: Picture, unit: Unit) -> None:
        """Where the time went, if the case has markers that tell; an event shows its own."""
        index = self.figures.index
        steps = [] if index is None else stages.of_run(picture.run, index)
        self._staged = bool(steps)
        self._show_stages()
        self.waterfall.set_source(picture.run.label)
        self.waterfall.set_unit(unit.name)
        self.waterfall.draw(steps, unit)

    def _show_stages(self) -> None:
        """An event shows its own in their place."""
        self.waterfall.widget.setVisible(self._staged and self.worst.chosen is None)

    def _maximum(self, picture: Picture, unit: Unit) -> None:
        """The greatest latency, and for some seconds that it is a new one."""
        run, now = picture.run, time.monotonic()
        found = [s.max_ticks for s in run.stats if s.max_ticks is not None]
        self.maximum.setVisible(bool(found))
        if not found:
            return
        started, before, risen = self._greatest
        greatest = max(found)
        if started != run.started:
            self._greatest = run.started, greatest, 0.0
        elif before is None or greatest > before:
            self._greatest = started, greatest, now
        new = now - self._greatest[2] < _NEW_S
        text = scopewords.maximum(run, greatest, unit, new=new)
        if self.maximum.text() != text:
            self.maximum.setText(text)
            style_as(self.maximum, "primary" if new else "")

    def _whole(self, picture: Picture, unit: Unit) -> None:
        self.figures.set_channels([s.channel for s in picture.run.stats])
        index = self.figures.index
        if index is None:
            self.figures.show_column("whole run", {})
            return
        self.figures.show_wants(picture)
        until = np.inf if self._paused is None else self._paused.until
        # Of a selection of samples nobody knows the first and the last.
        every = picture.run.experiment.samples.which == "all"
        origin = self._station.feed.origin
        lasting = self._station.feed.lasting(index, origin, until) if every else 0.0
        bound, limit = self._bound(picture), self.plots.limit.ticks
        cells = figures.of_run(picture, index, unit, bound, limit, lasting)
        self.figures.show_column("whole run", cells)

    def _parts(self, picture: Picture, unit: Unit) -> None:
        """Statistics of exactly what is visible, and of what lies between the cursors."""
        index = self.figures.index
        between = self.plots.cursors.between
        if between is None:
            self.figures.show_column("cursors", {})
        if index is None or not self._counting.due():
            return
        begin, end = self.trace.visible
        until = np.inf if self._paused is None else self._paused.until
        parts = {"visible": Part(index, begin, min(end, until), *self.trace.visible_ticks(unit))}
        if between is not None:
            parts["cursors"] = Part(index, between[0], min(between[1], until))
        for column, part in parts.items():
            self._counting.count(
                column, part, picture.run, unit, self._bound(picture), self.plots.limit.ticks
            )

    def _on_counted(self, version: int, column: str, cells: Cells) -> None:
        if self._station.feed.picture is None:
            return
        self.figures.show_column(column, cells)
        if version != self._station.feed.version:
            self._view_moved = True  # more has come meanwhile

    def _bound(self, picture: Picture) -> int:
        """Ticks to take off for what software alone took; 0: raw values are shown."""
        calibration = picture.run.calibration
        if not self.figures.corrected.isChecked() or not calibration:
            return 0
        return calibration.one_way.bound_ticks

    # ---- state -----------------------------------------------------------------------------

    def _progress(self) -> None:
        state = self._station.state
        if state.link is Link.MEASURING:
            self.step.setText(scopewords.progress(state, time.monotonic()))
            self.bar.setMaximum(max(1, state.of))
            self.bar.setValue(state.done)

    def _on_state(self) -> None:
        state, picture = self._station.state, self._station.feed.picture
        if picture is None:
            self.plots.say(scopewords.why_blank(state))
        self.bar.setVisible(state.link is Link.MEASURING)
        if state.link is not Link.MEASURING:
            self.step.setText(state.step or ("" if picture is None else scopewords.told(picture)))

    def on_unit(self) -> None:
        """Another unit, channel or correction was chosen."""
        self.unit_chosen.emit(self.figures.unit.currentText())
        self.moved(False)
