"""The plots of the scope by mouse and keys: crosshair, cursors, threshold, zoom."""

from __future__ import annotations

import numpy as np
import pytest
from app.by_hand import choose, click, edit_pattern, go_to, next_frame, open_folder
from app.on_screen import NO_KEY, counted, hover, move, named, pixel, seen, texts, wheel
from app.on_screen import moments as found
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QApplication,
    QGraphicsRectItem,
    QGraphicsSimpleTextItem,
    QLineEdit,
)

from irqscope.results import note
from irqscope_app.scope.cells import ROWS
from irqscope_app.scope.threshold import MODES


@pytest.fixture
def scope(window, until, tmp_path):
    """The screen with a run of 600 stimuli of 60 to 99 ticks, one of 200."""
    latencies = [60 + n % 40 for n in range(600)]
    latencies[300] = 200
    write_run(tmp_path / "run", described(), latencies)
    go_to(window, "Scope")
    choose(window.scope.figures.unit, "ticks")
    open_folder(window, tmp_path / "run")
    until(lambda: window.station.state.folder == tmp_path / "run")
    until(lambda: counted(window.scope.ccdf.widget) == [600])
    return window.scope


def drag(qtbot, plot, begin, end, modifiers=NO_KEY):
    view, left = plot.viewport(), Qt.MouseButton.LeftButton
    first, last = pixel(plot, *begin), pixel(plot, *end)
    qtbot.mousePress(view, left, modifiers, first)
    for share in (0.3, 0.6, 1.0):
        move(view, QPointF(first + (last - first) * share), left, modifiers)
        qtbot.wait(20)
    qtbot.mouseRelease(view, left, modifiers, last)


def times(window):
    """Times of the stimuli, s, and their latencies."""
    with window.station.feed.traces() as traces:
        (trace,) = traces.channels.values()
        return trace.times(0, len(trace)), trace.copy(0, len(trace))


def test_what_is_visible_is_counted_exactly_in_both_directions(scope, window, until):
    moments, latencies = times(window)
    begin, end = float(moments[50]), float(moments[450])
    scope.trace.look_at(begin, end)
    scope.trace.free = False
    scope.trace.box.setYRange(70, 80, padding=0)
    scope.moved(False)
    inside = (moments >= begin) & (moments <= end) & (latencies >= 70) & (latencies <= 80)
    until(lambda: scope.figures.cell("visible", "N") == str(np.count_nonzero(inside)))
    assert scope.figures.cell("visible", "max") == "80"
    assert scope.figures.cell("whole run", "max") == "200"


def test_the_wheel_zooms_time_and_with_ctrl_latency_around_the_mouse(scope):
    plot = scope.trace.widget
    (begin, end), latency = seen(plot)
    where = begin + 0.25 * (end - begin), latency[0] + 0.5 * (latency[1] - latency[0])
    wheel(plot, where)
    (first, last), still = seen(plot)
    assert last - first < end - begin and still == latency
    assert (where[0] - first) / (last - first) == pytest.approx(0.25, abs=0.02)
    wheel(plot, where, Qt.KeyboardModifier.ControlModifier)
    times_, (low, high) = seen(plot)
    assert times_ == [first, last] and high - low < latency[1] - latency[0]


def test_a_drag_pans_and_with_shift_zooms_to_a_box(scope, window, qtbot, until):
    moments, _ = times(window)
    middle, step = float(moments[300]), float(moments[1] - moments[0])
    before = seen(scope.trace.widget)
    drag(qtbot, scope.trace.widget, (middle, 100), (middle + 100 * step, 130))
    after = seen(scope.trace.widget)
    assert before[0][0] - after[0][0] == pytest.approx(100 * step, rel=0.1)
    assert before[1][0] - after[1][0] == pytest.approx(30, rel=0.1)
    QTest.keyClick(scope, Qt.Key.Key_F)
    until(lambda: seen(scope.trace.widget)[0] == before[0])
    shift = Qt.KeyboardModifier.ShiftModifier
    ends = (middle - 20 * step, 120.0), (middle + 20 * step, 220.0)
    drag(qtbot, scope.trace.widget, *ends, shift)
    assert seen(scope.trace.widget)[0] == pytest.approx([ends[0][0], ends[1][0]], abs=4 * step)
    assert seen(scope.trace.widget)[1] == pytest.approx([120.0, 220.0], abs=4)
    until(lambda: scope.figures.cell("visible", "N") == "1")
    assert scope.chip.text().startswith("❚❚ paused at 600")


