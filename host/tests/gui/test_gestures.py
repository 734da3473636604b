"""The plots of the scope by mouse and keys: crosshair, cursors, threshold, zoom."""

from __future__ import annotations

import numpy as np
import pytest
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent, QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit

from irqscope.gui.feed import Series
from irqscope.gui.threshold import MODES


@pytest.fixture
def scope(window, until, tmp_path):
    """The screen with a run of 600 stimuli of 60 to 99 ticks, one of 200."""
    latencies = [60 + n % 40 for n in range(600)]
    latencies[300] = 200
    write_run(tmp_path / "run", described(), latencies)
    window.scope.figures.unit.setCurrentText("ticks")
    window.opener.open_run(tmp_path / "run")
    until(lambda: window.station.state.folder == tmp_path / "run")
    until(lambda: window.scope.painter._drawn is not None and window.scope.painter._tail is None)
    window.scope.paint_data()
    return window.scope


def at(plot, x, y):
    """Pixel of a place on the axes."""
    place = plot.box.mapViewToScene(QPointF(x, y))
    return plot.widget.mapFromScene(place)


def drag(qtbot, plot, begin, end, modifiers=Qt.KeyboardModifier.NoModifier):
    view, left = plot.widget.viewport(), Qt.MouseButton.LeftButton
    first, last = at(plot, *begin), at(plot, *end)
    qtbot.mousePress(view, left, modifiers, first)
    for share in (0.3, 0.6, 1.0):
        place = QPointF(first + (last - first) * share)
        where = place, QPointF(view.mapToGlobal(place.toPoint()))
        none = Qt.MouseButton.NoButton
        kind = QEvent.Type.MouseMove
        QApplication.sendEvent(view, QMouseEvent(kind, *where, none, left, modifiers))
        qtbot.wait(20)
    qtbot.mouseRelease(view, left, modifiers, last)


def seen(plot):
    return plot.box.viewRange()


def times(scope):
    trace = scope._station.feed._traces.channels[Series(0)]
    return trace.times(0, len(trace)), trace.copy(0, len(trace))


def test_what_is_visible_is_counted_exactly_in_both_directions(scope, until):
    moments, latencies = times(scope)
    begin, end = float(moments[50]), float(moments[450])
    scope.trace.look_at(begin, end)
    scope.trace.free = False
    scope.trace.box.setYRange(70, 80, padding=0)
    scope.moved(False)
    inside = (moments >= begin) & (moments <= end) & (latencies >= 70) & (latencies <= 80)
    until(lambda: scope.figures.cell("visible", "N") == str(np.count_nonzero(inside)))
    assert scope.figures.cell("visible", "max") == "80"
    assert scope.figures.cell("whole run", "max") == "200"


def wheel(plot, where, modifiers=Qt.KeyboardModifier.NoModifier):
    """A notch away from oneself."""
    view, place = plot.widget.viewport(), QPointF(at(plot, *where))
    turned = QWheelEvent(
        place, QPointF(view.mapToGlobal(place.toPoint())), QPoint(), QPoint(0, 120),
        Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, turned)


def test_the_wheel_zooms_time_and_with_ctrl_latency_around_the_mouse(scope):
    plot = scope.trace
    (begin, end), latency = seen(plot)
    where = begin + 0.25 * (end - begin), latency[0] + 0.5 * (latency[1] - latency[0])
    wheel(plot, where)
    (first, last), still = seen(plot)
    assert last - first < end - begin and still == latency
    assert (where[0] - first) / (last - first) == pytest.approx(0.25, abs=0.02)
    wheel(plot, where, Qt.KeyboardModifier.ControlModifier)
    times_, (low, high) = seen(plot)
    assert times_ == [first, last] and high - low < latency[1] - latency[0]


def test_a_drag_pans_and_with_shift_zooms_to_a_box(scope, qtbot, until):
    moments, _ = times(scope)
    middle, step = float(moments[300]), float(moments[1] - moments[0])
    before = seen(scope.trace)
    drag(qtbot, scope.trace, (middle, 100), (middle + 100 * step, 130))
    after = seen(scope.trace)
    assert before[0][0] - after[0][0] == pytest.approx(100 * step, rel=0.1)
    assert before[1][0] - after[1][0] == pytest.approx(30, rel=0.1)
    scope.fit()
    until(lambda: seen(scope.trace)[0] == before[0])
    shift = Qt.KeyboardModifier.ShiftModifier
    ends = (middle - 20 * step, 120.0), (middle + 20 * step, 220.0)
    drag(qtbot, scope.trace, *ends, shift)
    assert seen(scope.trace)[0] == pytest.approx([ends[0][0], ends[1][0]], abs=4 * step)
    assert seen(scope.trace)[1] == pytest.approx([120.0, 220.0], abs=4)
    until(lambda: scope.figures.cell("visible", "N") == "1")
    assert scope.chip.text().startswith("❚❚ paused at 600")


def test_one_crosshair_goes_through_all_plots_and_tells_what_is_there(scope, qtbot, until):
    moments, latencies = times(scope)
    view = scope.trace.widget.viewport()
    qtbot.mouseMove(view, at(scope.trace, float(moments[100]), 75.0))
    until(lambda: scope.readout.text())
    lines = scope.plots.crosshair._across
    assert all(line.isVisible() for line in lines) and len({line.value() for line in lines}) == 1
    ticks = round(scope.plots.crosshair.level)
    count, longer = int((latencies == ticks).sum()), int((latencies >= ticks).sum())
    said = scope.readout.text()
    assert f"{ticks} ticks" in said and f"{count} in its bin" in said
    assert f"{longer / 600:.3g} took at least as long" in said and " s " in said
    # The latency axis of the others is the same one.
    for plot in (scope.histogram, scope.ccdf):
        assert seen(plot)[1] == pytest.approx(seen(scope.trace)[1], abs=2)


