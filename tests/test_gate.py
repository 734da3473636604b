"""irqscope gates its own firmware: on the twin and on a core latencies are as in the baselines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from instrument import ROOT, irqscope
from objects import seed

GATE = ROOT / "tests/gate/gate.toml"
SOFT = ROOT / "tests/gate/soft.toml"
CORE = "rtl:cv32e40p"


def unwrapped(text: str) -> str:
    """The output without line breaks."""
    return " ".join(text.split())


def first_item(folder: Path) -> Path:
    """The gate with T2 alone, whose baseline goes next to it."""
    head, item, *_ = GATE.read_text().split("[[items]]")
    (folder / "gate.toml").write_text(f"{head}[[items]]{item}".replace("../..", str(ROOT)))
    return folder / "gate.toml"


def test_the_firmware_is_as_fast_as_its_baselines(tmp_path: Path) -> None:
    """Follows the manual's command. After a change that is meant: the same with --accept."""
    example = (
        (ROOT / "docs/ci.md").read_text().split(".venv/bin/irqscope ")[1].split("\n      - ")[0]
    )
    words = [word.replace("build/", f"{tmp_path}/") for word in example.split()]
    process = irqscope(*words, "--out", tmp_path / "gate")
    assert process.returncode == 0, f"{process.stdout}{process.stderr}"
    assert process.stdout.endswith("PASS\n")
    assert {path.name for path in tmp_path.iterdir()} == {
        "gate", "junit.xml", "recording.csv", "bencher.json",
    }  # fmt: skip


def test_what_changed_is_told_by_step_in_ticks_and_in_instructions(tmp_path: Path) -> None:
    """A longer way in the interrupt controller: the code is as long, and takes longer."""
    target, gate = "twin:a53:gic.path=55", first_item(tmp_path)
    shutil.copy(ROOT / "tests/gate/t2.json", tmp_path)
    refused = irqscope("gate", gate, "--target", target, "--out", tmp_path / "other")
    assert refused.returncode == 2
    assert "another profile: twin, a53 timing, here twin, a53 with gic.path = 55 ns" in (
        refused.stderr
    )
    process = irqscope(
        "gate", gate, "--target", target, "--mixed", "--json", "--out", tmp_path / "g"
    )
    assert process.returncode == 7
    output = {
        one["item"]: one for one in json.loads(process.stdout)["statements"] if one["details"]
    }
    (step,) = (line for line in output["t2"]["details"] if "vector -> handler" in line)
    assert "21 instructions as before: the code is as long, but its timing differs" in step


def test_code_that_grew_is_found_by_its_instructions(tmp_path: Path) -> None:
    """Against a baseline whose code was two instructions shorter, and a tick faster."""
    baseline = json.loads((ROOT / "tests/gate/t2.json").read_text())
    (step,) = (step for step in baseline["path"] if step["name"] == "vector -> handler")
    step["instructions"] = [line.replace("21 ", "19 ") for line in step["instructions"]]
    (channel,) = baseline["runs"][0]["channels"]
    channel["latencies"][0] = channel["latencies"][0].replace("80 ", "79 ")
    (tmp_path / "t2.json").write_text(json.dumps(baseline))
    process = irqscope("gate", first_item(tmp_path), "--out", tmp_path / "out")
    assert process.returncode == 7
    assert "with all markers, vector -> handler: 19 instructions, now 21" in unwrapped(
        process.stdout
    )


# ---- a core in RTL simulation ----------------------------------------------------------------


@pytest.fixture(scope="module")
def core() -> str:
    """Builds as `make cores` does; does nothing when the build is current."""
    command = ["make", "--no-print-directory", "cores", "CORES=cv32e40p"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    return CORE


def longer_by_one(folder: Path) -> Path:
    """The core's firmware with one more instruction before its marker."""
    shutil.copytree(ROOT / "fw", folder / "fw")
    build = seed(ROOT / "build" / "fw-soft", folder / "build" / "fw-soft")
    vectors = folder / "fw/stacks/baremetal/rv32/vectors.S"
    text = vectors.read_text()
    assert text.count("EACH_OF_EABI sw\n") == 1
    vectors.write_text(text.replace("EACH_OF_EABI sw\n", "EACH_OF_EABI sw\n    nop\n"))
    command = ["make", "-j2", "-s", "-C", folder / "fw", "MACHINE=soft"]
    environment = {key: value for key, value in os.environ.items() if key != "MAKEFLAGS"}
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    return build / "irqscope.elf"


def test_the_firmware_of_a_core_takes_as_many_cycles_as_its_baseline(
    core: str, tmp_path: Path
) -> None:
    process = irqscope("gate", SOFT, "--target", core, "--out", tmp_path / "gate")
    assert process.returncode == 0, f"{process.stdout}{process.stderr}"
    assert "720 latencies, equal to the cycle" in unwrapped(process.stdout)
    assert "0 of 240 took longer than 33 cycles" in unwrapped(process.stdout)


def test_one_instruction_more_on_a_core_is_told_in_cycles(core: str, tmp_path: Path) -> None:
    target = f"{core}:elf={longer_by_one(tmp_path)}"
    process = irqscope("gate", SOFT, "--target", target, "--json", "--out", tmp_path / "gate")
    assert process.returncode == 7, f"{process.stdout}{process.stderr}"
    (exact,) = (one for one in json.loads(process.stdout)["statements"] if one["name"] == "exact")
    stops = ("edge -> handler", "edge -> pc:handler_first", "edge -> id:handler_first")
    for channel, stop in enumerate(stops):
        reported = next(
            line for line in exact["details"] if line.startswith(f"channel {channel}, ")
        )
        assert reported.startswith(
            f"channel {channel}, {stop}: 240 of 240 moved by +1 cycles (min "
        )
    (step,) = (line for line in exact["details"] if "-> handler: " in line and "markers" in line)
    assert "moved by +1 cycles" in step
