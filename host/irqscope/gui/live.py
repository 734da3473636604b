"""The screen that people leave open: a run as it goes on, or one from a folder."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from PyQt6.QtCore import Qt, QThreadPool, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from irqscope import summary
from irqscope.gui import figures
from irqscope.gui.feed import Picture
from irqscope.gui.figures import Cells, Figures
from irqscope.gui.plots import (
    CcdfPlot,
    HistogramPlot,
    ThroughputPlot,
    TracePlot,
    quantiles_of,
    series_of,
)
from irqscope.gui.station import Link, Station
from irqscope.gui.theme import Theme
from irqscope.gui.units import Unit, duration
from irqscope.gui.widgets import button, show_as, switch, timer

#: The one timer that paints, ms: a little more than 30 frames a second, for a late one is skipped.
PAINT_MS = 28
#: Histogram and tail are drawn anew this often at most, s: their shape changes slowly.
_SHAPES_S = 0.2
#: Statistics of parts are taken anew this often at most, s.
_PARTS_S = 0.25
#: Between two of them lies so many times what one takes: counting millions must not fill a core.
_PARTS_REST = 10
#: What becomes of latencies beyond the threshold.
THRESHOLDS = ("threshold off", "count beyond", "stop beyond")


class Live(QWidget):
    """``run_asked``: the user wants a run. ``paints``: time and duration of the last paints, s."""

    run_asked = pyqtSignal()
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
        self.paints: deque[tuple[float, float]] = deque(maxlen=100)
        self._build(unit)
        self._counted.connect(self._on_counted)
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

    def fit(self) -> None:
        """Shows all, and follows what comes."""
        self.trace.fit()
        self._view_moved = True

    def toggle_markers(self) -> None:
        """A pair of markers in the middle of what is seen, or none."""
        markers = self.trace.markers
        if markers.isVisible():
            markers.hide()
        else:
            begin, end = self.trace.visible
            third = (end - begin) / 3
            markers.setRegion((begin + third, end - third))
            markers.show()
        self._view_moved = True

    def next_threshold(self) -> None:
        """Off, count, stop, off."""
        self.threshold.setCurrentIndex((self.threshold.currentIndex() + 1) % len(THRESHOLDS))

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        for plot in self._plots:
            plot.dress(theme)
        self._redraw()

    def _redraw(self) -> None:
        self._painted, self._drawn, self._drawn_at = (-1, None), None, 0.0

    # ---- painting --------------------------------------------------------------------------

    def paint_data(self) -> None:
        """All that ever touches the plots; called by the timer."""
        if self.hold.isChecked():
            return
        began = time.perf_counter()
        version, picture = self._station.feed.version, self._station.feed.picture
        self._progress()
        if picture is None or not picture.run["identity"]:
            if self._painted[0] != version:
                self._blank()
                self._painted = (version, None)
            return
        unit = Unit.of(self.figures.unit.currentText(), picture.run["identity"])
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
        for plot in self._plots:
            plot.say("")
            plot.set_source(summary.label(picture.run))
            plot.set_unit(unit.name)
        throughput = picture.run.get("throughput", [])
        self._upper.setCurrentWidget(self.throughput.widget if throughput else self.trace.widget)
        if throughput:
            self.throughput.draw(throughput, picture.tick_hz)
        with self._station.feed.traces() as traces:
            self.trace.draw(traces, unit)
            dropped = sum(trace.dropped for trace in traces.channels.values())
            kept = sum(len(trace) for trace in traces.channels.values())
        self._note_trace(picture, kept, dropped)
        self._limit(unit)
        if picture is not self._drawn and time.monotonic() - self._drawn_at > _SHAPES_S:
            self._drawn, self._drawn_at = picture, time.monotonic()
            self.histogram.draw(series_of(picture, unit))
            self._tail = picture
        elif self._tail is not None:  # not in the same paint, which would be a long one
            self.ccdf.draw(series_of(self._tail, unit), quantiles_of(self._tail))
            self._tail = None
        self._books(picture)
        self._whole(picture, unit)
        rest = max(_PARTS_S, _PARTS_REST * self._parts_lasted)
        if time.monotonic() - self._parts_at > rest and not self._counting:
            self._parts_at = time.monotonic()
            self._count("visible", self.trace.visible, unit)
            if self.trace.markers.isVisible():
                self._count("markers", self.trace.markers.getRegion(), unit)
            else:
                self.figures.show_column("markers", {})

    def _blank(self) -> None:
        """Without data nothing is shown, least of all what was there before."""
        with self._station.feed.traces() as traces:
            self.trace.draw(traces, Unit("ns", 1, 1.0))
        self._upper.setCurrentWidget(self.trace.widget)
        self.trace.markers.hide()
        self.throughput.draw([], 1)
        self.histogram.clear()
        self.ccdf.clear()
        self._drawn, self._drawn_at, self._tail = None, 0.0, None
        for column in figures.COLUMNS:
            self.figures.show_column(column, {})
        measuring = self._station.state.link is Link.MEASURING
        for plot in self._plots:
            plot.set_source("")
            if self._station.state.suite:
                plot.say("a suite is under way; its runs can be opened when they are over")
            else:
                plot.say("waiting for the first batch" if measuring else "no run; press Run")
        self.books.setText("")
        self.trace_note.setText("")
        self.figures.show_wants(None)

    def _note_trace(self, picture: Picture, kept: int, dropped: int) -> None:
        samples = picture.run["experiment"]["samples"]
        if dropped:
            text = f"the trace shows the last {kept} of {kept + dropped}; the histogram is exact"
        elif samples != "all":
            text = f"samples = {samples}: the trace shows {kept}; the histogram is exact"
        else:
            text = ""
        self.trace_note.setText(text)

    def _books(self, picture: Picture) -> None:
        if not picture.run["books"]:
            self.books.setText("")
            return
        books = "   |   ".join(
            f"channel {b['channel']}: {b['starts']} starts = {b['served']} served + "
            f"{b['coalesced']} coalesced + {b['timed_out']} timed out + {b['pending']} pending; "
            f"{b['stops']} stops = {b['served']} served + {b['unmatched']} unmatched"
            for b in picture.run["books"]
        )
        ended = picture.run["ended"] is not None
        if picture.doubts:
            show_as(self.books, "bad", f"✗ INVALID: {'; '.join(picture.doubts)}\n{books}")
        elif picture.notes:
            show_as(self.books, "warning", f"! {'; '.join(picture.notes)}\n{books}")
        else:
            word = "valid" if ended else "books close"
            show_as(self.books, "good", f"✓ {word}\n{books}")

    def _whole(self, picture: Picture, unit: Unit) -> None:
        indices = [s["channel"] for s in picture.run["stats"]]
        self.figures.set_channels(indices)
        index = self.figures.index
        if index is None:
            self.figures.show_column("whole run", {})
            return
        bound, limit = self._bound(picture), self._station.feed.longest_ticks
        if self.threshold.currentText() == "count beyond":
            limit = unit.ticks(self.trace.limit)
        self.figures.show_wants(picture)
        cells = figures.of_run(picture, index, unit, bound, limit)
        self.figures.show_column("whole run", cells)

    def _count(self, column: str, span: tuple[float, float], unit: Unit) -> None:
        """Statistics of a part of the trace, in a thread: they may be of millions."""
        index, picture = self.figures.index, self._drawn
        pool = QThreadPool.globalInstance()
        if index is None or picture is None or pool is None:
            return
        bound = self._bound(picture)
        limit = None
        if self.threshold.currentIndex():
            limit = unit.ticks(self.trace.limit)
        version = self._station.feed.version
        self._counting += 1

        def count() -> None:
            began = time.monotonic()
            part = self._station.feed.between(index, *span)
            cells = {} if part is None else figures.of_part(part, unit, bound, limit)
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
        calibration = picture.run["calibration"]
        if not self.figures.corrected.isChecked() or not calibration:
            return 0
        return int(calibration["one_way"]["bound_ticks"])

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
            line.label.setFormat(f"{mode} {unit.text(unit.ticks(self.trace.limit))} {unit.name}")
        stops = mode == THRESHOLDS[2]
        self._station.feed.longest_ticks = unit.ticks(self.trace.limit) if stops else None

    def _progress(self) -> None:
        state = self._station.state
        if state.link is not Link.MEASURING:
            return
        now = time.monotonic()
        if state.done:
            left = (now - state.began) * (state.of - state.done) / state.done
            text = f"{state.done} of {state.of} stimuli, about {duration(left)} left"
        else:
            text = state.step
        self.step.setText(text)
        self.bar.setMaximum(max(1, state.of))
        self.bar.setValue(state.done)

    # ---- state and widgets -----------------------------------------------------------------

    def _on_state(self) -> None:
        state = self._station.state
        measuring = state.link is Link.MEASURING
        self.run_button.setText("Stop" if measuring else "Run")
        self.run_button.setEnabled(measuring or state.link is Link.READY)
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
            "Hold", self._moved, "H: the view stands still; the run and its recording go on"
        )
        fit = button("Fit", self.fit, "F: show all, and follow what comes")
        markers = button(
            "Markers", self.toggle_markers, "M: statistics of what lies between two markers"
        )
        self.threshold = QComboBox()
        self.threshold.addItems(THRESHOLDS)
        self.threshold.setToolTip("T: count latencies beyond a line, or end the run at the first")
        self.threshold.currentIndexChanged.connect(lambda _: self._moved())
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
        self._plots = (self.trace, self.throughput, self.histogram, self.ccdf)
        for plot in self._plots:
            plot.stale = self._redraw
        self._upper = QStackedWidget()
        self._upper.addWidget(self.trace.widget)
        self._upper.addWidget(self.throughput.widget)
        self.figures = Figures(unit, self._on_unit)
        self.books = QLabel("")
        self.books.setWordWrap(True)
        self.books.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

        top = QHBoxLayout()
        for widget in (self.run_button, self.hold, fit, markers):
            top.addWidget(widget)
        top.addWidget(self.threshold)
        top.addWidget(self.step, 1)
        top.addWidget(self.bar)
        lower = QSplitter(Qt.Orientation.Horizontal)
        lower.addWidget(self.histogram.widget)
        lower.addWidget(self.ccdf.widget)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._upper)
        column.addWidget(self.trace_note)
        plots = QSplitter(Qt.Orientation.Vertical)
        plots.addWidget(upper)
        plots.addWidget(lower)
        plots.setSizes([300, 300])
        body = QSplitter(Qt.Orientation.Horizontal)
        body.addWidget(plots)
        body.addWidget(self.figures)
        body.setSizes([760, 330])
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
    text = f"{run['experiment']['name']}: {summary.case(run)}"
    ended: dict[str, Any] | None = run["ended"]
    if ended is not None and ended["reason"] != "complete":
        text += f"; ended early: {ended['message']}"
    return text
