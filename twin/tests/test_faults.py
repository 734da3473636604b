"""Faults that can be injected: how they are named, and that nothing is changed without one."""

import subprocess
import sys

import pytest

from board import command_of
from irqscope.machines.firmware_file import DEFAULT_MACHINE, DEFAULT_STACK, firmware
from irqscope_hw import regmap
from irqscope_twin import faults
from irqscope_twin import profile as profiles

FIRMWARE = firmware(DEFAULT_MACHINE, DEFAULT_STACK)
TWIN = [sys.executable, "-m", "irqscope_twin"]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TWIN, *options], capture_output=True, text=True, check=False)


def test_the_list_has_a_line_for_each_fault():
    process = run("--faults")
    assert process.returncode == 0
    lines = process.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(faults.FAULTS)
    for line, fault in zip(lines, faults.FAULTS.values(), strict=True):
        assert fault.place in line
        assert line.endswith(fault.does)


def test_an_unknown_fault_is_refused_in_one_line():
    process = run("--fault", "nix")
    assert (process.returncode, process.stderr.count("\n")) == (2, 1)
    assert "there is no fault 'nix'; --faults lists them" in process.stderr


@pytest.mark.parametrize("setting", ["nix=1", "mute", "mute=", "mute=x"])
def test_the_engine_refuses_what_is_no_fault(setting):
    command = [*command_of(FIRMWARE), "--fault", setting]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert f"unknown fault {setting}" in process.stderr


def test_without_a_fault_the_engine_is_told_of_none():
    assert "--fault" not in command_of(FIRMWARE)


@pytest.mark.parametrize("profile", ["functional", "a53", "zynq7000:functional"])
def test_a_fault_changes_source_and_hash(profile):
    def of(*options: str) -> tuple[int, int]:
        command = command_of(FIRMWARE, "--profile", profile, *options)
        source, sources = (
            command[command.index(f"--source-{subject}") + 1] for subject in ("id", "hash")
        )
        return int(source), int(sources, 0)

    sound = of()
    timing = profiles.load(profile)
    assert sound == (timing.source_id(changed=False), timing.source_hash)
    names = [name for name, one in faults.FAULTS.items() if timing.machine.name in one.machines]
    assert len(names) >= 20
    observed = [of("--fault", name) for name in names]
    assert {source for source, _ in observed} == {timing.source_id(changed=True)}
    assert len({sound[1], *(value for _, value in observed)}) == len(names) + 1


@pytest.mark.parametrize(
    ("fault", "member", "register"),
    [
        ("wrong-version", "changed_word", "version"),
        ("wrong-build", "changed_word", "build_hash"),
        ("wrong-board", "changed_word", "source"),
        ("no-loopback", "unwritable_word", "capture"),
        ("channel-dead", "unwritable_word", "channels[5].config"),
    ],
)
def test_words_of_the_register_space_are_those_of_the_map(fault, member, register):
    assert faults.FAULTS[fault].settings[member] == regmap.IRQSCOPE[register].address
