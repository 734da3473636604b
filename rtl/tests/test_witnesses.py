"""Programs of others: executors and a kernel as they are published.

They take cargo, the targets of Rust, and a registry; without them a test says so, and what to do.
"""

import itertools
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

EXAMPLES = ROOT / "examples"
EMBASSY = EXAMPLES / "embassy"
RV32 = "riscv32imc-unknown-none-elf"


def need_target(triple):
    """Skips the test where Rust has no library for a target, which only rustup can add."""
    command = ["rustc", "--print", "sysroot"]
    rust = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    if not Path(rust.stdout.strip(), "lib", "rustlib", triple, "lib").is_dir():
        pytest.skip(f"Rust has no core for {triple}: run `rustup target add {triple}`")


def built(example, triple, binary, folder):
    """The example's file, built by cargo in a copy of its folder below `folder`."""
    if shutil.which("cargo") is None:
        pytest.skip("no cargo: install the Debian package cargo, or Rust by rustup")
    need_target(triple)
    copy = folder / example
    shutil.copytree(EXAMPLES / example, copy, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    command = ["cargo", "build", "--release", "--quiet"]
    without = ("RUSTFLAGS", "CARGO_TARGET_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in without}
    process = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    for lacking in ("Could not resolve host", "error: no such"):
        if lacking in process.stderr:
            pytest.skip(f"cargo: {lacking}")
    assert process.returncode == 0, process.stderr
    return Path(copy, "target", triple, "release", binary)


@pytest.fixture(scope="module")
def embassy(tmp_path_factory):
    return built("embassy", RV32, "embassy", tmp_path_factory.mktemp("witness"))


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


@pytest.mark.soak
@pytest.mark.parametrize(
    ("example", "triple", "target", "binary", "greatest"),
    [
        # Of each channel; docs/programs.md has the figures of the compiler used there.
        ("rtic", RV32, "rtl:ibex:line=11", "rtic-example", (100, 600, 1300)),
        ("zynq7000-embassy", "armv7a-none-eabi", "twin:zynq7000:functional", None, (100, 200)),
        ("aarch64-embassy", "aarch64-unknown-none", "twin:functional", None, (100, 200)),
        ("stm32-embassy", "thumbv7em-none-eabihf", "twin:m4", None, (50, 1700)),
        ("stm32-rtic", "thumbv7em-none-eabihf", "twin:m4", None, (100, 350)),
        ("lm3s6965-rtic", "thumbv7m-none-eabi", "twin:m4:board=lm3s6965evb", None, (900, 4500)),
    ],
)
def test_a_published_executor_answers_by_its_handler_and_by_its_task(
    plain, tmp_path, example, triple, target, binary, greatest
):
    program = built(example, triple, binary or example, tmp_path)
    experiment = load(EXAMPLES / example / "latency.toml", count=20)
    record = measure(experiment, f"{target}:elf={program}", tmp_path / "run").run
    assert record.valid, record.reasons
    assert [one.n for one in record.stats] == [20] * len(greatest)
    for one, bound in zip(record.stats, greatest, strict=True):
        assert one.max_ticks <= bound
    for earlier, later in itertools.pairwise(record.stats):
        assert earlier.max_ticks < later.min_ticks


def made(example, folder):
    """The folder of products of an example with FreeRTOS, made in a copy of what it takes.

    Its Makefile takes the kernel from a package that cargo fetches.
    """
    if shutil.which("cargo") is None:
        pytest.skip("no cargo: install the Debian package cargo, or Rust by rustup")
    parts = {"examples/freertos", f"examples/{example}", "fw/stacks/freertos"}
    for part in (*parts, "fw/stacks/soft/freertos"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("build"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(
        ["make", "-s", "-C", folder / "examples" / example],
        check=True,
        env=os.environ | {"PATH": path},
    )
    return folder / "examples" / example / "build"


@pytest.fixture(scope="module")
def freertos(tmp_path_factory):
    return made("freertos", tmp_path_factory.mktemp("witness"))


@pytest.fixture(scope="module")
def tickless(tmp_path_factory):
    return made("stm32-tickless", tmp_path_factory.mktemp("tickless"))


def medians_us(experiment, program, tmp_path):
    """Median of each channel on an STM32F411."""
    target = f"twin:m4:board=f411:elf={program}:ready=ready"
    record = measure(experiment, target, tmp_path / "run").run
    assert record.valid, record.reasons
    return [one.quantiles[0].value_ticks * 0.004 for one in record.stats]


@pytest.mark.soak
def test_a_tick_wakes_the_task_of_a_kernel_by_pendsv(plain, tickless, tmp_path):
    experiment = load(
        ROOT / "experiments" / "wake-up" / "stm32f411" / "stm32-tick-on.toml", count=20
    )
    both, handler, switch, _ = medians_us(experiment, tickless / "tick-on.elf", tmp_path)
    assert 1 < handler < 5
    assert 1 < switch < 5
    assert both == pytest.approx(handler + switch, abs=0.02)


@pytest.mark.soak
def test_a_tickless_kernel_wakes_by_the_alarm_with_its_oscillator_off(plain, tickless, tmp_path):
    experiment = load(
        ROOT / "experiments" / "wake-up" / "stm32f411" / "stm32-tickless.toml", count=8
    )
    program = f"{tickless / 'tickless.elf'}:clock.hse_start=620000"
    wake, oscillator, task, edge = medians_us(experiment, program, tmp_path)
    assert 13.5 < wake < 15
    assert 720 < oscillator < 730
    assert 5 < task < 12
    assert edge == pytest.approx(wake + oscillator + task, abs=2)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("core", "target", "file", "opened", "callers"),
    [
        (
            "rv32",
            "rtl:ibex",
            "rv32.elf",
            {"vectors", "xTaskResumeAll", "ulTaskGenericNotifyTake"},
            ["ulTaskGenericNotifyTake", "work"],
        ),
        (
            "a53",
            "twin:functional",
            "a53.elf",
            {"_freertos_vector_table", "vPortEnterCritical"},
            ["xTaskResumeAll", "ulTaskGenericNotifyTake", "work"],
        ),
        (
            "f446",
            "twin:m4",
            "f446.elf",
            {"on_line", "vPortEnterCritical", "xPortPendSVHandler", "xPortSysTickHandler"},
            ["xTaskResumeAll", "ulTaskGenericNotifyTake", "work"],
        ),
        (
            "an386",
            "twin:m4:board=mps2-an386",
            "an386.elf",
            {"on_line", "vPortEnterCritical", "xPortPendSVHandler", "xPortSysTickHandler"},
            ["xTaskResumeAll", "ulTaskGenericNotifyTake", "work"],
        ),
    ],
)
def test_the_masked_map_of_freertos_names_its_critical_sections(
    plain, freertos, tmp_path, core, target, file, opened, callers
):
    experiment = load(ROOT / "examples" / "freertos" / f"{core}.toml", count=100)
    record = measure(experiment, f"{target}:elf={freertos / file}", tmp_path / "run").run
    assert record.valid, record.reasons
    handler, task = record.stats
    assert handler.n == task.n == 100
    assert handler.max_ticks < task.min_ticks
    counts = {re.search(r"\((\w+)", one.opened)[1]: one.count for one in record.masked}
    assert opened == counts.keys()
    chains = [re.findall(r"\((\w+)", one.caller) for one in record.masked if one.count == 100]
    assert callers in chains
