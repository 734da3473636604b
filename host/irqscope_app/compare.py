"""Comparison of runs: curves, differences with their intervals, and other differences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.report import wording
from irqscope.report.compare import MOST, Comparison, compare, kinds
from irqscope.results.reader import Run, read
from irqscope_app.plots.ccdf import CcdfPlot
from irqscope_app.plots.histogram import HistogramPlot
from irqscope_app.plots.places import Places
from irqscope_app.widgets.common import label, splitter, table
from irqscope_app.widgets.paths import short
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

#: Parts of run.json as a person says them.
_PARTS = {
    "identity": "target",
    "stack": "stack that ran",
    "batch_s": "length of a batch, s",
    "program": "irqscope",
    "host": "computer",
}
#: What a fault is about that goes away with the next comparison without one.
COMPARISON = "the comparison"


class Compare(QWidget):
    """Compares the first channel of several runs with that of the first run."""

    def __init__(self) -> None:
        super().__init__()
        self.histogram, self.ccdf = HistogramPlot(), CcdfPlot()
        self.differences, self.provenance = table(0, ()), table(0, ())
        self._runs: list[Run] = []
        self._comparison: Comparison | None = None
        plots = splitter("compare plots", Qt.Orientation.Horizontal)
        plots.addWidget(self.histogram.widget)
        plots.addWidget(self.ccdf.widget)
        tables = splitter("compare tables", Qt.Orientation.Horizontal)
        for title, cells in (
            (label("Quantiles against the first run", "heading"), self.differences),
            (label("What else differs", "heading"), self.provenance),
        ):
            rows = cells.verticalHeader()
            assert rows is not None  # a table view always has one
            rows.hide()
            panel = QWidget()
            column = QVBoxLayout(panel)
            column.addWidget(title)
            column.addWidget(cells)
            tables.addWidget(panel)
        body = splitter("compare", Qt.Orientation.Vertical, plots, tables)
        body.setSizes([330, 300])
        self.hint = label("", "faint", wraps=True)
        top = QHBoxLayout()
        top.addWidget(label("Compare", "title"))
        top.addWidget(self.hint, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        self.places = Places(self)
        for plot in (self.histogram, self.ccdf):
            plot.stand_in(self.places)
        self.clear()

    def clear(self) -> None:
        """Removes all runs and empties plots and tables."""
        self._runs, self._comparison = [], None
        for plot in (self.histogram, self.ccdf):
            plot.clear()
            plot.set_source("")
            plot.say("no runs chosen")
        for cells in (self.differences, self.provenance):
            _fill(cells, (), {})
        self.hint.setText(f"Select 2 to {MOST} runs in the Library, then press Compare.")

    def show_runs(self, folders: list[Path]) -> None:
        """Reads and compares run folders. Raises ExperimentError, StorageError."""
        runs = [read(folder) for folder in folders]
        comparison = compare(runs)
        targets = kinds(runs)
        if len(targets) > 1 and not self._confirmed(targets):
            self.clear()
            return
        self._runs, self._comparison = runs, comparison
        for plot in (self.histogram, self.ccdf):
            plot.follows = not plot.locked
        self._show()

    @property
    def mixed(self) -> bool:
        """Whether a twin is compared with a board."""
        return len(kinds(self._runs)) > 1

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        for plot in (self.histogram, self.ccdf):
            plot.dress(theme)
        self.redraw()

    def redraw(self) -> None:
        """Repaints the runs in the selected unit."""
        if self._runs:
            self._show()

    def _show(self) -> None:
        runs, comparison = self._runs, self._comparison
        assert comparison is not None  # whoever has runs has one
        names = comparison.names
        series, quantiles = {}, {}
        for name, run in zip(names, runs, strict=True):
            stats = run.run.stats[0]
            distribution = run.distribution(stats.channel)
            series[name] = (distribution, Unit.of("ns", run.run))
            quantiles[name] = wording.intervals(run.run, stats)
        labels = sorted({run.run.label for run in runs})
        for plot in (self.histogram, self.ccdf):
            plot.say("")
            plot.set_unit(comparison.unit)
            plot.set_source(" and ".join(labels))
        self.histogram.draw(series)
        self.ccdf.draw(series, quantiles)
        _fill(self.differences, names, comparison.quantiles)
        differs = {in_words(key): cells for key, cells in comparison.differs.items()}
        _fill(self.provenance, names, differs or {"nothing": ("",) * len(names)})
        self._mark()
        paths = (f"{place}: {short(run.path)}" for place, run in enumerate(runs, 1))
        self.hint.setText(" ".join((f"{', '.join(paths)}.", *comparison.remarks)))

    def _mark(self) -> None:
        """Marks values that differ from the first run, by a bold font and a sign."""
        for row in range(self.provenance.rowCount()):
            first = self.provenance.item(row, 1)
            for column in range(2, self.provenance.columnCount()):
                item = self.provenance.item(row, column)
                if item is None or first is None or item.text() == first.text():
                    continue
                item.setText(f"≠ {item.text()}")
                font = item.font()
                font.setBold(True)
                item.setFont(font)

    def _confirmed(self, kinds: set[str]) -> bool:
        answer = QMessageBox.question(
            self,
            "Compare a twin with a board?",
            f"These runs come from {' and '.join(sorted(kinds))}. A twin is a model: its numbers "
            "do not predict a board. Compare them all the same?",
        )
        return answer == QMessageBox.StandardButton.Yes


def in_words(key: str) -> str:
    """Returns a key of run.json as a person says it, such as ``line 0: high``."""
    part, _, rest = key.partition(".")
    if part == "experiment":
        part, _, rest = re.sub(r"^(line|channel)s\[(\d+)\]", r"\1 \2", rest).partition(".")
    else:
        part = _PARTS.get(part, part)
    text = f"{part}: {rest.replace('.', ' ')}" if rest else part
    return text.replace("_hz", " rate, Hz").replace("_", " ")


def _fill(shown: QTableWidget, names: tuple[str, ...], rows: dict[str, tuple[Any, ...]]) -> None:
    shown.setColumnCount(1 + len(names))
    shown.setHorizontalHeaderLabels(("", *names))
    shown.setRowCount(len(rows))
    for row, (name, cells) in enumerate(rows.items()):
        for column, cell in enumerate((name, *map(str, cells))):
            item = QTableWidgetItem(cell)
            item.setToolTip(cell)
            shown.setItem(row, column, item)
