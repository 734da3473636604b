"""Paints the scope's plots and tables, driven by a single timer."""

from __future__ import annotations

import time
from collections import deque
from typing import NamedTuple

import numpy as np
from PyQt6.QtCore import QObject

from irqscope.results import stages
from irqscope_app.control.feed import Picture
from irqscope_app.control.station import Station
from irqscope_app.plots.reference import Reference
from irqscope_app.scope import captions
from irqscope_app.scope.cells import Cells, cells_of_run
from irqscope_app.scope.counting import Counting, Part
from irqscope_app.scope.layout import ScopeLayout
from irqscope_app.scope.shown import Shown, sealed
from irqscope_app.scope.threshold import MODES
from irqscope_app.widgets.common import show_as, timer
from irqscope_app.widgets.units import Unit

#: Period of the painting timer, ms: a little over 30 frames a second, as a late frame is skipped.
PAINT_MS = 28
#: Shortest interval between two snapshots of the numbers, s: only the trace moves faster.
SHAPES_S = 0.2


class _Data(NamedTuple):
    """Data of the feed on the screen, all of one moment."""

    view: int
    opened: bool
    version: int
    picture: Picture | None
    before: tuple[Picture, ...]


class _Left(NamedTuple):
    """The user's settings of a run whose tab is not shown."""

    shown: Shown
    held: Picture | None
    mode: str
    cursors: list[tuple[str, float]]
    times: tuple[float, float] | None
    levels: tuple[float, float] | None


