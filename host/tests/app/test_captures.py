"""Runs that another instrument measured, in the window."""

from __future__ import annotations

import shutil

import pytest
from app.by_hand import choose, drop, go_to, next_frame, open_folder, run_or_stop, write
from app.on_screen import named, seen, title

from irqscope.acquire.callbacks import Untold
from irqscope.kinds.capture.importing import import_run
from irqscope.kinds.capture.recipe import Pair, Recipe
from irqscope.results.drift import drifts
from irqscope.results.reader import read
from irqscope_app.control.state import Link

EDGES = "time_us,A,B\n" + "".join(
    f"{100 * n},1,0\n{100 * n + 5 + n % 3},1,1\n{100 * n + 20},0,0\n" for n in range(1, 60)
)
BINS = "# Histogram\n000004 000010\n000005 000030\n# Min Latencies: 00004\n# Max Latencies: 00005\n"
LIST = "latency_us\n1.25\n3\n2.5\n"


def without_samples(source):
    """The recipe of edges A and B of which no stimulus is kept."""
    pair = Pair(start="A rise", stop="B rise", timeout="90 us")
    return Recipe(name="drifts", files=(str(source),), channels=(pair,), samples="none")


@pytest.mark.parametrize(
    ("text", "pairs", "label", "n"),
    [
        (EDGES, (Pair(start="A rise", stop="B rise", timeout="90 us"),), "capture by", 58),
        (BINS, (), "histogram of cyclictest", 40),
        (LIST, (), "latencies by", 3),
    ],
)
def test_a_run_of_another_instrument_is_shown_with_its_badge(
    window, until, tmp_path, text, pairs, label, n
):
    (tmp_path / "f.txt").write_text(text)
    recipe = Recipe(name="elsewhere", files=(str(tmp_path / "f.txt"),), channels=pairs)
    folder = tmp_path / "runs" / "elsewhere"
    assert import_run(recipe, folder, Untold()).run.valid
    open_folder(window, folder)
    until(lambda: label in window.scope.source.text())
    assert "not measured by irqscope" in window.scope.source.text()
    assert window.scope.source.property("role") == "capture"
    until(lambda: window.station.feed.picture is not None)
    assert window.station.feed.picture.run.stats[0].n == n
    until(lambda: window.scope.trace.units[0] == ("s" if pairs else "stimuli"))


def test_the_library_lists_them_and_they_are_compared(window, until, tmp_path):
    kept = window.preferences.runs
    for name, text, pairs in (
        ("edges", EDGES, (Pair(start="A rise", stop="B rise", timeout="90 us"),)),
        ("bins", BINS, ()),
    ):
        (tmp_path / f"{name}.txt").write_text(text)
        recipe = Recipe(name=name, files=(str(tmp_path / f"{name}.txt"),), channels=pairs)
        assert import_run(recipe, kept / name, Untold()).run.valid
    window.library.refresh()
    until(lambda: window.library.table.rowCount() == 2)
    assert drop(window, kept / "edges", kept / "bins")
    first, second = (window.compare.differences.item(0, column).text() for column in (1, 2))
    assert first.startswith("6000")
    assert "5000 to 5999" in second and "not resolved" in second


@pytest.mark.parametrize("by", ["drop", "menu"])
def test_a_file_of_another_instrument_becomes_a_run(window, until, tmp_path, monkeypatch, by):
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "pair.toml").write_text(
        'machine = "capture"\nfiles = ["edges.csv"]\n'
        '[[channels]]\nstart = "A rise"\nstop = "B rise"\ntimeout = "90 us"\n'
    )
    if by == "drop":
        assert drop(window, tmp_path / "pair.toml")
    else:
        chosen = str(tmp_path / "pair.toml"), ""
        dialog = "irqscope_app.opener.QFileDialog.getOpenFileName"
        monkeypatch.setattr(dialog, lambda *_: chosen)
        window.opener.ask_import()
    until(lambda: "capture by" in window.scope.source.text())
    assert window.station.state.folder.parent == window.preferences.runs
    until(lambda: window.station.feed.picture is not None)
    assert window.station.feed.picture.run.stats[0].n == 58


