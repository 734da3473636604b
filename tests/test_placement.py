"""A placement on the twin: its firmware, its gateware, and a line that no tick was known for."""

from __future__ import annotations

from pathlib import Path

from irqscope import placed
from irqscope.experiment import load
from irqscope.measure import measure
from irqscope.results.reader import read

EXPERIMENTS = Path(__file__).parents[1] / "experiments" / "placement"


def test_a_critical_section_on_the_twin(tmp_path):
    experiment = load(EXPERIMENTS / "masked.toml", caches="on")
    result = measure(experiment, "twin:functional", tmp_path / "run")
    assert result.error is None
    record = result.run
    assert record.valid, record.reasons
    found = record.placements
    assert found is not None and (found.accepted, found.ignored) == (record.stimuli, 0)
    assert "within the model functional" in placed.sentence(record)
    rows = read(tmp_path / "run").places().to_pylist()
    masked = [row for row in placed.lines(found) if row.never and len(row.instructions) > 60]
    assert len(masked) == 1  # of the critical section, all but what is in front of it and behind
    end = found.address + found.size
    taken = [row for row in rows if found.address <= row["address"] < end]
    longest = max(taken, key=lambda row: row["latency_ticks"])
    shortest = min(row["latency_ticks"] for row in rows)
    assert longest["latency_ticks"] - shortest >= 64 * 250 // 1200  # of 64 cycles of 1.2 GHz
