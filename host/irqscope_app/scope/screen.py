"""The Scope screen: the pattern, its latencies, and the worst of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.pattern.screen import Pattern
from irqscope_app.plots.reference import Reference
from irqscope_app.scope.layout import ScopeLayout
from irqscope_app.scope.marks import Marks
from irqscope_app.scope.painter import ScopePainter
from irqscope_app.scope.threshold import MODES
from irqscope_app.scope.worst import Worst
from irqscope_app.widgets.theme import Theme

#: Pan step of these keys, tenths of the width; and the margin around a zoomed range.
_PAGES = {Qt.Key.Key_PageUp: -9, Qt.Key.Key_PageDown: 9}
_BESIDE = 0.05


class Scope(QWidget):
    """Handles the user's actions. ``parts``: the widgets; ``painter``: fills them.

    ``run_asked``: emitted to begin a run; ``keep_asked``: emitted to keep the run that is shown.
    """

    run_asked = pyqtSignal()
    keep_asked = pyqtSignal()
    unit_chosen = pyqtSignal(str)

    def __init__(self, station: Station, unit: str, pattern: Pattern, worst: Worst) -> None:
        super().__init__()
        self._station = station
        self.parts = parts = ScopeLayout(station, unit, pattern, worst)
        self.painter = ScopePainter(station, parts)
        self.worst, self.strip, self.tabs = worst, parts.strip, parts.tabs
        self.run_button, self.keep = parts.strip.run_button, parts.strip.keep
        self.plots, self.trace = parts.plots, parts.plots.trace
        self.histogram, self.ccdf = parts.plots.histogram, parts.plots.ccdf
        self.waterfall = parts.waterfall
        self.figures, self.counters, self.readout = parts.figures, parts.counters, parts.readout
        self.chip, self.threshold, self.reference = parts.chip, parts.threshold, parts.reference
        self.step = parts.step
        self.trace_note, self.source = parts.trace_note, parts.source
        for plot in self.plots.all:
            plot.stale = self.redraw
            plot.fit_asked = self.fit
        self.trace.clicked = self._on_trace
        self.histogram.clicked = self._on_histogram
        parts.run_asked.connect(self.toggle_run)
        parts.keep_asked.connect(self.keep_asked)
        parts.fit_asked.connect(self.fit)
        parts.pause_asked.connect(self.pause)
        parts.cursor_asked.connect(self.add_cursor)
        parts.reference_asked.connect(self.ask_reference)
        parts.moved.connect(self.moved)
        parts.unit_asked.connect(self._on_unit)
        parts.tabs.reference_asked.connect(self.refer_to)
        self.marks = Marks(station, self.trace, self.painter.hurry)
        worst.marked.connect(self._mark)
        worst.sought.connect(self._seek)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(parts)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def paints(self) -> deque[tuple[float, float]]:
        """Time and duration of the last paints, s."""
        return self.painter.paints

    def show_pattern(self, shown: bool = True) -> None:
        """Shows all of the pattern, or the strip alone."""
        self.strip.edit.setChecked(shown)

    # ---- what the user does ----------------------------------------------------------------

    def toggle_run(self) -> None:
        """Begins a run, or ends the current one."""
        if self._station.state.link is Link.MEASURING:
            self._station.stop()
        else:
            self.run_asked.emit()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Handles keys: space runs and stops, arrows and signs move the view.

        The focused widget handles them first.
        """
        if event is None:
            return
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            if self.run_button.isEnabled():
                self.toggle_run()
        elif not self._move(event):
            super().keyPressEvent(event)

    def fit(self) -> None:
        """Shows all data and follows new data."""
        self.trace.box.remember(leaps=True)
        self.plots.fit()
        self.chip.setChecked(False)
        self.moved(False)

    def maximise(self) -> None:
        """Shows only the focused plot, or the trace; or shows all plots again."""
        if self.parts.places.alone is not None:
            self.parts.places.share()
            return
        movable = (*self.plots.all, *self.plots.inside, self.waterfall)
        focused = [plot for plot in (*movable, *self.worst.detail.plots) if plot.widget.hasFocus()]
        (focused or [self.trace])[0].maximise(True)

    def escape(self) -> None:
        """Shows all plots again if one is maximised; otherwise closes the stimulus."""
        if self.parts.places.alone is not None:
            self.parts.places.share()
        else:
            self.worst.let_go()

    def show_worst(self) -> None:
        """Shows the list of the worst stimuli and selects the first."""
        self.parts.show_tables()
        self.worst.show_worst()

    def ask_where(self) -> None:
        """Moves the focus to the field for an index or a time."""
        self.parts.show_tables()
        self.worst.where.setFocus()

    def add_cursor(self) -> None:
        """Adds a cursor at the mouse, the selected stimulus, or the middle of the view."""
        self.plots.cursors.add(self._here())

    def put_cursor(self, name: str) -> None:
        """Puts the cursor of that name at the same place as :meth:`add_cursor`."""
        self.plots.cursors.put(name, self._here())

    def ask_note(self) -> None:
        """Edits the note under the mouse, or adds one.

        It is on the time between the first two cursors, or at the stimulus where a cursor would go.
        """
        pointed, mark = self.plots.crosshair.time, None
        if pointed is not None:
            mark = self.trace.noted_at(pointed)
        if mark is None and (mark := self.plots.cursors.between) is None:
            at = self._here()
            picked = self.plots.pointed_at(at)
            mark = (at if picked is None else picked.time,) * 2
        self.marks.ask(self, *mark)

    def listed_notes(self) -> list[tuple[str, Callable[[], object]]]:
        """Notes of the run by their times, with an action that shows each."""
        return [
            (f"{at:.6f} s: {text}", partial(self._look_around, at, to))
            for at, to, text in self.trace.marks
        ]

    def zoom_to_cursors(self) -> None:
        """Zooms to the time between the first two cursors, with a small margin."""
        if (between := self.plots.cursors.between) is None:
            self._station.told.emit("warning", "Z zooms to two cursors: put them by A and B first")
        elif between[0] < between[1]:
            self._look_around(*between)

    def step_worst(self, by: int) -> None:
        """Selects the next of the worst stimuli in time (1), or the previous one (-1)."""
        self.parts.show_tables()
        self.worst.step(by)

    def next_threshold(self) -> None:
        """Switches to the next mode of the threshold: off, count, stop, and off again."""
        self.threshold.setCurrentIndex((self.threshold.currentIndex() + 1) % len(MODES))

    def ask_reference(self) -> None:
        """Asks for the folder of a reference run, or removes the reference."""
        if self.painter.reference is not None:
            self._refer(None)
            return
        name = QFileDialog.getExistingDirectory(self, "A run to compare with")
        if name:
            self.refer_to(Path(name))
        else:
            self._refer(None)

    def refer_to(self, folder: Path) -> None:
        """Overlays the run of a folder as the reference."""
        self._station.begin(lambda: Reference.of(folder), self._refer)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self.strip.dress(theme)
        self.plots.dress(theme)
        self.waterfall.dress(theme)
        self.redraw()

    def redraw(self) -> None:
        """Repaints everything at the next timer tick."""
        self.painter.redraw()

    def moved(self, in_time: bool) -> None:
        """Handles a change of the visible range; a change in time pauses the view."""
        if in_time and not self.trace.follows and self._station.feed.picture is not None:
            self.chip.setChecked(True)
        self.painter.hurry()

    def pause(self) -> None:
        """Pauses the view, which can still be zoomed, or resumes it."""
        self.painter.pause()
        self.moved(False)

    def _refer(self, reference: Reference | None) -> None:
        self.painter.reference = reference
        self.reference.blockSignals(True)
        self.reference.setChecked(reference is not None)
        self.reference.blockSignals(False)
        self.redraw()

    def _move(self, event: QKeyEvent) -> bool:
        """Handles arrows and signs: they pan, and zoom time, with Ctrl latency.

        With Shift, arrows move the cursor that was moved last to the next stimulus, or the
        threshold by a tick. Page keys pan further, Home and End go to the ends, Backspace goes
        back.
        """
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
        elif key in _PAGES:
            self.trace.box.step(_PAGES[key], 0)
        elif key == Qt.Key.Key_Backspace:
            self.trace.box.back()
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._look_at_end(key == Qt.Key.Key_Home)
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

    def _look_at_end(self, first: bool) -> None:
        """Shows the begin or the end of the trace at the same zoom."""
        begin, end = self.trace.visible
        with self._station.feed.traces() as traces:
            spans = [span for trace in traces.channels.values() if (span := trace.span)]
        if spans:
            least, greatest = min(s[0] for s in spans), max(s[1] for s in spans)
            last = min(greatest, self.painter.shown.until)
            at = least if first else max(least, last - (end - begin))
            self.trace.look_at(at, at + end - begin)

    def _look_around(self, begin: float, end: float) -> None:
        """Shows these times, s, with a small margin; a single moment at the current zoom."""
        now = self.trace.visible
        margin = _BESIDE * (end - begin) or (now[1] - now[0]) / 2
        self.trace.look_at(begin - margin, end + margin)

    def _here(self) -> float:
        """Time at which a new cursor is put, s."""
        if self.plots.crosshair.time is not None:
            return self.plots.crosshair.time
        begin, end = self.trace.visible
        at = self._time_of_chosen()
        return at if at is not None and begin <= at <= end else (begin + end) / 2

    # ---- single stimuli --------------------------------------------------------------------

    def _on_trace(self, time_s: float, level: float) -> None:
        picked = self.plots.pick(time_s, level)
        if picked is not None:
            self.worst.choose_picked(picked)

    def _on_histogram(self, _: float, level: float) -> None:
        limits = self.histogram.bin_at(level)
        if limits is not None:
            self.parts.show_tables()
            self.worst.filter_to(*limits)

    def _time_of_chosen(self) -> float | None:
        selected = self.worst.chosen
        if selected is None:
            return None
        return self._station.feed.origin + float(selected.row["time_ticks"]) / selected.run.tick_hz

    def _mark(self) -> None:
        """Marks the selected stimulus in trace and histogram, and the bar that limits the list."""
        selected, only, current = self.worst.chosen, self.worst.only, self.painter.shown
        unit = current.unit
        self.painter.show_stages()
        self.trace.mark(self._time_of_chosen())
        latency = None if selected is None else selected.row["latency_ticks"]
        if current.measured is None or latency is None:
            self.histogram.mark(None)
        else:
            self.histogram.mark(latency * unit.per_tick)
        if self.worst.filtered and current.measured is not None:
            ends = (only.low - 0.5) * unit.per_tick, (only.high + 0.5) * unit.per_tick
            self.histogram.choose(ends)
        else:
            self.histogram.choose(None)

    def _seek(self) -> None:
        """Centres a stimulus that is out of view, at the same zoom."""
        at = self._time_of_chosen()
        begin, end = self.trace.visible
        if at is not None and at > self.painter.shown.until:
            self.painter.pause()  # it is newer than the hold, which now extends to it
        if at is not None and not begin <= at <= end:
            self.trace.look_at(at - (end - begin) / 2, at + (end - begin) / 2)

    def _on_unit(self) -> None:
        """Repaints with another unit, channel or correction."""
        self.unit_chosen.emit(self.figures.unit_name)
        self.moved(False)
