"""A placement on the twin: its firmware, its gateware, and a line that no tick was known for."""

from __future__ import annotations

from pathlib import Path

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.kinds.placement import report as placed
from irqscope.results.reader import read

EXPERIMENTS = Path(__file__).parents[1] / "experiments" / "placement"


def test_a_critical_section_on_the_twin(tmp_path):
    experiment = load(EXPERIMENTS / "masked.toml", caches="on")
    result = measure(experiment, "twin:functional", tmp_path / "run")
    assert result.error is None
    record = result.run
    assert record.valid, record.reasons
    actual = record.placements
    assert actual is not None and (actual.accepted, actual.ignored) == (record.stimuli, 0)
    assert "within the model functional" in placed.sentence(record)
    rows = read(tmp_path / "run").places().to_pylist()
    masked = [row for row in placed.groups(actual) if row.never and len(row.instructions) > 60]
    assert len(masked) == 1  # of the critical section, all but what is in front of it and after it
    end = actual.address + actual.size
    measured = [row for row in rows if actual.address <= row["address"] < end]
    longest = max(measured, key=lambda row: row["latency_ticks"])
    shortest = min(row["latency_ticks"] for row in rows)
    assert longest["latency_ticks"] - shortest >= 64 * 250 // 1200  # of 64 cycles of 1.2 GHz


def test_a_critical_section_of_the_a53_is_held_by_its_model_alone(tmp_path):
    """Caches off: the interrupt waits for the rest of the section after the line rises."""
    file = EXPERIMENTS / "masked-a53.toml"
    coarse = load(file).code_under_test.model_dump() | {"step": "40 ns"}
    requested = load(file, code_under_test=coarse, count=21)
    result = measure(requested, "twin:a53", tmp_path / "run")
    assert result.error is None
    record = result.run
    assert record.valid, record.reasons
    actual = record.placements
    assert actual is not None and (actual.accepted, actual.ignored) == (21, 0)
    (counters,) = record.counters
    assert (counters.starts, counters.served, counters.timed_out, counters.pending) == (
        21,
        21,
        0,
        0,
    )
    assert "within the model a53, of the placements tried" in placed.sentence(record)
    assert "exact" not in placed.sentence(record)
    rows = read(tmp_path / "run").places().to_pylist()[1:]  # the first one finds a cold path
    shortest = min(row["latency_ticks"] for row in rows)
    # In front of the first instruction nothing is masked yet.
    inside = range(actual.address + 4, actual.address + actual.size)
    waiting = [r for r in rows if r["address"] in inside and r["latency_ticks"] > shortest + 15]
    assert len(waiting) > 8
    assert len({row["address"] for row in waiting}) == 1  # where interrupts are unmasked
    ends = [row["delay_ticks"] + row["latency_ticks"] for row in waiting]
    lasting = max(row["latency_ticks"] for row in waiting) - shortest
    assert lasting > 100 > 2 * (max(ends) - min(ends))
