"""Items of a plot that are drawn anew many times a second: made once, and used again.

When an item is taken out of a plot, pyqtgraph 0.14 leaves 2 to 5 kB for ever. An item with a label
holds 35 kB until Python looks for circles, which a large program seldom does. In an hour of a live
run most of all memory would be theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Stock:
    """Items of one kind in ``plot``. ``make``: a new one; ``counts``: what is drawn is to be seen
    when the plot shows all."""

    def __init__(self, plot: Any, make: Callable[[], Any], *, counts: bool = True) -> None:
        self._plot, self._make, self._counts = plot, make, counts
        self._made: list[Any] = []
        self._taken = 0

    @property
    def shown(self) -> list[Any]:
        """Items that were taken since all were put back."""
        return self._made[: self._taken]

    def put_back(self) -> None:
        """Puts all items back; they stay visible until :meth:`hide_rest`."""
        self._taken = 0

    def take(self) -> Any:
        """The next one, to be drawn with."""
        if self._taken == len(self._made):
            self._made.append(self._make())
            self._plot.addItem(self._made[-1], ignoreBounds=not self._counts)
        item = self._made[self._taken]
        self._taken += 1
        item.show()
        return item

    def hide_rest(self) -> None:
        """Hides the items that were not taken again."""
        for item in self._made[self._taken :]:
            item.hide()


class Stocks:
    """The stocks of all kinds of items of one plot; ``with`` it, all are drawn together."""

    def __init__(self, plot: Any) -> None:
        self._plot = plot
        self._kinds: list[Stock] = []

    def of(self, make: Callable[[], Any], *, counts: bool = True) -> Stock:
        """A new stock of items that ``make`` makes. ``counts``: as :class:`Stock` has it."""
        self._kinds.append(Stock(self._plot, make, counts=counts))
        return self._kinds[-1]

    @property
    def shown(self) -> list[Any]:
        """All that is drawn, kind by kind."""
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
    """Changes a text of a plot, only if it is another one: its layout is dear."""
    if text.toPlainText() != shown:
        text.setText(shown)
    text.setColor(colour)
