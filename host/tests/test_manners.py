"""Manners of a command line towards typing, scripts and interruption."""

from __future__ import annotations

import json
import os
import signal

import pytest

from irqscope.cli import complete
from irqscope.cli.signals import orderly_stop
from irqscope.experiment import shipped


def test_alone_it_is_help_and_no_failure(irqscope):
    code, out, err = irqscope()
    assert code == 0 and out.startswith("Usage: irqscope") and err == ""


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "Ctrl-C")]
)
def test_each_signal_is_called_by_its_name(number, said, capfd):
    with orderly_stop() as stop:
        assert not stop()
        os.kill(os.getpid(), number)
        assert stop() == f"interrupted by {said}"


@pytest.mark.parametrize("command", ["run", "suite"])
@pytest.mark.parametrize("target", ["twin:nosuch", "/dev/ttyNowhere"])
def test_a_mistyped_target_is_one_line_and_leaves_no_folder(
    irqscope, experiment, tmp_path, monkeypatch, command, target
):
    monkeypatch.chdir(tmp_path)
    subject = experiment() if command == "run" else "wake-up"
    before = set(tmp_path.iterdir())
    code, out, err = irqscope(command, subject, "--target", target)
    assert (code, out) == (3, "") and err.count("\n") == 1
    assert set(tmp_path.iterdir()) == before


def test_quiet_prints_the_headline_alone(irqscope, experiment, board, tmp_path):
    words = (experiment(), "--target", board().port, "--count", 30)
    code, out, err = irqscope("run", *words, "--quiet", "--out", tmp_path / "a")
    assert (code, err, out.count("\n")) == (0, "", 1) and out.endswith("(N = 30), valid\n")
    code, out, err = irqscope("run", *words, "--quiet", "--json", "--out", tmp_path / "b")
    assert (code, err) == (0, "") and json.loads(out)["valid"]
    assert "verdict" in irqscope("run", *words, "--out", tmp_path / "c")[1]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A working directory and a user's configuration, both empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "here").mkdir()
    (tmp_path / "config" / "irqscope").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def test_defaults_are_used_and_shown_and_the_nearer_file_wins(irqscope, experiment, board, home):
    (home / "config/irqscope/irqscope.toml").write_text('target = "twin:a9"\nout = "measured"\n')
    port = board().port
    (home / "here/irqscope.toml").write_text(f'target = "{port}"\njobs = 2\n')
    data = json.loads(irqscope("info", "--json")[1])
    assert (data["target"], data["out"], data["jobs"]) == (port, "measured", 2)
    assert len(data["defaults from"]) == 2
    assert irqscope("run", experiment(), "--count", 20)[0] == 0
    (folder,) = (home / "here/measured").iterdir()
    assert json.loads((folder / "run.json").read_text())["target"] == port
    listed = json.loads(irqscope("list", "--json")[1])
    assert [row["folder"] for row in listed] == [folder.name]


def test_a_mistyped_default_names_file_line_and_key(irqscope, experiment, home):
    (home / "here/irqscope.toml").write_text('out = "a"\ntargt = "twin"\n')
    code, _, err = irqscope("run", experiment())
    assert code == 2 and "irqscope.toml:2: targt: unknown key; did you mean target?" in err
    assert err.count("\n") == 1


def test_targets_experiments_and_suites_are_completed():
    def values(of, begun):
        return [item.value for item in of(None, None, begun) if item.type == "plain"]

    assert "rtl:cv32rt" in values(complete.targets, "rtl:")
    assert {"twin:a53", "twin:a9"} <= set(values(complete.targets, "twin:a"))
    assert "t2" in values(complete.experiments, "t")
    assert values(complete.suites, "horst") == ["horst2020"]


def test_an_experiment_is_found_by_name_and_two_of_one_name_by_their_folders(irqscope, tmp_path):
    assert shipped.find_experiment("t2").parts[-2:] == ("horst2020", "t2.toml")
    assert shipped.find_experiment("wake-up/wfi").parts[-2:] == ("wake-up", "wfi.toml")
    code, _, err = irqscope("run", "wfi", "--out", tmp_path / "run")
    assert code == 2 and "say placement/wfi or wake-up/wfi" in err
    listed = json.loads(irqscope("experiments", "--json")[1])
    assert {"t2", "wake-up/wfi", "horst2020"} <= {row["name"] for row in listed}
