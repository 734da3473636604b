"""Firmware, gateware and host on every variant of the board.

Where two sources disagree about a register, results must not depend on which is right.
"""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from instrument import irqscope, record
from irqscope.doctor import uart
from irqscope.doctor.examine import STEPS as STEPS_OF
from irqscope.doctor.examine import examine
from irqscope.doctor.step import State
from irqscope.doctor.zynqmp.steps import STEPS
from irqscope.errors import ExitCode
from irqscope.machines.generated import ZYNQMP
from irqscope.targets import open_target
from irqscope_twin.variants import VARIANTS

PPISR = ("ppisr-pin", "ppisr-zero")
#: What AMD's start-up writes (fw/arch/aarch64/entry.S).
CPUACTLR = 0x1000_080C_A000
#: Steps that take half of an examination: in `make test` on these variants, in `make soak` on all.
COSTLY = {"pattern", "routes"}
WHOLE = ("after-fsbl", "ppisr-pin")
#: The variant of the UART gets as many blocks as a board.
BLOCKS = {"uart-fifo-32": uart.BLOCKS}


def run(experiment: str, variant: str, folder: Path, *options: object) -> dict:
    target = f"twin:functional:variant={variant}"
    process = irqscope("run", experiment, "--target", target, "--out", folder, *options)
    assert process.returncode == ExitCode.VALID, process.stdout + process.stderr
    return record(folder)


@pytest.mark.parametrize(
    ("variant", "whole"),
    [
        *((variant, variant in WHOLE) for variant in VARIANTS),
        *(
            pytest.param(variant, True, marks=pytest.mark.soak)
            for variant in VARIANTS
            if variant not in WHOLE
        ),
    ],
)
def test_the_doctor_passes_every_step_on_every_variant(
    variant: str, whole: bool, tmp_path: Path
) -> None:
    name = f"twin:functional:variant={variant}"
    steps = tuple(step for step in STEPS if whole or step.name not in COSTLY)
    with (
        open_target(name) as target,
        mock.patch.object(uart, "BLOCKS", uart.BLOCKS if whole else BLOCKS.get(variant, 2)),
        mock.patch.dict(STEPS_OF, {ZYNQMP.name: steps}),
    ):
        actual = examine(target, name, tmp_path)
    assert [result.state for result in actual.results] == [State.PASSED] * len(steps)
    assert actual.label == f"twin, functional with variant {variant}"
    (ppi,) = (result for result in actual.results if result.step.name == "ppi")
    displayed = {"ppisr-pin": "shows the pin (1 at rest)", "ppisr-zero": "stays 0"}
    text = displayed.get(variant, "shows the line (1 while it is high)")
    assert any("GICD_PPISR" in line and line.endswith(text) for line in ppi.notes.seen)


@pytest.mark.parametrize("variant", PPISR)
def test_private_interrupts_are_measured_alike(variant: str, tmp_path: Path) -> None:
    """The distribution is that of the board that follows the other source."""
    experiment = "experiments/horst2020/t2-ppi.toml"
    other = run(experiment, variant, tmp_path / "variant", "--count", 50)
    plain = tmp_path / "plain"
    options = ("--target", "twin:functional", "--count", 50, "--out", plain)
    process = irqscope("run", experiment, *options)
    assert process.returncode == ExitCode.VALID, process.stderr
    assert other["stats"] == record(plain)["stats"]
    assert other["firmware"] == record(plain)["firmware"]
    assert other["source"]["label"] == f"twin, functional with variant {variant}"


@pytest.mark.parametrize("variant", ["after-fsbl", "cores-parked"])
def test_every_core_is_set_up_alike_whoever_ran_before(variant: str, tmp_path: Path) -> None:
    actual = run("experiments/horst2020/t6-4.toml", variant, tmp_path / "run", "--count", 4)
    cores = actual["readback"]["cores"]
    assert [core["running"] for core in cores] == [1] * 4
    output = {read["registers"]["cpuactlr_el1"] for read in (*cores, actual["readback"])}
    assert output == {CPUACTLR}


def test_a_core_hears_its_end_again_where_sgis_can_be_disabled(tmp_path: Path) -> None:
    """The interrupt that ends its warm-up is disabled by its handler, and also ends its work."""
    actual = run("experiments/horst2020/t6-2.toml", "sgi-enable", tmp_path / "run", "--count", 4)
    assert [counters["served"] for counters in actual["counters"]] == [4, 4]


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_quick_suite_passes_on_every_variant(variant: str, tmp_path: Path) -> None:
    target = f"twin:a53:variant={variant}"
    options = ("--counts", "quick", "--no-card", "--target", target, "--out", tmp_path / "suite")
    process = irqscope("suite", "experiments/horst2020", *options)
    assert process.returncode == ExitCode.VALID, process.stdout + process.stderr
