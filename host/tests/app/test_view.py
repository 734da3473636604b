"""A user's view stays as chosen, and every mark of it is visible."""

from __future__ import annotations

import numpy as np
import pytest
from app.by_hand import (
    choose,
    click,
    click_row,
    drop,
    fill,
    from_menu,
    go_to,
    next_frame,
    open_folder,
    run_or_stop,
    start_twin,
    write,
)
from app.on_screen import coloured, counted, seen, title, wheel
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pyqtgraph import LinearRegionItem

from irqscope.analysis.stats import of_samples
from irqscope.results.reader import read
from irqscope.results.signals import Signal
from irqscope.units import ticks_to_ns
from irqscope_app.control.feed import Series, Traces
from irqscope_app.control.state import Link
from irqscope_app.plots.trace import Trace
from irqscope_app.plots.trace_plot import TracePlot
from irqscope_app.plots.waves import WavesPlot
from irqscope_app.scope.cells import ROWS
from irqscope_app.scope.threshold import MODES as THRESHOLDS
from irqscope_app.widgets.units import Unit

NS = Unit("ns", 250_000_000, 4.0)


def running(window, until, fake_twin):
    """A run with very many stimuli, under way."""
    fake_twin(batch_s=0.05)
    fill(window, "count", "100000")
    start_twin(window)
    until(lambda: window.station.state.done > 0)
    until(lambda: counted(window.scope.ccdf.widget))


def ended(window, until):
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)


@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_outlier_is_seen_at_any_zoom(qtbot, logarithmic):
    plot = TracePlot(lambda in_time: None)
    qtbot.addWidget(plot.widget)
    plot.widget.resize(900, 300)
    plot.dress(plot.theme)
    plot.item.showGrid(x=False, y=False)
    plot.set_scale("latency", logarithmic)
    plot.widget.show()
    # As many as are drawn without symbols, 80 of them far from all others: half a tick is nothing
    # on an axis of 100,000.
    latencies = np.full(1000, 90, np.uint32)
    latencies[::12] = 100_000
    trace = Trace(1 << 12)
    trace.append(np.arange(1000) * 0.005, latencies)
    plot.draw(Traces({Series(0): trace}), NS)
    plot.draw(Traces({Series(0): trace}), NS)
    places = coloured(plot.widget, plot.theme.series[0])
    area = plot.box.sceneBoundingRect()  # above it, a title tells the colours
    top = places[(places[:, 1] > area.top()) & (places[:, 1] < area.center().y())]
    columns = np.unique(top[:, 0])
    marks = 1 + np.count_nonzero(np.diff(columns) > 1)
    assert marks == len(latencies[::12]) == 84
    assert len(np.unique(top[:, 1])) >= 3 and len(columns) >= 3 * marks


def test_a_zoom_of_latency_is_not_undone_by_what_comes(window, until, fake_twin):
    running(window, until, fake_twin)
    live = window.scope
    wheel(live.trace.widget, modifiers=Qt.KeyboardModifier.ControlModifier)
    wheel(live.histogram.widget)  # which has no time: it is the same axis
    before = seen(live.trace.widget)[1]
    (points,), completed = counted(live.ccdf.widget), window.station.state.done
    until(lambda: window.station.state.done > completed + 100)
    until(lambda: counted(live.ccdf.widget)[0] > points + 100)
    end = seen(live.trace.widget)[0][1]
    until(lambda: seen(live.trace.widget)[0][1] > end)  # time goes on
    assert seen(live.trace.widget)[1] == before and live.chip.text() == "● following"
    QTest.keyClick(live, Qt.Key.Key_F)
    until(lambda: seen(live.trace.widget)[1] != before)
    ended(window, until)


