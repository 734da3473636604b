"""The textbook's cycles of a Cortex-M4, with memory without wait states."""

from __future__ import annotations

from pathlib import Path

import m_programs
import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment.load import load

#: A cycle is two ticks. The synchroniser of the instrument's pins, which a run's loop-back shows.
CYCLE, SYNCHRONISER = 2, 2
EXPERIMENT = """
name = "textbook"
description = "an interrupt that pends another one"
machine = "program"
count = 40
seed = 1
[[lines]]
irq = 0
high = "200 ns"
low = "40 us"
dither_bits = 3
[[channels]]
start = "line 0"
stop = "pc:first"
timeout = "20 us"
[[channels]]
start = "pc:first_ends"
stop = "pc:second"
timeout = "20 us"
"""


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return m_programs.compiled("timing.c", tmp_path_factory.mktemp("timing"))


def test_entry_takes_12_cycles_and_a_tail_chain_6(elf: Path, tmp_path: Path) -> None:
    file = tmp_path / "experiment.toml"
    file.write_text(EXPERIMENT)
    result = measure(load(file), f"twin:m4:elf={elf}:ready=ready", tmp_path / "run")
    assert result.run.valid, result.run.reasons
    entry, chain = result.run.stats
    # The line rises in a cycle, and the core sees it when the next one begins.
    assert entry.min_ticks == 12 * CYCLE + SYNCHRONISER
    assert entry.max_ticks == entry.min_ticks + CYCLE - 1
    # From `bx lr`, which takes one cycle itself.
    assert chain.min_ticks == chain.max_ticks == (1 + 6) * CYCLE
