"""The plugin of pytest, as a firmware's own tests use it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from irqscope.testing import Latency
from irqscope_rtl.cores import ROOT

EXAMPLE = ROOT / "examples" / "program"


def latency(*ticks, unanswered=0, kept=None):
    """``kept``: how many of the answered ones the run keeps one by one."""
    ends = min(ticks, default=None), max(ticks, default=None)
    counts = len(ticks), unanswered
    return Latency("line 0 -> pc:main", "a core", 250_000_000, ticks[:kept], *counts, *ends)


def test_a_latency_is_bounded_by_ticks_or_by_time():
    assert latency(3, 5) <= "5 ticks"
    assert latency(3, 5) <= 5
    assert not latency(3, 5) <= "4 ticks"
    assert latency(3, 5) <= "20 ns"
    assert not latency(3, 5) <= "19 ns"
    with pytest.raises(ValueError, match="apples"):
        assert latency(3) <= "5 apples"


def test_a_stimulus_without_an_answer_is_in_no_bound():
    assert not latency(3, unanswered=1) <= "5 ticks"
    assert not latency() <= "5 ticks"


@pytest.mark.parametrize("kept", [0, 2])
def test_stimuli_that_the_run_does_not_keep_are_in_the_bound(kept):
    assert not latency(3, 3, 9, kept=kept) <= "5 ticks"
    assert not latency(3, 3, 3, unanswered=15, kept=kept) <= "5 ticks"
    assert latency(3, 3, 5, kept=kept) <= "5 ticks"
    assert (
        f"the run keeps {kept} of the 3 one by one:" in latency(3, 3, 9, kept=kept).distribution()
    )


def test_a_distribution_has_a_line_for_each_latency_or_for_neighbours():
    assert latency(3, 3, 5).distribution()[2:] == [
        "           3        2 " + "#" * 40,
        "           5        1 " + "#" * 20,
    ]
    wide = latency(*range(100)).distribution()
    assert len(wide) == 2 + 20
    assert wide[2].startswith("        0..4        5 ")


def test_a_failed_bound_prints_the_distribution_and_an_error_is_one_line(plain, tmp_path):
    for name in ("Makefile", "program.c", "program.ld", "latency.toml", "test_latency.py"):
        (tmp_path / name).write_text((EXAMPLE / name).read_text())
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["make", "-s"], cwd=tmp_path, check=True, env=environment)
    tests = tmp_path / "test_latency.py"
    good = tests.read_text()
    tests.write_text(
        good.replace('"60 ticks"', '"54 ticks"')
        + "\n\ndef test_nothing(irqscope_target):\n"
        + '    irqscope_target("rtl:ibex", elf="none").measure(HERE / "latency.toml")\n'
    )
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null"]
    process = subprocess.run(
        [*command, str(tests)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert process.returncode == 1, process.stdout
    assert "<line 0 -> pc:update: 100 answered, 0 not> <= '54 ticks'" in process.stdout
    assert "55      100 ####" in process.stdout
    assert "running program.elf (sha256 " in process.stdout
    assert "irqscope: none: No such file or directory; name a program" in process.stdout
    assert "Traceback" not in process.stdout
    assert "2 failed" in process.stdout