def test_who_zooms_in_time_looks_at_what_stands_still(window, until, fake_twin, qtbot):
    running(window, until, fake_twin)
    live = window.scope
    wheel(live.trace.widget)
    next_frame(live.painter)
    before = {plot: seen(plot.widget) for plot in (live.histogram, live.ccdf, live.trace)}
    n = live.figures.cell("whole run", "N")
    assert live.chip.text() == f"❚❚ paused at {n}; the run goes on"
    completed = window.station.state.done
    until(lambda: window.station.state.done > completed + 100)
    for _ in range(3):
        next_frame(live.painter)
    assert seen(live.trace.widget) == before[live.trace]
    assert live.figures.cell("whole run", "N") == n
    # A double click shows all again, including new ones.
    view = live.trace.widget.viewport()
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton)
    until(lambda: live.chip.text() == "● following")
    until(lambda: int(live.figures.cell("whole run", "N")) > int(n))
    assert seen(live.trace.widget)[0][1] > before[live.trace][0][1]
    ended(window, until)


def test_a_stimulus_behind_a_paused_view_is_found(window, until, fake_twin, qtbot):
    """Two gestures: a zoom, which pauses, then a row of what came since."""
    running(window, until, fake_twin)
    live = window.scope
    wheel(live.trace.widget)
    next_frame(live.painter)
    held, n = live.painter.shown.until, int(live.figures.cell("whole run", "N"))
    until(lambda: window.worst.listed is not None)
    listed, completed = window.worst.listed, window.station.state.done
    folder = window.station.state.folder
    until(lambda: window.station.state.done > completed + 200)
    until(lambda: read(folder).samples().num_rows > n + 90)  # flushed
    write(window.worst.where, str(n + 90))
    until(lambda: window.worst.chosen is not None and live.painter.shown.until > held)
    assert window.worst.listed is listed  # which stands still with the rest
    at = window.worst.chosen.row["time_ticks"] / window.worst.chosen.run.tick_hz
    for _ in range(3):
        next_frame(live.painter)
    begin, end = seen(live.trace.widget)[0]
    assert begin < at < end and at <= live.painter.shown.until
    assert live.chip.text().startswith("❚❚ paused") and window.station.state.fault is None
    ended(window, until)


def test_of_kept_samples_no_statistics_are_shown_as_the_runs(window, board, measure, until):
    fill(window, "samples", "tail 40")
    measure(board().port, 1200)
    go_to(window, "Scope")
    live = window.scope
    choose(live.figures.unit, "ticks")
    run = read(window.station.state.folder).run
    until(lambda: live.figures.cell("visible", "N") == "40 kept")
    QTest.keyClick(live, Qt.Key.Key_A)
    live.plots.cursors.put("A", live.trace.visible[0])
    live.plots.cursors.put("B", live.trace.visible[1])
    until(lambda: live.figures.cell("cursors", "N") == "40 kept")
    for column in ("visible", "cursors"):
        filled = {row for row in ROWS if live.figures.cell(column, row)}
        assert filled == {"N", "max"}
        assert live.figures.cell(column, "max") == str(run.stats[0].max_ticks)
    whole = {row for row in ROWS if live.figures.cell("whole run", row)}
    assert {"N", "min", "p50", "mean"} <= whole and "rate, 1/s" not in whole
    # Undrawn ranges are shaded, and the title says so.
    minimum = min(read(window.station.state.folder).samples()["latency_ticks"].to_pylist())
    assert f"the longest stimuli alone; all above {minimum} ticks" in title(live.trace.widget)
    until(lambda: window.worst.listed is not None and len(window.worst.listed.rows) == 40)
    first = window.worst.listed.rows[0]
    click_row(window.worst.table, 0)
    until(lambda: window.worst.chosen is not None)
    assert window.worst.chosen.row == first
    next_frame(window.worst)
    assert window.worst.detail.title.text().startswith(f"stimulus {first['index']}:")
    indices = [row["index"] for row in window.worst.listed.rows]
    near = sum(
        0 < abs(index - first["index"]) <= window.worst.detail.neighbours for index in indices
    )
    assert f"{near} kept, µs" in title(window.worst.detail.waves.widget)
    assert window.worst.detail.waterfall.widget.isHidden()  # one stage, which the title tells


