"""A pattern that is changed during a run; and its list of runs."""

from __future__ import annotations

import os
import signal

import pytest
from app.by_hand import fill, from_menu, next_frame, open_folder, run_or_stop, start_twin
from app.on_screen import click_at, moments
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from irqscope.results.note import change
from irqscope.results.reader import read
from irqscope_app.control.runs import _changed
from irqscope_app.control.state import Link
from irqscope_app.widgets.theme import THEMES


@pytest.fixture
def running(window, until, fake_twin):
    """A run of very many stimuli."""
    fake_twin(batch_s=0.05)
    fill(window, "count", "100000")
    start_twin(window)
    until(lambda: window.station.state.done > 0)
    return window.scope


def in_the_view(station):
    """Stimuli of all segments together."""
    with station.feed.traces() as traces:
        return sum(len(trace) for trace in traces.channels.values())


def test_an_edit_seals_the_run_and_goes_on_behind_a_border(running, window, until):
    scope, station = running, window.station
    first = station.state.folder
    fill(window, "low", "6 ms")
    assert window.pattern.draft.experiment.lines[0].low.text == "6 ms"
    until(lambda: station.state.folder != first)
    until(lambda: station.state.done > 0)
    assert station.state.link is Link.MEASURING
    sealed = read(first).run
    assert sealed.ended.message.startswith("the pattern was changed") and sealed.interrupted
    assert sealed.stats[0].n == sealed.stimuli > 0
    until(lambda: in_the_view(station) > sealed.stimuli)
    with station.feed.traces() as traces:
        (border,) = traces.borders
        (trace,) = traces.channels.values()
        before, _ = trace.places(-1.0, border)
        times = trace.times(0, len(trace))
    assert before == 0 and (times <= border).sum() == sealed.stimuli < len(times)
    until(lambda: moments(scope.trace.widget, "segments") == [border])
    # One view: both are seen, and the new one is what is counted.
    assert scope.trace.visible[0] < border < scope.trace.visible[1]
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY)
    second = read(station.state.folder).run
    assert second.experiment.lines[0].low.text == "6 ms"
    next_frame(scope.painter)
    assert scope.figures.cell("whole run", "N") == str(second.stimuli)
    until(lambda: scope.figures.cell("visible", "N") == str(sealed.stimuli + second.stimuli))


_LINE = {"high": "1 ms", "low": "4 ms"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"lines": [_LINE | {"low": "6 ms"}]}, "low 4 ms → 6 ms"),
        ({"lines": [_LINE | {"dither_bits": 4}]}, "dither off → 4 bits"),
        ({"lines": [_LINE, _LINE | {"index": 1}]}, "line 1 on"),
        ({"count": 7, "samples": "none", "caches": "off"}, "caches on → off, count 100 → 7 and 1"),
    ],
)
def test_a_border_says_in_words_what_has_changed(changed, words):
    assert _changed(described(), described(**changed)).removesuffix(" more") == words


def test_what_cannot_be_measured_begins_no_segment(running, window, until):
    station = window.station
    first = station.state.folder
    for high, allowed in (("12 ns", False), ("1 ms", True)):  # the latter is unchanged
        fill(window, "high", high)
        assert ("✗" not in running.strip.verdict.text()) is allowed
        until(lambda: not window.measuring.amending.isActive())
        done = station.state.done
        until(lambda done=done: station.state.done > done + 100)
        assert station.state.folder == first and station.state.link is Link.MEASURING
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY)
    assert read(first).run.ended.message.startswith("stopped in the app")


def test_stop_takes_a_segment_back(twins, running, window, until):
    first = window.station.state.folder
    os.kill(twins[-1].pid, signal.SIGSTOP)  # no batch ends before Stop
    fill(window, "low", "5 ms")
    until(lambda: "the next segment begins after this batch" in running.step.text())
    run_or_stop(window)
    next_frame(running.painter)
    assert "segment" not in running.step.text()
    os.kill(twins[-1].pid, signal.SIGCONT)
    until(lambda: window.station.state.link is Link.READY)
    assert window.station.state.folder == first


