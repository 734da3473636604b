"""The statistics table: whole run, what is visible, what lies between the markers."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope import stats
from irqscope.gui import units
from irqscope.gui.feed import Picture
from irqscope.gui.trace import Ticks
from irqscope.gui.units import Unit
from irqscope.gui.widgets import label, switch, table
from irqscope.results.record import QuantileStats

#: Names of the rows, top to bottom.
_QUANTILES = tuple(f"p{100 * p:.6g}" for p in stats.QUANTILES)
_RATES = {"median, 1/s": "median_hz", "least, 1/s": "min_hz", "greatest, 1/s": "max_hz"}
ROWS = ("phases", *_RATES, "N", "no answer", "min", *_QUANTILES, "max", "longer", "beyond")
COLUMNS = ("whole run", "visible", "markers", "reference")
#: Rows that are hidden while nothing stands in them.
_SOMETIMES = ("phases", *_RATES, "no answer", "beyond")

Cells = dict[str, str]


class Figures(QWidget):
    """``changed``: called when the unit or raw or corrected was chosen."""

    def __init__(self, unit: str, changed: Callable[[], None]) -> None:
        super().__init__()
        self.unit = QComboBox()
        self.unit.addItems(units.NAMES)
        self.unit.setCurrentText(unit)
        self.unit.setToolTip("Unit of latencies: ns, ticks of the PL clock, cycles of the CPU")
        self.unit.currentTextChanged.connect(lambda _: changed())
        self.corrected = switch(
            "software alone",
            changed,
            "The headline is raw: edge to handler's marker. The calibration bounds the way of the\n"
            "marker to the PL, so software alone took between raw - bound and raw.",
        )
        self.channel = QComboBox()
        self.channel.currentTextChanged.connect(lambda _: changed())
        self.channel.hide()
        self._shown: dict[str, Cells] = {}  # by column
        self.table = table(len(ROWS), COLUMNS)
        self.table.setVerticalHeaderLabels(ROWS)
        self.table.setToolTip(
            "Brackets: 95 % interval of the quantile. ≥: N is too small for it, this is its lower\n"
            "end. longer: share of latencies beyond the maximum, at 95 %. beyond: beyond the\n"
            "threshold. 1/s: interrupts handled in a second of high phase."
        )
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.table, self._copy)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        row = QHBoxLayout()
        for widget in (self.channel, self.unit, self.corrected):
            row.addWidget(widget)
        row.addStretch()
        self.more = label("", "faint", wraps=True)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.more)

    @property
    def index(self) -> int | None:
        """Channel that is looked at."""
        chosen = self.channel.currentData()
        return None if chosen is None else int(chosen)

    def set_channels(self, indices: list[int]) -> None:
        """Channels that can be looked at; one alone needs no choice."""
        present = [self.channel.itemData(place) for place in range(self.channel.count())]
        if present == indices:
            return
        self.channel.blockSignals(True)
        self.channel.clear()
        for index in indices:
            self.channel.addItem(f"channel {index}", index)
        self.channel.blockSignals(False)
        self.channel.setVisible(len(indices) > 1)

    def show_column(self, column: str, cells: Cells) -> None:
        """Fills a column; what has no cell is blank. Markers and reference may have no column."""
        place = COLUMNS.index(column)
        if column in COLUMNS[2:]:
            self.table.setColumnHidden(place, not cells)
        if cells == self._shown.get(column):
            return
        self._shown[column] = cells
        for row, name in enumerate(ROWS):
            text = cells.get(name, "")
            item = self.table.item(row, place)
            if item is None:
                item = QTableWidgetItem()
                self.table.setItem(row, place, item)
            if item.text() != text:
                item.setText(text)
        for name in _SOMETIMES:
            known = any(name in shown for shown in self._shown.values())
            self.table.setRowHidden(ROWS.index(name), not known)

    def show_wants(self, picture: Picture | None) -> None:
        """How long until the quantiles that N cannot carry yet."""
        notes = [
            quantile.note
            for found in ([] if picture is None else picture.run.stats)
            if found.channel == self.index
            for quantile in found.quantiles
            if quantile.note
        ]
        self.more.setText("\n".join(notes))

    def cell(self, column: str, row: str) -> str:
        """What stands there."""
        item = self.table.item(ROWS.index(row), COLUMNS.index(column))
        return "" if item is None else item.text()

    def _copy(self) -> None:
        texts: dict[int, list[str]] = {}
        for item in sorted(self.table.selectedItems(), key=lambda i: (i.row(), i.column())):
            texts.setdefault(item.row(), []).append(item.text())
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText("\n".join("\t".join(row) for row in texts.values()))


def of_run(picture: Picture, index: int, unit: Unit, bound: int, limit: int | None) -> Cells:
    """Cells of the whole run. ``bound``: ticks that the way of a marker may take, 0: raw."""
    (found,) = (s for s in picture.run.stats if s.channel == index)
    known = picture.distributions[index]
    cells = {"N": str(found.n)}
    for rates in picture.run.throughput:
        if rates.channel == index:
            cells["phases"] = str(len(rates.stops))
            cells |= {name: f"{getattr(rates, key):.0f}" for name, key in _RATES.items()}
    if found.censored:
        cells["no answer"] = str(found.censored)
    if found.min_ticks is not None and found.max_ticks is not None:
        cells["min"] = _value(found.min_ticks, unit, bound)
        cells["max"] = _value(found.max_ticks, unit, bound)
        cells["longer"] = f"≤ {100 * found.exceedance_bound:.2g} %"
    for quantile in found.quantiles:
        name = f"p{100 * quantile.p:.6g}"
        cells[name] = _quantile(quantile, unit, bound)
    if limit is not None:
        cells["beyond"] = str(known.longer_than(limit))
    return cells


def of_part(latencies: Ticks, unit: Unit, bound: int, limit: int | None) -> Cells:
    """Cells of some latencies."""
    known = stats.of_samples(latencies)
    cells = {"N": str(known.n)}
    if not known.n:
        return cells
    cells["min"] = _value(int(known.lower[0]), unit, bound)
    cells["max"] = _value(int(known.lower[-1]), unit, bound)
    cells["longer"] = f"≤ {100 * stats.exceedance_bound(known.n):.2g} %"
    for p in stats.QUANTILES:
        quantile = known.quantile(p)
        shown = QuantileStats(
            p=p,
            value_ticks=quantile.exact,
            lower_ticks=quantile.lower,
            upper_ticks=quantile.upper,
            sample_ticks=quantile.value,
            note=stats.too_small(quantile, 0.0),
        )
        cells[quantile.name] = _quantile(shown, unit, bound)
    if limit is not None:
        cells["beyond"] = str(known.longer_than(limit))
    return cells


def _value(ticks: int, unit: Unit, bound: int) -> str:
    if not bound:
        return unit.text(ticks)
    return f"{unit.text(max(0, ticks - bound))} to {unit.text(ticks)}"


def _quantile(quantile: QuantileStats, unit: Unit, bound: int) -> str:
    """Value and interval; without enough N what can still be said."""
    lower, upper = quantile.lower_ticks, quantile.upper_ticks
    if quantile.note:
        return f"≥ {unit.text(max(0, (lower or 0) - bound))}"
    low, high = quantile.sample_ticks
    if quantile.value_ticks is not None:
        text = _value(quantile.value_ticks, unit, bound)
    else:
        end = "open" if high is None else unit.text(high)
        text = f"{unit.text(max(0, low - bound))} to {end}"
    if bound or (lower, upper) == (low, high):
        return text
    ends = "0" if lower is None else unit.text(lower), "open" if upper is None else unit.text(upper)
    return f"{text} [{ends[0]}, {ends[1]}]"