def test_a_locked_plot_is_still_moved_by_the_mouse(window, board, measure, until):
    measure(board().port, 200)
    go_to(window, "Scope")
    live = window.scope
    until(lambda: counted(live.ccdf.widget) == [200])
    for plot in (live.histogram, live.trace):
        from_menu(plot.widget, "Lock what is seen")
        before = seen(plot.widget)
        next_frame(live.painter)
        assert seen(plot.widget) == before
        wheel(plot.widget)
        assert seen(plot.widget) != before


def test_the_zoom_to_an_event_stays_while_the_list_is_looked_up_again(
    window, board, measure, until
):
    fill(window, "markers", "stages")
    measure(board().port, 60)
    QTest.keyClick(window.scope, Qt.Key.Key_W)
    go_to(window, "Scope")
    inspect = window.worst
    until(lambda: inspect.chosen is not None and inspect.detail.title.text())
    next_frame(inspect)
    inspect.detail.zoom()
    zoomed = seen(inspect.detail.waves.widget)[0]
    assert zoomed[1] - zoomed[0] < 2.0  # us, of neighbours 5 ms apart
    listed = inspect.listed
    write(inspect.count, "20")
    until(lambda: inspect.listed is not listed and inspect.model.rowCount() == 20)
    next_frame(inspect)
    assert seen(inspect.detail.waves.widget)[0] == zoomed
    write(inspect.where, "3")
    until(lambda: inspect.chosen.row["index"] == 3)
    next_frame(inspect)
    assert seen(inspect.detail.waves.widget)[0] != zoomed


def test_lanes_of_neighbours_are_as_high_as_their_names(window):
    go_to(window, "Scope")
    window.worst.detail.show()
    waves = window.worst.detail.waves
    waves.widget.resize(500, 150)
    signals = [Signal(f"line {n}", n, np.array([0]), np.array([1000])) for n in range(9)]
    waves.draw(signals, 0, NS)
    low, high = seen(waves.widget)[1]
    assert waves.item.getViewBox().height() / (high - low) >= 14
    assert f"of {len(signals)} lanes" in title(waves.widget)


def test_lanes_that_fit_are_seen_at_every_height_until_the_user_moves_them(qtbot):
    waves = WavesPlot()
    qtbot.addWidget(waves.widget)
    waves.widget.resize(400, 110)
    waves.widget.show()
    signals = [Signal(f"line {n}", n, np.array([0]), np.array([1000])) for n in range(6)]
    waves.draw(signals, 0, NS)
    waves.widget.resize(400, 400)
    qtbot.wait(20)
    low, high = seen(waves.widget)[1]
    assert low < 0 and high > 5 and "lanes" not in title(waves.widget)
    waves.box.pan(0.0, 1.0)
    moved = seen(waves.widget)[1]
    assert moved == pytest.approx((low + 1, high + 1))
    waves.widget.resize(400, 300)
    qtbot.wait(20)
    assert seen(waves.widget)[1] == pytest.approx(moved)


def test_hold_keeps_what_is_seen_and_its_figures_and_the_run_goes_on(window, until, fake_twin):
    running(window, until, fake_twin)
    live = window.scope
    until(lambda: live.figures.cell("whole run", "N"))
    click(live.chip)
    next_frame(live.painter)
    held = live.figures.cell("whole run", "N")
    assert live.chip.text() == f"❚❚ paused at {held}; the run goes on"
    completed = window.station.state.done
    until(lambda: window.station.state.done > completed + 100)
    next_frame(live.painter)
    assert live.figures.cell("whole run", "N") == held
    # A view that is still is looked at: zoomed, and in another unit.
    before, longest = seen(live.trace.widget), live.figures.cell("whole run", "max")
    wheel(live.trace.widget)
    choose(live.figures.unit, "ticks")
    next_frame(live.painter)
    assert seen(live.trace.widget) != before and live.figures.cell("whole run", "N") == held
    ticks, tick_hz = int(live.figures.cell("whole run", "max")), live.painter.shown.unit.tick_hz
    assert str(ticks_to_ns(ticks, tick_hz)) == longest != str(ticks)
    click(live.chip)
    until(lambda: int(live.figures.cell("whole run", "N")) > int(held))
    ended(window, until)


