"""The cases of the Zynq-7000 on its twin: each runs, is valid and has in force what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from instrument import ROOT
from irqscope import experiment as experiments
from irqscope.measure import measure
from irqscope.results.reader import read
from irqscope.targets import Target, open_target

TARGET = "twin:zynq7000:functional"
#: By file: changes of keys, and registers that then read so.
CASES: dict[str, tuple[dict[str, object], dict[str, int]]] = {
    "horst2020/t1": ({"count": 20}, {"l2c_control": 0}),
    "horst2020/t2-ppi": ({"count": 20}, {"scr": 0}),
    "horst2020/t4-72": ({"count": 20}, {"icddcr": 1}),
    "horst2020/t5": ({"count": 20}, {"icddcr": 1}),
    "horst2020/t6-2": ({"count": 2}, {"icddcr": 1}),
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
    wanted = experiments.load(ROOT / "experiments" / f"{name}.toml", **changes)
    result = measure(wanted, TARGET, tmp_path / "run", opened=target)
    assert result.error is None and result.run.valid, (result.error, result.run.reasons)
    found = read(tmp_path / "run").run
    assert found.in_force is not None
    assert {key: found.in_force.registers[key] for key in registers} == registers
    assert [book.served for book in found.books][0] >= int(str(changes["count"]))
