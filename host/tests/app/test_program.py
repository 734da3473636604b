"""A foreign program, by mouse and keys: measured, or refused in one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from app.by_hand import (
    add_to_queue,
    click,
    connect,
    edit_pattern,
    fill,
    fill_line,
    go_to,
    next_frame,
    paste,
    release,
    run_or_stop,
    write,
)

from irqscope.results.reader import read
from irqscope_app.control.state import Link
from irqscope_app.pattern.presets import Presets

EXAMPLE = Path(__file__).parents[3] / "examples" / "program-arm"
T2 = Path(__file__).parents[3] / "experiments" / "horst2020" / "t2.toml"
REFUSED = 'machine: the target runs a foreign program; write machine = "program", or '


def made(example, sources, product, folder):
    """A product of an example, as its own Makefile builds it in a folder."""
    for name in ("Makefile", "program.c", "program.ld", *sources):
        (folder / name).write_text((example / name).read_text())
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["make", "-s", "-C", folder, f"build/{product}"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PATH": path})
    return folder / "build" / product


@pytest.fixture(scope="module")
def elf(tmp_path_factory):
    """The example for the Cortex-A53."""
    return made(EXAMPLE, ["a53.S"], "a53.elf", tmp_path_factory.mktemp("example"))


@pytest.fixture
def on_program(window, until, elf):
    """The window, connected to the program by typing on the first screen."""
    go_to(window, "Connect")
    write(window.connect_screen.program, f"twin:functional:elf={elf}")
    until(lambda: window.station.state.link is not Link.ASKING)
    assert window.station.state.link is Link.READY, window.station.state.fault
    return window


def test_it_is_named_measured_by_the_queue_and_its_masked_map_is_listed(on_program, until):
    window, station = on_program, on_program.station
    label = station.state.identity.label
    assert re.fullmatch(r"twin, functional with the program a53\.elf \(sha256 \w{12}\)", label)
    with_place = window.pattern.draft.text.replace("pc:PLACE", "pc:on_line")
    paste(window, with_place.replace("count = 1000", "count = 300\nmasked = true"))
    add_to_queue(window)
    labels = set()
    station.changed.connect(lambda: labels.add(station.state.done))
    click(window.experiments.run_button)
    until(lambda: not window.experiments.queue.waiting)
    run = read(station.state.folder)
    assert run.run.valid, run.run.reasons
    assert run.run.label == label
    assert run.samples().num_rows == 300
    assert len(labels & set(range(1, 300))) >= 2  # it was shown as it went on
    go_to(window, "Scope")
    next_frame(window.scope.painter)
    assert window.scope.figures.cell("whole run", "N") == "300"
    if window.scope.strip.edit.isChecked():
        click(window.scope.strip.edit)
    masked = window.scope.parts.masked
    click(masked.button)
    first = [masked.table.item(row, 3).text() for row in range(masked.table.rowCount())]
    assert first == [one.opened for one in run.run.masked]
    assert "(vectors+" in first[0]


def test_another_pattern_goes_on_in_the_same_view(on_program, until):
    window, station = on_program, on_program.station
    paste(window, window.pattern.draft.text.replace("pc:PLACE", "pc:on_line"))
    fill(window, "count", "100000")
    run_or_stop(window)
    until(lambda: station.state.done)
    fill(window, "count", "200")
    until(lambda: station.state.link is Link.READY)
    runs = sorted(window.preferences.runs.iterdir())
    ends = [read(folder).run.ended.reason for folder in runs]
    assert ends == ["interrupted", "complete"], ends
    with station.feed.traces() as traces:
        assert len(traces.borders) == 1


def test_a_place_that_it_has_not_is_one_line_and_no_run(on_program, until):
    window, station = on_program, on_program.station
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY and station.state.fault)
    assert "a53.elf has no symbol PLACE" in window.fault.cause.text()
    assert station.state.folder is None
    assert not list(window.preferences.runs.glob("*/run.json"))
    assert window.scope.run_button.text() == "Run" and window.scope.run_button.isEnabled()


def test_an_experiment_of_our_own_firmware_is_refused_in_one_line(on_program, until):
    window, station = on_program, on_program.station
    window.pattern.load(T2)
    edit_pattern(window)
    assert window.pattern.draft.problems == (REFUSED + "connect to another target",)
    run_or_stop(window)
    assert window.fault.isVisible() and REFUSED[:50] in window.fault.cause.text()
    click(window.pattern.preset)
    presets = window.findChild(Presets)
    until(lambda: "more need another target" in presets.windowTitle())
    assert "None of them is for this target" in presets.whole.text()
    presets.reject()
    go_to(window, "Experiments")
    others = window.experiments.chooser.others
    until(lambda: "all of which need another target" in others.text())
    # One that was queued for another target.
    release(window)
    connect(window, "twin:functional")
    until(lambda: station.state.link is Link.READY)
    add_to_queue(window)
    folder = window.experiments.queue.jobs[0].out
    release(window)
    go_to(window, "Connect")
    button = window.connect_screen.recent.itemAt(1).widget().layout().itemAt(1).widget()
    until(button.isVisible)
    click(button)
    until(lambda: station.state.link is Link.READY)
    go_to(window, "Experiments")
    click(window.experiments.run_button)
    assert window.fault.cause.text() == "t2: machine: the target runs a foreign program"
    assert station.state.link is Link.READY and not folder.exists()


def test_where_no_program_runs_its_pattern_gives_way_or_is_refused(on_program, until):
    """An unchanged one is replaced by the earlier one."""
    window = on_program
    assert 'machine = "program"' in window.pattern.draft.text
    connect(window, "twin:functional")
    until(lambda: window.station.state.link is Link.READY)
    assert window.pattern.draft.path == T2 and window.pattern.draft.source == T2
    assert not window.pattern.undo.isEnabled() and not window.pattern.draft.problems
    window.pattern.load(EXAMPLE / "latency.toml")
    (problem,) = window.pattern.draft.problems
    assert "the target runs no program; connect to rtl:CORE:elf=FILE or twin:elf=FILE" in problem


def test_a_file_is_chosen_and_runs_where_its_architecture_does(window, until, elf, monkeypatch):
    screen, selected = window.connect_screen, [str(elf)]
    dialog = "irqscope_app.connect.QFileDialog.getOpenFileName"
    monkeypatch.setattr(dialog, lambda *_: (selected[0], ""))
    click(screen.choose)
    until(lambda: window.station.state.link is Link.READY)
    assert screen.program.text() == window.station.state.target == f"twin:elf={elf}"
    release(window)
    selected[0] = str(T2)
    click(screen.choose)
    assert "t2.toml: it is not an ELF file" in window.fault.cause.text()
    assert window.station.state.link is Link.NONE


def test_a_cortex_m_is_measured_from_pin_to_pin(window, until, tmp_path):
    program = made(EXAMPLE.parent / "program-stm32", ["start.c"], "program.elf", tmp_path)
    go_to(window, "Connect")
    write(window.connect_screen.program, f"twin:m4:board=f446:elf={program}")
    until(lambda: window.station.state.link is Link.READY)
    assert "m4 with board f446, the program program.elf" in window.station.state.identity.label
    paste(window, window.pattern.draft.text.replace("pc:PLACE", "pin:PG0 rise"))
    fill(window, "count", "40")
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY and window.station.state.fault)
    assert window.fault.cause.text().endswith("line 0 leads nowhere")
    fill_line(window, 0, "pin", "PC13")
    run_or_stop(window)
    until(lambda: window.station.state.folder and window.station.state.link is Link.READY)
    by_pin = read(window.station.state.folder).run
    assert by_pin.valid, by_pin.reasons
    assert by_pin.experiment.lines[0].pin == "PC13"
    fill_line(window, 0, "pin", "")
    fill_line(window, 0, "irq", "40")
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    runs = [read(folder).run for folder in sorted(window.preferences.runs.iterdir())]
    direct = next(run for run in runs if run.experiment.lines[0].irq == 40)
    assert direct.valid, direct.reasons
    assert direct.stats[0].max_ticks < by_pin.stats[0].max_ticks


def test_where_a_line_leads_is_asked_for_programs_alone(window):
    edit_pattern(window)
    lines = window.pattern.lines
    heads = [lines.horizontalHeaderItem(n).text() for n in range(lines.columnCount())]
    assert all(lines.isColumnHidden(heads.index(key)) for key in ("pin", "irq"))
    window.pattern.load(EXAMPLE / "latency.toml")
    assert not any(lines.isColumnHidden(heads.index(key)) for key in ("pin", "irq"))