def test_what_was_held_goes_with_its_run(window, board, measure):
    port = board().port
    measure(port, 100)
    click(window.scope.chip)
    next_frame(window.scope.painter)
    assert window.scope.chip.text() == "❚❚ paused at 100"
    measure(port, 60)
    assert not window.scope.chip.isChecked()
    assert window.scope.figures.cell("whole run", "N") == "60"


def test_line_label_and_count_of_the_threshold_agree(window, until, tmp_path):
    latencies = [68] * 10 + [69] * 5 + [70] * 3
    write_run(tmp_path / "run", described(), latencies)
    open_folder(window, tmp_path / "run")
    until(lambda: window.station.state.folder == tmp_path / "run")
    live = window.scope
    choose(live.threshold, THRESHOLDS[1])
    next_frame(live.painter)
    unit = live.painter.shown.unit
    for value in (68.74, 68.1, 69.0, 67.6):
        live.plots.limit.line.setValue(value * unit.per_tick)
        next_frame(live.painter)
        line = live.plots.limit.value / unit.per_tick
        assert line == pytest.approx(round(line), abs=1e-6)
        label = live.plots.limit.line.label.toPlainText()
        assert label == f"count beyond {unit.text(round(line))} ns"
        beyond = sum(latency > line + 1e-6 for latency in latencies)
        assert live.figures.cell("whole run", "beyond") == str(beyond)
    assert of_samples(np.array(latencies, np.uint32)).longer_than(68) == 8


def test_the_label_of_the_threshold_lies_within_the_plot(window, until, tmp_path, qtbot):
    write_run(tmp_path / "run", described(), [60, 70] * 20)
    open_folder(window, tmp_path / "run")
    until(lambda: window.station.state.folder == tmp_path / "run")
    live = window.scope
    choose(live.threshold, THRESHOLDS[1])
    next_frame(live.painter)
    box = live.trace.item.getViewBox()
    low, high = seen(live.trace.widget)[1]
    for share in (0.02, 0.5, 0.98):
        live.plots.limit.value = low + share * (high - low)
        next_frame(live.painter)
        qtbot.wait(50)
        text = live.plots.limit.line.label
        inside = box.sceneBoundingRect().adjusted(-2, -2, 2, 2)
        assert inside.contains(text.mapToScene(text.boundingRect()).boundingRect()), share


def test_the_tail_is_shaded_beyond_the_greatest_number_of_stimuli(window):
    go_to(window, "Scope")
    tail = window.scope.ccdf
    distribution = of_samples(np.arange(60, 160, dtype=np.uint32))
    other = of_samples(np.arange(60, 170, dtype=np.uint32))
    many = of_samples(np.arange(60, 10_060, dtype=np.uint32))
    tail.draw({"a": (distribution, NS), "b": (other, NS), "c": (many, NS)}, {})
    assert counted(tail.widget) == [100, 110, 10_000]
    (shade,) = (item for item in tail.item.items if isinstance(item, LinearRegionItem))
    assert shade.isVisible() and shade.getRegion()[0] == pytest.approx(4)


def test_a_locked_comparison_shows_the_same_latencies_on_the_other_scale(window, qtbot, tmp_path):
    for name in ("one", "two"):
        write_run(tmp_path / name, described(), [60 + n % 40 for n in range(300)])
    assert drop(window, tmp_path / "one", tmp_path / "two")
    widget = window.compare.histogram.widget
    qtbot.waitUntil(lambda: seen(widget)[1][0] > 1)  # all that is drawn
    from_menu(widget, "Lock what is seen")
    before = np.array(seen(widget)[1])
    for up in (np.log10(before), before):
        from_menu(widget, "Logarithmic latency")
        qtbot.wait(0)
        assert seen(widget)[1] == pytest.approx(up)