def test_a_box_in_the_histogram_zooms_the_latencies_of_all(scope, qtbot, until):
    histogram, trace = scope.histogram.widget, scope.trace.widget
    (left, right), _ = seen(histogram)
    before = seen(trace)[0]
    across = left + 0.2 * (right - left), left + 0.6 * (right - left)
    drag(
        qtbot, histogram, (across[0], 120.0), (across[1], 220.0), Qt.KeyboardModifier.ShiftModifier
    )
    for plot in (trace, histogram):
        assert seen(plot)[1] == pytest.approx([120.0, 220.0], abs=4)
    assert seen(trace)[0] == before and seen(histogram)[0] == [left, right]
    until(lambda: scope.figures.cell("visible", "N") == "1")


def test_one_crosshair_goes_through_all_plots_and_tells_what_is_there(scope, window, qtbot, until):
    moments, latencies = times(window)
    plots = [plot.widget for plot in (scope.trace, scope.histogram, scope.ccdf)]
    lines = [named(plot, "crosshair") for plot in plots]
    assert not any(line.isVisible() for line in lines)

    def told():
        hover(scope.trace.widget, float(moments[100]), 75.0)
        return scope.readout.text()

    until(told)
    assert all(line.isVisible() for line in lines) and len({line.value() for line in lines}) == 1
    ticks = round(scope.plots.crosshair.level)
    count, longer = int((latencies == ticks).sum()), int((latencies >= ticks).sum())
    readout = scope.readout.text()
    assert f"{ticks} ticks" in readout and f"{count} on this tick" in readout
    assert f"{100 * longer / 600:.3g} % at least as long" in readout and " s " in readout
    # The latency axis of the others is the same one.
    for plot in plots[1:]:
        assert seen(plot)[1] == pytest.approx(seen(scope.trace.widget)[1], abs=2)


