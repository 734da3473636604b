"""The page of outputs shows what commands print today."""

from __future__ import annotations

import runpy
import subprocess
import sys

from instrument import ROOT


def test_the_page_shows_what_the_commands_print():
    command = [sys.executable, "-m", "tools.docs_output", "--check"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"run `make docs-output`:\n{ended.stdout}{ended.stderr}"


def test_a_word_counts_and_a_number_does_not():
    bare = runpy.run_path(str(ROOT / "tools/docs_output.py"))["bare"]
    assert bare("p50: 324 ns (81 ticks)") == bare("p50:  1.5e-9 ns (0x2f ticks)")
    assert bare("p50: 324 ns") != bare("p50: 324 us")
