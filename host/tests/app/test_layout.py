"""Sizes and places of the window's parts: kept, put back, and within a small screen."""

from __future__ import annotations

import pytest
from app.by_hand import fill, go_to, next_frame, write
from by_keys import take
from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QSplitter

from irqscope_app.control.state import Fault
from irqscope_app.plots.base import Name
from irqscope_app.plots.waves import WavesPlot
from irqscope_app.widgets.common import SpareLabel
from irqscope_app.window import Window


def shapes(window):
    """Orientation and sizes of all parts, by their contents."""
    by_size = {}
    for splitter in window.findChildren(QSplitter):
        held = tuple(id(splitter.widget(place)) for place in range(splitter.count()))
        by_size[held] = splitter.orientation(), splitter.sizes()
    return by_size


def orientations(window):
    names = {}
    for name, screen in window.screens.by_name.items():
        for splitter in screen.findChildren(QSplitter):
            held = [splitter.widget(place).__class__.__name__ for place in range(splitter.count())]
            key = name, splitter.parent().__class__.__name__, *held
            names.setdefault(key, []).append(splitter.orientation())
    return {key: sorted(values, key=lambda one: one.value) for key, values in names.items()}


def test_parts_keep_their_place_over_two_restarts_and_a_reset(window, start_again):
    first = orientations(window)
    for screen in window.screens.by_name:
        go_to(window, screen)
    window.scope.plots.widget.setSizes([500, 300, 300])
    window.close()
    for _ in range(2):
        restarted = start_again()
        for screen in reversed(restarted.screens.by_name):
            go_to(restarted, screen)  # a screen that is shown first is another child than before
        assert orientations(restarted) == first
        restarted.close()
    before = shapes(restarted)
    restarted.show()
    restarted.reset_layout()
    assert orientations(restarted) == first
    assert {key: shape[0] for key, shape in shapes(restarted).items()} == {
        key: shape[0] for key, shape in before.items()
    }
    restarted.close()


def test_a_splitter_that_comes_into_being_in_between_changes_no_other(window, qtbot):
    """What Qt or a plot adds is anywhere in the list of children."""
    layout = window.arrangement.parts()
    orientation = window.scope.plots.widget.orientation()
    strange = QSplitter(Qt.Orientation.Vertical, window.connect_screen)
    window.arrangement.take(layout)
    assert window.scope.plots.widget.orientation() is orientation
    assert strange.orientation() is Qt.Orientation.Vertical
    assert all(one.objectName() for one in window.findChildren(QSplitter) if one is not strange)


def test_the_window_fits_a_small_screen(window, board, measure, monkeypatch):
    fill(window, "name", "a-run-whose-name-is-as-long-as-it-may-be-64-letters-and-no-more")
    measure(board().port, 60)
    for screen in window.screens.by_name:
        go_to(window, screen)
        assert window.minimumSizeHint().width() <= 1024, screen
        assert window.minimumSizeHint().height() <= 700, screen

    class Small:
        def availableGeometry(self):
            return QRect(0, 0, 1024, 700)

    monkeypatch.setattr(Window, "screen", lambda self: Small())
    window.arrangement.take_size()
    size = window.size()
    assert size.width() <= 1024 and size.height() <= 700 and size != QSize(0, 0)


def test_names_of_series_cover_no_data_and_take_no_width(window, qtbot):
    plot = window.scope.histogram
    go_to(window, "Scope")
    next_frame(window.scope.painter)  # which blanks it
    names = [Name(f"run-{n}-with-a-name-that-is-rather-long", "#ffffff", "━━") for n in range(8)]
    plot.set_names(names)
    qtbot.wait(50)
    title, box = plot.item.titleLabel, plot.item.getViewBox()
    assert all(f"run-{n}-with" in title.text for n in range(8))
    assert title.text.count("<br>") >= 2
    assert title.sceneBoundingRect().bottom() <= box.sceneBoundingRect().top() + 1
    assert plot.item.legend is None
    assert plot.item.boundingRect().width() <= plot.widget.width() + 1
    plot.set_names(names[:1])
    assert "run-0" not in title.text  # one series needs no name


