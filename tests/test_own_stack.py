"""A software stack of one's own, by the template's example: each case it offers, on the twin."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from instrument import ROOT, Twin
from irqscope.experiment import load
from irqscope.measure import Result, measure

EXPERIMENTS = ROOT / "experiments" / "horst2020"
COUNT = 50


@pytest.fixture(scope="module")
def template() -> Path:
    """The firmware with the template."""
    build = ROOT / "build"
    with (build / "fw-tests.lock").open("w") as lock:  # two workers would write the same files
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            ["make", "--no-print-directory", "-C", ROOT / "fw", "STACK=template"],
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            check=True,
            timeout=300,
        )
    return build / "fw" / "irqscope-template.elf"


Run = Callable[..., Result]


@pytest.fixture
def run(template: Path, tmp_path: Path) -> Run:
    """Runs an experiment of the paper on a firmware, the template's if none is named."""

    def once(
        file: str, elf: Path = template, profile: str = "functional", **overrides: Any
    ) -> Result:
        twin = Twin("--elf", str(elf), "--profile", profile)
        try:
            settings = {"stack": "template", "count": COUNT} | overrides
            return measure(load(EXPERIMENTS / file, **settings), twin.port, tmp_path / file)
        finally:
            twin.stop()

    return once


@pytest.mark.parametrize("profile", ["functional", "a53"])
def test_t2_runs_on_the_template_and_says_so(run: Run, profile: str) -> None:
    result = run("t2.toml", profile=profile)
    assert result.state == "valid", result.run["reasons"]
    assert result.run["stack"]["name"] == "template"
    (books,) = result.run["books"]
    assert books["starts"] == books["served"] == result.run["firmware"]["handled_0"] == COUNT
    assert result.run["in_force"]["handler"] != result.run["in_force"]["vbar"]


@pytest.mark.parametrize("file", ["t1", "t2-level", "t3", "t4-36", "t5", "t6-2", "b-lmax"])
def test_other_cases_run_on_the_template(run: Run, file: str) -> None:
    result = run(f"{file}.toml", count=10)
    assert result.state == "valid", result.error or result.run["reasons"]


@pytest.mark.parametrize("idle", ["wfi", "spin"])
def test_stages_of_the_template_are_in_order(run: Run, idle: str) -> None:
    result = run("t2-stages.toml", count=10, idle=idle)
    assert result.state == "valid", result.error or result.run["reasons"]
    rows = pq.read_table(result.folder / "samples").to_pylist()
    assert len(rows) == 10
    for row in rows:
        stages = [row[f"{stage}_ticks"] for stage in ("vector", "handler", "done", "task")]
        assert None not in stages
        assert sorted(set(stages)) == stages


def test_what_the_template_has_not_is_refused(run: Run) -> None:
    result = run("t2.toml", placement="ocm")
    assert result.state == "failed"
    assert "the value of placement is out of its range" in str(result.error)
