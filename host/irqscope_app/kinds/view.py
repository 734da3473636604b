"""Interface of the view of a kind of measurement."""

from __future__ import annotations

from typing import Any, Protocol

from irqscope_app.control.feed import Picture
from irqscope_app.plots.base import Plot
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit


class View(Protocol):
    """View shown in place of the trace once a run has data of its kind."""

    @property
    def plot(self) -> Plot:
        """The plot, which can be moved and saved."""

    @property
    def page(self) -> Any:
        """The widget shown in place of the trace: the plot's, or one that contains it."""

    def look(self, picture: Picture, unit: Unit, source: str) -> bool:
        """Shows the run's data of this kind; returns whether there are any."""

    def clear(self) -> None:
        """Shows nothing."""

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""


class PlotView(Plot):
    """A plot that is itself a view."""

    @property
    def plot(self) -> Plot:
        """Itself."""
        return self

    @property
    def page(self) -> Any:
        """Its widget."""
        return self.widget
