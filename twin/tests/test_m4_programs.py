"""Programs for a Cortex-M on the twin: measured by their pins, or refused in one line."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import m_programs
import pytest

from irqscope.acquire.measure import measure
from irqscope.campaign import sensitivity
from irqscope.errors import TargetError
from irqscope.experiment.load import load
from irqscope.results import sensitivity_record
from irqscope.results.functions import answers
from irqscope.targets import open_target
from irqscope.targets.programs import target_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "program-stm32"
LATENCY = EXAMPLE / "latency.toml"


def built(folder: Path, without: str = "", program: str = "program", *, instead: str = "") -> Path:
    """A program of the example as its own Makefile builds it, perhaps with another statement."""
    for name in ("Makefile", "program.c", "periodic.c", "start.c", "program.ld"):
        (folder / name).write_text((EXAMPLE / name).read_text().replace(without or "\0", instead))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    product = f"build/{program}.elf"
    command = ["make", "-s", "-C", folder, product]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return folder / product


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("example"))


def refusal(elf: Path, options: str, lead: str = "0=irq:1") -> str:
    """Why a target does not start."""
    with pytest.raises(TargetError) as error:
        open_target(f"twin:m4:elf={elf}{options}", of_program=True, leads=(lead,))
    return str(error.value)


def test_the_example_is_measured_by_its_pins(elf: Path, tmp_path: Path) -> None:
    result = measure(load(LATENCY, count=40), f"twin:m4:elf={elf}", tmp_path / "run")
    record = result.run
    assert record.valid, record.reasons
    assert record.label.startswith("twin, m4 with the program program.elf (sha256 ")
    handler, rises, high, task = (stats.min_ticks for stats in record.stats)
    assert 0 < handler < rises < task
    assert rises + high < task


def test_functions_and_masked_intervals_are_those_of_the_program(elf: Path, tmp_path: Path) -> None:
    file, experiment = tmp_path / "functions.csv", load(LATENCY, count=12, masked=True)
    result = measure(experiment, f"twin:m4:elf={elf}", tmp_path / "run", functions=file)
    assert result.run.valid, result.run.reasons
    handler, main_loop = sorted(result.run.masked, key=lambda one: "exti15_10" not in one.opened)
    assert "(exti15_10)" in handler.opened
    assert handler.count == main_loop.count == 12
    assert "(run+" in main_loop.opened
    assert "(start+" in main_loop.caller
    assert answers(file)[5].by_function.keys() == {"exti15_10", "on_line", "run"}


def test_a_sensitivity_is_of_the_program_that_it_names(elf: Path, tmp_path: Path) -> None:
    target, experiment = f"twin:m4:elf={elf}", load(LATENCY, count=12)
    varied = sensitivity.assumptions(target, ["sleep.wake"])
    sensitivity.check([experiment], target)
    plan = sensitivity.planned([experiment], target, varied, draws=1, seed=1)
    assert not sensitivity.unplaced(plan, target)
    (one,) = sensitivity.run(plan, target, tmp_path / "runs" / "s", seed=1).experiments
    assert not one.layouts
    (row,) = one.rows
    assert row.low.median_ns < one.base.median_ns < row.high.median_ns
    assert one.base.label.startswith("twin, m4 with the program program.elf (sha256 ")
    record = sensitivity_record.read(tmp_path / "runs" / "s")
    assert not sensitivity.keep(record, [tmp_path / "runs" / "s" / "assumptions"])
    run = measure(experiment, target, tmp_path / "runs" / "run").run
    assert run.model.assumptions.elf == hashlib.sha256(elf.read_bytes()).hexdigest()


def test_a_placement_tells_the_instructions_of_thumb(tmp_path: Path) -> None:
    elf = built(tmp_path, program="periodic")
    experiment = load(EXAMPLE / "placement.toml")
    record = measure(experiment, f"twin:m4:elf={elf}", tmp_path / "run").run
    assert record.valid, record.reasons
    code = [one.text for one in record.placements.instructions]
    counts = [one.taken for one in record.placements.instructions]
    off, on = code.index("cpsid i"), code.index("cpsie i")
    assert sum(counts[: off + 1]) > 0
    assert sum(counts[off + 1 : on + 1]) == 0
    assert sum(counts[on + 1 :]) > 0


def test_a_chosen_program_runs_on_this_twin(elf: Path) -> None:
    assert target_of(elf) == f"twin:m4:elf={elf}"


def test_a_line_that_leads_nowhere_is_refused(elf: Path) -> None:
    assert 'line 0 leads nowhere; give it pin = "PC13" or irq = 40' in refusal(elf, "", "0=")


@pytest.mark.parametrize(
    ("options", "lead", "watch", "why"),
    [
        ("", "0=pin:PJ13", "pin:PG0 rise", "pin PJ13: STM32F446 has GPIOA, GPIOB, GPIOC, GPIOD"),
        (":board=f411", "0=pin:PA0", "pin:PG0 rise", "pin PG0: STM32F411 has GPIOA, GPIOB"),
        ("", "0=irq:97", "pin:PG0 rise", "irq = 97 of line 0: STM32F446 has interrupts 0 to 96"),
    ],
)
def test_what_the_chip_does_not_have_is_refused(
    options: str, lead: str, watch: str, why: str, elf: Path
) -> None:
    with pytest.raises(TargetError, match=why):
        open_target(
            f"twin:m4:elf={elf}{options}", of_program=True, leads=(lead,), watches=((watch, 8),)
        )


def test_a_board_without_pins_refuses_one(elf: Path) -> None:
    assert "reach no pins" in refusal(elf, ":board=mps2-an386", "0=pin:PC13")


def test_an_unknown_board_is_refused_with_those_that_there_are(elf: Path) -> None:
    assert "f446, f411, lm3s6965evb, mps2-an386" in refusal(elf, ":board=f103")


@pytest.mark.parametrize(
    "option", ["ram=0x60000000+0x1000", "gpio=0x60000000", "entry=0x8000000", "el=1", "x0=1"]
)
def test_an_option_of_another_core_is_refused_by_its_name(elf: Path, option: str) -> None:
    key = option.partition("=")[0]
    assert f"{key}: the Cortex-M4 of this twin does not take it" in refusal(elf, f":{option}")


@pytest.mark.parametrize(("core", "name"), [("cortex_m0", "Armv6-M"), ("cortex_m33", "Armv8-M")])
def test_a_program_for_another_core_is_refused(core: str, name: str, tmp_path: Path) -> None:
    source = tmp_path / "p.S"
    source.write_text(".thumb\n.globl start\nstart: b start\n")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi"]
    elf = tmp_path / "p.elf"
    command = [*zig, f"-mcpu={core}", "-nostdlib", "-Wl,-e,start", source, "-o", elf]
    subprocess.run(command, check=True, capture_output=True)
    assert f"it is built for {name}" in refusal(elf, "")


def test_a_program_without_a_vector_table_is_refused(tmp_path: Path) -> None:
    elf = m_programs.compiled("timing.c", tmp_path, flash=0x0800_4000)
    assert "no vector table is at 0x8000000" in refusal(elf, "")


@pytest.mark.parametrize(
    ("line", "changes", "why"),
    [
        ('pin = "PB13"', "", "the clock of GPIOB is off"),
        ('pin = "PG13"', "", "PG13 leads to interrupt 40: SYSCFG routes EXTI13 to PC13"),
        ('pin = "PC13"', "EXTI_IMR |= LINE;", "EXTI13 is masked in EXTI_IMR"),
        ("irq = 41", "", "interrupt 41 is not enabled in the NVIC"),
    ],
)
def test_an_edge_that_pends_nothing_is_explained(
    line: str, changes: str, why: str, elf: Path, tmp_path: Path
) -> None:
    file = tmp_path / "other.toml"
    file.write_text(LATENCY.read_text().replace('pin = "PC13"', line))
    program = built(tmp_path, changes) if changes else elf
    result = measure(load(file, count=40), f"twin:m4:elf={program}", tmp_path / "run")
    assert why in " ".join(result.run.reasons)


def gate(folder: Path, program: Path, *more: str) -> subprocess.CompletedProcess[str]:
    irqscope = Path(sys.executable).parent / "irqscope"
    command = [irqscope, "gate", "gate.toml", "--target", f"twin:m4:elf={program}", *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_gate_fails_on_a_handler_that_has_become_slower(elf: Path, tmp_path: Path) -> None:
    (tmp_path / "latency.toml").write_text(LATENCY.read_text())
    (tmp_path / "gate.toml").write_text(
        'name = "stm32"\n[[items]]\nfile = "latency.toml"\nchanges = { count = 20 }\n'
        'baseline = "baseline.json"\n'
    )
    accepted = gate(tmp_path, elf, "--accept")
    assert accepted.returncode == 0, accepted.stderr
    again = gate(tmp_path, elf)
    assert again.returncode == 0, again.stdout + again.stderr
    slower = tmp_path / "slower"
    slower.mkdir()
    body = "    on_line();\n"
    later = built(slower, body, instead='    __asm volatile(".rept 200\\n nop\\n .endr");\n' + body)
    failed = gate(tmp_path, later)
    assert failed.returncode == 7, failed.stdout + failed.stderr
    text = " ".join((failed.stdout + failed.stderr).split())
    assert "fail: program-stm32: exact: channel 2, pin:PG0 rise -> pin:PG0 fall: 20 of 20" in text
    assert "by function, exti15_10: 14 instructions, now 214" in text
