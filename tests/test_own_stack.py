"""A software stack of one's own, by the template's example: each case it offers, on the twin."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from instrument import ROOT, Twin
from irqscope.acquire.measure import Result, measure
from irqscope.experiment import load
from irqscope.link import link as links
from irqscope.link.timeouts import Timeouts
from objects import seed

EXPERIMENTS = ROOT / "experiments" / "horst2020"
COUNT = 50


def make(firmware: Path, *arguments: str) -> None:
    """Builds the template."""
    process = subprocess.run(
        ["make", "--no-print-directory", "-C", firmware, "STACK=template", *arguments],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stdout


@pytest.fixture(scope="module")
def template() -> Path:
    """The firmware with the template."""
    build = ROOT / "build"
    with (build / "fw-tests.lock").open("w") as lock:  # two workers would write the same files
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(ROOT / "fw")
    return build / "fw" / "irqscope-template.elf"


Run = Callable[..., Result]


@pytest.fixture
def run(template: Path, tmp_path: Path) -> Run:
    """Runs an experiment of the paper on a firmware, by default the template's."""

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
    assert result.state == "valid", result.run.reasons
    assert result.run.stack.name == "template"
    (counters,) = result.run.counters
    assert counters.starts == counters.served == result.run.firmware.handled_0 == COUNT
    assert result.run.readback.handler != result.run.readback.vector


@pytest.mark.parametrize("file", ["t1", "t2-level", "t3", "t4-36", "t5", "t6-2", "b-lmax"])
def test_other_cases_run_on_the_template(run: Run, file: str) -> None:
    result = run(f"{file}.toml", count=4)
    assert result.state == "valid", result.error or result.run.reasons


@pytest.mark.parametrize("idle", ["wfi", "spin"])
def test_stages_of_the_template_are_in_order(run: Run, idle: str) -> None:
    result = run("t2-stages.toml", count=10, idle=idle)
    assert result.state == "valid", result.error or result.run.reasons
    rows = pq.read_table(result.folder / "samples").to_pylist()
    assert len(rows) == 10
    for row in rows:
        stages = [row[f"{stage}_ticks"] for stage in ("vector", "handler", "done", "task")]
        assert None not in stages
        assert sorted(set(stages)) == stages


# ---- ports that do something other than they must ------------------------------------------------

#: Changes of the template, (before, after), and the run's message for each.
WRONG = {
    "no marker": (
        """    if (stages)
        marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    else
        marker_send_first();
""",
        "",
        "the measured interrupt's handler makes no marker",
    ),
    "another marker": (
        "        marker_send_first();",
        "        marker_send(MARKER_CHANGE(IRQSCOPE_MARKER_HANDLER, IRQSCOPE_MARKER_DONE));",
        "the handler's marker has code 3, not 2",
    ),
    "no marker word": (
        "    marker_set_first(",
        "    (void)(",
        "did stack_begin make the first marker word?",
    ),
    "vector not installed": (
        "    set_vectors(",
        "    (void)(",
        "stack_prepare does not install its vectors",
    ),
    "another interrupt measured": (
        "    measured = id;",
        "    measured = id + 1;",
        "the measured interrupt's handler makes no marker",
    ),
    "not counted": ("    core.handled++;", "", "stack_core()->handled is 0"),
    "not ended": (
        "    irq_end(iar);\n    if (stages)",
        "    (void)iar;\n    if (stages)",
        "the handler of interrupt 121 does not end it",
    ),
    "end of a batch not told": (
        "        core.finished = true;",
        "        {}",
        "the interrupt that ends a batch does not set finished",
    ),
    "end of a batch not disabled": (
        "        irq_disable(id); /* its line may stay high */",
        "        {}",
        "the handler of interrupt 143, which ends a batch, does not disable it",
    ),
    "no wait": (
        "    while (!core.finished) {\n        if (task_ready)",
        "    while (false) {\n        if (task_ready)",
        "stack_wait returns before the batch has ended",
    ),
    "unmasked after the wait": (
        "    return begun;",
        "    interrupts_unmask();\n    return begun;",
        "stack_wait returns with interrupts unmasked",
    ),
    "masked in the wait": (
        "        interrupts_unmask();\n        while",
        "        while",
        "a handler does not return, or stack_wait does not end when the batch has",
    ),
}


@pytest.fixture(scope="module")
def port(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """``port(before, behind)``: builds the firmware with the template changed."""
    folder = tmp_path_factory.mktemp("port")
    shutil.copytree(ROOT / "fw", folder / "fw", ignore=shutil.ignore_patterns("tests"))
    seed(template.parent, folder / "build" / template.parent.name)
    source = folder / "fw/stacks/template/template.c"
    sound = source.read_text()

    def build(before: str, behind: str) -> Path:
        assert sound.count(before) == 1
        source.write_text(sound.replace(before, behind))
        make(folder / "fw")
        return folder / "build" / template.parent.name / template.name

    return build


@pytest.mark.parametrize("name", WRONG)
def test_a_run_names_what_a_port_does_wrong(
    run: Run, port: Callable[[str, str], Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What does not answer is asked again for a second.
    monkeypatch.setattr(links, "Timeouts", functools.partial(Timeouts, outage_s=1.0))
    before, rest, output = WRONG[name]
    result = run("t2.toml", port(before, rest), count=2)
    assert result.state == "failed"
    assert str(result.error).startswith('the firmware\'s stack "template": ')
    assert output in str(result.error)


@pytest.mark.parametrize("stage", ["done", "task"])
def test_a_run_names_a_stage_that_a_port_never_marks(
    run: Run, port: Callable[[str, str], Path], stage: str
) -> None:
    marker = f"        marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_{stage.upper()}));"
    result = run("t2-stages.toml", port(marker, "        {}"), count=5)
    assert result.state == "invalid"
    assert result.run.reasons == (f'the stack "template" never made the marker {stage}',)


def test_what_the_template_has_not_is_refused(run: Run) -> None:
    result = run("t2.toml", placement="ocm")
    assert result.state == "failed"
    assert "the value of placement is out of its range" in str(result.error)
