"""The scope apart from its plots: reference, runs that are not kept, suites, the longest, menus."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from app.by_hand import (
    choose,
    click,
    connect,
    fill,
    from_menu,
    go_to,
    next_frame,
    release,
    run_or_stop,
    start_twin,
    write,
)
from app.on_screen import counted, moments, seen, symbols, ticks, title
from irqscope_fake.folder import ZCU102, answered_by, write_run
from irqscope_fake.folder import experiment as described
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QMenu

from irqscope.errors import ExperimentError
from irqscope.experiment.values import Event
from irqscope.results.reader import read
from irqscope_app.control.feed import COLUMNS, Series
from irqscope_app.control.state import Link
from irqscope_app.plots.pictures import copy, save
from irqscope_app.plots.reference import Reference


def folders(window):
    return sorted(path.parent for path in window.preferences.runs.rglob("run.json"))


# ---- reference -----------------------------------------------------------------------------------


def test_a_reference_is_drawn_behind_and_has_a_column(window, board, measure, until, tmp_path):
    write_run(tmp_path / "old", described(name="old"), [70] * 50 + [80] * 50)
    measure(board().port, 200)
    live = window.scope
    choose(live.figures.unit, "ticks")
    live.refer_to(tmp_path / "old")
    until(lambda: live.figures.cell("reference", "N") == "100")
    assert live.figures.cell("reference", "max") == "80"
    assert live.figures.cell("whole run", "N") == "200"
    assert live.figures.cell("reference", "p50") == "70 [70, 80]"
    until(lambda: counted(live.ccdf.widget) == [100, 200])
    _, reference = bars(live.histogram)
    assert (reference.top(), reference.bottom()) == (69.5, 80.5)
    assert 10 ** reference.right() == pytest.approx(50)
    quantiles = [item for item in live.ccdf.drawn.shown if isinstance(item, pg.PlotDataItem)][2:]
    runs = window.station.feed.picture.run, read(tmp_path / "old").run
    found = [q for run in runs for q in run.stats[0].quantiles if not q.note]
    assert len(quantiles) == len(found) == 4  # p50 and p90 of both
    choose(live.figures.unit, "ns")
    until(lambda: bars(live.histogram)[1].top() > 69.5)
    _, reference = bars(live.histogram)
    assert reference.bottom() == pytest.approx(80.5 * 4.0, abs=1e-3)  # by its own clock, of 250 MHz
    click(live.reference)
    until(lambda: not live.figures.cell("reference", "N"))
    until(lambda: counted(live.ccdf.widget) == [200])
    assert len(bars(live.histogram)) == 1


def test_a_twin_is_not_drawn_behind_a_board(window, board, measure, until, tmp_path):
    write_run(tmp_path / "board", described(), [70] * 10, **answered_by(ZCU102))
    measure(board().port, 50)
    window.scope.refer_to(tmp_path / "board")
    until(lambda: window.scope.painter.reference is not None)
    next_frame(window.scope.painter)
    assert not window.scope.figures.cell("reference", "N")
    assert "only on the Compare screen" in window.scope.reference.toolTip()


def test_a_reference_without_a_latency_is_refused(window, until, tmp_path):
    write_run(tmp_path / "none", described(), [70], stats=[])
    window.scope.refer_to(tmp_path / "none")
    until(lambda: window.station.state.fault is not None)
    assert "holds no latency" in window.station.state.fault.cause
    with pytest.raises(Exception, match="not a run folder"):
        Reference.of(tmp_path)


# ---- runs that are only looked at ----------------------------------------------------------------


def test_a_run_that_is_not_kept_is_gone_with_the_next(window, board, measure):
    port = board().port
    go_to(window, "Scope")
    click(window.scope.keep)
    measure(port, 100)
    first = window.station.state.folder
    assert read(first).run.valid and folders(window) == []
    window.status.show_recording()
    assert "only looked at, not kept" in window.status.recording.text()
    measure(port, 60)
    second = window.station.state.folder
    assert not first.exists() and read(second).run.stimuli == 60
    window.close()
    assert not second.exists()


def test_what_was_looked_at_is_kept_when_asked_afterwards(window, board, measure, until):
    go_to(window, "Scope")
    click(window.scope.keep)
    measure(board().port, 100)
    viewed = window.station.state.folder
    click(window.scope.keep)
    (saved,) = folders(window)
    assert window.station.state.folder == saved and not viewed.exists()
    assert saved.name.startswith("t2-") and read(saved).run.stimuli == 100
    write(window.worst.where, "3")
    go_to(window, "Scope")
    until(lambda: window.worst.listed is not None and window.worst.listed.samples == 100)
    measure("", 30)
    assert len(folders(window)) == 2


def test_a_run_is_kept_whole_when_asked_while_it_goes_on(window, until, fake_twin):
    fake_twin(batch_s=0.05)
    go_to(window, "Scope")
    click(window.scope.keep)
    fill(window, "count", "100000")
    start_twin(window)
    until(lambda: window.station.state.done > 0)
    click(window.scope.keep)
    assert folders(window) == []  # a run that goes on is not moved
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    (saved,) = folders(window)
    run = read(saved).run
    assert run.stats[0].n == run.stimuli == read(saved).samples().num_rows > 0


# ---- what is seen --------------------------------------------------------------------------------


def test_stages_are_drawn_where_the_case_has_markers_for_them(window, board, measure, until):
    port = board().port
    measure(port, 50)
    until(lambda: counted(window.scope.ccdf.widget) == [50])
    assert window.scope.waterfall.widget.isHidden()
    fill(window, "markers", "stages")
    measure(port, 60)
    until(lambda: counted(window.scope.ccdf.widget) == [60])
    waterfall = window.scope.waterfall.widget
    until(waterfall.isVisible)
    until(lambda: [n for _, n in ticks(waterfall, "left")] == ["vector", "handler", "done", "task"])


def test_the_key_w_leads_to_the_longest(window, until, fake_twin):
    fake_twin(batch_s=0.05)
    fill(window, "count", "400")
    start_twin(window)
    until(lambda: window.station.state.link is Link.READY and window.station.state.done)
    until(lambda: window.worst.listed is not None)
    QTest.keyClick(window.scope, Qt.Key.Key_W)
    assert window.worst.isVisible()
    until(lambda: window.worst.chosen is not None)
    longest = max(read(window.station.state.folder).samples()["latency_ticks"].to_pylist())
    assert window.worst.chosen.row["latency_ticks"] == longest


def test_cores_that_share_a_channel_are_told_apart(window, board, measure):
    measure(board().port, 40)
    feed = window.station.feed
    run = feed.picture.run.model_copy()
    (channel,) = run.experiment.channels
    channel = channel.model_copy(update={"stop": Event.parse("handler any core")})
    run.experiment = run.experiment.model_copy(update={"channels": (channel,), "cores": 2})
    folder = read(window.station.state.folder)
    rows = folder.samples().select(COLUMNS)
    cores = np.arange(rows.num_rows) % 2
    rows = rows.set_column(4, "core", [cores.astype(np.uint8)])
    picture = replace(feed.picture, run=run)
    feed.clear()
    feed.take(rows, picture, dict(ChainMap(*folder.begins())))
    with feed.traces() as traces:
        assert sorted(traces.channels) == [Series(0, 0), Series(0, 1)]
    assert feed.between(0, -1, 9).n == 40
    QTest.keyClick(window.scope, Qt.Key.Key_F)
    next_frame(window.scope.painter)
    trace = window.scope.trace.widget
    clouds = symbols(trace)
    assert [len(one.getData()[0]) for one in clouds] == [20, 20]
    assert {one.opts["symbol"] for one in clouds} == {"o", "t"}
    assert len({one.opts["brush"].color().name() for one in clouds}) == 2
    assert title(trace) == "Time trace ● core 0 ▼ core 1"


def test_talks_that_were_left_out_are_marked(window, board, measure):
    measure(board().port, 60)
    live = window.scope
    live.trace.fit()
    next_frame(live.painter)
    (cloud,) = symbols(live.trace.widget)
    times, _ = cloud.getData()
    firsts = [times[20], times[40]]  # of the second and the third batch
    assert moments(live.trace.widget, "talks") == pytest.approx(firsts)


def test_a_trace_that_shows_a_part_says_which(window, board, measure):
    fill(window, "samples", "first 20")
    measure(board().port, 100)
    assert window.scope.trace_note.text() == (
        "the trace shows 1 of 5 stimuli (samples = first 20); the histogram is exact"
    )
    fill(window, "samples", "all")
    measure("", 100)
    assert not window.scope.trace_note.text()


# ---- suites --------------------------------------------------------------------------------------


def test_live_follows_the_runs_of_a_suite(window, until, fake_twin, monkeypatch):
    fake_twin(batch_s=0.02)
    over = []
    window.station.suite_told.connect(
        lambda news: over.append((news.name, window.station.state.folder)) if news.over else None
    )
    screen = window.experiments
    go_to(window, "Experiments")
    choose(screen.chooser.suite, "horst2020")
    until(screen.chooser.checked)
    screen.chooser.check(["t1", "t2"])
    click(screen.chooser.add_button)
    until(lambda: screen.table.rowCount() == 2)
    connect(window, "twin")
    until(lambda: window.station.state.link is Link.READY)
    ended = []
    window.station.suite_ended.connect(ended.append)
    go_to(window, "Experiments")
    click(screen.run_button)
    go_to(window, "Scope")
    until(lambda: window.scope.figures.cell("whole run", "N"))
    assert window.station.state.suite == "horst2020"
    until(lambda: ended)
    assert [(name, folder.name) for name, folder in over] == [("t1", "t1"), ("t2", "t2")]
    next_frame(window.scope.painter)
    run = read(window.station.state.folder).run
    assert window.station.feed.picture.run == run and run.experiment.name == "t2"
    until(lambda: window.scope.figures.cell("whole run", "N") == str(run.stats[0].n))
    assert ("✓ valid" in window.scope.counters.text()) is run.valid
    # Each of its runs is shown, with the worst of it; the one measured last keeps its tab.
    bar, steps = window.scope.tabs.bar, window.scope.tabs.steps
    texts = [steps.tabText(place) for place in range(steps.count())]
    places = {text.split()[-1]: place for place, text in enumerate(texts) if text[0] in "✓✗"}
    assert set(places) == {"t1", "t2"} and steps.currentIndex() == places["t2"]
    QTest.mouseClick(steps, Qt.MouseButton.LeftButton, pos=steps.tabRect(places["t1"]).center())
    until(lambda: window.station.state.folder == over[0][1] and window.worst.listed)
    assert bar.count() == 2 and bar.currentIndex() == 1 and window.worst.listed.rows
    QTest.mouseClick(steps, Qt.MouseButton.LeftButton, pos=steps.tabRect(places["t2"]).center())
    until(lambda: bar.currentIndex() == 0 and window.station.state.folder == over[1][1])


# ---- the menu of a plot --------------------------------------------------------------------------


def test_a_plot_is_saved_and_copied_as_it_is_seen(window, board, measure, until, tmp_path, qapp):
    measure(board().port, 200)
    go_to(window, "Scope")
    until(lambda: counted(window.scope.ccdf.widget) == [200])
    plot = window.scope.histogram
    save(plot, tmp_path / "plot.png")
    picture = QImage(str(tmp_path / "plot.png"))
    assert picture.width() == 2 * plot.widget.width() > 0
    colours = {picture.pixelColor(x, picture.height() // 2).name() for x in range(picture.width())}
    assert len(colours) > 2 and window.scope.histogram.theme.plot.lower() in colours
    save(plot, tmp_path / "plot.svg")
    svg = (tmp_path / "plot.svg").read_text()
    assert "twin, functional timing" in svg and "<image" not in svg
    with pytest.raises(ExperimentError, match="cannot be saved as .jpg"):
        save(plot, tmp_path / "plot.jpg")
    assert not (tmp_path / "plot.jpg").exists()
    copy(plot)
    assert qapp.clipboard().image().size() == picture.size()


def test_the_right_button_opens_the_menu_of_the_plot(window, qtbot, monkeypatch):
    opened, menu = [], QMenu()
    menu.addAction("An entry")
    monkeypatch.setattr("irqscope_app.plots.base.menu", lambda plot: opened.append(plot) or menu)
    go_to(window, "Scope")
    plot = window.scope.histogram
    box = plot.item.getViewBox()
    at = plot.widget.mapFromScene(box.mapToScene(QPointF(box.boundingRect().center())))
    qtbot.mouseClick(plot.widget.viewport(), Qt.MouseButton.RightButton, pos=at)
    assert opened == [plot] and menu.isVisible()
    menu.close()


def test_a_locked_plot_stays_where_it_is(window, board, measure, until):
    port = board(latency_ticks=60).port
    measure(port, 100)
    live = window.scope
    until(lambda: counted(live.ccdf.widget) == [100])
    for plot in (live.histogram, live.trace):
        from_menu(plot.widget, "Lock what is seen")
    before = [seen(plot.widget) for plot in (live.histogram, live.trace)]
    release(window)
    measure(board(latency_ticks=500).port, 300)
    until(lambda: counted(live.ccdf.widget) == [300])
    after = [seen(plot.widget) for plot in (live.histogram, live.trace)]
    assert after == before
    for plot in (live.histogram, live.trace):
        from_menu(plot.widget, "Lock what is seen")
        from_menu(plot.widget, "Show all")
    until(lambda: live.trace.visible[1] > before[1][0][1])


def test_the_latencies_that_are_seen_stay_on_the_other_scale(window, board, measure, until):
    measure(board().port, 100)
    live = window.scope
    until(lambda: counted(live.ccdf.widget) == [100])
    from_menu(live.trace.widget, "Lock what is seen")
    before = latencies(live.trace)
    for view_range in (np.log10(before), before):
        from_menu(live.trace.widget, "Logarithmic latency")
        next_frame(live.painter)
        for plot in (live.trace, live.histogram):
            assert latencies(plot) == pytest.approx(view_range)


@pytest.mark.parametrize(
    ("plot", "axis", "linear"),
    [
        ("histogram", "count", lambda place: 10**place),
        ("ccdf", "share", lambda place: 1 - 10**-place),
    ],
)
def test_what_is_seen_across_stays_on_the_other_scale(
    window, board, measure, until, plot, axis, linear
):
    measure(board().port, 100)
    until(lambda: counted(window.scope.ccdf.widget) == [100])
    plot_widget = getattr(window.scope, plot).widget
    from_menu(plot_widget, "Lock what is seen")
    before = np.array(seen(plot_widget)[0])
    for across in (linear(before), before):
        from_menu(plot_widget, f"Logarithmic {axis}")
        next_frame(window.scope.painter)
        assert seen(plot_widget)[0] == pytest.approx(across)


def bars(histogram):
    """Ranges of each series' bars, on the axes."""
    return [one.path().boundingRect() for one in histogram.drawn.shown]


