"""Edges that a logic analyser measures next, in place of the pattern."""

from __future__ import annotations

from PyQt6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from irqscope.errors import ExperimentError
from irqscope.kinds.capture.recipe import Pair, Recipe
from irqscope.units import Duration
from irqscope_app.widgets.common import label

_WIDE = 84


class Edges(QWidget):
    """Start, stop, timeout and count of the next capture."""

    def __init__(self) -> None:
        super().__init__()
        self._signals: tuple[str, ...] = ()
        self._taken = Recipe(name="capture")
        self.start, self.stop = QComboBox(), QComboBox()
        self.timeout, self.count = QLineEdit("1 ms"), QLineEdit("10000")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(0)
        fields = {"start": self.start, "stop": self.stop, "timeout": self.timeout,
                  "count": self.count}  # fmt: skip
        for column, (name, field) in enumerate(fields.items()):
            field.setMinimumWidth(_WIDE)
            field.setAccessibleName(name)
            grid.addWidget(label(name, "faint"), 0, column)
            grid.addWidget(field, 1, column)

    def offer(self, signals: tuple[str, ...]) -> None:
        """Offers the edges of these signals; a choice that is still possible stays."""
        if signals == self._signals:
            return
        self._signals = signals
        for place, combo in enumerate((self.start, self.stop)):
            before = combo.currentText()
            combo.clear()
            combo.addItems(
                [f"{signal} {edge}" for signal in signals for edge in ("rise", "fall", "change")]
            )
            self._choose(combo, before or f"{signals[min(place, len(signals) - 1)]} rise")

    def take(self, recipe: Recipe) -> None:
        """Takes the settings of a file. Raises ExperimentError if it names other signals."""
        pair = recipe.channels[0] if recipe.channels else None
        if pair is None:
            raise ExperimentError(f"{recipe.name}: channels: name a start and a stop")
        for combo, event in ((self.start, pair.start), (self.stop, pair.stop)):
            if not self._choose(combo, event):
                raise ExperimentError(
                    f'{recipe.name}: the analyser has no edge "{event}"; it has the signals '
                    f"{', '.join(self._signals)}"
                )
        self.timeout.setText(pair.timeout or self.timeout.text())
        self.count.setText(str(recipe.count))
        self._taken = recipe

    @property
    def recipe(self) -> Recipe:
        """What to measure. Raises ExperimentError."""
        count, timeout = self.count.text().strip(), self.timeout.text().strip()
        if not count.isdecimal() or not int(count):
            raise ExperimentError(f"count {count}: give a whole number from 1 on")
        try:
            Duration.parse(timeout)
        except ValueError as error:
            raise ExperimentError(f"timeout {timeout}: {error}") from error
        start, stop = self.start.currentText(), self.stop.currentText()
        pair = Pair(start=start, stop=stop, timeout=timeout)
        channels = (pair, *self._taken.channels[1:])
        return self._taken.model_copy(update={"channels": channels, "count": int(count)})

    def _choose(self, combo: QComboBox, event: str) -> bool:
        place = combo.findText(event)
        combo.setCurrentIndex(max(0, place))
        return place >= 0
