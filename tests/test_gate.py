"""irqscope gates its own firmware: latencies on the twin are those of the baselines."""

from __future__ import annotations

import json
from pathlib import Path

from instrument import ROOT, irqscope

GATE = ROOT / "tests/gate/gate.toml"


def test_the_firmware_is_as_fast_as_its_baselines(tmp_path: Path) -> None:
    """By the command of the manual. After a change that is meant: the same with --accept."""
    example = (
        (ROOT / "docs/ci.md").read_text().split(".venv/bin/irqscope ")[1].split("\n      - ")[0]
    )
    words = [word.replace("build/", f"{tmp_path}/") for word in example.split()]
    done = irqscope(*words, "--out", tmp_path / "gate")
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert done.stdout.endswith("PASS\n")
    assert {path.name for path in tmp_path.iterdir()} == {
        "gate", "junit.xml", "recording.csv", "bencher.json",
    }  # fmt: skip


def test_what_changed_is_told_by_step_in_ticks_and_in_instructions(tmp_path: Path) -> None:
    """A longer way in the interrupt controller: the code is as long, and takes longer."""
    target = "twin:a53:gic.path=55"
    refused = irqscope("gate", GATE, "--target", target, "--out", tmp_path / "other")
    assert refused.returncode == 2
    assert "another profile: twin, a53 timing, here twin, a53 with gic.path = 55 ns" in (
        refused.stderr
    )
    done = irqscope("gate", GATE, "--target", target, "--mixed", "--json", "--out", tmp_path / "g")
    assert done.returncode == 7
    found = {one["item"]: one for one in json.loads(done.stdout)["statements"] if one["details"]}
    (step,) = (line for line in found["t2"]["details"] if "vector -> handler" in line)
    assert "21 instructions as before: the code is as long, it runs otherwise" in step


def test_code_that_grew_is_found_by_its_instructions(tmp_path: Path) -> None:
    """Against a baseline whose code was two instructions shorter, and a tick faster."""
    baseline = json.loads((ROOT / "tests/gate/t2.json").read_text())
    (step,) = (step for step in baseline["path"] if step["name"] == "vector -> handler")
    step["instructions"] = [line.replace("21 ", "19 ") for line in step["instructions"]]
    (channel,) = baseline["runs"][0]["channels"]
    channel["latencies"][0] = channel["latencies"][0].replace("80 ", "79 ")
    (tmp_path / "t2.json").write_text(json.dumps(baseline))
    gate = GATE.read_text().split("[[items]]")
    text = "[[items]]".join(gate[:2]).replace("../..", str(ROOT))
    (tmp_path / "gate.toml").write_text(text)
    done = irqscope("gate", tmp_path / "gate.toml", "--out", tmp_path / "out")
    assert done.returncode == 7
    assert "with all markers, vector -> handler: 19 instructions, now 21" in done.stdout
