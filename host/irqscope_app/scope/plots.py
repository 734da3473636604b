"""The plots of the scope side by side: time trace, histogram and tail on one latency axis.

Runs of some kinds replace the trace: by rates, a loss map, or latency over placement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QSplitter, QStackedWidget, QWidget

from irqscope.analysis.stats import OPEN, Distribution
from irqscope.report import wording
from irqscope.results.drift import piece
from irqscope_app.control.station import Station
from irqscope_app.kinds.view import View
from irqscope_app.plots.ccdf import CcdfPlot
from irqscope_app.plots.histogram import HistogramPlot
from irqscope_app.plots.places import Places
from irqscope_app.plots.trace_plot import Picked, TracePlot
from irqscope_app.scope.crosshair import Crosshair
from irqscope_app.scope.cursors import Cursors
from irqscope_app.scope.shown import Shown
from irqscope_app.scope.threshold import Threshold
from irqscope_app.widgets.common import splitter
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit


class ScopePlots:
    """``widget`` goes into a layout. ``moved``: called when the user changes the visible range,
    with true for a change in time; ``seen``: called with a text for the mouse position.
    """

    def __init__(
        self,
        station: Station,
        views: Mapping[str, View],
        moved: Callable[[bool], None],
        seen: Callable[[str], None],
    ) -> None:
        self._station, self._seen = station, seen
        self._shown = Shown(station.feed.view, station.state)
        self.trace = TracePlot(moved)
        self.histogram, self.ccdf = HistogramPlot(), CcdfPlot()
        #: View shown in place of the trace, by kind.
        self.views = views
        itself = [view.plot for view in views.values() if view.page is view.plot.widget]
        #: Plots that are part of a page, which paints them.
        self.inside = [view.plot for view in views.values() if view.plot not in itself]
        #: Plots that are painted by one call each, whether or not the trace is replaced.
        self.all = (self.trace, *itself, self.histogram, self.ccdf)
        self._beside = (self.histogram, self.ccdf)
        self.limit = Threshold(self.trace, self._beside, lambda: moved(False))
        self.cursors = Cursors(self.trace, self.pointed_at, lambda: moved(False))
        self.crosshair = Crosshair(self.trace, self._beside, self._on_crosshair)
        for beside in self._beside:
            beside.beside(self.trace)
        for plot in (*self.all, *self.inside):
            plot.explained = True
        shared = (self.trace, *self._beside)
        for one in shared:
            one.sharing = tuple(plot for plot in shared if plot is not one)
        self.trace.rescaled = self.limit.rescale
        self._stack = QStackedWidget()
        self._stack.addWidget(self.trace.widget)
        for view in views.values():
            self._stack.addWidget(view.page)
        self.widget: QSplitter = splitter(
            "scope plots",
            Qt.Orientation.Horizontal,
            self._stack,
            self.histogram.widget,
            self.ccdf.widget,
        )
        self.widget.setSizes([620, 190, 210])
        for beside, least in ((self.histogram, 150), (self.ccdf, 190)):
            beside.widget.setMinimumWidth(least)  # for what is below them
        for place, share in enumerate((4, 1, 1)):
            self.widget.setStretchFactor(place, share)

    def stand_in(self, places: Places) -> None:
        """Makes each plot movable, together with the view in place of the trace."""
        for plot in (self.trace, *(view.plot for view in self.views.values())):
            plot.stand_in(places, self._stack)
        for beside in self._beside:
            beside.stand_in(places)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        for view in self.views.values():
            view.dress(theme)
        for plot in (self.trace, *self._beside):
            plot.dress(theme)
        for part in (self.limit, self.cursors, self.crosshair):
            part.dress(theme)

    def fit(self) -> None:
        """Shows all data and follows new data."""
        for plot in (*self.all, *self.inside):
            plot.fit()

    def follow(self) -> None:
        """Shows all times and follows new ones."""
        self.trace.follow()

    def begin(self, *, opened: bool) -> None:
        """Forgets ranges, cursors and the mouse, which are of the run before. A lock stays for a
        run that begins, but not for a folder that was opened.
        """
        self.cursors.clear()
        self.crosshair.put(None, None)
        for plot in (*self.all, *self.inside):
            plot.locked &= not opened
        self.fit()
        for plot in (*self.all, *self.inside):
            plot.box.forget()
        self.trace.item.getAxis("left").narrow()

    def rescale(self, before: Unit, now: Unit) -> None:
        """Shows the same latencies in another unit."""
        self.crosshair.put(None, None)
        self.trace.rescale(now.per_tick / before.per_tick)

    def blank(self) -> None:
        """Empties all plots."""
        self._shown = Shown(self._station.feed.view, self._shown.state)
        with self._station.feed.traces() as traces:
            self.trace.draw(traces, self._shown.unit)
        self._show(self.trace.widget)
        for view in self.views.values():
            view.clear()
        for beside in self._beside:
            beside.clear()
        for plot in self.all:
            plot.set_source("")
            plot.show_axes(False)

    def say(self, text: str) -> None:
        """Writes a text in place of data, in the first plot alone."""
        for place, plot in enumerate(self.all):
            plot.say(text if place == 0 else "")

    def draw_trace(self, shown: Shown) -> bool:
        """Paints what changes with each batch.

        Returns False if not all of very many stimuli were counted yet; call again then.
        """
        self._shown, picture, labels = shown, shown.picture, shown.labels
        assert picture is not None  # it is measured
        empty = not any(known.n for known, _ in shown.series_at(None).values())
        for plot in self.all:
            plot.say("")
            plot.show_axes(not empty or plot not in (self.trace, *self._beside))
            plot.set_source(", ".join(labels) if plot in self._beside else labels[0])
            plot.set_unit(shown.unit.name)
        replaced = (v.page for v in self.views.values() if v.look(picture, shown.unit, labels[0]))
        self._show(next(replaced, self.trace.widget))
        self.trace.number(picture.tick_hz if shown.numbered else None)
        of_each = shown.series_at(None).values()
        with self._station.feed.traces() as traces:
            complete = self.trace.draw(
                traces,
                shown.unit,
                shown.until,
                selected=wording.selected(picture.run),
                piece=piece(picture.run, several=False),
                beside=[ends for one in of_each if (ends := _ends(*one, shown.unit))],
            )
        self._level_titles()
        return complete

    def _level_titles(self) -> None:
        """Gives the three plots titles of one height, so that their axes are level."""
        shared = (self.trace, *self._beside)
        highest = max(plot.title_height for plot in shared)
        for plot in shared:
            plot.level_title(highest)

    def _show(self, page: QWidget) -> None:
        """Shows a page in place of the trace. Hides histogram and tail, which share the axis of the
        trace.
        """
        if self._stack.currentWidget() is not page:
            self._stack.setCurrentWidget(page)
            for plot in self._beside:
                plot.widget.setVisible(page is self.trace.widget)

    def draw_histogram(self, shown: Shown) -> None:
        """Paints the histogram of a run and of the reference."""
        self.histogram.draw(shown.series_at(None), shown.which)
        for plot in (self.trace, *self._beside):  # read to those who do not see it
            plot.widget.setAccessibleDescription(_in_words(shown))
        self._level_titles()
        self.crosshair.put(self.crosshair.time, self.crosshair.level)

    def draw_tail(self, shown: Shown) -> None:
        """Paints the tail of the distributions in the histogram."""
        assert shown.segment is not None  # it is measured
        run, reference = shown.segment.run, shown.reference
        quantiles = {f"channel {s.channel}": wording.intervals(run, s) for s in run.stats}
        if reference is not None:
            quantiles[reference.name] = reference.quantiles
        series = shown.series_at(None)
        what = ": share at least as long" if len(series) < 2 else ""
        self.ccdf.set_title(f"{self.ccdf.name}{shown.which or what}")
        self.ccdf.draw(series, quantiles)
        self._level_titles()

    def pick(self, time: float, level: float) -> Picked | None:
        """The stimulus drawn nearest to a position."""
        with self._station.feed.traces() as traces:
            return self.trace.pick(traces, time, level, self._shown.unit)

    def pointed_at(self, time: float) -> Picked | None:
        """The stimulus at a time and at the mouse's latency; otherwise the nearest in time."""
        level = self.crosshair.level
        found = None if level is None else self.pick(time, level)
        return found or self._nearest(time)

    def _nearest(self, time: float) -> Picked | None:
        """The stimulus nearest in time to a position in the trace."""
        best: Picked | None = None
        with self._station.feed.traces() as traces:
            for series, trace in traces.channels.items():
                first, _ = trace.places(time, np.inf)
                for place in (first - 1, first):
                    times = trace.times(max(place, trace.dropped), place + 1)
                    if not len(times):
                        continue
                    latency = int(trace.copy(place, place + 1)[0])
                    found = Picked(series.channel, float(times[0]), latency)
                    if best is None or abs(found.time - time) < abs(best.time - time):
                        best = found
        return best

    def _on_crosshair(self, time: float | None, level: float | None) -> None:
        """Describes the data under the mouse, in the segment under it."""
        series = self._shown.series_at(time)
        if level is None or not series:
            self._seen("")
            return
        unit = self._shown.unit
        latency = 10.0**level if self.trace.scales["latency"] else level
        ticks = unit.ticks(latency)
        texts = [] if time is None else [self._shown.place(time)]
        texts.append(f"{unit.text(ticks)} {unit.name}")
        for name, (known, own) in series.items():
            at = own.ticks(latency)
            held = (known.lower <= at) & (known.upper >= at) & (known.upper != OPEN)
            least, more = known.longer_than(at - 1), known.perhaps_longer_than(at - 1)
            share = f"{100 * least / max(1, known.n):.3g}"
            if more:  # such as coalesced ones, whose latency is unknown
                share += f" to {100 * (least + more) / max(1, known.n):.3g}"
            who = f"{name}: " if len(series) > 1 else ""
            wide = held.any() and int((known.upper - known.lower)[held].max()) > 0
            count = f"{int(known.counts[held].sum())} {'in this bin' if wide else 'on this tick'}"
            texts.append(f"{who}{count}, {share} % at least as long")
        self._seen("   ·   ".join(texts))


def _in_words(shown: Shown) -> str:
    """Number and extent of the latencies of each channel."""
    texts = []
    for name, (known, unit) in shown.series_at(None).items():
        ends = _ends(known, unit, unit)
        span = "" if ends is None else f", {' to '.join(map(unit.text, ends))} {unit.name}"
        texts.append(f"{name}: {known.n} stimuli{span}")
    return "; ".join(texts)


def _ends(known: Distribution, own: Unit, unit: Unit) -> tuple[int, int] | None:
    """Smallest and greatest of the known latencies, ticks of the run that is shown, or None."""
    held = (known.counts > 0) & (known.upper != OPEN)
    if not held.any():
        return None
    factor = own.per_tick / unit.per_tick
    return round(known.lower[held].min() * factor), round(known.upper[held].max() * factor)
