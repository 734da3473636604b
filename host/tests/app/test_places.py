"""Plots alone on the screen and in windows of their own, by mouse and by keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from app.by_hand import from_menu, go_to, next_frame, open_folder
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from irqscope.analysis.stats import of_samples
from irqscope_app.plots.places import Floating
from irqscope_app.scope.threshold import MODES
from irqscope_app.window import Window


@pytest.fixture
def scope(window, until, tmp_path):
    write_run(tmp_path / "run", described(), [60 + n % 40 for n in range(300)])
    open_folder(window, tmp_path / "run")
    until(lambda: window.station.state.folder and window.scope.isVisible())
    next_frame(window.scope.painter)
    window.activateWindow()
    until(window.isActiveWindow)
    QApplication.processEvents()  # the layout
    return window.scope


@pytest.fixture
def menu_key(until):
    """A function that presses the key for menus on a widget and returns the menu that came."""

    def press(widget):
        widget.setFocus()
        until(widget.hasFocus)
        # The platform turns the key into this event.
        place = widget.rect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place)
        QApplication.sendEvent(widget, event)
        until(QApplication.activePopupWidget)
        return QApplication.activePopupWidget()

    return press


def choose(menu, text):
    """Goes down to an entry of the menu and presses Enter."""
    for _ in menu.actions():
        if menu.activeAction().text() == text:
            break
        QTest.keyClick(menu, Qt.Key.Key_Down)
    assert menu.activeAction().text() == text
    QTest.keyClick(menu, Qt.Key.Key_Return)


def windows():
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, Floating)
            and one.isVisible()]  # fmt: skip


def sizes(scope):
    return scope.plots.widget.sizes(), scope.width(), scope.figures.height()


def double_click(plot, place):
    QTest.mouseDClick(plot.widget.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_double_click_on_the_title_gives_a_plot_the_screen_and_takes_it_back(scope, window):
    before, plot = sizes(scope), scope.histogram
    title = plot.item.titleLabel
    place = plot.widget.mapFromScene(title.mapToScene(QPointF(8, 8)))
    double_click(plot, place)
    assert scope.parts.places.alone is plot.widget
    assert plot.widget.width() > 0.9 * scope.width()
    assert plot.widget.height() > 0.7 * scope.height()
    assert scope.run_button.isVisible() and scope.chip.isVisible()
    double_click(plot, place)
    assert sizes(scope) == before


def test_by_keys_a_plot_stands_alone_and_esc_brings_the_others(scope, window, menu_key):
    before = sizes(scope)
    choose(menu_key(scope.ccdf.widget), "Maximise")
    assert scope.parts.places.alone is scope.ccdf.widget
    QTest.keyClick(scope.ccdf.widget, Qt.Key.Key_Escape)
    assert sizes(scope) == before
    scope.setFocus()
    QTest.keyClick(scope, Qt.Key.Key_X)
    assert scope.parts.places.alone is scope.trace.part and scope.trace.widget.isVisible()
    QTest.keyClick(scope, Qt.Key.Key_X)
    assert sizes(scope) == before


def test_what_stands_alone_is_no_layout_to_be_kept(scope, window, preferences, qtbot):
    from_menu(scope.histogram.widget, "Maximise")
    assert not scope.plots.widget.sizes()[0]
    window.close()
    restarted = Window(preferences)
    qtbot.addWidget(restarted)
    restarted.show()
    go_to(restarted, "Scope")
    QApplication.processEvents()
    assert all(restarted.scope.plots.widget.sizes())
    restarted.close()


def test_a_plot_in_a_window_of_its_own_is_live_and_comes_back(scope, window, menu_key, until):
    plots, plot = scope.plots.widget, scope.histogram
    place, whole = plots.indexOf(plot.widget), plots.sizes()
    choose(menu_key(plot.widget), "In a window of its own")
    (alone,) = windows()
    assert alone.windowTitle() == "Histogram, irqscope" and alone.isAncestorOf(plot.widget)
    QApplication.processEvents()  # the layout
    # No hole is left, and it lies where Run is not.
    assert plot.widget.isVisible() and not plots.sizes()[place]
    assert plots.sizes()[0] > whole[0]
    run = scope.run_button.mapToGlobal(scope.run_button.rect().bottomRight())
    assert alone.y() > run.y()
    go_to(window, "Library")
    assert not scope.isVisible()
    feed, bars = window.station.feed, plot.drawn.shown[0]
    before = bars.path()
    feed.picture = replace(feed.picture, distributions={0: of_samples(np.arange(60, 90))})
    feed.version += 1
    until(lambda: bars.path() != before)
    go_to(window, "Scope")
    QTest.keyClick(plot.widget, Qt.Key.Key_Escape)
    assert plots.indexOf(plot.widget) == place
    assert plots.sizes() == pytest.approx(whole, abs=3)
    assert not windows() and plot.widget.isVisible()
    assert window.focusWidget() is plot.widget


def test_closing_the_window_puts_the_plot_back(scope):
    plots = scope.plots.widget
    from_menu(scope.trace.widget, "In a window of its own")
    (alone,) = windows()
    assert alone.isAncestorOf(scope.trace.widget)
    alone.close()
    assert plots.indexOf(scope.trace.part) == 0 and scope.trace.widget.isVisible()
    assert not windows()


def test_keys_of_the_scope_work_in_a_plots_own_window(scope, until):
    from_menu(scope.trace.widget, "In a window of its own")
    (alone,) = windows()
    until(alone.isActiveWindow)
    QTest.keyClick(scope.trace.widget, Qt.Key.Key_T)
    assert scope.threshold.currentText() == MODES[1]
    begin, end = scope.trace.visible
    QTest.keyClick(scope.trace.widget, Qt.Key.Key_Plus)
    now = scope.trace.visible
    assert now[1] - now[0] < end - begin


def test_the_window_takes_what_floats_with_it(scope, window):
    from_menu(scope.trace.widget, "In a window of its own")
    from_menu(scope.ccdf.widget, "In a window of its own")
    window.close()
    assert not windows()
