"""FreeRTOS on the Zynq-7000: by its port for the Cortex-A9, in the cases that two cores can run."""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from instrument import ROOT, Twin, samples, with_instruction
from irqscope.acquire.measure import measure
from irqscope.experiment import Experiment, load
from irqscope.results.record import RunRecord
from irqscope.targets import Target, open_target

TARGET, MODEL = "twin:zynq7000:functional", "twin:a9"
COUNT = 6
#: Experiments with their changes: short, since busy cores take long on a twin.
PHASE = {"lines.0.high": "1 ms", "lines.0.low": "1 ms", "count": 2}
CASES: dict[str, dict[str, Any]] = {
    "horst2020/t1": {},
    "horst2020/t2": {},
    "horst2020/t2-ppi": {},
    "horst2020/t3": {},
    "horst2020/t4-72": {},
    "horst2020/t5": {},
    "horst2020/t6-2": {"count": 2},
    "horst2020/t6-spi-2": {"count": 2},
    "horst2020/t7": {"count": 1},
    "horst2020/b-tmax": PHASE,
    "horst2020/t1-throughput": PHASE,
    "context-switch/yield": {},
    "context-switch/notification": {},
    "context-switch/interrupt": {},
}


@pytest.fixture(scope="module")
def elf() -> Path:
    """The program. Fails with the build's message if the kernel is missing."""
    with (ROOT / "build" / "fw-tests.lock").open("w") as lock:  # two workers, the same files
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.run(
            ["make", "--no-print-directory", "stacks", "STACKS=freertos", "MACHINE=zynq7000"],
            cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    if process.returncode:
        pytest.fail(process.stderr.strip())
    return ROOT / "build" / "fw-zynq7000" / "irqscope-freertos.elf"


@pytest.fixture(scope="module")
def target(elf: Path) -> Iterator[Target]:
    with open_target(TARGET, stack="freertos") as opened:
        yield opened


def wanted(name: str, **changes: Any) -> Experiment:
    settings = {"stack": "freertos", "count": COUNT} | changes
    return load(ROOT / "experiments" / f"{name}.toml", **settings)


def run(
    experiment: Experiment, target: str, folder: Path, opened: Target | None = None
) -> RunRecord:
    result = measure(experiment, target, folder, opened=opened)
    assert result.error is None and result.run.valid, (result.error, result.run.reasons)
    return result.run


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_valid_beside_the_kernels_timer_tick(
    name: str, target: Target, tmp_path: Path
) -> None:
    experiment = wanted(name, **CASES[name])
    actual = run(experiment, TARGET, tmp_path / "run", target)
    assert (actual.stack.name, actual.stack.version) == ("freertos", "V11.2.0")
    assert "; secure system mode, GICv1; " in actual.stack.configuration
    assert "32-bit kernel ticks" in actual.stack.configuration
    assert all(counters.served >= experiment.count for counters in actual.counters)
    assert actual.firmware.timer_ticks > 0


def test_the_stages_come_in_their_order(target: Target, tmp_path: Path) -> None:
    run(wanted("horst2020/t2-stages", priority=0x90), TARGET, tmp_path / "run", target)
    rows = samples(tmp_path / "run").to_pylist()
    assert len(rows) == COUNT
    for row in rows:
        times = [row[f"{stage}_ticks"] for stage in ("vector", "handler", "done", "task")]
        assert times == sorted(set(times))


def test_the_model_charges_the_kernels_way_and_most_without_caches(
    elf: Path, tmp_path: Path
) -> None:
    """T4 takes all of the core's time: 36 interrupts of some 8 us each in 203 us."""
    with open_target(MODEL, stack="freertos") as opened:
        minimum = {
            name: run(wanted(f"horst2020/{name}", count=2), MODEL, tmp_path / name, opened)
            .stats[0]
            .min_ticks
            for name in ("t2", "t4-36")
        }
    bare = run(wanted("horst2020/t2", stack="baremetal", count=2), MODEL, tmp_path / "bare")
    assert bare.stats[0].max_ticks < minimum["t2"] < 60
    assert minimum["t4-36"] > 3 * minimum["t2"]


def test_the_kernel_starts_anew_after_a_fault_in_a_handler(elf: Path, tmp_path: Path) -> None:
    """With an instruction that no processor has in the handler of one marker set.

    A run calibrates with the other one first.
    """
    broken = tmp_path / "broken.elf"
    address = with_instruction(elf, "freertos_handler_stages", 0xE7F000F0, broken)
    twin = Twin("--profile", "zynq7000:functional", "--elf", str(broken))
    try:
        stages = wanted("horst2020/t2-stages", priority=0x90)
        failed = measure(stages, twin.port, tmp_path / "failed")
        assert f"ELR {address + 4:#x}" in str(failed.error)  # as the core gives it
        run(wanted("horst2020/t2"), twin.port, tmp_path / "run")
    finally:
        twin.stop()


def test_a_stack_that_the_machine_lacks_is_refused_with_the_reason(tmp_path: Path) -> None:
    result = measure(wanted("horst2020/t2", stack="standalone"), TARGET, tmp_path / "run")
    assert result.exit_code == 3
    assert (
        "stack: zynq7000 has no standalone: it is written after the vendor's vector for AArch64 "
        "alone" in str(result.error)
    )
