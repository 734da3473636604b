"""A pattern that is changed during a run."""

from __future__ import annotations

import os
import signal

import pytest
from app.by_hand import fill, next_frame, run_or_stop, start_twin
from app.on_screen import click_at, counted, moments, title
from irqscope_fake.folder import experiment as described

from irqscope.results.reader import read
from irqscope_app.control.changes import changed as words_of
from irqscope_app.control.changes import told_apart
from irqscope_app.control.state import Link


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
    # Histogram and tail are of the segment in view, and say which.
    assert title(scope.histogram.widget) == "Histogram: segment 2 of 2"
    scope.trace.look_at(0.0, border - 1e-9)
    until(lambda: title(scope.histogram.widget) == "Histogram: segment 1 of 2")
    until(lambda: counted(scope.ccdf.widget) == [sealed.stats[0].n])
    assert title(scope.ccdf.widget) == "Tail: segment 1 of 2"
    assert [cell.short for cell in scope.trace.lane.cells] == ["1", "2"]
    assert scope.trace.lane.cells[1].text == "2: low 4 ms → 6 ms"


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
    assert words_of(described(), described(**changed)).removesuffix(" more") == words


def test_runs_of_one_name_are_told_apart_by_what_differs():
    changes = [{"lines": [_LINE]}, {"lines": [_LINE | {"low": "6 ms", "dither_bits": 4}]},
             {"lines": [_LINE, _LINE | {"index": 1}]}]  # fmt: skip
    first, second, _ = (described(**one) for one in changes)
    assert told_apart([first, second]) == ["low 4 ms, dither off", "low 6 ms, dither 4 bits"]
    assert told_apart([first, first]) == ["", ""]
    *others, third = told_apart([described(**one) for one in changes])
    assert "line 1 on" in third and not any("line 1" in one for one in others)


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
