"""FreeRTOS as the stack of core 0: what must hold on both sides, and in every case of the paper.

The gateware's counters, the kernel's own count, and the twin's statistics know nothing of each
other.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from instrument import ROOT, Twin, brief, irqscope, record, samples, with_instruction
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import BATCH_S
from irqscope.campaign.suite import load as load_suite
from irqscope.experiment import Experiment
from irqscope.experiment.load import load
from irqscope.kinds.throughput.report import handler_of
from irqscope.results.record import RunRecord
from irqscope.targets import Target, open_target
from objects import seed

COUNT = 24
TICK_PPI = 29
HORST = ROOT / "experiments" / "horst2020"
TICKS_A_STIMULUS = 5  # of 1 ms in 5 ms
ENTRIES = {
    entry.name: entry.experiment
    for entry in load_suite(HORST, "quick").entries
    if entry.experiment.stack == "freertos"
}


@pytest.fixture(scope="session", autouse=True)
def freertos() -> None:
    """The firmware with FreeRTOS. Fails with the build's message if the kernel is missing."""
    process = subprocess.run(
        ["make", "--no-print-directory", "stacks", "STACKS=freertos"],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if process.returncode:
        pytest.fail(process.stderr.strip())


def t2(**changes: Any) -> Experiment:
    return load(HORST / "t2.toml", **{"stack": "freertos", "count": COUNT} | changes)


def stages(**changes: Any) -> Experiment:
    settings = {"stack": "freertos", "count": COUNT, "priority": 0x90}
    return load(HORST / "t2-stages.toml", **settings | changes)


def run(
    experiment: Experiment,
    target: str,
    folder: Path,
    batch_s: float = BATCH_S,
    opened: Target | None = None,
) -> RunRecord:
    result = measure(experiment, target, folder, batch_s=batch_s, opened=opened)
    assert result.error is None, result.error
    assert result.run.valid, result.run.reasons
    return result.run


# ---- T2, from both sides -------------------------------------------------------------------------


@pytest.mark.parametrize(("period", "ticks"), [("1 ms", 1), ("250 us", 4)])
def test_t2_by_markers_by_the_timer_and_by_the_kernel(
    period: str, ticks: int, tmp_path: Path
) -> None:
    stats = tmp_path / "stats.json"
    twin = Twin("--stack", "freertos", "--stats", str(stats))
    try:
        actual = run(
            t2(**{"timer_tick.period": period}), twin.port, tmp_path / "run", COUNT * 0.005 / 3
        )
    finally:
        twin.stop()
    assert actual.stack.name == "freertos"
    assert actual.stack.version == "V11.2.0"
    assert re.search(r"sources sha256 [0-9a-f]{16};", actual.stack.configuration)
    (counters,) = actual.counters
    assert counters.starts == counters.served == actual.firmware.handled_0 == COUNT
    # Each of the three batches begins with up to 1 ms and a period of the timer tick.
    counted = actual.firmware.timer_ticks
    assert 0 <= counted - COUNT * TICKS_A_STIMULUS * ticks <= 3 * (ticks + 1)
    interrupts = json.loads(stats.read_text())["cores"][0]["interrupts"]
    assert interrupts[str(TICK_PPI)] == counted
    # Each timer tick and each stimulus wakes the core, which sleeps in the idle task's hook.
    # So do a batch's start and the last four rounds of its warm-up.
    assert actual.firmware.idles == counted + COUNT + 3 * 5


def test_the_other_compiler_builds_the_same(tmp_path: Path) -> None:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end("no aarch64-linux-gnu-gcc: install the Debian package gcc-aarch64-linux-gnu")
    build = tmp_path / "fw"
    command = ["make", "-C", "fw", "STACK=freertos", "CC=aarch64-linux-gnu-gcc", f"BUILD={build}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    twin = Twin("--elf", str(build / "irqscope-freertos.elf"))
    try:
        actual = run(stages(), twin.port, tmp_path / "run")
    finally:
        twin.stop()
    assert actual.firmware.handled_0 == COUNT
    # The one batch begins with up to two periods of the timer tick before its start.
    assert 0 <= actual.firmware.timer_ticks - COUNT * TICKS_A_STIMULUS <= 2


def test_a_kernel_costs_time_on_the_way_to_the_handler(tmp_path: Path) -> None:
    kernel = run(t2(), "twin:functional", tmp_path / "kernel")
    bare = run(t2(stack="baremetal"), "twin:functional", tmp_path / "bare")
    assert bare.stack.name == "baremetal"
    assert bare.stats[0].max_ticks < kernel.stats[0].min_ticks


@pytest.mark.parametrize("dispatcher", ["direct", "table"])
def test_stages_come_in_their_order_and_the_kernel_switches_between_the_last_two(
    dispatcher: str, tmp_path: Path
) -> None:
    switch = {}
    for stack in ("freertos", "baremetal"):
        experiment = stages(stack=stack, dispatcher=dispatcher)
        run(experiment, "twin:functional", tmp_path / stack)
        rows = samples(tmp_path / stack).to_pylist()
        assert len(rows) == COUNT
        for row in rows:
            times = [row[f"{stage}_ticks"] for stage in ("vector", "handler", "done", "task")]
            assert times == sorted(set(times))
            assert row["latency_ticks"] == row["handler_ticks"]
        switch[stack] = min(row["task_ticks"] - row["done_ticks"] for row in rows)
    # The functional profile has one instruction a cycle, 4.8 a tick; 30 registers are saved.
    assert switch["freertos"] > 100 > switch["baremetal"]


def test_a_level_that_the_handler_takes_back_fires_once(tmp_path: Path) -> None:
    experiment = load(HORST / "t2-level.toml", stack="freertos", count=COUNT)
    actual = run(experiment, "twin:functional", tmp_path / "run")
    assert actual.firmware.handled_0 == COUNT
    assert actual.firmware.spurious == 0
    assert actual.counters[0].unmatched == 0


def test_a_locked_stimulus_meets_one_phase_of_the_kernels_timer_tick(tmp_path: Path) -> None:
    run(t2(**{"lines.0.phase": "locked"}), "twin:functional", tmp_path / "locked")
    run(t2(**{"lines.0.dither_bits": 18}), "twin:functional", tmp_path / "dithered")
    locked, dithered = (
        samples(tmp_path / name).column("timer_tick_phase_ticks").to_numpy()
        for name in ("locked", "dithered")
    )
    assert max(locked) - min(locked) < 250  # 1 us
    assert max(dithered) - min(dithered) > 100_000


# ---- all cases -----------------------------------------------------------------------------------


def test_every_case_of_the_suite_is_there_for_the_kernel() -> None:
    every = load_suite(HORST, "quick").entries
    bare = {entry.name for entry in every if entry.experiment.stack == "baremetal"}
    assert {name.removesuffix("-freertos") for name in ENTRIES} == bare - {"t2-stm"}
    assert len(bare) > 30


#: Between a case with fewer and one with more of the same: cores, background interrupts, parts.
BETWEEN = {
    *(f"t4-{number}-freertos" for number in (36, 72, 108, 144)),
    *(f"t4-{number}-enabled-freertos" for number in (36, 72, 108, 144)),
    *(f"{case}-freertos" for case in ("t6-3", "t6-spi-3", "t6-3-throughput", "b-tmax-3")),
    *(f"b-lmax-{parts}-freertos" for parts in ("t4-144-t6-3", "t4-36-t7", "t4-144-t7")),
    *(f"b-lmax-{parts}-freertos" for parts in ("t4-36-t6-3-t7", "t6-3-t7")),
}


def test_what_is_left_to_the_soak_test_is_there() -> None:
    assert ENTRIES.keys() > BETWEEN


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """One twin for all cases: each run sets up what it needs."""
    with open_target("twin:functional", stack="freertos") as opened:
        yield opened


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.soak) if name in BETWEEN else name for name in ENTRIES],
)
def test_a_case_of_the_paper_is_valid(name: str, target: Target, tmp_path: Path) -> None:
    actual = run(brief(ENTRIES[name]), "twin:functional", tmp_path / "run", opened=target)
    assert actual.stack.name == "freertos"
    # A core that does nothing makes a run invalid, but of a shared interrupt chance decides.
    if actual.experiment.case != "t6-spi":
        assert actual.firmware.handled_0 >= actual.experiment.count
    assert actual.firmware.timer_ticks > 0


