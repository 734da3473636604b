"""Recordings and folders of others: a replay is called one, and a folder runs nothing by itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from test_cli import one_line

from irqscope.acquire.measure import measure
from irqscope.campaign.merge import merge
from irqscope.cli import defaults
from irqscope.errors import ExperimentError
from irqscope.experiment import load
from irqscope.results.reader import read
from irqscope.testing import TargetUnderTest

T2 = Path(__file__).parents[2] / "experiments" / "horst2020" / "t2.toml"
GATE = """name = "night"
[[items]]
file = "t2.toml"
changes = { count = 50 }
"""


@pytest.fixture
def recording(board, tmp_path):
    """A recorded link of a run of 50 stimuli, and the folder of that run."""
    record = tmp_path / "rec.bin"
    measure(load(T2, count=50), board().port, tmp_path / "measured", record=record)
    return record, tmp_path / "measured"


# ---- replays ---------------------------------------------------------------------------------


def test_a_replay_says_so_in_table_report_and_record(irqscope, recording, tmp_path):
    record, _ = recording
    out = tmp_path / "again"
    words = ("--target", f"replay:{record}", "--count", 50, "--out", out)
    code, error, _ = irqscope("run", T2, *words)
    assert code == 0
    assert (
        "replay of rec.bin: twin, functional timing" in error and "valid replay of rec.bin" in error
    )
    run = json.loads((out / "run.json").read_text())
    assert run["source"]["label"] == "replay of rec.bin: twin, functional timing"
    assert run["identity"]["replay"] == "rec.bin"
    page = (out / "report.html").read_text()
    assert "replay of rec.bin" in page and "valid replay" in page
    assert "valid replay of rec.bin" in irqscope("info", out)[1]


@pytest.mark.parametrize("words", [("--accept",), (), ("--against", "replay:REC")])
def test_a_gate_refuses_a_replay_before_it_measures(irqscope, recording, tmp_path, words):
    record, _ = recording
    (tmp_path / "t2.toml").write_text(T2.read_text())
    (tmp_path / "gate.toml").write_text(GATE + 'baseline = "t2.json"\n')
    target = "/dev/ttyNowhere" if "--against" in words else f"replay:{record}"
    words = [str(word).replace("REC", str(record)) for word in words]
    code, _, err = irqscope("gate", tmp_path / "gate.toml", "--target", target, *words)
    assert code == 2 and "which measures nothing; a gate judges measurements" in one_line(err)
    assert not (tmp_path / "t2.json").exists() and not Path("runs").exists()


def test_a_gate_refuses_run_folders_and_baselines_of_a_replay(irqscope, recording, tmp_path):
    record, measured = recording
    replayed = tmp_path / "runs-of-replay" / "t2"
    measure(load(T2, count=50), f"replay:{record}", replayed)
    (tmp_path / "t2.toml").write_text(T2.read_text())
    gate = tmp_path / "gate.toml"
    gate.write_text(GATE + 'limits = ["p50 <= 1 ms"]\n')
    code, _, err = irqscope("gate", gate, "--from", replayed.parent, "--out", tmp_path / "o")
    assert code == 2 and "is a replay of rec.bin" in one_line(err), err
    gate.write_text(GATE + f'baseline = "{replayed.relative_to(tmp_path)}"\n')
    code, _, err = irqscope("gate", gate, "--target", "/dev/ttyNowhere", "--out", tmp_path / "p")
    assert code == 2 and "is a replay of rec.bin" in one_line(err), err
    with pytest.raises(ExperimentError, match="it is a replay of rec.bin"):
        merge([measured, replayed], tmp_path / "merged")


def test_a_test_of_a_firmware_refuses_a_replay(recording, tmp_path):
    record, _ = recording
    with pytest.raises(ExperimentError, match="measures nothing"):
        TargetUnderTest(f"replay:{record}", tmp_path).measure(T2, count=50)


# ---- a folder of somebody else ---------------------------------------------------------------


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """A working directory with another user's files, and an empty user configuration."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "irqscope").mkdir(parents=True)
    (tmp_path / "foreign").mkdir()
    monkeypatch.chdir(tmp_path / "foreign")
    return tmp_path / "foreign"


def test_a_file_of_defaults_that_was_used_is_named(irqscope, recording, foreign):
    record, _ = recording
    (foreign / "irqscope.toml").write_text(f'target = "replay:{record}"\n')
    code, out, err = irqscope("run", T2, "--count", 50, "--out", foreign / "run")
    assert code == 0 and "valid replay of rec.bin" in out
    assert f"target = replay:{record}, from {foreign / 'irqscope.toml'}" in err
    code, _, err = irqscope("run", T2, "--target", "replay:nothing", "--out", foreign / "two")
    assert code == 3 and "irqscope.toml" not in err


OF_A_FOLDER = ["rtl:./core", "rtl:/tmp/core:no-skip", "twin:elf=p.elf", "rtl:ibex:elf=p.elf"]


@pytest.mark.parametrize("command", ["run", "suite", "gate", "calibrate"])
@pytest.mark.parametrize("target", OF_A_FOLDER)
def test_a_folder_runs_nothing_of_its_own_unasked(irqscope, foreign, monkeypatch, command, target):
    def started(*_, **__):
        raise AssertionError("something was started")

    monkeypatch.setattr("subprocess.Popen", started)
    (foreign / "irqscope.toml").write_text(f'target = "{target}"\n')
    subject = {"run": ("t2",), "suite": ("wake-up",), "gate": ("g.toml",), "calibrate": ()}[command]
    code, _, err = irqscope(command, *subject)
    assert code == 2
    reported, refused = err.splitlines()
    assert f"target = {target}, from {foreign / 'irqscope.toml'}" in reported
    assert "if you trust it, give it by --target" in refused


def test_a_user_may_say_yes_and_has_a_file_of_his_own(foreign, monkeypatch):
    (foreign / "irqscope.toml").write_text('target = "rtl:./core"\n')
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    for answer in (True, False):
        monkeypatch.setattr("click.confirm", lambda *_, a=answer, **__: a)
        if answer:
            defaults.announce("target", "rtl:./core")
        else:
            with pytest.raises(ExperimentError):
                defaults.announce("target", "rtl:./core")
    (foreign / "irqscope.toml").rename(foreign.parent / "config" / "irqscope" / "irqscope.toml")
    monkeypatch.setattr("click.confirm", None)
    defaults.announce("target", "rtl:./core")


def test_modules_of_the_working_directory_are_not_imported(irqscope, foreign):
    for name in ("argparse", "json", "irqscope_twin"):
        (foreign / f"{name}.py").write_text("open('ran', 'w')\n")
    code, _, err = irqscope("run", "t2", "--target", "twin:nosuch")
    assert code == 3 and "nosuch" in one_line(err)
    assert not (foreign / "ran").exists()


def test_a_measured_run_is_no_replay(recording):
    _, measured = recording
    assert read(measured).run.replay == ""
