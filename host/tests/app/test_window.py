"""The window on a fake firmware: a user's actions, and their visible results."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from app.by_hand import (
    add_to_queue,
    check_line,
    choose,
    click,
    click_row,
    connect,
    drop,
    edit_pattern,
    fill,
    fill_line,
    go_to,
    next_frame,
    open_folder,
    paste,
    release,
    run_or_stop,
    start_twin,
    write,
)
from app.on_screen import coloured, symbols, title
from irqscope_fake.folder import as_board, rewrite, write_run
from irqscope_fake.folder import experiment as described
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QSplitter
from serial.tools.list_ports_common import ListPortInfo

from irqscope import experiment as experiments
from irqscope.acquire.plan import Plan
from irqscope.analysis.stats import of_samples
from irqscope.machines.generated import ZYNQMP
from irqscope.results.reader import read
from irqscope_app.compare import in_words
from irqscope_app.control.feed import Feed, Series, Traces
from irqscope_app.control.state import Link
from irqscope_app.library.screen import COLUMNS
from irqscope_app.plots.trace import Trace
from irqscope_app.scope import cells
from irqscope_app.scope.threshold import MODES as THRESHOLDS
from irqscope_app.widgets.theme import THEMES
from irqscope_app.widgets.units import Unit


def folders(window):
    return sorted(path.parent for path in window.preferences.runs.rglob("run.json"))


def log(window):
    return window.log.text.toPlainText()


def test_the_first_click_starts_a_twin_and_a_plot_moves(window, until, fake_twin, qtbot):
    fake_twin(batch_s=0.02)
    qtbot.mouseClick(window.connect_screen.start, Qt.MouseButton.LeftButton)
    until(lambda: window.scope.trace.follows and window.scope.figures.cell("whole run", "N"))
    assert window.scope.isVisible()
    until(lambda: window.station.state.link is Link.READY)
    (folder,) = folders(window)
    run = read(folder)
    assert run.run.valid, run.run.reasons
    assert run.run.stimuli == 2400 and run.run.batch_s == 0.25
    until(lambda: window.scope.figures.cell("whole run", "N") == "2400")
    until(lambda: "✓ valid" in window.scope.counters.text())
    assert f"--target twin --count 2400 --batch 0.25 --out {folder}" in log(window)


def test_a_port_that_was_recognised_is_connected_to(window, until, board, monkeypatch):
    silent = board(lambda data: b"login: ")
    board_port, other = ListPortInfo(board().port), ListPortInfo(silent.port)
    board_port.serial_number = "7"
    monkeypatch.setattr("irqscope.acquire.ports.list_ports.comports", lambda: [other, board_port])
    click(window.connect_screen.scan)
    until(lambda: window.station.state.ports is not None)
    recognised = {one.port.port: one for one in window.station.state.ports}
    assert len(recognised) == 2
    assert [one.port.serial_number for one in recognised.values() if one.answer.ours] == ["7"]
    assert "no frame of irqscope" in recognised[silent.port].answer.text
    connect(window, board_port.device)
    until(lambda: window.station.state.link is Link.READY)
    assert "functional" in window.station.state.identity.label


def test_the_statistics_are_those_of_the_folder(window, board, measure):
    measure(board().port, 700)
    (folder,) = folders(window)
    (stats,) = read(folder).run.stats
    figures = window.scope.figures
    choose(figures.unit, "ticks")
    next_frame(window.scope.painter)
    assert figures.cell("whole run", "N") == "700"
    assert figures.cell("whole run", "min") == str(stats.min_ticks)
    assert figures.cell("whole run", "max") == str(stats.max_ticks)
    assert figures.cell("whole run", "p50").split()[0] == str(stats.quantiles[0].value_ticks)
    assert figures.cell("whole run", "p99.99").startswith("≥ ")
    assert "N too small for p99.99" in figures.more.text()


def test_what_is_visible_and_what_lies_between_cursors_is_counted(window, board, measure, until):
    measure(board().port, 400)
    live = window.scope
    (cloud,) = symbols(live.trace.widget)
    times, _ = cloud.getData()
    begin, end = times[0], times[-1]
    live.trace.look_at(begin, (begin + end) / 2)
    for name, time in (("A", begin), ("B", begin + 0.0101)):
        live.plots.cursors.put(name, time)
    expected = np.count_nonzero(times <= (begin + end) / 2)
    until(lambda: live.figures.cell("visible", "N") == str(expected))
    until(lambda: live.figures.cell("cursors", "N") == "3")
    assert live.figures.cell("whole run", "N") == "400"


def test_the_axis_is_left_alone_while_what_comes_fits_into_it(window):
    plot, unit = window.scope.trace, Unit("ns", 1, 1.0)
    ranges = []

    def follow(end):
        trace.append(np.array([end]), np.array([70], np.uint32))
        plot.draw(Traces({Series(0): trace}), unit)
        ranges.append(plot.visible)
        assert plot.visible[0] < 0 and end <= plot.visible[1] <= 1.05 * end

    trace = Trace(1 << 12)
    trace.append(np.array([0.0]), np.array([60], np.uint32))
    for end in (100.0, 100.5, 101.9, 103.0):
        follow(end)
    assert ranges[0] == ranges[1] == ranges[2] != ranges[3]
    plot.look_at(1, 2)
    plot.fit()
    follow(103.1)
    assert ranges[-1][1] > ranges[3][1]


def test_very_many_are_counted_piece_by_piece(tmp_path):
    whole = np.arange(150_000) % 97 + 60
    write_run(tmp_path / "run", described(count=len(whole)), whole)
    feed = Feed()
    assert not feed.open(read(tmp_path / "run"))
    expected = of_samples(whole.astype(np.uint32))
    for low, high in ((-np.inf, np.inf), (int(np.median(whole)), int(whole.max()))):
        counted = feed.between(0, -1, np.inf, low, high)
        held = (expected.lower >= low) & (expected.lower <= high)
        assert counted.n == ((whole >= low) & (whole <= high)).sum() > 0
        assert (counted.lower == expected.lower[held]).all()
        assert (counted.counts == expected.counts[held]).all()
    assert feed.between(5, -1, 99) is None


def test_software_alone_is_an_interval_down_by_the_bound(window, board, measure):
    measure(board().port, 400)
    figures = window.scope.figures
    choose(figures.unit, "ticks")
    click(figures.corrected)
    next_frame(window.scope.painter)
    run = window.station.feed.picture.run
    bound, longest = run.calibration.one_way.bound_ticks, run.stats[0].max_ticks
    assert figures.cell("whole run", "max") == f"{longest - bound} to {longest}"


def test_a_threshold_ends_the_run_at_the_first_latency_beyond_it(window, board, measure):
    port = board().port
    measure(port, 100)
    choose(window.scope.threshold, THRESHOLDS[2])
    next_frame(window.scope.painter)
    unit = window.scope.painter.shown.unit
    window.scope.plots.limit.line.setValue(50 * unit.per_tick)  # every latency is longer
    next_frame(window.scope.painter)
    measure(port, 4000)
    run = window.station.feed.picture.run
    assert run.ended.reason == "interrupted"
    assert "stopped by a latency beyond 50 ticks" in run.ended.message
    assert 0 < run.stimuli < 4000
    assert window.scope.figures.cell("whole run", "beyond") == str(run.stimuli)
    assert window.scope.counters.text().startswith("■ interrupted: stopped by a latency beyond 50")


def test_throughput_is_shown_by_phase(window, board, measure):
    changes = {"measure": "throughput", "trigger": "level", "samples": "none"}
    changes |= {"high": "200 us", "low": "50 us", "channels.0.timeout": "100 us"}
    for key, text in changes.items():
        fill(window, key, text)
    measure(board().port, 4)
    live, (throughput,) = window.scope, window.station.feed.picture.run.throughput
    plot = live.plots.views["throughput"].plot
    assert plot.widget.isVisible() and not live.trace.widget.isVisible()
    # They have the latency axis of the trace, which is not there.
    assert not live.plots.histogram.widget.isVisible() and not live.plots.ccdf.widget.isVisible()
    line = live.counters.text()
    assert f"core 0: {throughput.median_hz:.0f}/s · first answers: N = 4" in line
    (dots,) = plot.drawn.shown
    rates = [stops * 249_975_000 / throughput.high_ticks for stops in throughput.stops]
    assert list(dots.getData()[1]) == pytest.approx(rates) and min(rates) > 0
    assert live.figures.cell("whole run", "phases") == "4"
    assert live.figures.cell("whole run", "median, 1/s") == f"{throughput.median_hz:.0f}"
    assert not live.figures.table.isRowHidden(cells.ROWS.index("phases"))
    assert f"median {throughput.median_hz:.0f}/s" in title(plot.widget)


def test_stop_ends_the_run_in_good_order(window, until, fake_twin):
    fake_twin(batch_s=0.05)
    fill(window, "count", "100000")
    start_twin(window)
    until(lambda: window.station.state.done > 0)
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    (folder,) = folders(window)
    run = read(folder).run
    assert run.ended.message.startswith("stopped in the app after")
    assert run.stimuli == run.stats[0].n > 0


def test_a_folder_is_opened_and_says_where_it_comes_from(window, board, measure, until):
    measure(board().port, 300)
    (folder,) = folders(window)
    release(window)
    window.station.feed.clear()
    open_folder(window, folder)
    until(lambda: window.station.state.folder == folder)
    next_frame(window.scope.painter)
    assert window.scope.figures.cell("whole run", "N") == "300"
    assert window.scope.source.text() == "twin, functional timing"
    assert window.scope.trace.source == "twin, functional timing"


def test_time_leaves_the_talks_between_batches_out(window, board, measure):
    measure(board().port, 300)
    (cloud,) = symbols(window.scope.trace.widget)
    times, _ = cloud.getData()
    begin, end = times[0], times[-1]
    assert len(times) == 300 and begin == pytest.approx(20e-6, rel=0.01)
    # 15 batches of 20 stimuli, 5 ms apart; the last stimulus comes a period before its batch ends.
    assert end == pytest.approx(15 * (0.1 + 20e-6) - 0.005, rel=0.001)


def test_the_library_finds_opens_repeats_and_exports(window, board, measure, until, tmp_path):
    port = board().port
    measure(port, 50)
    measure(port, 60)
    library = window.library
    until(lambda: library.table.rowCount() == 2)
    go_to(window, "Library")
    write(library.search, "valid t2")
    assert not library.table.isRowHidden(0)
    write(library.search, "nothing of that kind")
    assert library.table.isRowHidden(0)
    library.search.clear()
    row = next(n for n in (0, 1) if library.table.item(n, COLUMNS.index("N")).text() == "50")
    click_row(library.table, row)
    click(library.buttons["again"])
    assert window.pattern.draft.experiment.count == 50
    (entry,) = library.selected()
    for ending in ("csv", "parquet"):
        path = tmp_path / f"samples.{ending}"
        library.export_to(entry, path)
        until(path.exists)
    lines = (tmp_path / "samples.csv").read_text().splitlines()
    assert len(lines) == 51 and '"twin, functional timing"' in lines[1]
    assert f"irqscope export {entry.path}" in log(window)
    for plot, path in (("histogram", tmp_path / "plot.png"), ("tail", tmp_path / "plot.svg")):
        library.picture_to(entry, path, plot)
        until(path.exists)
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    until(lambda: "Tail (CCDF) in" in log(window))


def test_tags_are_searched_for_and_kept_beside_the_run(window, board, measure, until, irqscope):
    port = board().port
    measure(port, 50)
    measure(port, 60)
    library = window.library
    until(lambda: library.table.rowCount() == 2)
    go_to(window, "Library")
    click_row(library.table, 0)
    (entry,) = library.selected()
    library.tag([entry], ["+slow", "+lab"])
    tags = COLUMNS.index("tags")
    until(lambda: library.table.item(0, tags).text() == "lab slow")
    assert f"irqscope tag {entry.path} +slow +lab" in log(window)
    write(library.search, "slow")
    assert [library.table.isRowHidden(row) for row in (0, 1)] == [False, True]
    assert irqscope("tag", entry.path, "-slow")[:2] == (0, "lab\n")
    library.refresh()
    until(lambda: library.table.item(0, tags).text() == "lab")
    library.tag([entry], ["lab"])
    until(lambda: window.station.state.fault is not None)
    assert '"lab" changes no tag' in window.station.state.fault.cause


def test_settings_of_a_run_are_taken_again(window, board, measure, until):
    fill(window, "seed", "5")
    measure(board().port, 50)
    until(lambda: window.library.table.rowCount() == 1)
    fill(window, "seed", "6")
    go_to(window, "Library")
    click_row(window.library.table, 0)
    (entry,) = window.library.selected()
    click(window.library.buttons["again"])
    assert window.pattern.isVisible() and window.pattern.draft.experiment.seed == 5
    assert f"irqscope run {entry.path}" in log(window)


def test_runs_are_compared_with_intervals(window, board, measure, until):
    measure(board(latency_ticks=60).port, 200)
    release(window)
    measure(board(latency_ticks=70).port, 200)
    until(lambda: window.library.table.rowCount() == 2)
    assert drop(window, *sorted(folders(window), key=lambda f: read(f).run.stats[0].min_ticks))
    compare = window.compare
    assert compare.differences.item(0, 0).text() == "p50"
    assert compare.differences.item(0, 2).text() == "280 ns, +40 ns [40, 40]: slower"
    assert "N too small" in compare.differences.item(4, 2).text()
    assert compare.provenance.item(0, 0).text() == "nothing"
    assert compare.histogram.drawn.shown and compare.ccdf.drawn.shown
    assert "irqscope compare " in log(window)

    # A damaged run leaves nothing stale.
    (folders(window)[0] / "histogram.parquet").write_bytes(b"PAR1")
    assert drop(window, *folders(window))
    assert "histogram.parquet was changed since" in window.station.state.fault.cause
    assert compare.differences.rowCount() == 0 and not compare.histogram.drawn.shown


def test_what_differs_in_provenance_stands_out(window, board, measure, until):
    port = board().port
    measure(port, 50)
    measure(port, 60)
    assert drop(window, *sorted(folders(window), key=lambda f: read(f).run.stimuli))
    provenance = window.compare.provenance
    rows = {provenance.item(row, 0).text(): row for row in range(provenance.rowCount())}
    assert list(rows) == ["count"]
    assert (provenance.item(0, 1).text(), provenance.item(0, 2).text()) == ("50", "≠ 60")
    assert provenance.item(0, 2).font().bold() and not provenance.item(0, 1).font().bold()


def test_one_run_or_nine_cannot_be_compared(window, board, measure, until):
    measure(board().port, 50)
    (folder,) = folders(window)
    window.opener.compare([folder])
    assert window.station.state.fault.cause == "1 runs"
    window.opener.compare([folder] * 9)
    assert window.station.state.fault.remedy == "name 2 to 8"
    assert drop(window, *[folder] * 8)
    assert window.compare.differences.columnCount() == 9
    assert window.station.state.fault is None  # the mistake is mended
    until(lambda: window.library.table.rowCount() == 1)
    go_to(window, "Library")
    click_row(window.library.table, 0)
    assert not window.library.buttons["compare"].isEnabled()


def test_a_twin_is_held_against_a_board_only_on_demand(window, board, measure, monkeypatch):
    measure(board().port, 50)
    (folder,) = folders(window)
    other = folder.with_name("board")
    shutil.copytree(folder, other)
    rewrite(other, as_board)
    questions = []
    for answer in (QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes):

        def question(parent, title, text, answer=answer):
            questions.append(text)
            return answer

        monkeypatch.setattr(QMessageBox, "question", question)
        assert drop(window, folder, other)
        agreed = answer is QMessageBox.StandardButton.Yes
        assert (window.compare.differences.rowCount() > 0) is agreed
    assert len(questions) == 2 and "come from twin and zcu102" in questions[0]
    assert f"irqscope compare --mixed {folder} {other}" in log(window)


def test_the_stack_of_the_experiment_is_the_one_that_a_twin_runs(window, fake_twin, measure, until):
    fake_twin(stack=["freertos", "V11.2.0", "as built"])
    fill(window, "stack", "freertos")
    measure("twin", 40)
    (folder,) = folders(window)
    run = read(folder).run
    assert run.valid, run.reasons
    assert run.stack.name == "freertos" and run.experiment.timer_tick.period.text == "1 ms"
    until(lambda: window.library.table.rowCount() == 1)
    assert window.library.table.item(0, COLUMNS.index("case")).text() == "t2 on freertos"


def test_a_board_with_another_stack_says_what_to_load_and_stays(window, board, measure):
    fill(window, "stack", "freertos")
    measure(board(stack=("rtos-7", "V7.1", "as built")).port, 40)
    texts = [one.text() for one in window.connect_screen.findChildren(QLabel)]
    assert "rtos-7 V7.1" in texts
    assert window.station.state.fault.cause == (
        'the experiment has stack = "freertos", the target runs "rtos-7"'
    )
    assert window.station.state.fault.remedy == "load irqscope-freertos.elf or change the key"
    assert window.station.state.link is Link.READY
    fill(window, "stack", "rtos-7")
    measure("", 40)
    assert window.station.feed.picture.run.valid


def test_an_edge_is_dragged_and_the_file_follows(window, qtbot, tmp_path):
    edit_pattern(window)
    stimulus = window.pattern
    diagram = stimulus.diagram
    (falling,) = (edge for edge in diagram.edges if edge.key == "high")
    start = diagram.position(falling)
    end = start + QPointF(diagram.width() / 20, 0)
    qtbot.mousePress(diagram, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(diagram, end.toPoint())
    qtbot.mouseRelease(diagram, Qt.MouseButton.LeftButton, pos=end.toPoint())
    high = stimulus.draft.experiment.lines[0].high
    assert high.ns > 1.2e6 and f'high = "{high}"' in stimulus.toml.toPlainText()
    assert stimulus.draft.source is None  # it is no longer what the file says
    stimulus.save(tmp_path / "mine.toml")
    assert experiments.load(tmp_path / "mine.toml") == stimulus.draft.experiment
    assert stimulus.draft.source == tmp_path / "mine.toml"


def test_limits_are_told_as_they_are_passed(window):
    stimulus = window.pattern
    fill(window, "high", "1 ns")
    assert "lines[0].high: 0 ticks are too short" in stimulus.verdict.text()
    add_to_queue(window)
    assert window.station.state.fault.remedy == "mend the pattern on the Scope screen"
    paste(window, "count = ")
    assert "not TOML" in stimulus.verdict.text()


@pytest.mark.parametrize(
    ("key", "text", "role", "said"),
    [
        ("low", "20 s", "bad", "lines[0].low: 5000000000 ticks are too long"),
        ("start_delay", f"{1 << 32} ticks", "bad", "too long; give at most 4294967295 ticks"),
        ("timeout", "6 ms", "bad", "do not fit line 0, whose shortest period"),
        ("timer_tick", "1 ms", "warning", "the line's period is a multiple of the timer tick's"),
        ("phase", "locked", "warning", "all stimuli meet one phase of the 10 ns sampling grid"),
    ],
    ids=["wrap", "wrap of the delay", "timeout", "lock-in", "locked phase"],
)
def test_what_cannot_be_measured_or_seldom_should_is_told(window, key, text, role, said):
    if key == "timeout":
        fill(window, "channels.0.timeout", text)
    elif key == "timer_tick":  # which has no field
        paste(window, f'{window.pattern.toml.toPlainText()}\n[{key}]\nperiod = "{text}"\n')
    else:
        fill_line(window, 0, key, text)
    assert said in window.pattern.verdict.text()
    assert window.pattern.verdict.property("role") == role


def test_an_edge_beyond_its_limit_is_marked_and_can_be_dragged_back(window, qtbot):
    edit_pattern(window)
    diagram = window.pattern.diagram
    (falling,) = (edge for edge in diagram.edges if edge.key == "high")
    at = diagram.position(falling)
    bad = THEMES[window.preferences.theme].bad
    qtbot.mousePress(diagram, Qt.MouseButton.LeftButton, pos=at.toPoint())
    qtbot.mouseMove(diagram, QPoint(0, int(at.y())))
    assert "lines[0].high: 0 ticks are too short" in window.pattern.verdict.text()
    (falling,) = (edge for edge in diagram.edges if edge.key == "high")
    middle, cross = diagram.position(falling), coloured(diagram, bad)
    (left, top), (right, _) = cross.min(axis=0), cross.max(axis=0)
    assert (left, top) == pytest.approx((middle.x() - 5, middle.y() - 5), abs=2)
    assert right <= middle.x() + 8 + diagram.fontMetrics().horizontalAdvance("high")
    qtbot.mouseMove(diagram, at.toPoint())
    qtbot.mouseRelease(diagram, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert not window.pattern.draft.problems and not len(coloured(diagram, bad))
    assert window.pattern.draft.experiment.lines[0].high.ns == pytest.approx(1e6, rel=0.03)


def test_the_load_of_the_link_is_what_the_link_carries(window, board, irqscope, until, tmp_path):
    port, draft = board().port, window.pattern.draft
    fill(window, "count", "4000")
    draft.save(tmp_path / "mine.toml")
    words = ("run", tmp_path / "mine.toml", "--target", port, "--out", tmp_path / "run")
    assert irqscope(*words)[0] == 0
    run = read(tmp_path / "run").run
    connect(window, port)
    until(lambda: window.station.state.link is Link.READY)
    plan = Plan(draft.experiment, ZYNQMP, draft.tick_hz)
    assert draft.baud == 921_600
    # The histogram and the run's messages are little beside the samples of a longer run.
    assert 0 <= run.link.bytes_in - plan.link_s(draft.baud) * 92_160 < 12_000
    share = 100 * plan.link_s(draft.baud) / (plan.link_s(draft.baud) + 4000 * 0.005)
    assert f"link {share:.2g} % of the time, at 921600 baud" in window.pattern.facts.text()
    fill(window, "samples", "none")
    assert "link" not in window.pattern.facts.text()


def test_recent_targets_and_folders_are_one_click_away(window, board, measure, until, start_again):
    port = board().port
    measure(port, 50)
    (folder,) = folders(window)
    open_folder(window, folder)
    until(lambda: window.station.state.folder == folder)
    release(window)
    window.close()
    restarted = start_again()
    assert restarted.preferences.recent == [str(folder.resolve()), port]
    screen = restarted.connect_screen
    ready = {1: lambda: restarted.station.state.link is Link.READY, 0: restarted.scope.isVisible}
    for place, holds in ready.items():
        go_to(restarted, "Connect")
        screen.recent.itemAt(place).widget().findChild(QPushButton).click()
        until(holds)
        restarted.preferences.remember(port)
        restarted.preferences.remember(str(folder.resolve()))
        screen.show_recent()
    restarted.close()


def test_fields_and_lines_change_the_draft(window):
    stimulus = window.pattern
    edit_pattern(window)
    fill(window, "count", "77")
    assert stimulus.draft.experiment.count == 77
    check_line(window, 3)
    assert [line.index for line in stimulus.draft.experiment.lines] == [0, 3]
    fill_line(window, 3, "mode", "single shot")
    assert stimulus.draft.experiment.lines[1].mode == "single shot"
    check_line(window, 3)
    assert [line.index for line in stimulus.draft.experiment.lines] == [0]


def test_settings_and_layout_survive_a_restart_and_are_reset(window, start_again):
    go_to(window, "Scope")
    choose(window.scope.figures.unit, "cycles")
    edit_pattern(window)
    QApplication.processEvents()  # the layout
    first = share(window.pattern)
    QTest.keyClick(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    click(window.log_line)
    window.pattern.findChildren(QSplitter)[0].setSizes([500, 400])
    moved = share(window.pattern)
    assert abs(moved - first) > 0.1
    window.close()
    restarted = start_again()
    assert restarted.scope.figures.unit.currentText() == "cycles"
    assert restarted.preferences.theme == "light" and restarted.docks["Log"].isVisible()
    edit_pattern(restarted)
    assert share(restarted.pattern) == pytest.approx(moved, abs=0.02)
    restarted.reset_layout()
    QApplication.processEvents()  # the layout
    # Its part of the height differs from that of a window that was never larger.
    assert abs(share(restarted.pattern) - first) < abs(share(restarted.pattern) - moved)
    assert restarted.preferences.theme == "light" and not restarted.docks["Log"].isVisible()
    restarted.reset()
    assert restarted.preferences.theme == "dark"
    assert restarted.scope.figures.unit.currentText() == "ns"
    restarted.close()


def share(screen):
    """Share of its first part in the screen's first splitter."""
    sizes = screen.findChildren(QSplitter)[0].sizes()
    return sizes[0] / sum(sizes)


def test_keys(window, qtbot):
    go_to(window, "Scope")
    window.scope.setFocus()
    qtbot.keyClick(window.scope, Qt.Key.Key_R)
    assert not window.scope.keep.isChecked()
    qtbot.keyClick(window.scope, Qt.Key.Key_T)
    assert window.scope.threshold.currentText() == THRESHOLDS[1]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("experiment.caches", "caches"),
        ("experiment.lines[1]", "line 1"),
        ("experiment.lines[0].dither_bits", "line 0: dither bits"),
        ("experiment.channels[2].stop", "channel 2: stop"),
        ("identity.tick_hz", "target: tick rate, Hz"),
        ("batch_s", "length of a batch, s"),
        ("experiment.stack", "stack"),
        ("stack", "stack that ran"),
    ],
)
def test_compare_names_settings_in_words(key, words):
    assert in_words(key) == words
