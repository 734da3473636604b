"""Variants of the board: how they are named, and that nothing is changed without one."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from board import command_of
from irqscope.machines.firmware_file import DEFAULT_MACHINE, DEFAULT_STACK, firmware
from irqscope_twin import faults, variants

FIRMWARE = firmware(DEFAULT_MACHINE, DEFAULT_STACK)
TWIN = [sys.executable, "-m", "irqscope_twin"]
MANUAL = Path(__file__).resolve().parents[2] / "docs" / "twin.md"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TWIN, *options], capture_output=True, text=True, check=False)


def test_the_list_has_a_line_for_each_variant():
    process = run("--variants")
    assert process.returncode == 0
    lines = process.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(variants.VARIANTS)
    for line, variant in zip(lines, variants.VARIANTS.values(), strict=True):
        assert variant.register in line
        assert line.endswith(variant.does)


def test_an_unknown_variant_is_refused_in_one_line():
    process = run("--variant", "nix")
    assert (process.returncode, process.stderr.count("\n")) == (2, 1)
    assert "there is no variant 'nix'; --variants lists them" in process.stderr


@pytest.mark.parametrize("setting", ["nix=1", "ppisr", "ppisr=", "ppisr=x"])
def test_the_engine_refuses_what_is_no_variant(setting):
    command = [*command_of(FIRMWARE), "--variant", setting]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert f"unknown variant {setting}" in process.stderr


def test_without_a_variant_the_engine_is_told_of_none():
    assert "--variant" not in command_of(FIRMWARE)


def test_a_variant_changes_the_hash_and_is_no_fault():
    def of(*options: str) -> tuple[int, int]:
        command = command_of(FIRMWARE, *options)
        source, hashed = (
            command[command.index(f"--source-{subject}") + 1] for subject in ("id", "hash")
        )
        return int(source), int(hashed, 0)

    sound = of()
    observed = [of("--variant", name) for name in variants.VARIANTS]
    changed = 1 << 31  # `changed` of the register `source`
    assert {source for source, _ in observed} == {sound[0] | changed}
    hashes = {sound[1], *(value for _, value in observed)}
    here = [name for name, fault in faults.FAULTS.items() if "zynqmp" in fault.machines]
    hashes |= {of("--fault", name)[1] for name in here}
    assert len(hashes) == 1 + len(variants.VARIANTS) + len(here)


def test_the_manual_has_each_variant_with_both_sources():
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", MANUAL.read_text(), re.M))
    expected = {
        v.name: " | ".join((v.register, v.does, v.source, v.other_source))
        for v in variants.VARIANTS.values()
    }
    assert rows == expected