def test_a_stimulus_of_an_earlier_segment_says_where_it_is(running, window, until):
    first = window.station.state.folder
    fill(window, "low", "6 ms")
    until(lambda: window.station.state.folder != first and window.station.state.done > 0)
    until(lambda: window.worst.listed is not None)
    with window.station.feed.traces() as traces:
        (trace,) = traces.channels.values()
        at, latency = float(trace.times(0, 1)[0]), int(trace.copy(0, 1)[0])
    next_frame(running.painter)
    click_at(running.trace.widget, at, latency * running.painter.shown.unit.per_tick)
    assert "of an earlier segment" in window.worst.hint.text() and window.worst.chosen is None
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)


# ---- the runs on the right -----------------------------------------------------------------------


@pytest.fixture
def films(window, until, tmp_path):
    """Two runs in the film strip."""
    window.preferences.runs = tmp_path
    write_run(tmp_path / "one", described(name="one"), [60, 70] * 20)
    write_run(tmp_path / "two", described(name="two"), [80, 90] * 20)
    window.library.refresh()
    until(lambda: window.films.count() == 2)
    return window.films


def place(films, name):
    return next(n for n in range(films.count()) if name in films.item(n).text())


def test_a_film_is_opened_by_enter_and_the_one_that_is_shown_is_highlighted(
    window, films, until, tmp_path
):
    assert films.currentItem() is None
    films.setCurrentRow(place(films, "two"))
    QTest.keyClick(films, Qt.Key.Key_Return)
    until(lambda: window.station.state.folder == tmp_path / "two")
    window.activateWindow()
    until(window.isActiveWindow)
    films.setFocus()
    films.setCurrentRow(place(films, "one"))
    assert films.selected().path == tmp_path / "one"
    window.scope.setFocus()
    assert films.selected().path == tmp_path / "two"
    films.setCurrentRow(place(films, "one"))
    from_menu(films, "Take as reference")
    until(lambda: window.scope.painter.reference is not None)
    open_folder(window, tmp_path / "one")
    until(lambda: window.station.state.folder == tmp_path / "one")
    assert films.selected().path == tmp_path / "one"


def test_a_run_with_the_tag_pinned_stays_on_top(window, films, until, tmp_path):
    above = films.item(0).text().splitlines()[0]
    other = next(name for name in ("one", "two") if name not in above)
    change(tmp_path / other, tags=["+pinned"])
    window.library.refresh()
    until(lambda: place(films, other) == 0 and "📌" in films.item(0).text())


def test_a_film_that_is_dropped_on_the_plots_is_the_reference(
    window, films, until, tmp_path, monkeypatch
):
    open_folder(window, tmp_path / "one")
    until(lambda: window.station.state.folder == tmp_path / "one")
    films.setCurrentRow(place(films, "two"))
    data = films.mimeData(films.selectedItems())
    assert [url.toLocalFile() for url in data.urls()] == [str((tmp_path / "two").resolve())]
    rest = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    modifiers = Qt.KeyboardModifier.NoModifier
    for source, taken in ((None, False), (films, True)):
        monkeypatch.setattr(QDragEnterEvent, "source", lambda event, source=source: source)
        entered = QDragEnterEvent(QPoint(5, 5), *rest, modifiers)
        window.scope.view.dragEnterEvent(entered)
        assert entered.isAccepted() is taken  # else it is for the window, which opens it
    QApplication.sendEvent(window.scope.view, QDragEnterEvent(QPoint(5, 5), *rest, modifiers))
    QApplication.sendEvent(window.scope.view, QDropEvent(QPointF(5, 5), *rest, modifiers))
    until(lambda: window.scope.figures.cell("reference", "N") == "40")


def test_runs_have_pictures(window, films):
    item = films.item(0)
    image = item.icon().pixmap(films.iconSize()).toImage()
    colours = {image.pixelColor(x, image.height() - 3).name() for x in range(image.width())}
    assert THEMES[window.preferences.theme].series[0].lower() in colours and len(colours) > 1