@pytest.mark.parametrize(("suffix", "alike"), [("", True), ("-freertos", False)])
def test_the_run_says_whose_handler_each_core_had_as_its_vectors_show(
    suffix: str, alike: bool, tmp_path: Path
) -> None:
    every = {entry.name: entry.experiment for entry in load_suite(HORST, "quick").entries}
    actual = run(brief(every[f"b-tmax{suffix}"]), "twin:functional", tmp_path / "run")
    assert actual.readback is not None
    first, other = (core.vector for core in actual.readback.cores)
    assert (first == other) == alike
    assert ("(baremetal)" in handler_of(actual, actual.throughput[1])) == (not alike)


# ---- what goes wrong -----------------------------------------------------------------------------


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    created = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = created
    spec.loader.exec_module(created)
    return created


def test_the_kernel_starts_anew_after_a_fault_in_a_handler(tmp_path: Path) -> None:
    """With an instruction that no processor has in the handler of one marker set.

    A run calibrates with the other one first.
    """
    elf = ROOT / "build/fw/irqscope-freertos.elf"
    broken = tmp_path / "broken.elf"
    address = with_instruction(elf, "freertos_handler_stages", 0, broken)
    twin = Twin("--elf", str(broken))
    try:
        for number in range(2):
            failed = measure(stages(), twin.port, tmp_path / f"failed-{number}")
            assert f"exception (ESR 0x2000000, ELR {address:#x})" in str(failed.error)
            run(t2(), twin.port, tmp_path / f"run-{number}")
    finally:
        twin.stop()


