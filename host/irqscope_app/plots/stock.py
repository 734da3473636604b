"""Pools of plot items that are redrawn many times a second, created once and reused.

When an item is removed from a plot, pyqtgraph 0.14 leaks 2 to 5 kB. An item with a label holds 35
kB until Python collects reference cycles, which a large program seldom does. In an hour of a live
run they would take most of the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Stock:
    """Items of one kind in ``plot``.

    ``make``: creates an item; ``counts``: whether the items count when the plot is fitted.
    """

    def __init__(self, plot: Any, make: Callable[[], Any], *, counts: bool = True) -> None:
        self._plot, self._make, self._counts = plot, make, counts
        self._made: list[Any] = []
        self._taken = 0

    @property
    def shown(self) -> list[Any]:
        """Items taken since the last :meth:`put_back`."""
        return self._made[: self._taken]

    def put_back(self) -> None:
        """Puts all items back; they stay visible until :meth:`hide_rest`."""
        self._taken = 0

    def take(self) -> Any:
        """Returns the next item to draw with."""
        if self._taken == len(self._made):
            self._made.append(self._make())
            self._plot.addItem(self._made[-1], ignoreBounds=not self._counts)
        item = self._made[self._taken]
        self._taken += 1
        item.show()
        return item

    def hide_rest(self) -> None:
        """Hides the items that were not taken since :meth:`put_back`."""
        for item in self._made[self._taken :]:
            item.hide()


class Stocks:
    """The pools of all kinds of items of one plot; a ``with`` block draws all together."""

    def __init__(self, plot: Any) -> None:
        self._plot = plot
        self._kinds: list[Stock] = []

    def of(self, make: Callable[[], Any], *, counts: bool = True) -> Stock:
        """Creates a pool of items made by ``make``. ``counts``: as in :class:`Stock`."""
        self._kinds.append(Stock(self._plot, make, counts=counts))
        return self._kinds[-1]

    @property
    def shown(self) -> list[Any]:
        """All visible items by kind."""
        return [item for kind in self._kinds for item in kind.shown]

    def __enter__(self) -> None:
        for kind in self._kinds:
            kind.put_back()

    def __exit__(self, *_: object) -> None:
        for kind in self._kinds:
            kind.hide_rest()

    def clear(self) -> None:
        """Hides all items."""
        with self:
            pass


def write(text: Any, shown: str, colour: str) -> None:
    """Changes a text of a plot only if it differs, since its layout is expensive."""
    if text.toPlainText() != shown:
        text.setText(shown)
    text.setColor(colour)
