"""The screen that people leave open: a run as it goes on, or one from a folder."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PyQt6.QtCore import Qt, QThreadPool, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from irqscope import stages, summary
from irqscope.gui import figures
from irqscope.gui.feed import Picture
from irqscope.gui.figures import Cells, Figures
from irqscope.gui.plots import CcdfPlot, HistogramPlot, ThroughputPlot, quantiles_of, series_of
from irqscope.gui.reference import Reference
from irqscope.gui.station import Link, Station
from irqscope.gui.theme import Theme
from irqscope.gui.traceplot import TracePlot
from irqscope.gui.units import Unit, duration
from irqscope.gui.waterfall import WaterfallPlot
from irqscope.gui.widgets import button, label, show_as, splitter, style_as, switch, timer
from irqscope.stats import Distribution

#: The one timer that paints, ms: a little more than 30 frames a second, for a late one is skipped.
PAINT_MS = 28
#: Histogram and tail are drawn anew this often at most, s: their shape changes slowly.
_SHAPES_S = 0.2
#: Statistics of parts are taken anew this often at most, s.
_PARTS_S = 0.25
#: The pause between two updates is this many times as long as one update takes: counting
#: millions must not fill a core.
_PARTS_REST = 10
#: Time for which a maximum counts as new, s.
_NEW_S = 5.0
_REFERENCE = "A run from a folder, drawn behind this one; press again to take it off"
_KEEP = "R: the run has a folder of its own; else it is only looked at, and gone with the next one"
#: What becomes of latencies beyond the threshold.
THRESHOLDS = ("threshold off", "count beyond", "stop beyond")


@dataclass(frozen=True)
class _Held:
    """What is shown while the view is held: what came up to ``until``, s, of a run of the feed."""

    picture: Picture
    until: float
    version: int
    runs: int


class Live(QWidget):
    """``run_asked``: the user wants a run; ``inspect_asked``: to see the maximum; ``keep_asked``:
    to keep the run that is shown. ``paints``: time and duration of the last paints, s."""

    run_asked = pyqtSignal()
    inspect_asked = pyqtSignal()
    keep_asked = pyqtSignal()
    unit_chosen = pyqtSignal(str)
    _counted = pyqtSignal(int, str, object)

    def __init__(self, station: Station, unit: str) -> None:
        super().__init__()
        self._station = station
        self._painted: tuple[int, Unit | None] = (-1, None)
        self._drawn: Picture | None = None
        self._drawn_at = 0.0
        self._tail: Picture | None = None  # whose tail is to be drawn next
        self._view_moved = True
        self._parts_at = self._parts_lasted = 0.0
        self._counting = 0
        self._reference: Reference | None = None
        self._held: _Held | None = None
        self._greatest: tuple[str, int | None, float] = ("", None, 0.0)
        self.paints: deque[tuple[float, float]] = deque(maxlen=100)
        self._build(unit)
        self._counted.connect(self._on_counted)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        station.changed.connect(self._on_state)
        timer(self, PAINT_MS, self.paint_data)
        self._on_state()

    # ---- what the user does ----------------------------------------------------------------

    def toggle_run(self) -> None:
        """Run, or stop."""
        if self._station.state.link is Link.MEASURING:
            self._station.stop()
        else:
            self.run_asked.emit()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Space runs and stops, where nothing that has the focus takes it for itself."""
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            if self.run_button.isEnabled():
                self.toggle_run()
            return
        super().keyPressEvent(event)

    def fit(self) -> None:
        """Shows all, and follows what comes."""
        for plot in self.plots:
            plot.fit()
        self._view_moved = True

    def toggle_cursors(self) -> None:
        """A pair of cursors in the middle of what is seen, or none."""
        cursors = self.trace.cursors
        if cursors.isVisible():
            cursors.hide()
        else:
            begin, end = self.trace.visible
            third = (end - begin) / 3
            cursors.setRegion((begin + third, end - third))
            cursors.show()
        self._view_moved = True

    def next_threshold(self) -> None:
        """Off, count, stop, off."""
        self.threshold.setCurrentIndex((self.threshold.currentIndex() + 1) % len(THRESHOLDS))

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

    def _refer(self, reference: Reference | None) -> None:
        self._reference = reference
        self.reference.blockSignals(True)
        self.reference.setChecked(reference is not None)
        self.reference.blockSignals(False)
        self._redraw()

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        for plot in self.plots:
            plot.dress(theme)
        self._redraw()

    def _redraw(self) -> None:
        self._painted, self._drawn, self._drawn_at = (-1, None), None, 0.0

    # ---- painting --------------------------------------------------------------------------

    def paint_data(self) -> None:
        """All that ever touches the plots; called by the timer."""
        began = time.perf_counter()
        version, picture = self._station.feed.version, self._station.feed.picture
        self._progress()
        if self._held is not None and self._held.runs != self._station.feed.runs:
            self.hold.setChecked(False)  # of another run nothing is held
        if self._held is not None:
            version, picture = self._held.version, self._held.picture
        self._show_view()
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
        self._paint(picture, unit)
        self._painted = (version, unit)
        # The shapes follow at their own pace.
        self._view_moved = self._drawn is not picture or self._tail is not None
        self.paints.append((began, time.perf_counter() - began))

    def _paint(self, picture: Picture, unit: Unit) -> None:
        reference = self._reference_of(picture)
        label = summary.label(picture.run)
        other = "" if reference is None or reference.label == label else f", {reference.label}"
        for plot in self.plots:
            plot.say("")
            overlaid = plot in (self.histogram, self.ccdf)
            plot.set_source(label + (other if overlaid else ""))
            plot.set_unit(unit.name)
        throughput = picture.run.throughput
        self._upper.setCurrentWidget(self.throughput.widget if throughput else self.trace.widget)
        if throughput:
            self.throughput.draw(throughput, picture.tick_hz)
        with self._station.feed.traces() as traces:
            self.trace.draw(traces, unit, np.inf if self._held is None else self._held.until)
            dropped = sum(trace.dropped for trace in traces.channels.values())
            kept = sum(len(trace) for trace in traces.channels.values())
        self._note_trace(picture, kept, dropped)
        self._limit(unit)
        if picture is not self._drawn and time.monotonic() - self._drawn_at > _SHAPES_S:
            self._drawn, self._drawn_at = picture, time.monotonic()
            self.histogram.draw(self._series(picture, unit, reference))
            self._tail = picture
        elif self._tail is not None:  # not in the same paint, which would be a long one
            series = self._series(self._tail, unit, reference)
            quantiles = quantiles_of(self._tail)
            if reference is not None:
                quantiles[reference.name] = reference.quantiles
            self.ccdf.draw(series, quantiles)
            self._steps(self._tail, unit)
            self._tail = None
        self._books(picture)
        self._whole(picture, unit)
        self._referred(unit, reference)
        self._maximum(picture, unit)
        rest = max(_PARTS_S, _PARTS_REST * self._parts_lasted)
        if time.monotonic() - self._parts_at > rest and not self._counting:
            self._parts_at = time.monotonic()
            self._count("visible", self.trace.visible, unit)
            if self.trace.cursors.isVisible():
                self._count("cursors", self.trace.cursors.getRegion(), unit)
            else:
                self.figures.show_column("cursors", {})

    def _hold(self) -> None:
        """What is seen stands still, its zoom apart; the run and its recording go on."""
        feed = self._station.feed
        self._held = None
        if self.hold.isChecked() and feed.picture is not None:
            with feed.traces() as traces:
                ends = [trace.span[1] for trace in traces.channels.values() if trace.span]
                # The record of a run that goes on is changed as it goes on.
                picture = replace(feed.picture, run=feed.picture.run.model_copy())
                self._held = _Held(picture, max(ends, default=0.0), feed.version, feed.runs)
        elif self.hold.isChecked():
            self.hold.setChecked(False)  # there is nothing to be held
        self._moved()

    def _show_view(self) -> None:
        """Whether what is seen is all, and the latest."""
        if self._held is not None:
            counted = sum(known.n for known in self._held.picture.distributions.values())
            text = f"held at {counted}"
            if self._station.state.link is Link.MEASURING:
                text += "; the run goes on"
            show_as(self.view, "warning", text)
        elif all(plot.follows for plot in self.plots):
            show_as(self.view, "faint", "")
        else:
            show_as(self.view, "faint", "zoomed: F follows")

    def _blank(self) -> None:
        """Without data nothing is shown, least of all what was there before."""
        with self._station.feed.traces() as traces:
            self.trace.draw(traces, Unit("ns", 1, 1.0))
        self._upper.setCurrentWidget(self.trace.widget)
        self.trace.cursors.hide()
        self.throughput.draw([], 1)
        self.histogram.clear()
        self.ccdf.clear()
        self.waterfall.widget.hide()
        self.maximum.hide()
        self._drawn, self._drawn_at, self._tail = None, 0.0, None
        for column in figures.COLUMNS:
            self.figures.show_column(column, {})
        for plot in self.plots:
            plot.set_source("")
        self._say_why_blank()
        self.books.setText("")
        self.trace_note.setText("")
        self.figures.show_wants(None)

    def _say_why_blank(self) -> None:
        """In place of data: what is missing for them."""
        state = self._station.state
        said = {
            Link.MEASURING: "waiting for the first batch",
            Link.READY: "no run yet: press Run",
            Link.ASKING: f"asking {state.target} who it is",
            Link.LOST: f"{state.target} does not answer; it is asked again",
            Link.NONE: "no target: connect to one (Ctrl+1), or open a run folder (Ctrl+O)",
        }
        text = "opening the run folder" if state.opening else said[state.link]
        for place, plot in enumerate(self.plots):
            plot.say(text if place == 0 else "")

    def _note_trace(self, picture: Picture, kept: int, dropped: int) -> None:
        samples = picture.run.experiment.samples
        counted = sum(known.n for known in picture.distributions.values())
        if not kept or counted <= kept:
            text = ""
        else:
            text = f"the trace shows 1 of {counted / kept:.3g} stimuli"
            if dropped:
                text += " (the latest)"
            elif samples.which == "all":
                text += " (samples are of one channel alone)"
            else:
                text += f" (samples = {samples})"
            text += "; the histogram is exact"
        self.trace_note.setText(text)

    def _series(
        self, picture: Picture, unit: Unit, reference: Reference | None
    ) -> dict[str, tuple[Distribution, Unit]]:
        """What histogram and tail show; the reference in its own clock."""
        series = series_of(picture, unit)
        if reference is not None:
            own = Unit.of(unit.name, reference.run.identified)
            series[reference.name] = (reference.distribution, own)
        return series

    def _reference_of(self, picture: Picture) -> Reference | None:
        """The one that was chosen; a twin is never drawn behind a board, nor a board behind it."""
        reference, source = self._reference, picture.run.source
        if reference is None or (source is not None and reference.kind == source.target):
            self.reference.setToolTip(_REFERENCE)
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
        """Where the time went, if the case has markers that tell."""
        index = self.figures.index
        steps = [] if index is None else stages.of_run(picture.run, index)
        if self.waterfall.widget.isHidden() == bool(steps):
            self.waterfall.widget.setVisible(bool(steps))
            self._lower.setSizes([1, 1, 1])
        self.waterfall.draw(steps, unit)

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
        word = "▲ new maximum" if new else "maximum"
        text = f"{word} {unit.text(greatest)} {unit.name}"
        if waited := [s.timeout_ticks for s in run.stats if s.timed_out]:
            text = f"maximum: more than {unit.text(max(waited))} {unit.name}"
        if self.maximum.text() != text:
            self.maximum.setText(text)
            style_as(self.maximum, "primary" if new else "")

    def _books(self, picture: Picture) -> None:
        if not picture.run.books and not picture.run.interrupted:
            self.books.setText("")
            return
        books = "   |   ".join(
            f"channel {b.channel}: {b.starts} starts = {b.served} served + "
            f"{b.coalesced} coalesced + {b.timed_out} timed out + {b.pending} pending; "
            f"{b.stops} stops = {b.served} served + {b.unmatched} unmatched"
            for b in picture.run.books
        )
        ended = picture.run.ended is not None
        if picture.run.interrupted:
            text = f"■ interrupted: {picture.run.reasons[0]}; the books close"
            show_as(self.books, "warning", f"{text}\n{books}")
        elif picture.doubts:
            show_as(self.books, "bad", f"✗ INVALID: {'; '.join(picture.doubts)}\n{books}")
        elif picture.notes:
            show_as(self.books, "warning", f"! {'; '.join(picture.notes)}\n{books}")
        else:
            word = "valid" if ended else "books close"
            show_as(self.books, "good", f"✓ {word}\n{books}")

    def _whole(self, picture: Picture, unit: Unit) -> None:
        indices = [s.channel for s in picture.run.stats]
        self.figures.set_channels(indices)
        index = self.figures.index
        if index is None:
            self.figures.show_column("whole run", {})
            return
        bound, limit = self._bound(picture), self._station.feed.longest_ticks
        if self.threshold.currentText() == "count beyond":
            limit = unit.ticks(self.trace.limit)
        self.figures.show_wants(picture)
        until = np.inf if self._held is None else self._held.until
        # Nobody knows the first and the last of a selection of samples.
        every = picture.run.experiment.samples.which == "all"
        lasting = self._station.feed.lasting(index, -np.inf, until) if every else 0.0
        cells = figures.of_run(picture, index, unit, bound, limit, lasting)
        self.figures.show_column("whole run", cells)

    def _count(self, column: str, span: tuple[float, float], unit: Unit) -> None:
        """Statistics of a part of the trace, in a thread: they may be of millions."""
        index, picture = self.figures.index, self._drawn
        if self._held is not None:
            span = span[0], min(span[1], self._held.until)
        pool = QThreadPool.globalInstance()
        if index is None or picture is None or pool is None:
            return
        bound = self._bound(picture)
        limit = None
        if self.threshold.currentIndex():
            limit = unit.ticks(self.trace.limit)
        version = self._station.feed.version
        found = next(s for s in picture.run.stats if s.channel == index)
        self._counting += 1

        def count() -> None:
            began = time.monotonic()
            part = self._station.feed.between(index, *span)
            lasting = self._station.feed.lasting(index, *span)
            cells = (
                {} if part is None else figures.of_part(part, found, unit, bound, limit, lasting)
            )
            self._parts_lasted = time.monotonic() - began
            self._counted.emit(version, column, cells)

        pool.start(count)

    def _on_counted(self, version: int, column: str, cells: Cells) -> None:
        self._counting -= 1
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

    def _limit(self, unit: Unit) -> None:
        """The threshold line is shown, and told to whom it may stop."""
        mode = self.threshold.currentText()
        line, before = self.trace.threshold, self._painted[1]
        if before is not None and before != unit:
            self.trace.limit = self.trace.limit / before.per_tick * unit.per_tick
        if mode == THRESHOLDS[0]:
            line.hide()
        else:
            if not line.isVisible():
                low, high = self.trace.item.getViewBox().viewRange()[1]
                line.setValue(low + 0.9 * (high - low))
                line.show()
            # Latencies are whole ticks: line, label and count are of the same one.
            ticks = unit.ticks(self.trace.limit)
            if not math.isclose(self.trace.limit, ticks * unit.per_tick):
                self.trace.limit = ticks * unit.per_tick
            line.label.setFormat(f"{mode} {unit.text(ticks)} {unit.name}")
        stops = mode == THRESHOLDS[2]
        self._station.feed.longest_ticks = unit.ticks(self.trace.limit) if stops else None

    def _progress(self) -> None:
        state = self._station.state
        if state.link is not Link.MEASURING:
            return
        now = time.monotonic()
        if state.stopping:
            text = f"{state.done} stimuli; ending after this batch"
        elif state.done:
            left = (now - state.began) * (state.of - state.done) / state.done
            text = f"{state.done} of {state.of} stimuli, about {duration(left)} of waiting left"
        else:
            text = state.step
        self.step.setText(text)
        self.bar.setMaximum(max(1, state.of))
        self.bar.setValue(state.done)

    # ---- state and widgets -----------------------------------------------------------------

    def _on_state(self) -> None:
        state = self._station.state
        measuring = state.link is Link.MEASURING
        words = "Stopping …" if state.stopping else "Stop"
        self.run_button.setText(words if measuring else "Run")
        free = state.link is Link.READY and not state.opening
        self.run_button.setEnabled(free or (measuring and not state.stopping))
        if self._station.feed.picture is None:
            self._say_why_blank()
        hint = "" if measuring or state.link is Link.READY else "connect to a target first"
        self.run_button.setToolTip(hint or "Space")
        self.bar.setVisible(measuring)
        if not measuring:
            picture = self._station.feed.picture
            self.step.setText(state.step or ("" if picture is None else _told(picture)))

    def _build(self, unit: str) -> None:
        self.run_button = button("Run", self.toggle_run)
        self.run_button.setProperty("role", "primary")
        self.hold = switch(
            "Hold", self._hold, "H: the view stands still; the run and its recording go on"
        )
        fit = button("Fit", self.fit, "F: show all, and follow what comes")
        cursors = button(
            "Cursors", self.toggle_cursors, "M: statistics of what lies between two cursors"
        )
        self.threshold = QComboBox()
        self.threshold.addItems(THRESHOLDS)
        self.threshold.setToolTip("T: count latencies beyond a line, or end the run at the first")
        self.threshold.currentIndexChanged.connect(lambda _: self._moved())
        self.reference = switch("Reference", self.ask_reference, _REFERENCE)
        self.keep = switch("Keep", self.keep_asked.emit, _KEEP)
        self.keep.setChecked(True)
        self.maximum = button("", self.inspect_asked.emit, "Shows it on the Inspect screen")
        self.maximum.hide()
        self.view = label("", "faint")
        self.step = QLabel("")
        self.step.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.bar = QProgressBar()
        self.bar.setMaximumWidth(260)
        self.bar.setFormat("%p %")
        self.trace = TracePlot(self._moved)
        self.trace.threshold.sigPositionChanged.connect(lambda *_: self._moved())
        self.trace_note = QLabel("")
        self.trace_note.setProperty("role", "faint")
        self.histogram, self.ccdf = HistogramPlot(), CcdfPlot()
        self.throughput = ThroughputPlot()
        self.waterfall = WaterfallPlot("Stages (medians)")
        self.waterfall.widget.hide()
        self.plots = (self.trace, self.throughput, self.histogram, self.ccdf, self.waterfall)
        for plot in self.plots:
            plot.stale = self._redraw
        self._upper = QStackedWidget()
        self._upper.addWidget(self.trace.widget)
        self._upper.addWidget(self.throughput.widget)
        self.figures = Figures(unit, self._on_unit)
        self.books = QLabel("")
        self.books.setWordWrap(True)
        self.books.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

        top = QHBoxLayout()
        for widget in (self.run_button, self.hold, self.keep, fit, cursors, self.reference):
            top.addWidget(widget)
        top.addWidget(self.threshold)
        top.addWidget(self.view)
        top.addWidget(self.step, 1)
        top.addWidget(self.maximum)
        top.addWidget(self.bar)
        lower = self._lower = splitter(
            "live lower",
            Qt.Orientation.Horizontal,
            self.histogram.widget,
            self.ccdf.widget,
            self.waterfall.widget,
        )
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._upper)
        column.addWidget(self.trace_note)
        plots = splitter("live plots", Qt.Orientation.Vertical, upper, lower)
        plots.setSizes([300, 300])
        body = splitter("live", Qt.Orientation.Horizontal, plots, self.figures)
        body.setSizes([700, 400])
        body.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        layout.addWidget(self.books)

    def _moved(self) -> None:
        self._view_moved = True
        self._parts_at = 0.0

    def _on_unit(self) -> None:
        self.unit_chosen.emit(self.figures.unit.currentText())
        self._moved()


def _told(picture: Picture) -> str:
    run = picture.run
    text = f"{run.experiment.name}: {summary.case(run)}"
    ended = run.ended
    if ended is not None and ended.reason != "complete":
        text += f"; ended early: {ended.message}"
    return text