def test_cursors_snap_to_stimuli_and_tell_their_differences(scope, window, qtbot, until):
    moments, latencies = times(window)
    offset = 0.2 * float(moments[1] - moments[0])
    scope.trace.look_at(float(moments[10]), float(moments[90]))
    scope.plots.crosshair.put(float(moments[20]) + offset, float(latencies[20]))
    QTest.keyClick(scope, Qt.Key.Key_A)
    scope.plots.crosshair.put(float(moments[60]) - offset, float(latencies[60]))
    QTest.keyClick(scope, Qt.Key.Key_B)
    next_frame(scope.painter)
    first, second = scope.plots.cursors.all
    assert (first.time, second.time) == (moments[20], moments[60])
    cells = [scope.plots.cursors.table.item(1, n).text() for n in range(6)]
    away = moments[60] - moments[20]
    expected = ["B", f"{moments[60]:.9f}", str(latencies[60]), f"{away:.9f}", f"{1 / away:.5g}"]
    assert cells == [*expected, str(int(latencies[60]) - int(latencies[20]))]
    until(lambda: scope.figures.cell("cursors", "N") == "41")
    QTest.keyClick(scope, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert second.time == moments[61]
    until(lambda: scope.figures.cell("cursors", "N") == "42")
    scope.plots.cursors.table.setCurrentCell(1, 0)
    QTest.keyClick(scope.plots.cursors.table, Qt.Key.Key_Delete)
    until(lambda: not scope.figures.cell("cursors", "N"))
    assert scope.plots.cursors.all == [first]


def test_a_cursor_is_named_in_its_table_and_taken_away_by_del(scope, window):
    window.activateWindow()
    cursors, table = scope.plots.cursors, scope.plots.cursors.table
    for time in (0.5, 1.0):
        cursors.add(time)
    next_frame(scope.painter)

    def name(row, text):
        table.setFocus()
        table.setCurrentCell(row, 0)
        QTest.keyClicks(table, text[0])  # which begins it
        field = table.findChildren(QLineEdit)[-1]
        QTest.keyClicks(field, text[1:])
        QTest.keyClick(field, Qt.Key.Key_Return)
        QApplication.processEvents()  # Qt commits what was typed a moment later
        next_frame(scope.painter)
        return [cursor.name for cursor in cursors.all]

    assert name(1, "late") == ["A", "late"]
    assert cursors.all[1].line.label.toPlainText() == "late"
    assert cursors.apart.startswith("A to late: 0.")
    # Names of cursors that are near each other are below each other.
    cursors.put("late", cursors.all[0].time)
    next_frame(scope.painter)
    first, second = (cursor.line.label.sceneBoundingRect() for cursor in cursors.all)
    assert not first.intersects(second)
    assert name(0, "late") == ["A", "late"] and table.item(0, 0).text() == "A"  # it is taken
    table.setCurrentCell(0, 0)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    next_frame(scope.painter)
    assert [cursor.name for cursor in cursors.all] == ["late"] and table.rowCount() == 1


def test_the_threshold_is_one_line_in_all_plots(scope, window, qtbot, until):
    QTest.keyClick(scope, Qt.Key.Key_T)
    assert scope.threshold.currentText() == MODES[1]
    next_frame(scope.painter)
    plots = [plot.widget for plot in (scope.trace, scope.histogram, scope.ccdf)]
    lines = [named(plot, "threshold") for plot in plots]
    assert all(line.isVisible() for line in lines)
    # By its line in each plot, to a whole tick, and by keys.
    for plot, percent in zip(plots, (80, 90, 95), strict=True):
        (left, right), _ = seen(plot)
        (at,) = {line.value() for line in lines}
        drag(qtbot, plot, ((left + right) / 2, at), ((left + right) / 2, percent))
        next_frame(scope.painter)
        (now,) = {line.value() for line in lines}
        assert now == round(now) == pytest.approx(percent, abs=2)
        beyond = np.count_nonzero(times(window)[1] > now)
        assert scope.figures.cell("whole run", "beyond") == str(beyond)
    QTest.keyClick(scope, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    next_frame(scope.painter)
    assert {line.value() for line in lines} == {now + 1}


def test_keys_zoom_and_pan(scope):
    (left, right), (low, high) = seen(scope.trace.widget)
    QTest.keyClick(scope, Qt.Key.Key_Plus)
    (closer, end), _ = seen(scope.trace.widget)
    assert left < closer and end < right
    still = seen(scope.trace.widget)
    QTest.keyClick(scope, Qt.Key.Key_Right)
    assert seen(scope.trace.widget)[0][0] > closer and seen(scope.trace.widget)[1] == still[1]
    still = seen(scope.trace.widget)
    QTest.keyClick(scope, Qt.Key.Key_Up)
    assert seen(scope.trace.widget)[1][0] > still[1][0] and seen(scope.trace.widget)[0] == still[0]
    QTest.keyClick(scope, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert seen(scope.trace.widget)[1][1] - seen(scope.trace.widget)[1][0] < high - low
    QTest.keyClick(scope, Qt.Key.Key_F)
    next_frame(scope.painter)
    assert seen(scope.trace.widget) == [pytest.approx([left, right]), pytest.approx([low, high])]


def test_letters_in_the_pattern_are_for_its_fields(window, until):
    edit_pattern(window)
    window.activateWindow()
    until(window.isActiveWindow)
    field = window.pattern.fields["case"]
    field.setFocus()
    until(field.hasFocus)
    QTest.keyClick(field, Qt.Key.Key_T)
    assert window.scope.threshold.currentText() == MODES[0]
    window.scope.setFocus()
    until(window.scope.hasFocus)
    QTest.keyClick(window.scope, Qt.Key.Key_T)
    assert window.scope.threshold.currentText() == MODES[1]


def badge(plot):
    """Returns the text of the badge with the source, and the rectangle around it."""
    (words,) = (item for item in parts(plot, QGraphicsSimpleTextItem) if item.text())
    (frame,) = parts(plot, QGraphicsRectItem)
    assert frame.sceneBoundingRect().contains(words.sceneBoundingRect())
    return words.text(), frame.sceneBoundingRect()


def parts(plot, kind):
    """The items other than the area."""
    items = plot.getPlotItem().childItems()
    return [item for item in items if isinstance(item, kind) and item.isVisible()]


def test_the_badge_of_a_picture_is_whole_and_covers_no_data(scope):
    """On the screen the row above the plots has it."""
    for plot in scope.plots.all[:1] + scope.plots.all[2:]:
        assert not parts(plot.widget, QGraphicsRectItem)
        plot.identify(True)
        text, frame = badge(plot.widget)
        assert text == plot.source == "twin, functional timing"
        area = plot.box.sceneBoundingRect()
        assert frame.bottom() <= area.top() + 1 and frame.right() <= area.right() + 1
    title = scope.trace.item.titleLabel.item
    words = title.mapRectToScene(title.boundingRect())
    _, frame = badge(scope.trace.widget)
    assert not frame.intersects(words)


def test_a_cursor_takes_the_point_that_is_pointed_at(scope, window):
    """In time and in latency: many stimuli are in one column of pixels."""
    moments, latencies = times(window)
    at = 300  # far above all others
    scope.plots.crosshair.put(float(moments[at]), 200.0)
    QTest.keyClick(scope, Qt.Key.Key_A)
    scope.plots.crosshair.put(float(moments[at]), 80.0)
    QTest.keyClick(scope, Qt.Key.Key_B)
    next_frame(scope.painter)
    first, second = (cursor.picked for cursor in scope.plots.cursors.all)
    assert (first.time, first.latency) == (moments[at], 200)
    assert abs(second.latency - 80) <= 3 and second.time != first.time
    rings = named(scope.trace.widget, "picked")
    assert rings.getData()[1].tolist() == [200.0, second.latency]


def test_a_note_is_written_changed_and_taken_away(scope, window, until, monkeypatch):
    """At a stimulus by the mouse, between cursors, and at an existing one."""
    moments, _ = times(window)
    folder = window.station.state.folder
    prompts, answers = [], iter(["cold", "door open", "warm", ""])

    def answer(parent, title, label, text=""):
        prompts.append((title, label, text))
        return next(answers), True

    def noted(at, *wanted):
        scope.plots.crosshair.put(at, None if at is None else 75.0)
        QTest.keyClick(scope, Qt.Key.Key_N)
        until(lambda: [text for _, _, text in scope.trace.marks] == list(wanted))

    monkeypatch.setattr("irqscope_app.scope.marks.QInputDialog.getText", answer)
    offset = 0.3 * float(moments[1] - moments[0])
    scope.trace.look_at(float(moments[20]), float(moments[100]))
    noted(float(moments[30]) + offset, "cold")
    for name, place in (("A", 50), ("B", 90)):
        scope.plots.cursors.put(name, float(moments[place]))
    noted(None, "cold", "door open")
    marks = note.read(folder).marks
    assert marks[0].begin_s == marks[0].end_s == moments[30]  # at the stimulus
    assert (marks[1].begin_s, marks[1].end_s) == (moments[50], moments[90])
    next_frame(scope.painter)
    ends = [marks[0].begin_s, marks[1].begin_s, marks[1].end_s]
    assert found(scope.trace.widget, "notes") == pytest.approx(ends)
    assert {"cold", "door open"} <= set(texts(scope.trace.widget))
    # Who points at one changes it, whatever cursors there are.
    noted(float(moments[30]) + 0.1 * offset, "warm", "door open")
    noted(float(moments[70]), "warm")
    assert [text for _, _, text in prompts] == ["", "", "cold", "door open"]
    assert all(title == f"A note in {folder.name}" for title, _, _ in prompts)
    assert note.read(folder).marks == (marks[0].model_copy(update={"text": "warm"}),)
    assert "irqscope note" in window.log.text.toPlainText()
    (entry,) = scope.listed_notes()
    scope.trace.look_at(float(moments[200]), float(moments[280]))
    entry[1]()
    begin, end = scope.trace.visible
    assert entry[0].endswith(" s: warm") and begin < moments[30] < end


def test_keys_lead_back_far_and_to_the_cursors(scope, window):
    moments, _ = times(window)
    plot = scope.trace.widget
    scope.trace.look_at(float(moments[100]), float(moments[200]))
    first = seen(plot)
    for name, place in (("A", 120), ("B", 140)):
        scope.plots.cursors.put(name, float(moments[place]))
    QTest.keyClick(scope, Qt.Key.Key_Z)
    step = float(moments[1] - moments[0])
    assert seen(plot)[0] == pytest.approx([moments[120] - step, moments[140] + step])
    closer = seen(plot)
    for key, begins in (
        (Qt.Key.Key_End, moments[-1] - 22 * step),
        (Qt.Key.Key_Home, moments[0]),
        (Qt.Key.Key_PageDown, moments[0] + 0.9 * 22 * step),
    ):
        QTest.keyClick(scope, key)
        begin, end = seen(plot)[0]
        assert begin == pytest.approx(begins) and end - begin == pytest.approx(22 * step)
    # The page is one change with the one just before; of it and of two leaps each comes back.
    for before in (moments[-1] - 22 * step, closer[0][0], first[0][0]):
        QTest.keyClick(scope, Qt.Key.Key_Backspace)
        assert seen(plot)[0][0] == pytest.approx(before)
    assert scope.chip.isChecked()  # it does not run away


def test_keys_go_through_the_worst_in_time(scope, window, until):
    def shown(number):
        until(lambda: window.worst.chosen and window.worst.chosen.row["index"] == number)

    QTest.keyClick(scope, Qt.Key.Key_Period)
    shown(300)
    listed = sorted(row["index"] for row in window.worst.listed.rows)
    at = listed.index(300)
    QTest.keyClick(scope, Qt.Key.Key_Period)
    shown(listed[at + 1])
    for place in (at, at - 1):
        QTest.keyClick(scope, Qt.Key.Key_Comma)
        shown(listed[place])
    window.worst.choose(listed[-1])
    shown(listed[-1])
    QTest.keyClick(scope, Qt.Key.Key_Period)
    assert "comes after it" in window.worst.hint.text()


def test_the_screen_shows_plots_and_a_verdict_and_tables_on_demand(scope, window):
    click(scope.parts.tables)
    QApplication.processEvents()  # the layout
    assert not scope.figures.isVisible() and not window.worst.isVisible()
    assert scope.counters.text().startswith("✓ valid · N = 600 · p50 79")
    assert scope.trace.widget.height() > 0.5 * window.height()
    QTest.keyClick(scope, Qt.Key.Key_W)
    assert window.worst.isVisible() and scope.figures.isVisible()
    # A quantile that 600 stimuli cannot carry has no row.
    hidden = [row for row in ROWS if scope.figures.table.isRowHidden(ROWS.index(row))]
    assert {"p99.9", "p99.99"} <= set(hidden) and "p90" not in hidden