def test_a_file_that_cannot_be_imported_is_named(window, until, tmp_path):
    (tmp_path / "bad.hist").write_text("nothing\n")
    assert drop(window, tmp_path / "bad.hist")
    until(lambda: "bad.hist" in window.fault.cause.text())
    assert not list(window.preferences.runs.glob("bad*"))


def test_figures_over_time_are_drawn_where_no_stimuli_are_kept(window, until, tmp_path):
    folder, plot = tmp_path / "runs" / "drifts", window.scope.trace.widget
    rows = [(n * 10**5, n // 50) for n in range(400)]
    text = "".join(f"{t},1,0\n{t + 5 + d},1,1\n{t + 20},0,0\n" for t, d in rows)
    (tmp_path / "f.csv").write_text(f"time_us,A,B\n{text}")
    import_run(without_samples(tmp_path / "f.csv"), folder, Untold())
    open_folder(window, folder)
    until(lambda: "figures of each part of 10 s" in title(plot))
    run = read(folder)
    (drift,) = drifts(run)
    assert len(drift.begins) == 4
    for name, latencies in drift.figures.items():
        times, levels = named(plot, f"{name} of channel 0").getData()
        assert times.tolist() == pytest.approx(drift.begins / run.run.tick_hz)
        assert levels.tolist() == pytest.approx(latencies * 1e9 / run.run.tick_hz)
    (begin, end), (low, high) = seen(plot)
    assert begin <= 0 < 30 < end
    assert low < 5000 < 12_000 < high
    assert all(one in title(plot) for one in ("least to greatest", "p50", "p99"))


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="apt-get install sigrok-cli")
def test_a_logic_analyser_is_measured_live(window, until, tmp_path):
    """sigrok's demo device, from its name on the Connect screen to the count and to Stop."""
    station, scope = window.station, window.scope
    go_to(window, "Connect")
    write(window.connect_screen.analyser, "sigrok:demo:samplerate=200kHz")
    until(lambda: station.state.link is Link.READY)
    go_to(window, "Scope")
    edges = scope.strip.edges
    assert edges.isVisible() and not scope.strip.diagram.isVisible()
    choose(edges.stop, "D1 rise")
    write(edges.count, "0")
    run_or_stop(window)
    assert "count 0" in window.fault.cause.text()
    write(edges.count, "1000")
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY)
    next_frame(scope.painter)
    run = read(station.state.folder)
    assert run.run.valid and run.run.counters[0].starts >= 1000
    assert "capture by sigrok demo, 200 kHz" in scope.source.text()
    assert scope.figures.cell("whole run", "N") == str(run.run.stats[0].n)
    assert len(station.feed.between(0, 0, 1e9).counts)

    (tmp_path / "more.toml").write_text(
        'machine = "capture"\nname = "again"\ncount = 100000000\n[[channels]]\n'
        'start = "D2 fall"\nstop = "D3 change"\ntimeout = "2 ms"\n'
    )
    assert drop(window, tmp_path / "more.toml")
    fields = edges.start.currentText(), edges.stop.currentText(), edges.timeout.text()
    assert fields == ("D2 fall", "D3 change", "2 ms")
    run_or_stop(window)
    drawn = []  # it is drawn while it streams
    until(lambda: drawn.append(scope.figures.cell("whole run", "N")) or len({*drawn}) > 4)
    assert station.state.link is Link.MEASURING
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY)
    next_frame(scope.painter)
    stopped = read(station.state.folder).run
    assert stopped.interrupted and stopped.experiment.name == "again"
    assert stopped.reasons[0].startswith("stopped in the app after ")
    assert "interrupted" in scope.counters.text()
    assert scope.figures.cell("whole run", "N") == str(stopped.stats[0].n)


def test_an_analyser_that_is_not_there_leaves_the_target_alone(
    window, until, monkeypatch, tmp_path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    go_to(window, "Connect")
    write(window.connect_screen.analyser, "sigrok:demo:samplerate=1MHz")
    until(lambda: "sigrok-cli is missing" in window.fault.cause.text())
    assert "apt-get install sigrok-cli" in window.fault.remedy.text()
    assert window.station.state.link is Link.NONE
