"""Another layout is the same linker script with other gaps, and the objects in another order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FW = Path(__file__).resolve().parents[1]
OBJECTS = [f"{name}.o" for name in "abcdefghij"]


def lay_out(number: int, folder: Path, source: Path = FW / "irqscope.ld") -> tuple[str, list[str]]:
    created = folder / f"{number}.ld"
    command = [
        sys.executable,
        str(FW / "layout.py"),
        str(number),
        str(source),
        str(created),
        *OBJECTS,
    ]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    return created.read_text(encoding="utf-8"), process.stdout.split()


def test_layouts_differ_in_gaps_and_order_and_in_nothing_else(tmp_path):
    script = (FW / "irqscope.ld").read_text(encoding="utf-8")
    (one, first), (two, second) = lay_out(1, tmp_path), lay_out(2, tmp_path)
    assert lay_out(1, tmp_path) == (one, first)
    assert sorted(first) == sorted(second) == OBJECTS and first != second
    gaps = [re.findall(r"^gap_(\w+) = (\d+);", text, re.MULTILINE) for text in (script, one, two)]
    assert [name for name, _ in gaps[0]] == [name for name, _ in gaps[1]]
    assert all(size == "0" for _, size in gaps[0]) and gaps[1] != gaps[2]
    plain = [re.sub(r"(gap_\w+) = \d+;", r"\1;", text) for text in (script, one, two)]
    assert plain[0] == plain[1] == plain[2]
    for name, _ in gaps[0]:
        assert f". += gap_{name};" in script


def test_a_script_without_a_gap_is_refused(tmp_path):
    source = tmp_path / "source.ld"
    source.write_text((FW / "irqscope.ld").read_text().replace("gap_bss = 0;", ""))
    with pytest.raises(subprocess.CalledProcessError) as caught:
        lay_out(1, tmp_path, source)
    assert "has no gap_bss" in caught.value.stderr
