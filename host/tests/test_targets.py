"""Meaning of a target's name, and its effect."""

from __future__ import annotations

import sys

import pytest

from conftest import T2
from irqscope.acquire.measure import measure
from irqscope.cli import bars
from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.experiment import load
from irqscope.link.identify import identify
from irqscope.link.link import Link
from irqscope.link.transport import SerialTransport
from irqscope.targets import open_target, process
from irqscope.targets.process import parts_of
from irqscope.targets.rtl import RtlSettings
from irqscope.targets.twin import TwinSettings
from irqscope.units import whole


def test_the_name_of_a_twin_becomes_its_command_line():
    settings = TwinSettings.parse("a53:no-skip:gic.path=45:ddr.read=90")
    assert settings.command()[3:] == [
        "--profile", "a53", "--no-skip", "--set", "gic.path=45", "--set", "ddr.read=90",
    ]  # fmt: skip
    assert TwinSettings.parse("").command()[3:] == ["--profile", "a53"]
    kernel = TwinSettings(stack="freertos").command()
    assert kernel[3:] == ["--profile", "a53", "--stack", "freertos"]


@pytest.mark.parametrize(
    ("text", "profile", "more"),
    [
        ("zynq7000", "zynq7000", []),
        ("zynq7000:functional", "zynq7000:functional", []),
        ("zynq7000:a9:no-skip", "zynq7000:a9", ["--no-skip"]),
        ("a53:layout=3", "a53", ["--layout", "3"]),
        ("zynq7000:gic.path=20", "zynq7000", ["--set", "gic.path=20"]),
        ("zynqmp:functional", "zynqmp:functional", []),
        ("a9", "a9", []),
    ],
)
def test_a_machine_stands_in_front_of_its_profile_or_alone(text, profile, more):
    assert TwinSettings.parse(text).command()[3:] == ["--profile", profile, *more]


def test_a_fault_becomes_an_option_and_stands_in_the_label():
    settings = TwinSettings.parse("functional:fault=spi-dead")
    assert settings.command()[3:] == ["--profile", "functional", "--fault", "spi-dead"]
    assert settings.deviation() == "fault spi-dead"


def test_a_twin_takes_one_fault_at_a_time():
    with pytest.raises(TargetError, match="one fault at a time"):
        TwinSettings.parse("functional:fault=spi-dead:fault=ppi-dead")


def test_an_unknown_fault_is_refused_by_the_twin(experiment, tmp_path):
    """The real twin refuses it: it knows its faults."""
    result = measure(load(experiment(), count=10), "twin:functional:fault=nix", tmp_path / "run")
    assert result.exit_code == 3
    assert "there is no fault 'nix'; --faults lists them" in str(result.error)


def test_an_option_that_no_twin_has():
    with pytest.raises(TargetError, match='layout: "x" is no number; say twin:PROFILE:layout=1'):
        open_target("twin:a53:layout=x")
    with pytest.raises(TargetError, match='no option "fast"; say twin:PROFILE:no-skip'):
        open_target("twin:functional:no-skip:fast")


def test_another_value_of_a_constant_stands_in_the_label_with_its_unit(
    experiment, fake_twin, tmp_path
):
    fake_twin()
    result = measure(load(experiment(), count=10), "twin:functional:gic.path=45", tmp_path / "run")
    assert result.exit_code == 0, result.error
    assert result.run.source.label == "twin, functional with gic.path = 45 ns"
    assert result.run.source.profile == "functional"


def test_an_unknown_constant_is_refused_by_the_twin(experiment, tmp_path):
    """The real twin refuses it: it knows its table."""
    expected = load(experiment(), count=10)
    result = measure(expected, "twin:functional:gic.pace=45", tmp_path / "run")
    assert result.exit_code == 3
    assert "the twin did not start: " in str(result.error)
    assert "gic.pace" in str(result.error)


