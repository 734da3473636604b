"""Runs programs with timing profile a53: their output, and the model's counts."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from board import Board, compile_program

PREAMBLE = '#include "translation.h"\n'


@dataclass(frozen=True)
class Result:
    """``values`` in the order of printing; ``counters`` of each core's model."""

    values: list[int]
    counters: list[dict[str, int]]


def run(source: str, *options: str, **defines: int) -> Result:
    """Run a program to its end on the a53 profile. ``options``: further ones of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stats.json"
        elf = compile_program(PREAMBLE + source, **defines)
        with Board(elf, "--profile", "a53", "--stats", str(path), *options) as board:
            output = board.read_until(b".").decode()
            board.end()
        statistics: dict[str, Any] = json.loads(path.read_text())
    assert "!" not in output, f"unexpected exception: {output}"
    numbers = [int(line, 16) for line in output.removesuffix(".").split()]
    return Result(numbers, [core["timing"] for core in statistics["cores"]])
