"""Runs beside each other: curves, differences with their intervals, and what else differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QMessageBox,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope import stats, summary
from irqscope.gui.plots import CcdfPlot, HistogramPlot
from irqscope.gui.theme import Theme
from irqscope.gui.units import Unit
from irqscope.gui.widgets import label, table
from irqscope.results.reader import Run, read
from irqscope.stats import Distribution

#: Parts of run.json whose differences are shown.
_PROVENANCE = ("source", "identity", "experiment", "batch_s", "program", "host")
#: Differ between any two runs and explain nothing.
_IDLE = {"experiment.name", "experiment.description"}


class Compare(QWidget):
    """Compares the first channel of runs; the first run is what the others are held against."""

    def __init__(self) -> None:
        super().__init__()
        self.histogram, self.ccdf = HistogramPlot(), CcdfPlot()
        self.differences, self.provenance = table(0, ()), table(0, ())
        self._runs: list[Run] = []
        plots = QSplitter(Qt.Orientation.Horizontal)
        plots.addWidget(self.histogram.widget)
        plots.addWidget(self.ccdf.widget)
        tables = QSplitter(Qt.Orientation.Horizontal)
        for title, cells in (
            ("Quantiles against the first run, ns", self.differences),
            ("What else differs", self.provenance),
        ):
            rows = cells.verticalHeader()
            assert rows is not None  # a table view always has one
            rows.hide()
            panel = QWidget()
            column = QVBoxLayout(panel)
            column.addWidget(label(title, "heading"))
            column.addWidget(cells)
            tables.addWidget(panel)
        body = QSplitter(Qt.Orientation.Vertical)
        body.addWidget(plots)
        body.addWidget(tables)
        body.setSizes([330, 300])
        self.hint = label("", "faint")
        top = QHBoxLayout()
        top.addWidget(label("Compare", "title"))
        top.addWidget(self.hint, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        self.clear()

    def clear(self) -> None:
        """Nothing is compared."""
        self._runs = []
        for plot in (self.histogram, self.ccdf):
            plot.clear()
            plot.set_source("")
            plot.say("no runs chosen")
        for cells in (self.differences, self.provenance):
            _fill(cells, (), [])
        self.hint.setText("Select 2 to 8 runs in the Library, then press Compare.")

    def show_runs(self, folders: list[Path]) -> None:
        """Reads and compares run folders. Raises StorageError."""
        runs = [read(folder) for folder in folders]
        runs = [run for run in runs if run.run["stats"] and run.run["stats"][0]["n"]]
        kinds = {run.run["source"]["target"] for run in runs}
        if len(runs) < 2 or (len(kinds) > 1 and not self._confirmed(kinds)):
            self.clear()
            return
        self._runs = runs
        self._show()

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        for plot in (self.histogram, self.ccdf):
            plot.dress(theme)
        if self._runs:
            self._show()

    def _show(self) -> None:
        runs = self._runs
        names = [f"{place + 1}: {run.run['experiment']['name']}" for place, run in enumerate(runs)]
        series, quantiles = {}, {}
        for name, run in zip(names, runs, strict=True):
            found = run.run["stats"][0]
            known = run.distribution(found["channel"])
            series[name] = (known, Unit.of("ns", run.run["identity"]))
            quantiles[name] = found["quantiles"]
        labels = sorted({summary.label(run.run) for run in runs})
        for plot in (self.histogram, self.ccdf):
            plot.say("")
            plot.set_source(" and ".join(labels))
        self.histogram.draw(series)
        self.ccdf.draw(series, quantiles)
        self._show_differences(names, series)
        self._show_provenance(names)
        self.hint.setText(", ".join(f"{place}: {run.path}" for place, run in enumerate(runs, 1)))

    def _show_differences(
        self, names: list[str], series: dict[str, tuple[Distribution, Unit]]
    ) -> None:
        first, unit = series[names[0]]
        rows: list[tuple[str, ...]] = []
        for p in stats.QUANTILES:
            base = first.quantile(p)
            cells = [base.name, _ends(base.lower, base.upper, unit)]
            for name in names[1:]:
                known, other = series[name]
                if other.tick_hz != unit.tick_hz:
                    cells.append("another clock: ticks do not compare")
                    continue
                told = stats.difference(base, known.quantile(p))
                known_ends = told.lower is not None or told.upper is not None
                ends = f"{_ends(told.lower, told.upper, unit)}: " if known_ends else ""
                cells.append(ends + told.verdict)
            rows.append(tuple(cells))
        _fill(self.differences, ("", *names), rows)

    def _show_provenance(self, names: list[str]) -> None:
        flat = [
            dict(pair for part in _PROVENANCE for pair in _flat(part, run.run.get(part)))
            for run in self._runs
        ]
        keys = sorted({key for values in flat for key in values} - _IDLE)
        rows = [
            (key, *(values.get(key, "-") for values in flat))
            for key in keys
            if len({values.get(key, "-") for values in flat}) > 1
        ]
        _fill(self.provenance, ("", *names), rows or [("nothing",)])

    def _confirmed(self, kinds: set[str]) -> bool:
        answer = QMessageBox.question(
            self,
            "Compare a twin with a board?",
            f"These runs come from {' and '.join(sorted(kinds))}. A twin is a model: its numbers "
            "do not predict a board. Compare them all the same?",
        )
        return answer == QMessageBox.StandardButton.Yes


def _ends(lower: int | None, upper: int | None, unit: Unit) -> str:
    low, high = ("open" if end is None else f"{end * unit.per_tick:.0f}" for end in (lower, upper))
    return low if low == high != "open" else f"[{low}, {high}]"


def _flat(key: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for name, inner in value.items() for pair in _flat(f"{key}.{name}", inner)]
    if isinstance(value, list):
        return [pair for n, inner in enumerate(value) for pair in _flat(f"{key}[{n}]", inner)]
    return [(key, str(value))]


def _fill(shown: QTableWidget, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    shown.setColumnCount(len(header))
    shown.setHorizontalHeaderLabels(header)
    shown.setRowCount(len(rows))
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip(text)
            shown.setItem(row, column, item)
