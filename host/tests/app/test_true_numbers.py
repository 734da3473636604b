"""No number on the screen says more than its run: runs that are wrong, cut short, or censored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from app.by_hand import choose, drop, go_to, next_frame, open_folder
from app.on_screen import counted, hover
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import record, rewrite, write_run

from irqscope.analysis import stats
from irqscope.report.folders import Entry
from irqscope.results.reader import read
from irqscope_app.control.feed import COLUMNS, Picture
from irqscope_app.scope.cells import ROWS

_LATENCIES = [60 + n % 40 for n in range(300)]


def _wrong(folder, **values):
    """A run with results that is not valid."""
    return write_run(
        folder, described(name="wrong"), _LATENCIES, valid=False, reasons=["records were lost"],
        **values,
    )  # fmt: skip


def test_runs_that_are_not_valid_are_compared_with_a_word_about_it(window, tmp_path):
    for name in ("valid", "stopped"):
        write_run(tmp_path / name, described(), _LATENCIES)

    def stop(run):
        run["ended"] |= {"reason": "interrupted", "message": "stopped early"}
        run |= {"valid": False, "reasons": ["stopped early"]}

    rewrite(tmp_path / "stopped", stop)
    _wrong(tmp_path / "wrong")
    assert drop(window, *(tmp_path / name for name in ("valid", "stopped", "wrong")))
    hint = window.compare.hint.text()
    assert "Run 2 is interrupted: stopped early." in hint
    assert "Run 3 is INVALID: records were lost." in hint and "Run 1 is" not in hint


def test_a_reference_that_is_not_valid_is_called_so(window, until, tmp_path):
    write_run(tmp_path / "valid", described(), _LATENCIES)
    _wrong(tmp_path / "wrong")
    open_folder(window, tmp_path / "valid")
    until(lambda: window.station.feed.picture)
    window.scope.refer_to(tmp_path / "wrong")
    until(lambda: window.scope.painter.reference)
    assert window.scope.painter.reference.name == "reference (INVALID): wrong"


def test_a_segment_that_ended_before_its_first_batch_shows_no_number_of_the_one_before(
    window, until, tmp_path
):
    write_run(tmp_path / "first", described(), _LATENCIES)
    open_folder(window, tmp_path / "first")
    until(lambda: window.station.feed.picture)
    feed = window.station.feed
    feed.go_on("line 0 low 4 ms → 6 ms")
    feed.settle(record(described(), started="2026-11-22T10:00:00Z"))
    assert not feed.picture.distributions
    go_to(window, "Scope")
    for _ in range(3):
        next_frame(window.scope.painter)
    assert not window.scope.figures.cell("whole run", "N")
    assert not window.scope.histogram.drawn.shown and not window.scope.ccdf.drawn.shown


def _censored(window, tmp_path, **unanswered):
    """Shows a run, some stimuli of which were not answered: ``timed_out``, ``coalesced``."""
    run = write_run(tmp_path / "run", described(), _LATENCIES)
    of_all = {"n": len(_LATENCIES) + sum(unanswered.values())}
    censored_stats = run.stats[0].model_copy(update=of_all | unanswered)
    distribution = read(tmp_path / "run").distribution(0)
    distribution = distribution.censored(
        censored_stats.timeout_ticks, unanswered.get("timed_out", 0), unanswered.get("coalesced", 0)
    )
    picture = Picture(run.model_copy(update={"stats": (censored_stats,)}), {0: distribution})
    window.station.feed.take(read(tmp_path / "run").samples().select(COLUMNS), picture, {0: 0})
    go_to(window, "Scope")
    for _ in range(3):
        next_frame(window.scope.painter)
    return window.scope


def test_a_maximum_beside_coalesced_stimuli_is_of_those_served(window, tmp_path):
    scope = _censored(window, tmp_path, coalesced=2)
    assert "N = 302: 300 served, 2 coalesced" in scope.counters.text()
    assert scope.counters.text().endswith("ns of served")
    for row in ("min", "max"):
        assert scope.figures.cell("whole run", row).endswith(" of served")
    listed = Entry(tmp_path / "run", window.station.feed.picture.run).cells["max, ns"]
    assert listed.endswith(" of served")


def test_the_axis_has_room_for_channels_without_samples(window, tmp_path):
    run = write_run(tmp_path / "run", described(), _LATENCIES)
    distributions = {
        n: stats.of_samples(np.array(each)) for n, each in enumerate((_LATENCIES, [60, 900]))
    }
    samples = read(tmp_path / "run").samples().select(COLUMNS)
    window.station.feed.take(samples, Picture(run, distributions), {0: 0})
    go_to(window, "Scope")
    for _ in range(3):
        next_frame(window.scope.painter)
    low, high = window.scope.trace.box.viewRange()[1]
    assert low < 240 and 3600 < high < 4000  # ns of 900 ticks


def test_a_trace_with_all_that_was_answered_shows_no_part(window, tmp_path):
    assert _censored(window, tmp_path, timed_out=2).trace_note.text() == ""


def test_of_coalesced_stimuli_nobody_counts_what_is_beyond(window, until, tmp_path):
    scope = _censored(window, tmp_path, coalesced=2)
    choose(scope.threshold, "count beyond")
    until(lambda: scope.figures.cell("whole run", "beyond"))
    beyond = sum(latency > scope.plots.limit.ticks for latency in _LATENCIES)
    assert scope.figures.cell("whole run", "beyond") == f"{beyond} to {beyond + 2}"
    ns = 4 * 80
    hover(scope.histogram.widget, 1.0, ns)
    until(
        lambda: (hover(scope.histogram.widget, 1.1, ns), "on this tick" in scope.readout.text())[1]
    )
    at_least = sum(latency >= 80 for latency in _LATENCIES)
    shares = f"{100 * at_least / 302:.3g} to {100 * (at_least + 2) / 302:.3g} % at least as long"
    assert f"{_LATENCIES.count(80)} on this tick, {shares}" in scope.readout.text()


def test_a_folder_that_was_cut_short_is_not_invalid_so_far(window, until, tmp_path):
    write_run(tmp_path / "run", described(), _LATENCIES)
    rewrite(tmp_path / "run", lambda run: run.update(ended=None, valid=False))
    open_folder(window, tmp_path / "run")
    until(lambda: window.scope.counters.text())
    assert window.scope.counters.text().startswith("✗ invalid: cut short")


def _visible(window):
    """The table's text about the visible part."""
    figures = window.scope.figures
    return {row: figures.cell("visible", row) for row in ROWS if figures.cell("visible", row)}