def test_another_stack_than_the_experiments_is_refused_in_one_sentence(tmp_path: Path) -> None:
    twin = Twin("--stack", "freertos")
    try:
        process = irqscope(
            "run", HORST / "t2.toml", "--target", twin.port, "--out", tmp_path / "run"
        )
    finally:
        twin.stop()
    assert process.returncode == 3
    last = process.stderr.strip().splitlines()[-1]
    assert last == (
        'irqscope: the experiment has stack = "baremetal", the target runs "freertos"; '
        "load irqscope.elf or change the key"
    )
    assert record(tmp_path / "run")["stack"]["name"] == "freertos"


def test_a_stack_that_was_never_built_is_named_with_the_command_that_builds_it(
    tmp_path: Path,
) -> None:
    result = measure(t2(stack="mine"), "twin:functional", tmp_path / "run")
    assert "irqscope-mine.elf is missing: run `make stacks STACKS=mine`" in str(result.error)


def test_without_cargo_the_build_says_what_to_install_and_bare_metal_needs_none(
    tmp_path: Path,
) -> None:
    def path_without(program: str, folder: Path) -> Path:
        """The folder, or one that links to all else in it: make may be its neighbour."""
        if not (folder / program).exists():
            return folder
        links = Path(tempfile.mkdtemp(dir=tmp_path))
        for path in folder.iterdir():
            if path.name != program:
                (links / path.name).symlink_to(path)
        return links

    folders = [path_without("cargo", Path(f)) for f in os.environ["PATH"].split(os.pathsep)]
    env = os.environ | {
        "CARGO_HOME": str(tmp_path),
        "PATH": os.pathsep.join(map(str, folders)),
    }

    def make(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "--no-print-directory", "-C", "fw", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=600, check=False
        )

    process = make("STACK=freertos", f"BUILD={tmp_path}/fw")
    assert process.returncode
    (line,) = [line for line in process.stderr.splitlines() if line.strip()]
    assert "no cargo" in line and "apt-get install cargo-web" in line and "FREERTOS=DIR" in line
    assert make().returncode == 0
    assert "stacks/freertos" not in make("-n", "--always-make").stdout


