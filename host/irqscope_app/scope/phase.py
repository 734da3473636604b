"""A map of latency over the phase of the stimuli within a period."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QPointF, QRectF, QSignalBlocker
from PyQt6.QtGui import QColor, QShowEvent
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from irqscope.errors import ExperimentError, IrqscopeError
from irqscope.report import wording
from irqscope.results.phase import Folded, Values, of_period, of_sampling_grid, of_timer_tick
from irqscope.results.reader import read
from irqscope.results.record import RunRecord
from irqscope.units import NS_PER_S, Duration
from irqscope_app.control.station import Station
from irqscope_app.widgets.common import label, timer
from irqscope_app.widgets.theme import DARK, Theme

_SAMPLING_GRID, _TIMER_TICK, _OWN = CHOICES = (
    "sampling grid of markers",
    "timer tick",
    "a period of",
)
#: Periods below this are drawn in ns.
_SHORT_NS = 10_000
#: Rows of latency: each high enough to be seen in a low dock.
_ROWS = 40
#: Interval between two reads of a running measurement, ms.
_LOOK_MS = 5000


@dataclass(frozen=True)
class Map:
    """Content of the map, computed in a thread, as there may be millions of samples.

    ``counts``: shape (parts, rows); ``across``, ``up``: their edges, ticks; ``ns``: ns for each
    tick; ``unanswered``: where stimuli without an answer fell, ticks.
    """

    of: str
    counts: Values
    across: Values
    up: Values
    coverage: str
    ns: float
    source: str
    unanswered: Values

    @classmethod
    def made(cls, folded: Folded, run: RunRecord) -> Map:
        """The map of one run."""
        ns = NS_PER_S / run.tick_hz
        text = folded.coverage
        if wording.selected(run):
            text = "Only the longest are drawn: how often a phase was met, they do not tell."
        return cls(folded.of, *folded.map(_ROWS), text, ns, run.label, folded.unanswered_at)


class PhaseMap(QWidget):
    """Map of the run folder that is shown, as far as it is flushed."""

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station
        self._wanted: tuple[Path, str, str, int | None] | None = None
        self._map: Map | None = None
        self.what = QComboBox()
        self.what.addItems(CHOICES)
        self.what.setToolTip("What repeats: where in it did the edge of each stimulus fall?")
        self.what.currentIndexChanged.connect(lambda _: self._on_choice())
        self.period = QLineEdit("7.8 us")
        self.period.setMaximumWidth(90)
        self.period.setToolTip("A time, such as that between two refreshes of the DDR")
        self.period.editingFinished.connect(self.refresh)
        self.channel = QComboBox()
        self.channel.addItem("all channels")
        self.channel.currentIndexChanged.connect(lambda _: self.refresh())
        self.source, self.told = label("", "none"), label("", "faint", wraps=True)
        self.plot: Any = pg.PlotWidget()
        self._image: Any = pg.ImageItem()
        self.plot.addItem(self._image)
        self._unanswered: Any = pg.PlotDataItem(connect="pairs", name="unanswered")
        self.plot.addItem(self._unanswered, ignoreBounds=True)
        self.plot.setLabel("left", "latency, ns")
        self.plot.scene().sigMouseMoved.connect(self._on_mouse)
        self.under = label("", "faint")
        top = QHBoxLayout()
        for widget in (
            label("latency over the phase in", "faint"),
            self.what,
            self.period,
            self.channel,
        ):
            top.addWidget(widget)
        top.addWidget(self.under, 1)
        top.addWidget(self.source)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.told)
        self.dress(DARK)
        self._on_choice()
        station.opened.connect(self.refresh)
        station.ended.connect(lambda _: self.refresh())
        timer(self, _LOOK_MS, self._look)

    def showEvent(self, event: QShowEvent | None) -> None:
        """Draws the map once it is visible, since it takes time."""
        super().showEvent(event)
        self.refresh()

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme: few stimuli are near its background, many far from it."""
        self.plot.setBackground(theme.plot)
        self._unanswered.setPen(pg.mkPen(theme.bad, width=1))
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(theme.grid)
            axis.setTextPen(theme.text)
        first, last = QColor(theme.series[0]), QColor(theme.dense)
        ends = [np.array(colour.getRgb(), np.float64) for colour in (first, last)]
        table = np.linspace(ends[0], ends[1], 256)
        table[:, 3] = np.linspace(150, 255, 256)
        table[0, 3] = 0  # none
        self._image.setLookupTable(table.astype(np.ubyte))

    def refresh(self) -> None:
        """Reads the folder in a thread and draws it."""
        folder = self._station.state.folder
        if not self.isVisible():
            return
        if folder is None or not (folder / "run.json").exists():
            self._say("no run is shown")
            return
        self._list_channels()
        channel = self.channel.currentData()
        request = self._wanted = (folder, self.what.currentText(), self.period.text(), channel)

        def done(found: Map) -> None:
            if self._wanted == request:
                self._draw(found)

        def failed(error: IrqscopeError) -> None:
            if self._wanted == request:
                self._say(str(error))

        self._station.begin(lambda: _made(*request), done, failed)

    def _list_channels(self) -> None:
        """Offers the channels of the run, if it has several."""
        picture = self._station.feed.picture
        indices = [] if picture is None else [one.channel for one in picture.run.stats]
        if [self.channel.itemData(place) for place in range(1, self.channel.count())] != indices:
            with QSignalBlocker(self.channel):
                self.channel.clear()
                self.channel.addItem("all channels")
                for index in indices:
                    self.channel.addItem(f"channel {index}", index)
        self.channel.setVisible(len(indices) > 1)

    def _on_choice(self) -> None:
        self.period.setVisible(self.what.currentText() == _OWN)
        self.refresh()

    def _look(self) -> None:
        if self._station.state.goes_on:
            self.refresh()

    def _say(self, why: str) -> None:
        """Shows why the map is empty."""
        self._map = None
        self._image.clear()
        self._unanswered.clear()
        self.source.setText("")
        self.told.setText(why)

    def _draw(self, found: Map) -> None:
        self._map = found
        short = found.across[-1] * found.ns < _SHORT_NS
        unit = 1.0 if short else 1000.0
        levels = (0, np.log1p(max(found.counts.max(), 1)))
        self._image.setImage(np.log1p(found.counts), levels=levels)
        width, height = found.across[-1] * found.ns / unit, (found.up[-1] - found.up[0]) * found.ns
        self._image.setRect(QRectF(0, found.up[0] * found.ns, width, height))
        ends = found.up[[0, -1]] * found.ns
        at = np.repeat(found.unanswered * found.ns / unit, 2)
        self._unanswered.setData(at, np.tile(ends, len(found.unanswered)))
        self.plot.setLabel("bottom", f"edge in {found.of}, {'ns' if short else 'µs'}")
        self.source.setText(found.source)
        self.told.setText(found.coverage)

    def _on_mouse(self, place: QPointF) -> None:
        """Shows the data under the mouse."""
        self.under.setText("")
        if self._map is None:
            return
        at = self._image.mapFromScene(place)
        column, row = int(np.floor(at.x())), int(np.floor(at.y()))
        columns, rows = self._map.counts.shape
        if 0 <= column < columns and 0 <= row < rows:
            point = self.plot.getPlotItem().vb.mapSceneToView(place)
            number = int(self._map.counts[column, row])
            self.under.setText(f"{number} at {point.x():.4g}, {point.y():.0f} ns")


def _made(folder: Path, what: str, period: str, channel: int | None) -> Map:
    """Computes the map. Raises IrqscopeError."""
    run = read(folder)
    if not run.run.has_clock:
        raise ExperimentError("this run measured nothing")
    folded: Folded | None
    if what == _OWN:
        try:
            duration = Duration.parse(period)
        except ValueError as error:
            raise ExperimentError(str(error)) from error
        folded = of_period(run, float(duration.of(run.run.tick_hz)), str(duration), channel)
        lacking = "this run has no samples"
    elif what == _TIMER_TICK:
        folded, lacking = (
            of_timer_tick(run, channel),
            "no timer tick is known of this run's samples",
        )
    else:
        folded = of_sampling_grid(run, channel)
        lacking = "here each tick is like the next one, or no sample and no batch is known"
    if folded is None or not folded.n:
        raise ExperimentError(lacking)
    return Map.made(folded, run.run)