def test_two_patterns_in_one_view_are_no_sample_of_one_distribution(window, until, tmp_path):
    write_run(tmp_path / "run", described(), _LATENCIES)
    open_folder(window, tmp_path / "run")
    until(lambda: _visible(window).get("N") == "300")
    assert _visible(window)["longer"].startswith("≤") and "[" in _visible(window)["p50"]
    feed, second = window.station.feed, read(tmp_path / "run")
    feed.go_on("line 0 low 4 ms → 6 ms")
    picture = Picture(second.run, {0: second.distribution(0)})
    feed.take(second.samples().select(COLUMNS), picture, {0: 0})
    until(lambda: _visible(window)["N"] == "600")
    assert _visible(window)["longer"] == "no bound" and "[" not in "".join(
        _visible(window).values()
    )
    # Of the second alone there are bounds again.
    window.scope.trace.look_at(feed.origin + 1e-9, 1.0)
    until(lambda: _visible(window)["N"] == "299")
    assert _visible(window)["longer"].startswith("≤")


def test_what_comes_last_is_counted_though_it_comes_soon(window, until, tmp_path, monkeypatch):
    """Parts are counted at intervals; the last time is after the last change."""
    monkeypatch.setattr("irqscope_app.scope.counting._PARTS_S", 1.0)
    write_run(tmp_path / "run", described(), _LATENCIES)
    open_folder(window, tmp_path / "run")
    until(lambda: _visible(window).get("N") == "300")
    feed, rows = window.station.feed, read(tmp_path / "run").samples().select(COLUMNS)
    feed.take(rows, feed.picture, {0: 1000})
    until(lambda: _visible(window)["N"] == "600")


def test_unanswered_stimuli_of_the_pattern_before_are_not_forgotten(window, until, tmp_path):
    for name in ("first", "second"):
        write_run(tmp_path / name, described(), _LATENCIES)
    open_folder(window, tmp_path / "first")
    until(lambda: _visible(window).get("N") == "300")
    feed, second = window.station.feed, read(tmp_path / "second")
    updated = feed.picture.run.stats[0].model_copy(update={"n": 302, "timed_out": 2})
    feed.settle(feed.picture.run.model_copy(update={"stats": (updated,)}))
    feed.go_on("line 0 low 4 ms → 6 ms")
    picture = Picture(second.run, {0: second.distribution(0)})
    feed.take(second.samples().select(COLUMNS), picture, {0: 0})
    until(lambda: _visible(window)["N"] == "600 served")
    assert "mean" not in _visible(window) and "p50" not in _visible(window)


def test_latencies_that_a_zoom_chose_have_no_bounds_and_no_rate(window, until, tmp_path):
    write_run(tmp_path / "run", described(), _LATENCIES)
    open_folder(window, tmp_path / "run")
    until(lambda: "rate, 1/s" in _visible(window))
    few = sum(latency <= 80 for latency in _LATENCIES)
    window.scope.trace.free = False
    window.scope.trace.box.setYRange(0, 4 * 80.5, padding=0)
    window.scope.painter.hurry()
    until(lambda: _visible(window)["N"] == str(few))
    visible = _visible(window)
    assert visible["longer"] == "no bound" and "rate, 1/s" not in visible
    assert "[" not in "".join(visible.values()) and visible["max"] == "320"


def test_a_tail_is_drawn_though_each_paint_has_a_new_picture(window, until, tmp_path, monkeypatch):
    monkeypatch.setattr("irqscope_app.scope.painter.SHAPES_S", 0.0)
    write_run(tmp_path / "run", described(), _LATENCIES)
    open_folder(window, tmp_path / "run")
    scope, feed = window.scope, window.station.feed
    until(lambda: counted(scope.ccdf.widget) == [300])
    rows = read(tmp_path / "run").samples().select(COLUMNS)
    for n in range(1, 5):
        distribution = stats.of_samples(np.array(_LATENCIES * (n + 1)))
        feed.take(rows, replace(feed.picture, distributions={0: distribution}), {0: 1000 * n})
        next_frame(scope.painter)
    assert counted(scope.ccdf.widget)[0] > 300
