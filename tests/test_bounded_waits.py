"""The firmware ends every wait and names the missing event."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument import irqscope, record
from irqscope.errors import ExitCode

WAITS = {
    "finish-dead": ("t2", "the interrupt that ends a batch does not arrive"),
    "marker-toggle": ("t6-2", "no marker of core 1 arrives"),
}


@pytest.mark.parametrize("fault", WAITS)
def test_a_wait_in_vain_is_told_in_one_line(fault: str, tmp_path: Path) -> None:
    case, reported = WAITS[fault]
    target = ("--target", f"twin:functional:fault={fault}", "--out", tmp_path / "run")
    process = irqscope("run", f"experiments/horst2020/{case}.toml", "--count", 20, *target)
    assert process.returncode == ExitCode.TARGET, process.stdout + process.stderr
    line = process.stderr.splitlines()[-1]  # after the progress
    refusal = f"the firmware refused batch: {reported}; irqscope doctor looks further"
    assert line == f"irqscope: {refusal}"
    assert refusal in record(tmp_path / "run")["reasons"]