def test_cursors_snap_to_stimuli_and_tell_their_differences(scope, qtbot, until):
    moments, latencies = times(scope)
    beside = 0.2 * float(moments[1] - moments[0])
    scope.trace.look_at(float(moments[10]), float(moments[90]))
    scope.plots.crosshair.put(float(moments[20]) + beside, 75.0)
    QTest.keyClick(scope, Qt.Key.Key_A)
    scope.plots.crosshair.put(float(moments[60]) - beside, 75.0)
    QTest.keyClick(scope, Qt.Key.Key_B)
    scope.paint_data()
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
    # A name of one's own, and away with it.
    scope.plots.cursors.table.item(1, 0).setText("the second")
    assert scope.plots.cursors.named("the second") is second
    scope.plots.cursors.table.setCurrentCell(1, 0)
    QTest.keyClick(scope.plots.cursors.table, Qt.Key.Key_Delete)
    until(lambda: not scope.figures.cell("cursors", "N"))
    assert scope.plots.cursors.all == [first]


def test_a_cursor_is_named_in_its_table_and_taken_away_by_del(scope, window):
    window.activateWindow()
    cursors, table = scope.plots.cursors, scope.plots.cursors.table
    for time in (0.5, 1.0):
        cursors.add(time)
    scope.paint_data()

    def name(row, text):
        table.setFocus()
        table.setCurrentCell(row, 0)
        QTest.keyClicks(table, text[0])  # which begins it
        field = table.findChildren(QLineEdit)[-1]
        QTest.keyClicks(field, text[1:])
        QTest.keyClick(field, Qt.Key.Key_Return)
        QApplication.processEvents()  # Qt commits what was typed a moment later
        scope.paint_data()
        return [cursor.name for cursor in cursors.all]

    assert name(1, "late") == ["A", "late"]
    assert cursors.all[1].line.label.toPlainText() == "late"
    assert name(0, "late") == ["A", "late"] and table.item(0, 0).text() == "A"  # it is taken
    table.setCurrentCell(0, 0)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    scope.paint_data()
    assert [cursor.name for cursor in cursors.all] == ["late"] and table.rowCount() == 1


def test_the_threshold_is_one_line_in_all_plots(scope, qtbot, until):
    QTest.keyClick(scope, Qt.Key.Key_T)
    assert scope.threshold.currentText() == MODES[1]
    scope.paint_data()
    scope.plots.limit.line.setValue(90.3)
    scope.paint_data()
    lines = scope.plots.limit._lines
    assert {line.value() for line in lines} == {90.0} and all(line.isVisible() for line in lines)
    beyond = np.count_nonzero(times(scope)[1] > 90)
    assert scope.figures.cell("whole run", "beyond") == str(beyond)
    # By its line in another plot, and by keys.
    lines[2].setValue(95.0)
    QTest.keyClick(scope, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    scope.paint_data()
    assert scope.plots.limit.ticks == 96 and {line.value() for line in lines} == {96.0}


def test_keys_zoom_and_pan(scope):
    (left, right), (low, high) = seen(scope.trace)
    QTest.keyClick(scope, Qt.Key.Key_Plus)
    (closer, end), _ = seen(scope.trace)
    assert left < closer and end < right
    still = seen(scope.trace)
    QTest.keyClick(scope, Qt.Key.Key_Right)
    assert seen(scope.trace)[0][0] > closer and seen(scope.trace)[1] == still[1]
    still = seen(scope.trace)
    QTest.keyClick(scope, Qt.Key.Key_Up)
    assert seen(scope.trace)[1][0] > still[1][0] and seen(scope.trace)[0] == still[0]
    QTest.keyClick(scope, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert seen(scope.trace)[1][1] - seen(scope.trace)[1][0] < high - low
    QTest.keyClick(scope, Qt.Key.Key_F)
    scope.paint_data()
    assert seen(scope.trace) == [pytest.approx([left, right]), pytest.approx([low, high])]


def test_letters_in_the_pattern_are_for_its_fields(window, qtbot):
    window.screens.edit_pattern()
    window.activateWindow()
    field = window.pattern.fields["case"]
    field.setFocus()
    window.keys._on_focus(None, field)
    QTest.keyClick(field, Qt.Key.Key_T)
    assert window.scope.threshold.currentText() == MODES[0]
    window.keys._on_focus(field, window.scope)
    QTest.keyClick(window.scope, Qt.Key.Key_T)
    assert window.scope.threshold.currentText() == MODES[1]


def test_the_badge_is_whole_and_covers_no_data(scope, qtbot):
    for plot in scope.plots.all[:1] + scope.plots.all[2:]:
        badge = plot._badge
        assert badge._label.text() == plot.source == "twin, functional timing"
        frame = badge._frame.mapRectToScene(badge._frame.rect())
        area = plot.box.sceneBoundingRect()
        assert frame.bottom() <= area.top() + 1 and frame.right() <= area.right() + 1
    title = scope.trace.item.titleLabel.item
    words = title.mapRectToScene(title.boundingRect())
    badge = scope.trace._badge._frame
    assert not badge.mapRectToScene(badge.rect()).intersects(words)