# ---- where the kernel comes from -----------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel() -> ModuleType:
    return module(ROOT / "fw/stacks/freertos/kernel.py")


@pytest.fixture
def released(kernel: ModuleType, tmp_path: Path) -> Path:
    """A folder with the released kernel."""
    for name, content in kernel.from_package(tmp_path).items():
        path = tmp_path / "kernel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "kernel"


def test_a_package_of_another_hash_is_refused(
    kernel: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "registry/cache/some/freertos-next-0.12.0.crate"
    package.parent.mkdir(parents=True)
    package.write_bytes(b"other")
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    with pytest.raises(
        kernel.Refusal, match=r"0\.crate: sha256 d9298a10d1b0735837dc4bd85dac641b0f3"
    ):
        kernel.from_package(tmp_path)


def test_a_package_with_another_version_in_it_is_refused(
    kernel: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "VERSION", "V11.1.0")
    with pytest.raises(
        kernel.Refusal, match=r"0\.12\.0 holds kernel V11\.2\.0, wanted is V11\.1\.0"
    ):
        kernel.from_package(tmp_path)


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("echo 'error: no such host' >&2; exit 101", "(error: no such host); it takes a network"),
        ("exec sleep 60", "(it took more than 1 s); it takes a network"),
        ("exit 0", "(exit code 0); it takes a network"),
    ],
)
def test_a_cargo_that_brings_nothing_is_told_in_one_line(
    kernel: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, said: str
) -> None:
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text(f"#!/bin/sh\n{does}\n")
    cargo.chmod(0o755)
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    monkeypatch.setattr(kernel, "FETCH_S", 1)
    with pytest.raises(kernel.Refusal) as refused:
        kernel.from_package(tmp_path)
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("tasks.c", "no kernel; name the folder that holds its tasks.c"),
        ("list.c", "kernel V11.2.0 has no list.c"),
        ("include/task.h", "does not tell its version"),
        ("portable/GCC/ARM_AARCH64/port.c", "kernel V11.2.0 has no portable/GCC/ARM_AARCH64"),
        ("portable/GCC/ARM_AARCH64/portASM.S", "has no portable/GCC/ARM_AARCH64/portASM.S"),
    ],
)
def test_an_incomplete_copy_is_refused_by_what_it_lacks(
    kernel: ModuleType, released: Path, gone: str, said: str
) -> None:
    (released / gone).unlink()
    with pytest.raises(kernel.Refusal, match=re.escape(said)):
        kernel.chosen(kernel.from_folder(released), "aarch64")


def test_a_kernel_that_is_too_old_is_refused(kernel: ModuleType, released: Path) -> None:
    header = released / "include" / "task.h"
    header.write_text(header.read_text().replace('"V11.2.0"', '"V10.5.1"'))
    with pytest.raises(kernel.Refusal, match=r"kernel V10\.5\.1 is older than V10\.6"):
        kernel.chosen(kernel.from_folder(released), "aarch64")


def test_a_copy_of_ones_own_is_built_and_its_version_stands_in_the_run(
    released: Path, tmp_path: Path
) -> None:
    header = released / "include" / "task.h"
    header.write_text(header.read_text().replace('"V11.2.0"', '"V11.2.0-mine"'))
    build = seed(ROOT / "build" / "fw", tmp_path / "fw", "freertos*")
    command = ["make", "--no-print-directory", "-C", "fw", "STACK=freertos", f"BUILD={build}"]
    subprocess.run(
        [*command, f"FREERTOS={released}"], cwd=ROOT, check=True, capture_output=True, timeout=300
    )
    twin = Twin("--elf", str(build / "irqscope-freertos.elf"))
    try:
        actual = run(t2(), twin.port, tmp_path / "run")
    finally:
        twin.stop()
    own = run(t2(), "twin:functional", tmp_path / "ours")
    assert actual.stack.version == "V11.2.0-mine"
    assert actual.stack.configuration != own.stack.configuration  # its hash
