"""Paints the scope's plots and tables, driven by a single timer."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from PyQt6.QtCore import QObject

from irqscope.results import stages
from irqscope_app.control.feed import Picture
from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.plots.reference import Reference
from irqscope_app.scope import captions, figures
from irqscope_app.scope.cells import Cells, cells_of_run
from irqscope_app.scope.counting import Counting, Part
from irqscope_app.scope.layout import ScopeLayout
from irqscope_app.widgets.common import show_as, style_as, timer
from irqscope_app.widgets.units import Unit

#: Period of the painting timer, ms: a little over 30 frames a second, as a late frame is skipped.
PAINT_MS = 28
#: Shortest interval between two redraws of histogram and tail, s: their shape changes slowly.
SHAPES_S = 0.2
#: Time for which a new maximum is highlighted, s.
_NEW_S = 5.0


@dataclass(frozen=True)
class _Paused:
    """Content of a paused view: data up to ``until``, s, of a run."""

    picture: Picture
    until: float
    version: int
    runs: int


class ScopePainter(QObject):
    """Paints the scope. ``paints``: time and duration of the last paints, s; ``reference``: the
    overlaid reference run.
    """

    def __init__(self, station: Station, parts: ScopeLayout) -> None:
        super().__init__(parts)
        self._station, self._parts = station, parts
        self._painted: tuple[int, Unit | None] = (-1, None)
        self._drawn: Picture | None = None  # whose histogram and tail are drawn
        self._drawn_at = 0.0
        self._tail: Picture | None = None  # whose tail is to be drawn next
        self._view_moved = True
        self._uncounted = False  # parts have changed but were counted too recently
        self._staged = False  # the case has markers that tell where the time went
        self.reference: Reference | None = None
        self._paused: _Paused | None = None
        self._runs = station.feed.runs
        self._greatest: tuple[str, int | None, float] = ("", None, 0.0)
        self.paints: deque[tuple[float, float]] = deque(maxlen=100)
        self._counting = Counting(station.feed)
        self._counting.counted.connect(self._on_counted)
        station.changed.connect(self._on_state)
        timer(self, PAINT_MS, self._on_timer)
        self._on_state()

    @property
    def until(self) -> float:
        """Time up to which data are painted, s; infinite while the view follows."""
        return np.inf if self._paused is None else self._paused.until

    @property
    def unit(self) -> Unit | None:
        """Unit of the painted latencies, or None before the first paint."""
        return self._painted[1]

    def redraw(self) -> None:
        """Repaints everything at the next timer tick."""
        self._painted, self._drawn, self._drawn_at = (-1, None), None, 0.0

    def hurry(self) -> None:
        """Repaints and counts soon, since the visible range has changed."""
        self._view_moved = True
        self._counting.hurry()

    def pause(self) -> None:
        """Freezes the view, which can be zoomed; the run and its recording continue."""
        feed, chip = self._station.feed, self._parts.chip
        self._paused = None
        if chip.isChecked() and feed.picture is not None:
            with feed.traces() as traces:
                # The record of a running measurement keeps changing.
                picture = replace(feed.picture, run=feed.picture.run.model_copy())
                self._paused = _Paused(picture, traces.end, feed.version, feed.runs)
        elif chip.isChecked():
            chip.setChecked(False)  # there are no data to look at
        else:
            self._parts.plots.follow()

    def show_stages(self) -> None:
        """Whether to show the stages; a stimulus shows its own instead."""
        shown = self._staged and self._parts.worst.chosen is None
        self._parts.waterfall.widget.setVisible(shown)

    def _on_timer(self) -> None:
        """Paints if the screen, or a part of it in a separate window, is visible."""
        if self._parts.isVisible() or self._parts.places.any_floats:
            self.paint()

    def paint(self) -> None:
        """Paints what has changed. Only this method changes the plots."""
        began = time.perf_counter()
        feed = self._station.feed
        runs, version, picture = feed.runs, feed.version, feed.picture
        self._progress()
        if self._runs != runs:  # cursors are at stimuli, which another run does not have
            self._runs = runs
            self._parts.plots.cursors.clear()
            self._parts.plots.trace.box.forget()
            for column in figures.COLUMNS:
                self._parts.figures.show_column(column, {})
            self._counting.hurry()
        if self._paused is not None and self._paused.runs != feed.runs:
            self._parts.chip.setChecked(False)  # the hold does not apply to another run
        if self._paused is not None:
            version, picture = self._paused.version, self._paused.picture
        self._show_chip()
        if picture is None or not picture.run.has_clock:
            if self._painted[0] != version:
                self._blank()
                self._painted = (version, None)
            return
        unit = Unit.of(self._parts.figures.unit.currentText(), picture.run)
        if (version, unit) == self._painted and not self._view_moved:
            if self._uncounted:
                self._count_parts(picture, unit)
            return
        if unit != self._painted[1]:
            self._drawn, self._drawn_at = None, 0.0
            self._parts.worst.redraw()
        complete = self._paint(picture, unit)
        self._painted = (version, unit)
        # The shapes are redrawn less often.
        self._view_moved = self._drawn is not picture or self._tail is not None or not complete
        self.paints.append((began, time.perf_counter() - began))

    def _paint(self, picture: Picture, unit: Unit) -> bool:
        reference = self._reference_of(picture)
        labels = [picture.run.label]
        if reference is not None and reference.label != labels[0]:
            labels.append(reference.label)
        complete = self._parts.plots.draw_trace(picture, unit, self.until, labels)
        with self._station.feed.traces() as traces:
            note = captions.of_trace(picture, traces)
        if not self._parts.tables.isChecked():
            note = note or self._parts.worst.detail.title.text()
        self._parts.trace_note.setText(note)
        self._parts.trace_note.setVisible(bool(note))
        self._parts.plots.limit.settle(self._parts.threshold.currentText(), unit)
        self._station.feed.longest_ticks = self._parts.plots.limit.stops
        # One for each paint, since both would take long; the tail first, or it would never be drawn
        # if each paint has new data.
        if self._tail is not None:
            self._parts.plots.draw_tail(self._tail, reference)
            self._steps(self._tail, unit)
            self._tail = None
        elif picture is not self._drawn and time.monotonic() - self._drawn_at > SHAPES_S:
            self._drawn, self._drawn_at = picture, time.monotonic()
            self._parts.plots.draw_histogram(picture, unit, reference)
            self._tail = picture
        role, text, counters = captions.of_counters(picture, unit)
        show_as(self._parts.counters, role, text)
        self._parts.counters.setToolTip(f"{text}\n{counters}".strip())
        self._whole(picture, unit)
        self._referred(unit, reference)
        self._maximum(picture, unit)
        self._parts.plots.cursors.fill(unit)
        self._parts.masked.fill(picture.run.masked, unit)
        self._count_parts(picture, unit)
        return complete

    def _show_chip(self) -> None:
        """Shows whether the view follows or since when it is paused."""
        if self._paused is None:
            show_as(self._parts.chip, "", "● following")
            return
        counted = sum(known.n for known in self._paused.picture.distributions.values())
        text = f"❚❚ paused at {counted}"
        if self._station.state.link is Link.MEASURING:
            text += "; the run goes on"
        show_as(self._parts.chip, "", text)

    def _blank(self) -> None:
        """Empties the plots, so that no old data remain."""
        self._parts.plots.blank(captions.why_blank(self._station.state))
        self._staged = False
        self.show_stages()
        self._parts.maximum.hide()
        self._drawn, self._drawn_at, self._tail = None, 0.0, None
        self._parts.masked.fill(None, None)
        for column in figures.COLUMNS:
            self._parts.figures.show_column(column, {})
        show_as(self._parts.counters, "", "")
        self._parts.trace_note.setText("")
        self._parts.figures.show_wants(None)

    def _reference_of(self, picture: Picture) -> Reference | None:
        """The chosen reference; a twin is never overlaid on a board, nor a board on a twin."""
        reference, source = self.reference, picture.run.source
        if reference is None or (source is not None and reference.kind == source.target):
            self._parts.reference.setToolTip(captions.REFERENCE)
            return reference
        self._parts.reference.setToolTip(
            f"Not shown: {reference.name} is of a {reference.kind}. A twin is held against a board "
            "only on the Compare screen."
        )
        return None

    def _referred(self, unit: Unit, reference: Reference | None) -> None:
        """Fills the statistics table's column of the reference."""
        cells: Cells = {}
        if reference is not None:
            own = Unit.of(unit.name, reference.run)
            cells = cells_of_run(reference.picture, reference.channel, own, 0, None)
        self._parts.figures.show_column("reference", cells)

    def _steps(self, picture: Picture, unit: Unit) -> None:
        """Stages of the latency, if the case has markers for them; a stimulus shows its own
        stages.
        """
        index = self._parts.figures.index
        steps = [] if index is None else stages.of_run(picture.run, index)
        self._staged = bool(steps)
        self.show_stages()
        self._parts.waterfall.set_source(picture.run.label)
        self._parts.waterfall.set_unit(unit.name)
        self._parts.waterfall.draw(steps, unit)

    def _maximum(self, picture: Picture, unit: Unit) -> None:
        """The greatest latency, highlighted for some seconds when new."""
        run, now = picture.run, time.monotonic()
        found = [s.max_ticks for s in run.stats if s.max_ticks is not None]
        self._parts.maximum.setVisible(bool(found))
        if not found:
            return
        started, before, risen = self._greatest
        greatest = max(found)
        if started != run.started:
            self._greatest = run.started, greatest, 0.0
        elif before is None or greatest > before:
            self._greatest = started, greatest, now
        new = now - self._greatest[2] < _NEW_S
        text = captions.maximum(run, greatest, unit, new=new)
        if self._parts.maximum.text() != text:
            self._parts.maximum.setText(text)
            style_as(self._parts.maximum, "primary" if new else "")

    def _whole(self, picture: Picture, unit: Unit) -> None:
        self._parts.figures.set_channels([s.channel for s in picture.run.stats])
        index = self._parts.figures.index
        if index is None:
            self._parts.figures.show_column("whole run", {})
            return
        self._parts.figures.show_wants(picture)
        # The first and last stimulus of a selection of samples are unknown.
        every = picture.run.experiment.samples.which == "all"
        origin = self._station.feed.origin
        lasting = self._station.feed.lasting(index, origin, self.until) if every else 0.0
        bound, limit = self._bound(picture), self._parts.plots.limit.ticks
        cells = cells_of_run(picture, index, unit, bound, limit, lasting)
        self._parts.figures.show_column("whole run", cells)

    def _count_parts(self, picture: Picture, unit: Unit) -> None:
        """Counts the visible part and the part between the cursors."""
        index = self._parts.figures.index
        between = self._parts.plots.cursors.between
        if between is None:
            self._parts.figures.show_column("cursors", {})
        self._uncounted = index is not None and not self._counting.due()
        if index is None or self._uncounted:
            return
        begin, end = self._parts.plots.trace.visible
        seen = self._parts.plots.trace.visible_ticks(unit)
        parts = {"visible": Part(index, begin, min(end, self.until), *seen)}
        if between is not None:
            parts["cursors"] = Part(index, between[0], min(between[1], self.until))
        for column, part in parts.items():
            bound, limit = self._bound(picture), self._parts.plots.limit.ticks
            self._counting.count(column, part, picture.run, self._runs, unit, bound, limit)

    def _on_counted(self, runs: int, version: int, column: str, cells: Cells) -> None:
        feed = self._station.feed
        if runs == self._runs == feed.runs:  # not from an earlier run
            self._parts.figures.show_column(column, cells)
        if version != feed.version:
            self._view_moved = True  # more data have arrived since

    def _bound(self, picture: Picture) -> int:
        """Ticks to subtract for the cost of software markers; 0 for raw values."""
        calibration = picture.run.calibration
        if not self._parts.figures.corrected.isChecked() or not calibration:
            return 0
        return calibration.one_way.bound_ticks

    def _progress(self) -> None:
        state = self._station.state
        if state.link is Link.MEASURING:
            self._parts.step.setText(captions.progress(state, time.monotonic()))
            self._parts.bar.setMaximum(max(1, state.of))
            self._parts.bar.setValue(state.done)

    def _on_state(self) -> None:
        state, picture = self._station.state, self._station.feed.picture
        if picture is None:
            self._parts.plots.say(captions.why_blank(state))
        self._parts.bar.setVisible(state.link is Link.MEASURING)
        if state.link is not Link.MEASURING:
            self._parts.step.setText(
                state.step or ("" if picture is None else captions.told(picture))
            )