def test_a_text_that_does_not_fit_is_seen_to_go_on(qtbot):
    label = SpareLabel("faint")
    qtbot.addWidget(label)
    label.setText("enough for p99; p99.9 needs 3688")
    label.resize(1000, 20)
    assert label.cut == label.text()
    label.resize(100, 20)
    assert label.cut.endswith("…") and label.text().startswith(label.cut[:-1])
    assert label.fontMetrics().horizontalAdvance(label.cut) <= 100
    assert label.minimumSizeHint().width() <= 1024


@pytest.mark.parametrize("size", [(1024, 700), (1600, 900)])
def test_four_cursors_are_read_whole_beside_an_event(window, board, measure, until, size):
    measure(board().port, 60)
    go_to(window, "Scope")
    window.resize(*size)
    write(window.worst.where, "5")
    until(lambda: window.worst.detail.isVisible())
    table = window.scope.plots.cursors.table
    for _ in range(4):
        QTest.keyClick(window.scope, Qt.Key.Key_M)
    next_frame(window.scope.painter)
    QApplication.processEvents()  # the layout
    assert table.item(3, 5).text()
    head = table.horizontalHeader()
    wide = [
        max(head.sectionSizeHint(column), table.sizeHintForColumn(column))
        for column in range(table.columnCount())
    ]
    assert sum(wide) <= table.viewport().width()
    assert all(head.sectionSize(column) >= needed for column, needed in enumerate(wide))
    assert table.visualItemRect(table.item(3, 0)).bottom() < table.viewport().height()
    assert not table.verticalScrollBar().isVisible()


def test_a_plot_is_whole_whatever_its_title_was_before(qtbot):
    plot = WavesPlot()
    qtbot.addWidget(plot.widget)
    plot.set_names([Name(f"a name {n}", "#ffffff", "━━") for n in range(4)])
    plot.widget.resize(120, 300)
    plot.widget.show()
    qtbot.wait(20)
    plot.widget.resize(120, 90)  # too little for so many lines of title
    qtbot.wait(20)
    plot.set_names([])
    qtbot.wait(20)
    assert plot.item.geometry().height() <= plot.widget.height()


def test_more_room_is_shared_by_plots_and_tables(window, qtbot):
    go_to(window, "Scope")
    heights = []
    for height in (820, 1420):
        window.resize(1600, height)
        qtbot.wait(10)
        heights.append((window.scope.plots.widget.height(), window.scope.figures.height()))
    assert all(after - before > 200 for before, after in zip(*heights, strict=True))


def test_a_layout_with_a_name_comes_back_after_a_restart(window, monkeypatch, start_again):
    """From its menu. Heights are looked at: Qt's screen without a screen is not wide enough."""

    def heights(window, *wanted):
        go_to(window, "Scope")
        parts = window.findChild(QSplitter, "scope parts")
        if wanted:
            parts.setSizes(wanted)
        QApplication.processEvents()
        return parts.sizes()

    def take_layout(window):
        QTest.keyClick(window.scope, Qt.Key.Key_V, Qt.KeyboardModifier.AltModifier)
        for entry in ("Layouts", "high tables"):
            take(QApplication.activePopupWidget(), entry)
        return heights(window)

    named = heights(window, 300, 400)
    monkeypatch.setattr(
        "irqscope_app.arrangement.QInputDialog.getText", lambda *_: ("high tables", True)
    )
    window.arrangement.ask_name()
    assert heights(window, 450, 250) != named
    assert take_layout(window) == named
    assert heights(window, 450, 250) != named
    window.close()
    restarted = start_again()
    assert heights(restarted) != named
    assert take_layout(restarted) == pytest.approx(named, abs=2)
    restarted.reset()  # settings alone
    assert list(restarted.preferences.layouts) == ["high tables"]
    restarted.close()


def test_a_fault_moves_nothing(window):
    go_to(window, "Scope")
    QApplication.processEvents()
    before = window.scope.trace.widget.mapTo(window, QPoint()), window.scope.trace.widget.size()
    window.station.show_fault(Fault("something failed", "mend it"))
    QApplication.processEvents()
    assert window.fault.isVisible() and not window.log_line.isVisible()
    assert before == (
        window.scope.trace.widget.mapTo(window, QPoint()),
        window.scope.trace.widget.size(),
    )
    window.station.dismiss()
    assert not window.fault.isVisible() and window.log_line.isVisible()
