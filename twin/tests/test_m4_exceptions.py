"""Exceptions of the Cortex-M4: a self-test says on the twin what it says on QEMU."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import m_programs
import pytest
from m_programs import LAST, lines_until_end

BOARDS = [
    ("f446", "netduinoplus2", "STM32", 0x0800_0000),
    ("mps2-an386", "mps2-an386", "MPS2", 0),
    ("lm3s6965evb", "lm3s6965evb", "LM3S", 0),
]


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is missing")
@pytest.mark.parametrize(("board", "machine", "macro", "flash"), BOARDS)
def test_exceptions_are_those_of_qemu(
    board: str, machine: str, macro: str, flash: int, tmp_path: Path
) -> None:
    elf = m_programs.compiled("self_test.c", tmp_path, f"-DBOARD_{macro}", flash=flash)
    qemu = ["qemu-system-arm", "-M", machine, "-kernel", str(elf), "-display", "none"]
    reported = lines_until_end([*qemu, "-monitor", "none", "-serial", "stdio"], "stdout")
    twin = [sys.executable, "-m", "irqscope_twin", "--profile", "m4", "--board", board]
    here = lines_until_end([*twin, "--program", str(elf), "--ready", "done"], "stderr")
    assert len(reported) > 50
    assert reported[-1] == LAST
    # The twin's own messages about the program are in brackets.
    assert [line for line in here if not line.startswith("[")] == reported
