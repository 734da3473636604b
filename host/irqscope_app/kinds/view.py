"""What each view of a kind of measurement does."""

from __future__ import annotations

from typing import Any, Protocol

from irqscope_app.control.feed import Picture
from irqscope_app.plots.base import Plot
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit


class View(Protocol):
    """What a run of a kind shows in place of the trace, once it has any of it."""

    @property
    def plot(self) -> Plot:
        """The plot, which can be moved and saved."""

    @property
    def page(self) -> Any:
        """The widget in the place of the trace: the plot's, or one that holds it."""

    def look(self, picture: Picture, unit: Unit, source: str) -> bool:
        """Shows what a run has of it; returns whether it has any."""

    def clear(self) -> None:
        """Shows nothing."""

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""


class PlotView(Plot):
    """A plot that is a view itself."""

    @property
    def plot(self) -> Plot:
        """Itself."""
        return self

    @property
    def page(self) -> Any:
        """Its widget."""
        return self.widget
