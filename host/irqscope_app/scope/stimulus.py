"""One stimulus: its events, its neighbours, and both as a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from irqscope.report import wording
from irqscope.results import stages
from irqscope.results.record import RunRecord
from irqscope.results.samples import Samples, flags
from irqscope.results.signals import Signal, signals
from irqscope.results.stages import Step
from irqscope_app.plots.waterfall import WaterfallPlot
from irqscope_app.plots.waves import WavesPlot
from irqscope_app.widgets.common import SpareLabel, button, show_as, splitter
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

_NOTHING = Unit("ns", 1, 1.0)


@dataclass(frozen=True)
class Chosen:
    """One stimulus and the data shown for it.

    ``row``: with the columns of INDEXED; ``neighbours``: number of neighbours that the run has
    kept.
    """

    run: RunRecord
    row: dict[str, Any]
    steps: list[Step]
    signals: list[Signal]
    neighbours: int

    @classmethod
    def of(cls, samples: Samples, place: int, around: int) -> Chosen:
        """Reads a stimulus and its neighbours on each side. Raises StorageError."""
        table = samples.around(place, around)
        (row,) = samples.rows([place]).to_pylist()
        steps = stages.of_stimulus(samples.run, row)
        # Without samples of a channel nobody can tell when its line was raised.
        drawn_signals = [
            one for one in signals(samples.run, table) if one.channel in samples.channels
        ]
        return cls(samples.run, row, steps, drawn_signals, table.num_rows - 1)


class Stimulus(QWidget):
    """Shows one stimulus.

    Signals: ``export_asked`` to write it and its neighbours into a file; ``again_asked`` when the
    number of neighbours changes; ``closed`` when the user closes it.
    """

    export_asked = pyqtSignal(Path)
    again_asked = pyqtSignal()
    closed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.chosen: Chosen | None = None
        self.origin = 0.0  #: begin of the run on the axis of the trace, s
        self._build()

    @property
    def neighbours(self) -> int:
        """Number of neighbours on each side."""
        return self.around.value()

    @property
    def name(self) -> str:
        """Title of the selected stimulus, or an empty string."""
        index = None if self.chosen is None else self.chosen.row["index"]
        return "stimulus" if index is None else f"stimulus {index}"

    def show_stimulus(self, chosen: Chosen, unit: Unit, source: str) -> None:
        """Draws a stimulus. ``source``: source of its numbers."""
        self.chosen = chosen
        row = chosen.row
        for plot in self.plots:
            plot.say("")
            plot.show_axes(True)
            plot.set_source(source)
            plot.set_unit(unit.name)
        self.waterfall.draw(chosen.steps, unit)
        if not chosen.steps:
            why = "no answer, hence" if row["latency_ticks"] is None else "its samples hold"
            self.waterfall.say(f"{why} no stages")
            self.waterfall.show_axes(False)
        # A single stage is already in the title; the neighbours need the room.
        alone = len(chosen.steps) == 1 and not chosen.steps[0].probe
        self.waterfall.widget.setHidden(alone)
        neighbours = chosen.neighbours if wording.selected(chosen.run) else None
        self.waves.draw(chosen.signals, row["time_ticks"], unit, neighbours)
        latency = row["latency_ticks"]
        took = "no answer" if latency is None else f"{unit.text(latency)} {unit.name}"
        noted = ", ".join(flags(chosen.run, row))
        at = self.origin + row["time_ticks"] / unit.tick_hz
        text = f"{self.name}: {took} at {at:.6f} s"
        show_as(self.title, "heading", text + (f"; {noted}" if noted else ""))

    def clear(self) -> None:
        """Empties title, plots and table, as no stimulus is selected."""
        self.chosen = None
        self.title.setText("")
        self.waterfall.draw([], _NOTHING)
        self.waves.draw([], 0, _NOTHING)
        for plot in self.plots:
            plot.set_source("")
            plot.show_axes(False)
            plot.say("click a row, a bar or the trace")

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        for plot in self.plots:
            plot.dress(theme)

    def stale(self, redraw: Callable[[], None]) -> None:
        """Sets ``redraw``, which is called when the plots need to be redrawn."""
        for plot in self.plots:
            plot.stale = redraw

    def zoom(self) -> None:
        """Shows the time from the stimulus's edge to its last stage."""
        if self.chosen is not None and self.chosen.steps:
            unit = Unit.of("ticks", self.chosen.run)
            self.waves.zoom(0, max(step.end for step in self.chosen.steps), unit)

    def ask_export(self) -> None:
        """Asks for a file and writes the stimulus and its neighbours into it."""
        if self.chosen is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self,
            "Export the stimulus and its neighbours",
            "-".join(filter(None, (self.waves.run_name, *self.name.split()))) + ".vcd",
            "Waves (*.vcd);;CSV (*.csv);;Parquet (*.parquet)",
        )
        if name:
            self.export_asked.emit(Path(name))

    def _build(self) -> None:
        self.waterfall, self.waves = WaterfallPlot("Stages"), WavesPlot()
        self.plots = (self.waterfall, self.waves)
        self.title = SpareLabel("heading")
        self.around = QSpinBox()
        self.around.setRange(0, 500)
        self.around.setValue(8)
        self.around.setPrefix("± ")
        self.around.setToolTip("Neighbours on each side")
        self.around.valueChanged.connect(lambda _: self.again_asked.emit())
        closer = button("Zoom", self.zoom, "From its edge to its last stage")
        self.save = button(
            "Export …", self.ask_export, "This stimulus and its neighbours: VCD, CSV"
        )
        close = button("✕", self.closed.emit, "Closes this stimulus (Esc)")
        close.setAccessibleName("Close the stimulus")
        row = QHBoxLayout()
        row.addStretch()
        for widget in (self.around, closer, self.save, close):
            row.addWidget(widget)
        parts = splitter(
            "stimulus", Qt.Orientation.Vertical, self.waterfall.widget, self.waves.widget
        )
        parts.setSizes([100, 150])
        parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.title)
        layout.addWidget(parts, 1)
