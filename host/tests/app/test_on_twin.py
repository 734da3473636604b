"""One session on a real twin, which behaves as the fakes do."""

from __future__ import annotations

from pathlib import Path

from app.by_hand import (
    choose,
    click,
    connect,
    drop,
    fill,
    go_to,
    next_frame,
    open_folder,
    release,
    run_or_stop,
)
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from irqscope.results.reader import read
from irqscope.targets.twin import TwinProcess, TwinSettings
from irqscope_app.control.state import Link
from irqscope_app.scope.threshold import MODES as THRESHOLDS

T2 = Path(__file__).parents[3] / "experiments" / "horst2020" / "t2.toml"


def test_connect_change_run_hold_stop_release_reopen_inspect_compare_and_export(
    window, until, qtbot, tmp_path
):
    live, station = window.scope, window.station
    qtbot.mouseClick(window.connect_screen.only, Qt.MouseButton.LeftButton)
    until(lambda: station.state.link is Link.READY)
    assert station.state.identity.label == "twin, a53 timing"

    # Another pattern, then a run that is watched and held.
    for key in ("high", "low"):
        fill(window, key, "100 us")
    fill(window, "channels.0.timeout", "150 us")
    fill(window, "markers", "stages")
    fill(window, "count", "2000")
    run_or_stop(window)
    until(lambda: live.figures.cell("whole run", "N"))
    click(live.chip)
    until(lambda: station.state.link is Link.READY)
    # A paused view, too, shows the final numbers of a run that has ended.
    until(lambda: live.figures.cell("whole run", "N") == "2000")
    click(live.chip)
    assert live.figures.cell("whole run", "N") == "2000"
    first = station.state.folder
    assert read(first).run.valid, read(first).run.reasons
    assert read(first).run.experiment.lines[0].high.text == "100 us"

    # The same again, ended by the first latency beyond a line below all of them.
    choose(live.threshold, THRESHOLDS[2])
    next_frame(live.painter)
    live.plots.limit.line.setValue(10.0)
    next_frame(live.painter)
    fill(window, "count", "100000")
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY)
    second = station.state.folder
    assert "stopped by a latency beyond" in read(second).run.ended.message

    # Released, reopened, compared and exported.
    release(window)
    assert station.state.link is Link.NONE
    go_to(window, "Scope")
    choose(live.threshold, THRESHOLDS[0])
    open_folder(window, first)
    until(lambda: station.state.folder == first)
    until(lambda: live.figures.cell("whole run", "N") == "2000")

    # Its worst, with its stages as the samples have them, and its wave.
    inspect = window.worst
    go_to(window, "Scope")
    until(lambda: inspect.listed is not None)
    QTest.keyClick(window.scope, Qt.Key.Key_W)
    until(lambda: inspect.chosen is not None)
    samples = read(first).samples().to_pylist()
    longest = max(row["latency_ticks"] for row in samples)
    row = inspect.chosen.row
    assert row["latency_ticks"] == longest and samples[row["index"]]["latency_ticks"] == longest
    stages = {step.name: step.end for step in inspect.chosen.steps}
    assert 0 < stages["vector"] < stages["handler"] == longest < stages["done"]
    assert all(row[f"{name}_ticks"] == end for name, end in stages.items())
    line = next(signal for signal in inspect.chosen.signals if signal.name == "line 0")
    assert set(line.falls - line.rises) == {24998}  # 100 us of 249.975 MHz
    inspect.export_to(tmp_path / "stimulus.vcd")
    until((tmp_path / "stimulus.vcd").exists)

    go_to(window, "Scope")
    until(lambda: window.library.table.rowCount() == 2)
    assert drop(window, first, second)
    assert window.compare.differences.item(0, 2).text()
    rows = range(window.library.table.rowCount())
    (entry,) = (one for row in rows if (one := window.library.entry(row)).path == first)
    window.library.export_to(entry, tmp_path / "samples.parquet")
    until((tmp_path / "samples.parquet").exists)


def test_disconnect_in_the_middle_and_reconnect(window, until, tmp_path):
    """The twin acts as a board at a port that is unplugged, and plugged in again."""
    station, port = window.station, tmp_path / "ttyUSB0"
    first = TwinProcess(TwinSettings())
    port.symlink_to(first.port)
    connect(window, str(port))
    until(lambda: station.state.link is Link.READY)
    fill(window, "count", "100000")
    run_or_stop(window)
    until(lambda: station.state.done > 0)
    port.unlink()
    first.close()
    until(lambda: station.state.link is Link.LOST)
    (folder,) = window.preferences.runs.iterdir()
    run = read(folder)
    assert run.run.ended.reason == "link"
    assert run.samples().num_rows == run.run.stimuli > 0
    second = TwinProcess(TwinSettings())
    try:
        port.symlink_to(second.port)
        until(lambda: station.state.link is Link.READY)
        fill(window, "count", "200")
        run_or_stop(window)
        until(lambda: station.state.link is Link.READY and station.state.folder != folder)
        assert read(station.state.folder).run.valid
    finally:
        second.close()


def test_the_window_and_the_command_line_find_the_same_latencies(window, until, irqscope, tmp_path):
    """They cut a run into batches of different length: 200 stimuli of 5 ms."""
    words = ["--target", "twin:a53", "--count", 200, "--out", tmp_path / "cli"]
    code, _, output = irqscope("run", T2, *words)
    assert code == 0, output
    window.pattern.load(T2)
    fill(window, "count", "200")
    connect(window, "twin:a53")
    until(lambda: window.station.state.link is Link.READY)
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    cli, app = read(tmp_path / "cli"), read(window.station.state.folder)
    assert (len(cli.batches()), len(app.batches())) == (1, 4)
    assert cli.samples()["latency_ticks"].equals(app.samples()["latency_ticks"])
    assert cli.samples().num_rows == 200
