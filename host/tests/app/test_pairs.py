"""Whatever was shown before, a run is shown as by a window that has opened nothing else."""

from __future__ import annotations

import itertools
import re
import time
from collections import Counter

import pyarrow.csv
import pytest
from app.by_hand import drop, next_frame
from app.conftest import stored
from app.on_screen import seen, texts, ticks
from app.shown_kinds import KINDS
from PyQt6.QtCore import QThreadPool
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QSpinBox,
    QTabBar,
    QTableView,
)
from pyqtgraph import InfiniteLine, PlotDataItem, PlotWidget

from irqscope.report import summary, wording
from irqscope.report.folders import Entry
from irqscope.results.export import export
from irqscope.results.reader import read

#: A loaded machine is slow, which is no failure.
_TIMEOUT_S = 60
#: Wide enough for all panels: none of them moves the others.
_SIZE = 1700, 1000


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One run folder of each kind."""
    above = tmp_path_factory.mktemp("kinds")
    for name, make in KINDS.items():
        make(above / name)
    return above


def cells(table):
    """Heads and cells that are seen, a row each, and what is chosen."""
    model, heads = table.model(), table.horizontalHeader().orientation()
    columns = [n for n in range(model.columnCount()) if not table.isColumnHidden(n)]
    yield [str(model.headerData(n, heads)) for n in columns]
    selected = {index.row() for index in table.selectionModel().selectedIndexes()}
    for row in range(model.rowCount()):
        if not table.isRowHidden(row):
            texts = [str(model.index(row, column).data() or "") for column in columns]
            yield texts + ["chosen"] * (row in selected)


def drawn(plot):
    """Texts, ends, ticks, and the curves and lines that are seen."""
    yield from texts(plot)
    yield from ([f"{end:.3g}" for end in side] for side in seen(plot))
    yield from ([text for _, text in ticks(plot, side)] for side in ("left", "bottom"))
    for item in plot.getPlotItem().items:
        if not item.isVisible():
            continue
        if isinstance(item, PlotDataItem) and item.getData()[0] is not None:
            yield item.name(), [f"{end.sum():.6g}" for end in item.getData()]
        elif isinstance(item, InfiniteLine):
            yield item.name(), f"{item.value():.6g}"


def told(widget):
    """All that a widget shows."""
    if isinstance(widget, PlotWidget):
        return drawn(widget)
    if isinstance(widget, QListWidget):
        item = widget.currentItem()
        return [item.text() if item is not None else ""]
    if isinstance(widget, QTableView):
        return cells(widget)
    if isinstance(widget, QComboBox):
        return [widget.currentText(), [widget.itemText(n) for n in range(widget.count())]]
    if isinstance(widget, QAbstractButton):
        state = widget.isChecked(), widget.isEnabled()
        return [(widget.text(), *state)] if widget.text() else []
    return [widget.text()]


def screen(window):
    """All texts and numbers of the window but the log, each with the widget that shows it."""
    shows = (QAbstractButton, QComboBox, QLabel, QLineEdit, QListWidget, QSpinBox, QTableView)
    texts = [f"title {window.windowTitle()}"]
    for widget in window.findChildren((*shows, PlotWidget)):
        of_others = isinstance(widget.parent(), QTabBar)  # tabs of the runs before stay open
        if widget.isVisible() and widget is not window.log_line and not of_others:
            tip = widget.toolTip() if isinstance(widget, QLabel) else ""
            name = f"{type(widget).__name__} {widget.accessibleName()}"
            texts += [f"{name}: {one}" for one in told(widget)] + [f"{name} tip: {tip}"] * bool(tip)
    return Counter(re.sub(r"[\d.]+ GB free", "GB free", text) for text in texts)


def shown(window, folder):
    """Opens a run and waits until it is painted and nothing is counted any more."""
    assert drop(window, folder)
    _process(lambda: window.station.state.folder == folder)
    _process(lambda: window.worst.listed is not None and not window.scope.painter.behind)


def _process(condition):
    until = time.monotonic() + _TIMEOUT_S
    while not condition():
        assert time.monotonic() < until
        QApplication.processEvents()
        time.sleep(0.005)


def use(window):
    """All that a user can set on what is shown."""
    scope, worst = window.scope, window.worst
    scope.figures.channel.setCurrentIndex(scope.figures.channel.count() - 1)
    begin, end = scope.trace.visible
    low, high = scope.trace.box.viewRange()[1]
    for name, share in (("A", 0.2), ("B", 0.7), ("C", 0.9)):
        scope.plots.cursors.put(name, begin + share * (end - begin))
    scope.plots.crosshair.put(begin + 0.5 * (end - begin), (low + high) / 2)
    scope.threshold.setCurrentIndex(1)
    if worst.listed is not None and worst.listed.rows:
        worst.answered.setChecked(True)
        latency = worst.listed.rows[-1]["latency_ticks"]
        worst.filter_to(latency, latency)
        worst.choose_row((worst.listed.rows[-1]["channel"], worst.listed.rows[-1]["time_ticks"]))
    scope.trace.look_at(begin + 0.3 * (end - begin), begin + 0.6 * (end - begin))
    scope.trace.box.look_up(low + 0.2 * (high - low), high)
    scope.trace.lock(True)
    next_frame(scope.painter)
    next_frame(worst)
    QThreadPool.globalInstance().waitForDone()
    QApplication.processEvents()


def agree(window, folder, file):
    """Holds the numbers of the Scope screen against those of ``info`` and ``export``."""
    run, scope = read(folder), window.scope
    entry, verdict = Entry(folder, run.run), summary.verdict(run.run).split(":")[0]
    assert verdict.lower() in scope.counters.text().split("·")[0]
    assert scope.source.text() == run.run.label
    assert run.run.experiment.name in scope.tabs.bar.tabText(window.station.state.at)
    assert scope.plots.histogram.source == run.run.label or not run.run.stats
    if not run.run.stats:
        return
    stats, figures, unit = run.run.stats[0], scope.figures, scope.painter.shown.unit
    assert entry.cells["N"] == figures.cell("whole run", "N") == str(stats.n)
    for row, value in (("min", stats.min_ticks), ("max", stats.max_ticks)):
        assert figures.cell("whole run", row) == unit.text(value)
    median = stats.quantiles[0].value_ticks
    if median is not None and not wording.grid(run.run):
        assert figures.cell("whole run", "p50").split()[0] == unit.text(median)
    if run.run.experiment.samples.which == "none":
        return
    rows = export(run, file)
    exported = pyarrow.csv.read_csv(file)
    assert figures.cell("visible", "N").split()[0] == str(rows) == str(len(exported))
    assert window.worst.listed.samples == rows
    longest = sorted(exported["latency_ticks"].to_pylist(), reverse=True)[
        : window.worst.count.value()
    ]
    assert [row["latency_ticks"] for row in window.worst.listed.rows] == longest


@pytest.fixture(scope="module")
def alone():
    """What a window that has opened nothing else shows, by kind; filled by the tests."""
    return {}


@pytest.fixture
def fresh(window, folders, alone, tmp_path_factory):
    def look(kind):
        if kind not in alone:
            other = type(window)(stored(tmp_path_factory.mktemp("settings")))
            other.preferences.runs, other.preferences.tables = window.preferences.runs, True
            other.scope.parts.tables.setChecked(True)
            other.resize(*_SIZE)
            other.show()
            shown(other, folders / kind)
            for _ in range(3):
                next_frame(other.scope.painter)
            alone[kind] = screen(other)
            agree(other, folders / kind, tmp_path_factory.mktemp("exported") / "samples.csv")
            other.close()
            other.deleteLater()
        return alone[kind]

    return look


def walk(window, fresh, folders, kinds):
    """Opens these kinds one after the other, each used before the next one is opened."""
    stale = []
    window.resize(*_SIZE)
    for first, second in itertools.pairwise(kinds):
        if window.station.state.folder != folders / first:
            shown(window, folders / first)
        use(window)
        shown(window, folders / second)
        expected, until = fresh(second), time.monotonic() + 3
        while (actual := screen(window)) != expected and time.monotonic() < until:
            next_frame(window.scope.painter)
            next_frame(window.worst)
        stays, lacks = actual - expected, expected - actual
        stale += [f"{second} after {first}: shows {text}" for text in stays]
        stale += [f"{second} after {first}: lacks {text}" for text in lacks]
    assert not stale, "\n".join(stale)


# Once in three runs on a busy machine the ends of an axis had not settled when they were compared.
@pytest.mark.soak
def test_each_kind_after_another_and_before_another(window, fresh, folders):
    walk(window, fresh, folders, [*KINDS, next(iter(KINDS))])


@pytest.mark.soak
def test_all_pairs(window, fresh, folders):
    pairs = {kind: [*KINDS] for kind in KINDS}
    path, way = [next(iter(KINDS))], []
    while path:  # each ordered pair once: Hierholzer's way through the complete graph
        if pairs[path[-1]]:
            path.append(pairs[path[-1]].pop())
        else:
            way.append(path.pop())
    walk(window, fresh, folders, way[::-1])
