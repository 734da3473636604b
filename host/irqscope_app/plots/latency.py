"""Base of plots with latency on the vertical axis: axis, labels, and a line for each series."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from PyQt6.QtCore import Qt

from irqscope_app.plots.base import Name, Plot
from irqscope_app.plots.stock import Stocks
from irqscope_app.widgets.axislabels import logarithmic_labels

#: Line styles, to distinguish series also without colour.
_STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
_DASHES = ("━━", "╍╍", "┅┅", "━╍")
#: Pixels that the label of a value of an axis takes at least.
_LABEL = 40


class LatencyPlot(Plot):
    """A plot with latency on the vertical axis and curves of several channels or runs."""

    def __init__(self, title: str) -> None:
        super().__init__(title, "", "", ("", "{unit}"))
        self.item.showAxis("top")
        self.scales = {"latency": False}
        self.drawn = Stocks(self.item)
        self.box.setDefaultPadding(0.03)
        self.box.sigYRangeChanged.connect(self._latency_ticks)
        self.box.sigXRangeChanged.connect(self._ticks)
        self.box.sigResized.connect(lambda *_: self._ticks(self.box, self.box.viewRange()[0]))

    def beside(self, other: Plot) -> None:
        """Shares the latency axis of a plot on the left, which alone has its labels."""
        self.box.follow(other.box)
        self.item.getAxis("left").setStyle(showValues=False)
        self.units = "", ""
        self.item.getAxis("left").setWidth(8)

    def clear(self) -> None:
        """Hides all items and the legend."""
        self.drawn.clear()
        self.set_names([])

    def set_scale(self, axis: str, logarithmic: bool) -> None:
        """Makes one of :attr:`scales` logarithmic or linear; the visible values stay."""
        across, up = self.box.viewRange()
        if axis != "latency":
            values = [self._value_at(end) for end in across]
            super().set_scale(axis, logarithmic)
            self.box.setXRange(*(float(self._across(value)) for value in values), padding=0)
        elif self.box.leader is not None:  # which controls the view
            super().set_scale(axis, logarithmic)
        else:
            values = [10.0**end if self.scales["latency"] else end for end in up]
            super().set_scale(axis, logarithmic)
            self.box.setYRange(*(float(self.level(value)) for value in values), padding=0)

    @abstractmethod
    def _across(self, value: Any) -> Any:
        """Position of a value on the horizontal axis."""

    @abstractmethod
    def _value_at(self, place: float) -> float:
        """Value at a position of the horizontal axis."""

    def _legend(self, names: Iterable[str]) -> None:
        self.set_names(
            [
                Name(text, self._colour(place), _DASHES[place % len(_DASHES)])
                for place, text in enumerate(names)
            ]
        )

    def _fit_across(self, low: float, high: float) -> None:
        """Shows the whole horizontal range, and all latencies unless another plot leads."""
        if self.locked or not self.follows:
            return
        if self.box.leader is None:
            self.box.enableAutoRange(y=True)
        self.box.setXRange(low, high, padding=0)

    def _line(self, place: int) -> Qt.PenStyle:
        return _STYLES[place % len(_STYLES)]

    def _colour(self, place: int) -> str:
        return self.theme.series[place % len(self.theme.series)]

    def _most_labels(self) -> int:
        return max(2, int(self.box.width() / _LABEL))

    def _latency_ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Sets round labels of the latency axis: powers of ten are too coarse for a decade."""
        axis = self.item.getAxis("left")
        if self.scales["latency"]:
            axis.setTicks([logarithmic_labels(span)])
        else:
            axis.setTicks(None)

    def _ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Labels of the horizontal axis, for the visible span."""