@pytest.mark.parametrize(
    "url",
    [
        "spy:///dev/null?file=PRECIOUS",
        "SPY:///dev/null?file=PRECIOUS",
        "alt:///dev/null?class=PosixPollSerial",
        "hwgrep://(",
        "loop://",
        "loop://?x",
        "cp2110://",
        "file:///etc/passwd",
        "://x",
        "socket://",
        "socket://x:y",
        "socket://[::1",
        "rfc2217://",
        "rfc2217://127.0.0.1:1?timeout=x",
    ],
)
def test_a_url_behind_which_no_board_can_be_is_refused_and_does_nothing(url, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    with pytest.raises(LinkError, match=r"; give a device, socket://HOST:PORT or rfc2217") as error:
        open_target(url.replace("PRECIOUS", str(precious)))
    assert error.value.kind is LinkErrorKind.NO_PORT
    assert precious.read_text() == "mine"


def test_a_sensitivity_of_a_twin_that_does_not_start_runs_nothing(irqscope, tmp_path):
    out = tmp_path / "out"
    code, _, err = irqscope("sensitivity", T2, "--target", "twin:a53:gic.path=x", "--out", out)
    assert code == 3 and "the twin did not start: gic.path: 'x' is not a whole number" in err
    assert not out.exists()


@pytest.mark.parametrize("wiring", ["hum", "nix", ""])
def test_wires_of_a_twin_without_a_device_are_refused(experiment, tmp_path, wiring):
    expected = load(experiment(), count=10)
    result = measure(expected, f"twin:functional:wiring={wiring}", tmp_path / "run")
    assert result.exit_code == 3
    assert f"wiring '{wiring}': there is no device to be wired" in str(result.error)


@pytest.mark.parametrize("option", ["fault=", "variant=", "gic.path=1_0", "gic.path= 45"])
def test_a_value_that_is_none_is_refused_by_the_twin(experiment, tmp_path, option):
    result = measure(load(experiment(), count=10), f"twin:functional:{option}", tmp_path / "run")
    assert result.exit_code == 3 and "the twin did not start: " in str(result.error)


@pytest.mark.parametrize(
    ("source", "name", "label"),
    [
        (0x0_0101, "zcu102", "zcu102"),
        (0x0_0201, "zcu104", "zcu104"),
        (0x0_0301, "kv260", "kv260"),
        (0x1_0101, "zcu102", "twin, functional timing"),
        (0x2_0101, "zcu102", "twin, a53 timing"),
        (0x8002_0101, "zcu102", "twin, a53 with a change"),
    ],
)
def test_a_target_bears_the_name_of_the_numbers_in_its_identity(board, source, name, label):
    link = Link(SerialTransport(board(source=source).port))
    try:
        identity = identify(link.hello())
    finally:
        link.abandon()
    assert (identity.machine.name, identity.board, identity.label) == ("zynqmp", name, label)
    assert identity.target == label.partition(",")[0]
    assert identity.machine.pins.pmod == (4 if name == "kv260" else 8)


def test_a_replay_bears_the_name_of_what_was_recorded(experiment, fake_twin, tmp_path):
    """Bytes show that a constant was changed, the recording's first line shows which."""
    fake_twin()
    expected = load(experiment(), count=50)
    record = tmp_path / "link.txt"
    twin = measure(expected, "twin:functional:gic.path=45", tmp_path / "a", record=record)
    replay = measure(expected, f"replay:{record}", tmp_path / "b")
    assert replay.exit_code == 0, replay.error
    label = "twin, functional with gic.path = 45 ns"
    assert twin.run.source.label == label
    assert replay.run.source.label == f"replay of {record.name}: {label}"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ibex:elf=p:ready=main.c:48:no-skip", ["ibex", "elf=p", "ready=main.c:48", "no-skip"]),
        ("elf=a:b.elf:ready=app::run:line=3", ["elf=a:b.elf", "ready=app::run", "line=3"]),
        ("zynqmp:a53:elf=p.elf", ["zynqmp", "a53", "elf=p.elf"]),
        ("ibex:elf=p:ram=0x0+0x4:ram=0x4+0x4", ["ibex", "elf=p", "ram=0x0+0x4", "ram=0x4+0x4"]),
    ],
)  # fmt: skip
def test_a_place_and_a_name_may_hold_colons(text, parts):
    assert parts_of(text) == parts


def test_the_place_where_a_program_is_ready_may_be_a_line():
    settings = TwinSettings.parse("a53:elf=p.elf:ready=program.c:48:cpu.quantum=5")
    assert (settings.elf, settings.ready) == ("p.elf", "program.c:48")
    assert settings.values == (("cpu.quantum", "5"),)
    assert ("ready", "program.c:48") in RtlSettings.parse("ibex:elf=p:ready=program.c:48").around


@pytest.mark.parametrize("text", ["1_6", "\u0661", " 1", "+1", "0b1", "1e3", ""])
def test_a_number_of_a_target_is_in_ascii_digits(text):
    assert whole(text) is None
    with pytest.raises(TargetError, match="is no number"):
        TwinSettings.parse(f"a53:layout={text}")


COMPILES = """
import json, time
print(json.dumps({"compiling": "1 of 9, fast.cpp"}), flush=True)
time.sleep(1)
print(json.dumps({"port": "/dev/pts/9", "profile": "x"}), flush=True)
time.sleep(60)
"""


def test_a_compilation_says_through_a_pipe_how_far_it_is(monkeypatch, capfd):
    for module in (process, bars):
        monkeypatch.setattr(module, "TELL_S", 0.2)
    with bars.Bar() as bar:
        started = process.SimulationProcess([sys.executable, "-c", COMPILES], "it", bar.step)
    started.close()
    first, *further = capfd.readouterr().err.splitlines()
    assert first == "compile it, once: 1 of 9, fast.cpp"
    assert 2 <= len(further) <= 6
    assert all(line.startswith(f"{first}, ") and "so far" in line for line in further)