class ScopePainter(QObject):
    """Makes one :class:`Shown` a frame and paints it.

    Attributes:
        shown: the one on the screen.
        paints: time and duration of the last paints, s.
        reference: the chosen reference run.
    """

    def __init__(self, station: Station, parts: ScopeLayout) -> None:
        super().__init__(parts)
        self._station, self._parts = station, parts
        self.shown = Shown(station.feed.view, station.state)
        self.reference: Reference | None = None
        self.paints: deque[tuple[float, float]] = deque(maxlen=100)
        self._version = -1  # of the painted data
        self._taken_at = 0.0  # time of the snapshot
        self._tail: Shown | None = None  # whose tail is to be drawn next
        self._view_moved = True
        self._uncounted = False  # parts have changed but were counted too recently
        self._staged = False  # the case has markers that tell where the time went
        self._held: Picture | None = None  # the run at the moment of the pause
        self._left: dict[int, _Left] = {}  # by view
        self._counting = Counting(station)
        self._counting.counted.connect(self._on_counted)
        timer(self, PAINT_MS, self._on_timer)

    @property
    def behind(self) -> bool:
        """Whether something is still to be painted or counted."""
        feed = self._station.feed
        late = (self.shown.view, self._version) != (feed.view, feed.version)
        return late or self._view_moved or self._uncounted or self._counting.busy

    def redraw(self) -> None:
        """Repaints everything at the next timer tick."""
        self._version = -1

    def hurry(self) -> None:
        """Repaints and counts soon, since the visible range has changed."""
        self._view_moved = True
        self._counting.hurry()

    def pause(self) -> None:
        """Freezes the view, which can be zoomed; the run and its recording continue."""
        feed, chip = self._station.feed, self._parts.chip
        self._held = feed.picture if chip.isChecked() else None
        self._parts.worst.paused = self._held is not None
        if chip.isChecked() and feed.picture is None:
            chip.setChecked(False)  # there are no data to look at
        elif not chip.isChecked():
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
        before, feed = self.shown, self._station.feed
        with feed.traces():
            data = _Data(feed.view, feed.opened, feed.version, feed.picture, feed.before)
        if data.view != before.view:
            self._begin_view(data)
        version = data.version
        self.shown = shown = self._frame(before, data)
        self._progress(shown)
        self._show_chip(shown)
        if shown.measured is None:
            self._parts.plots.say(captions.why_blank(shown.state, shown.picture))
            if self._version != version:
                self._blank(shown)
                self._version, self._view_moved = version, False
            return
        rescaled = shown.unit != before.unit
        if rescaled:
            if before.measured is not None and before.view == shown.view:
                self._parts.plots.rescale(before.unit, shown.unit)
            self._parts.worst.redraw()
        fresh = shown.picture is not before.picture or shown.segment is not before.segment
        fresh = fresh or rescaled or self._version < 0
        if fresh or version != self._version or self._view_moved or self._tail is not None:
            moved, self._view_moved = fresh or self._view_moved, False
            complete = self._paint(shown, fresh=fresh, moved=moved, whole=rescaled)
            self._version, self._view_moved = version, self._view_moved or not complete
            self.paints.append((began, time.perf_counter() - began))
        elif self._uncounted:
            self._count_parts(shown)

    def _begin_view(self, data: _Data) -> None:
        """Puts aside what the user has set on the run before, until its tab is shown again."""
        parts, view = self._parts, data.view
        views = {tab.feed.view for tab in self._station.state.tabs}
        self._left[self.shown.view] = self._leave()
        self._left = {view: left for view, left in self._left.items() if view in views}
        parts.chip.setChecked(False)
        self._held, self._tail, self._version = None, None, -1  # each feed counts its own versions
        parts.worst.paused = False
        parts.plots.begin(opened=data.opened)
        parts.figures.begin()
        if data.opened:  # a run that begins may end by it
            parts.threshold.setCurrentText(MODES[0])
        if view in self._left:
            self._return(self._left[view])
        self.hurry()

    def _leave(self) -> _Left:
        parts, plots = self._parts, self._parts.plots
        trace = plots.trace
        return _Left(
            self.shown,
            self._held,
            parts.threshold.currentText(),
            [(cursor.name, cursor.time) for cursor in plots.cursors.all],
            None if trace.follows else trace.visible,
            None if trace.free else trace.box.viewRange()[1],
        )

    def _return(self, left: _Left) -> None:
        parts, plots = self._parts, self._parts.plots
        for name, at in left.cursors:
            plots.cursors.put(name, at)
        if left.times is not None:
            plots.trace.look_at(*left.times)
        if left.levels is not None:
            plots.trace.box.look_up(*left.levels)
        parts.chip.setChecked(left.held is not None)
        self._held = left.held
        parts.worst.paused = left.held is not None
        parts.threshold.setCurrentText(left.mode)
        if left.shown.limit is not None:
            plots.limit.settle(left.mode, left.shown.unit)
            plots.limit.value = left.shown.limit * left.shown.unit.per_tick

    def _frame(self, before: Shown, data: _Data) -> Shown:
        """Joins data, target and settings."""
        parts, state = self._parts, self._station.state
        view, opened, _, newest, earlier = data
        known = (*earlier, newest) if newest is not None else ()
        picture = newest
        if self._held is not None:
            picture = sealed(self._held, known)
            earlier = tuple(one for one in earlier if one.begin < picture.begin)
        elif newest is not None and self._may_wait(before, view, newest):
            picture = before.picture
        if picture is not before.picture:
            self._taken_at = time.monotonic()
        if picture is None or not picture.run.has_clock:
            return Shown(view, state, opened, picture)
        parts.figures.show_choices(picture.run)
        unit = Unit.of(parts.figures.unit_name, picture.run)
        parts.plots.limit.settle(parts.threshold.currentText(), unit)
        if state.at == 0:
            self._station.feed.longest_ticks = parts.plots.limit.stops
        calibration = picture.run.calibration if parts.figures.corrected.isChecked() else None
        return Shown(
            view,
            state,
            opened,
            picture,
            earlier,
            held=self._held is not None,
            unit=unit,
            channel=parts.figures.index,
            bound=calibration.one_way.bound_ticks if calibration else 0,
            limit=parts.plots.limit.ticks,
            sight=np.inf if parts.plots.trace.follows else parts.plots.trace.visible[1],
            reference=self._reference_of(picture),
        )

    def _may_wait(self, before: Shown, view: int, newest: Picture) -> bool:
        """Whether the numbers on the screen may stay for now while the trace moves on."""
        old = before.picture
        if old is None or view != before.view or self._version < 0:
            return False
        if not newest.same_run(old) or newest.over or newest.run.ended is not None:
            return False
        soon = time.monotonic() - self._taken_at < SHAPES_S
        return soon or self._counting.busy or self._tail is not None

    def _paint(self, shown: Shown, *, fresh: bool, moved: bool, whole: bool) -> bool:
        """Paints a frame. ``fresh``: with new numbers; ``moved``: or another range or setting;
        ``whole``: histogram and tail in the same frame.
        """
        parts, picture = self._parts, shown.picture
        assert picture is not None  # it is measured
        complete = parts.plots.draw_trace(shown)
        # One for each paint, since both would take long; the tail first, or it would never be drawn
        # if each paint has new data.
        if self._tail is not None and not whole:
            self._draw_tail(self._tail)
            self._tail = None
        if fresh:
            parts.plots.draw_histogram(shown)
            self._tail = shown
            if whole:
                self._draw_tail(shown)
                self._tail = None
        if moved:
            self._show_numbers(shown, picture)
        return complete

    def _draw_tail(self, shown: Shown) -> None:
        self._parts.plots.draw_tail(shown)
        self._steps(shown)

    def _show_numbers(self, shown: Shown, picture: Picture) -> None:
        parts, unit = self._parts, shown.unit
        parts.plots.cursors.fill(unit)
        with self._station.feed.traces() as traces:
            note = captions.of_trace(picture, traces)
        if not parts.tables.isChecked():
            note = note or parts.worst.detail.title.text() or parts.plots.cursors.apart
        parts.trace_note.setText(note)
        parts.trace_note.setVisible(bool(note))
        self._identify(shown)
        self._whole(shown, picture)
        cells: Cells = {}
        if (reference := shown.reference) is not None:
            own = Unit.of(unit.name, reference.run)
            cells = cells_of_run(reference.picture, reference.channel, own, 0, None)
        parts.figures.show_column("reference", cells)
        parts.masked.fill(picture.run.masked, unit)
        self._count_parts(shown)

    def _identify(self, shown: Shown) -> None:
        """Shows source, verdict and figures of the run, whose name is on its tab."""
        parts, picture = self._parts, shown.picture
        source = None if picture is None else picture.run.source
        show_as(parts.source, picture.run.origin if picture and source else "none",
                source.label if source else "")  # fmt: skip
        parts.source.setVisible(source is not None)
        parts.source.setToolTip(captions.described(shown))
        parts.tabs.refresh()
        role, text, counters = captions.of_counters(shown)
        show_as(parts.counters, role, text)
        parts.counters.setToolTip(f"{text}\n{counters}".strip())

    def _show_chip(self, shown: Shown) -> None:
        """Shows whether the view follows or since when it is paused."""
        if not shown.held or shown.picture is None:
            show_as(self._parts.chip, "", "● following")
            return
        counted = sum(known.n for known in shown.picture.distributions.values())
        text = f"❚❚ paused at {counted}"
        if shown.state.goes_on:
            text += "; the run goes on"
        show_as(self._parts.chip, "", text)

    def _blank(self, shown: Shown) -> None:
        """Empties the plots, so that no old data remain."""
        self._parts.plots.blank()
        self._staged, self._tail = False, None
        self.show_stages()
        self._parts.masked.fill(None, None)
        self._parts.figures.begin()
        self._parts.trace_note.setText("")
        self._identify(shown)

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

    def _steps(self, shown: Shown) -> None:
        """Stages of the latency, if the case has markers for them; a stimulus shows its own
        stages.
        """
        assert shown.picture is not None  # it is measured
        run, index = shown.picture.run, shown.channel
        steps = [] if index is None else stages.of_run(run, index)
        self._staged = bool(steps)
        self.show_stages()
        self._parts.waterfall.set_source(run.label)
        self._parts.waterfall.set_unit(shown.unit.name)
        self._parts.waterfall.draw(steps, shown.unit)

    def _whole(self, shown: Shown, picture: Picture) -> None:
        self._parts.figures.show_wants(picture)
        cells: Cells = {}
        if (index := shown.channel) is not None:
            # The first and last stimulus of a selection of samples are unknown.
            every = picture.run.experiment.samples.which == "all"
            lasting = self._station.feed.lasting(index, picture.begin, picture.end)
            cells = cells_of_run(
                picture, index, shown.unit, shown.bound, shown.limit, lasting if every else 0.0
            )
        self._parts.figures.show_column("whole run", cells)

    def _count_parts(self, shown: Shown) -> None:
        """Counts the visible part and the part between the cursors."""
        between, trace = self._parts.plots.cursors.between, self._parts.plots.trace
        if between is None:
            self._parts.figures.show_column("cursors", {})
        self._uncounted = shown.channel is not None and not self._counting.due()
        if shown.channel is None or self._uncounted or shown.picture is None:
            return
        begin, end = trace.visible
        last = shown.picture.end
        seen = trace.visible_ticks(shown.unit)
        parts = {"visible": Part(shown.channel, begin, min(end, last), *seen)}
        if between is not None:
            parts["cursors"] = Part(shown.channel, between[0], min(between[1], last))
        for column, part in parts.items():
            self._counting.count(column, part, shown)

    def _on_counted(self, counted: Shown, column: str, cells: Cells) -> None:
        if counted.view == self.shown.view == self._station.feed.view:  # not of an earlier run
            self._parts.figures.show_column(column, cells)

    def _progress(self, shown: Shown) -> None:
        state, parts = shown.state, self._parts
        going = state.goes_on
        text = captions.progress(state, time.monotonic()) if going else state.step
        parts.step.setText(text or captions.ended_early(shown.picture))
