"""The Zynq-7000 from experiment to run folder: its firmware, on its twin, by the same host."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument import ROOT
from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.results.reader import Run, read

T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
CELL = ROOT / "experiments" / "a9-cache-states" / "sgi.toml"
COUNT = 40


def run(path: Path, target: str, folder: Path, **changes: object) -> Run:
    experiment = load(path, count=COUNT).model_copy(update=changes)
    result = measure(experiment, target, folder)
    assert result.exit_code == 0, result.error or result.run.reasons
    return read(result.folder)


def latencies(of: Run) -> list[int]:
    return of.samples()["latency_ticks"].to_pylist()


@pytest.mark.parametrize("target", ["twin:zynq7000:functional", "twin:a9"])
def test_t2_is_measured_with_closed_counters(target, tmp_path):
    actual = run(T2, target, tmp_path / "run")
    (counters,) = (counters for counters in actual.run.counters if counters.starts)
    assert (counters.starts, counters.served, counters.stops) == (COUNT, COUNT, COUNT)
    assert counters.unmatched == counters.coalesced == counters.timed_out == counters.pending == 0
    identity = actual.run.identity
    assert (identity.machine.name, identity.board) == ("zynq7000", "zedboard")
    assert identity.label == f"twin of zynq7000, {target.rpartition(':')[2]} timing"
    # Signals and stores alone take 27 + 12 + 18 + 88 + 18 ns, and nothing waits for memory.
    assert all(20 < ticks < 60 for ticks in latencies(actual))


def test_the_same_seed_gives_the_same_samples(tmp_path):
    first, second = (latencies(run(T2, "twin:a9", tmp_path / name)) for name in ("a", "b"))
    assert first == second


def test_what_the_marked_memory_costs_shows_on_the_model_alone(tmp_path):
    """Caches on in both; in the second the translation says that memory is not cacheable."""
    marked = {"memory": "non-cacheable"}
    means = {}
    for target in ("twin:zynq7000:functional", "twin:a9"):
        for name, changes in (("plain", {}), ("marked", marked)):
            actual = latencies(run(CELL, target, tmp_path / f"{target[-2:]}-{name}", **changes))
            means[target, name] = sum(actual) / COUNT
    functional, model = (
        means[target, "marked"] / means[target, "plain"]
        for target in ("twin:zynq7000:functional", "twin:a9")
    )
    assert functional == pytest.approx(1, abs=0.05)
    assert model > 3


def test_a_profile_of_another_machine_is_refused_by_both_names(tmp_path):
    result = measure(load(T2, count=COUNT), "twin:zynq7000:a53", tmp_path / "run")
    assert result.exit_code == 3
    assert "zynq7000 has no timing profile 'a53'; it has: functional, a9" in str(result.error)
