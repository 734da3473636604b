"""Long campaigns: the counters agree, and neither the twin nor the host grows with the count."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from instrument import ROOT
from irqscope.acquire.measure import measure
from irqscope.experiment.load import load
from irqscope.results.record import RunRecord

#: One stimulus every 11 us.
SHORT = {"lines.0.high": "1 us", "lines.0.low": "10 us", "channels.0.timeout": "10 us"}
PERIOD_S = 11e-6
BATCHES = 24
#: What a process may have more at the end than when a third was done: of the order of one
#: buffer of an allocator. A growth of one byte a stimulus would be 6 MB in the long campaign.
GROWTH_BYTES = 4 << 20


@dataclass(frozen=True)
class Memory:
    """Resident memory of the host (this process) and of its twin, in bytes."""

    host: int
    twin: int


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def children() -> list[int]:
    threads = Path("/proc/self/task").iterdir()
    return [int(pid) for thread in threads for pid in (thread / "children").read_text().split()]


def campaign(folder: Path, count: int) -> tuple[RunRecord, list[Memory]]:
    """run.json of T2 with a short period, and the memory after each batch."""
    memory: list[Memory] = []

    def note(*_: object) -> None:
        twin = max(resident(pid) for pid in children())
        memory.append(Memory(resident(os.getpid()), twin))

    experiment = load(
        ROOT / "experiments/horst2020/t2.toml", count=count, samples="tail 1000", **SHORT
    )
    batch_s = count * PERIOD_S / BATCHES
    result = measure(experiment, "twin:functional", folder, watch=note, batch_s=batch_s)
    assert result.error is None
    return result.run, memory


@pytest.mark.parametrize("count", [24_000, pytest.param(10_000_000, marks=pytest.mark.soak)])
def test_all_stimuli_are_accounted_for_in_constant_memory(count: int, tmp_path: Path) -> None:
    run, memory = campaign(tmp_path / "run", count)
    assert run.valid, run.reasons
    (counters,) = run.counters
    assert counters.starts == counters.served == counters.stops == count
    assert counters.starts == (
        counters.served + counters.coalesced + counters.timed_out + counters.pending
    )
    assert run.firmware.handled_0 == count
    (stats,) = run.stats
    assert stats.n == count
    assert run.records.lost == 0

    assert len(memory) >= BATCHES
    early, late = memory[len(memory) // 3], memory[-1]
    assert late.host - early.host < GROWTH_BYTES
    assert late.twin - early.twin < GROWTH_BYTES
