"""The cases of the Zynq-7000 on its twin: each runs, is valid and reads back its settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from instrument import ROOT
from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.results.reader import read
from irqscope.targets import Target, open_target

TARGET = "twin:zynq7000:functional"
MODEL = "twin:a9"
#: Two short phases of throughput.
PHASES = {"count": 2, "lines.0.high": "1 ms", "lines.0.low": "1 ms"}
#: Changes of keys, and registers that then read so, by file.
CASES: dict[str, tuple[dict[str, object], dict[str, int]]] = {
    "horst2020/t1": ({"count": 20}, {"l2c_control": 0}),
    "horst2020/t2-ppi": ({"count": 20}, {"scr": 0}),
    "horst2020/t3": ({"count": 20}, {"l2c_control": 1}),
    "horst2020/t4-72": ({"count": 20}, {"icddcr": 1}),
    "horst2020/t5": ({"count": 20}, {"icddcr": 1}),
    "horst2020/t6-2": ({"count": 2}, {"icddcr": 1}),
    "horst2020/t6-spi-2": ({"count": 2}, {"icddcr": 1}),
    "horst2020/t7": ({"count": 1}, {"l2c_control": 0}),
    "horst2020/b-lmin": ({"count": 20}, {"l2c_control": 1}),
    # The part of the published B-Lmax that two cores can be at once: T4-36, not raised, and T7.
    "horst2020/b-lmax": (
        {
            "count": 1,
            "cores": 1,
            "background": {"interrupts": 36},
            "load": {"array": "96 MB"},
            "channels": [{"start": "line 0", "stop": "handler", "timeout": "4 ms"}],
        },
        {"l2c_control": 0},
    ),
    "horst2020/b-tmax": (PHASES, {"l2c_control": 1}),
    "horst2020/t1-throughput": (PHASES, {"l2c_control": 0}),
    "horst2020/t6-2-throughput": (PHASES, {"l2c_control": 0}),
    "wake-up/spin": ({"count": 2}, {}),
    "wake-up/wfi": ({"count": 20}, {}),
    "a9-cache-states/sgi": ({"count": 20, "state": ["tlb", "bp", "l1i", "l1d", "l2"]}, {}),
    "lockdown/tlb-l2": (
        {"count": 20, "samples": "all", "load.array": "32 MB"},
        {"l2c_d_lockdown0": 1, "l2c_i_lockdown0": 1},
    ),
    "lockdown/pages-16m": ({"count": 20, "samples": "all", "load.array": "32 MB"}, {}),
    "random-load/pages-4k": ({"count": 20, "samples": "all"}, {}),
}


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with open_target(TARGET) as opened:
        yield opened


@pytest.mark.parametrize("name", CASES)
def test_a_case_runs_and_is_valid(name: str, target: Target, tmp_path: Path) -> None:
    changes, registers = CASES[name]
    expected = experiments.load(ROOT / "experiments" / f"{name}.toml", **changes)
    result = measure(expected, TARGET, tmp_path / "run", opened=target)
    assert result.error is None and result.run.valid, (result.error, result.run.reasons)
    actual = read(tmp_path / "run").run
    assert actual.readback is not None
    assert {key: actual.readback.registers[key] for key in registers} == registers
    assert [counted.served for counted in actual.counters][0] >= int(str(changes["count"]))


@pytest.fixture(scope="module")
def model() -> Iterator[Target]:
    with open_target(MODEL) as opened:
        yield opened


@pytest.mark.parametrize("name", ["horst2020/t5", "horst2020/t6-2", "horst2020/b-tmax"])
def test_a_case_runs_on_the_model_too(name: str, model: Target, tmp_path: Path) -> None:
    changes = CASES[name][0] | {"count": 2}
    expected = experiments.load(ROOT / "experiments" / f"{name}.toml", **changes)
    result = measure(expected, MODEL, tmp_path / "run", opened=model)
    assert result.error is None and result.run.valid, (result.error, result.run.reasons)


#: Features that the chip lacks, by the text of the refusal.
REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "horst2020/t4-108": ({}, "108; zynq7000 has 78 besides the measured one"),
    "horst2020/t6-3": ({}, "cores: 3; zynq7000 has 2"),
    "horst2020/b-lmax": (
        {"cores": 2, "channels": [{"start": "line 0", "stop": "handler", "timeout": "4 ms"}]},
        "2 cores answer and none is left to raise them",
    ),
    "horst2020/b-lmax-t4-36-t7": ({}, "1 cores answer and one raises, and none is left to write"),
    "wake-up/wfi-divided": ({}, "cores, timers and GPIO share one divisor"),
    "random-load/pages-2m": ({}, "ARMv7-A has sections of 16 or 1 MB and pages of 4 KB"),
    "paper-instrument/t2-stm": ({}, "it has no STM"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_case_is_refused_with_the_reason_of_the_chip(
    name: str, target: Target, tmp_path: Path
) -> None:
    changes, reason = REFUSED[name]
    expected = experiments.load(ROOT / "experiments" / f"{name}.toml", **changes)
    result = measure(expected, TARGET, tmp_path / "run", opened=target)
    assert result.exit_code != 0
    assert reason in str(result.error)