def length(histogram):
    """Where the longest bar ends."""
    return bars(histogram)[0].right()


def latencies(plot):
    """Those that are seen."""
    return seen(plot.widget)[1]


def test_axes_are_logarithmic_or_not(window, board, measure, until):
    measure(board().port, 100)
    live = window.scope
    until(lambda: counted(live.ccdf.widget) == [100])
    highest = read(window.station.state.folder).distribution(0).counts.max()
    assert length(live.histogram) == pytest.approx(np.log10(highest))
    from_menu(live.histogram.widget, "Logarithmic count")
    until(lambda: length(live.histogram) == highest)
    live.plots.limit.value = 240.0
    from_menu(live.trace.widget, "Logarithmic latency")
    next_frame(live.painter)
    assert live.plots.limit.value == pytest.approx(240.0)
    assert live.plots.limit.line.value() == pytest.approx(np.log10(240.0))
    low, high = latencies(live.trace)
    assert 1 < low < high < 4
    from_menu(live.ccdf.widget, "Logarithmic share")
    until(lambda: min(live.ccdf.drawn.shown[0].getData()[0]) == 0.0)  # a share of 1
    # The latency axis is one.
    assert live.histogram.scales["latency"] and live.ccdf.scales["latency"]
    until(lambda: latencies(live.histogram) == pytest.approx(latencies(live.trace), abs=0.2))
