"""Programs of others, on a soft core: an executor and a kernel as they are published.

They take cargo, the target for RV32, and a registry; without them a test says so.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope_rtl.cores import ROOT

EMBASSY = ROOT / "examples" / "embassy"
TRIPLE = "riscv32imc-unknown-none-elf"


@pytest.fixture(scope="module")
def embassy(tmp_path_factory):
    """The example's file, built by cargo in a copy of its folder."""
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo")
    folder = tmp_path_factory.mktemp("witness") / "embassy"
    shutil.copytree(EMBASSY, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    command = ["cargo", "build", "--release", "--quiet"]
    environment = {name: value for name, value in os.environ.items() if name != "RUSTFLAGS"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    for lacking in ("can't find crate for `core`", "Could not resolve host", "error: no such"):
        if lacking in done.stderr:
            pytest.skip(f"cargo: {lacking}")
    assert done.returncode == 0, done.stderr
    return Path(folder, "target", TRIPLE, "release", "embassy")


def test_embassy_answers_by_its_handler_and_by_its_task(plain, embassy, tmp_path):
    experiment = load(EMBASSY / "latency.toml", count=100)
    record = measure(experiment, f"rtl:ibex:line=11:elf={embassy}", tmp_path / "run").run
    assert record.valid, record.reasons
    handler, task = record.stats
    assert handler.n == task.n == 100
    assert handler.min_ticks == handler.max_ticks < task.min_ticks == task.max_ticks
    # The compiler decides which figure it is; docs/programs.md has that of the one used there.
    assert 40 <= handler.max_ticks <= 100
    assert 200 <= task.max_ticks <= 500


@pytest.fixture(scope="module")
def freertos(tmp_path_factory):
    """The example's file; its Makefile takes the kernel from a package that cargo fetches."""
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo")
    folder = tmp_path_factory.mktemp("witness")
    for part in ("examples/freertos", "fw/stacks/freertos", "fw/stacks/soft/freertos"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("build"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(
        ["make", "-s", "-C", folder / "examples" / "freertos"],
        check=True,
        env=os.environ | {"PATH": path},
    )
    return folder / "examples" / "freertos" / "build"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("core", "target", "file", "opened", "caller"),
    [
        (
            "rv32",
            "rtl:ibex",
            "rv32.elf",
            {"vectors", "xTaskResumeAll", "ulTaskGenericNotifyTake"},
            "work",
        ),
        (
            "a53",
            "twin:functional",
            "a53.elf",
            {"_freertos_vector_table", "vPortEnterCritical"},
            "xTaskResumeAll",
        ),
    ],
)
def test_the_masked_map_of_freertos_names_its_critical_sections(
    plain, freertos, tmp_path, core, target, file, opened, caller
):
    experiment = load(ROOT / "examples" / "freertos" / f"{core}.toml", count=100)
    record = measure(experiment, f"{target}:elf={freertos / file}", tmp_path / "run").run
    assert record.valid, record.reasons
    handler, task = record.stats
    assert handler.n == task.n == 100
    assert handler.max_ticks < task.min_ticks
    found = {re.search(r"\((\w+)", one.opened)[1]: one.count for one in record.masked}
    assert opened == found.keys()
    assert any(f"({caller}+" in one.caller and one.count == 100 for one in record.masked)
