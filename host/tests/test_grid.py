"""Stimuli on a grid are not a sample: wording for placements, loss maps and others."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from irqscope_fake.folder import CALIBRATION, experiment, record, reseal, write_run, write_suite

from irqscope.kinds.loss.record import LossCell
from irqscope.kinds.placement.record import Instruction, Placements
from irqscope.report import summary, tail, wording
from irqscope.report.compare import compare
from irqscope.report.page import write_report
from irqscope.results.reader import read
from irqscope.results.tables import PLACES
from irqscope_papers.card import write_card

#: Verdicts on drawn samples.
DRAWN = {"p50", "p99", "p99.9", "mean", "rate", "independence"}
PLACEMENT = {
    "case": "placement",
    "caches": "off",
    "trigger": "level",
    "warm_up": 0,
    "code_under_test": {"code": "code_under_test_nops", "first": 20, "last": 29, "period": 4000},
    "lines": [{"mode": "acknowledged", "phase": "locked", "high": 1000, "low": 1000}],
    "channels": [{"timeout": 900}],
}
LOSS = {"samples": "none", "loss": {"widths": ["200 ns"], "spacings": ["1 us"]}}
#: A critical section: each placement waits a tick less than the one before.
LATENCIES = np.tile(np.arange(42, 32, -1), 30)


def placements():
    nop = Instruction(address=0, where="f", text="nop", taken=300, min_ticks=33, max_ticks=42)
    return Placements(
        symbol="f", address=0, size=4, firmware="irqscope.elf", first_ticks=20, step_ticks=1,
        last_ticks=29, accepted=300, ignored=0, alike=True, instructions=(nop,), elsewhere=(),
    ).model_dump(mode="json")  # fmt: skip


def cell():
    counts = {"pairs": 20, "served": 40, "coalesced": 0, "lost": 0, "spurious": 0}
    return LossCell(width_ticks=50, spacing_ticks=250, **counts).model_dump(mode="json")


@pytest.fixture
def placed(tmp_path):
    """Folder of a run whose line was placed."""
    requested = experiment(name="placed", count=len(LATENCIES), **PLACEMENT)
    folder, n = tmp_path / "placed", len(LATENCIES)
    write_run(folder, requested, LATENCIES, placements=placements(), calibration=CALIBRATION)
    delays = np.tile(np.arange(20, 30), 30)
    columns = ([0] * n, range(n), delays, LATENCIES, [0] * n)
    rows = [pa.array(column, f.type) for column, f in zip(columns, PLACES, strict=True)]
    (folder / "places").mkdir()
    pq.write_table(pa.table(rows, schema=PLACES), folder / "places" / "part-00000.parquet")
    reseal(folder)
    return folder


@pytest.fixture
def plain(tmp_path):
    """Folder of a run whose stimuli came by chance, with the same latencies."""
    latencies = np.random.default_rng(1).permutation(LATENCIES)
    requested = experiment(name="plain", count=len(latencies))
    write_run(tmp_path / "plain", requested, latencies, calibration=CALIBRATION)
    return tmp_path / "plain"


def rows(run):
    return {row.name: row.cells[0] for row in summary.table(run)}


def test_placements_have_least_and_most_and_one_sentence(placed):
    actual = rows(read(placed).run)
    assert not DRAWN & set(actual)
    assert actual["min"].startswith("132 ns") and actual["max"] == "168 ns (42 ticks) of N = 300"
    assert actual["distribution"] == (
        "none: the stimuli are a grid of placements and no sample of a distribution"
    )


def test_stimuli_by_chance_have_the_rows_of_a_sample(plain):
    actual = rows(read(plain).run)
    assert set(actual) >= DRAWN and "distribution" not in actual
    assert "are longer" in actual["max"]


def test_a_loss_map_says_it_too():
    actual = rows(record(experiment(**LOSS), loss={"cells": [cell()]}, valid=True))
    assert not DRAWN & set(actual)
    assert actual["distribution"].startswith("none: the stimuli are a grid of widths and spacings")
    assert "40 served" in actual["loss map"]


def test_the_report_of_a_grid_speaks_of_no_interval(placed, plain):
    page, other = (write_report(folder).read_text(encoding="utf-8") for folder in (placed, plain))
    for text in ("% intervals of order statistics", "Tail (CCDF)"):
        assert text not in page and text in other
    assert "<h2>Placement</h2>" in page


def test_nothing_is_inferred_from_a_grid(placed, plain):
    actual = compare([read(plain), read(placed)])
    for cells in actual.quantiles.values():
        assert re.fullmatch(
            r"\d+ ns, \+0 ns: no interval: the stimuli of run 2 are a grid", str(cells[1])
        )
    assert any("Run 2: the stimuli are a grid of placements" in text for text in actual.remarks)
    grid, sample = read(placed).run, read(plain).run
    assert wording.intervals(grid, grid.stats[0]) == ()
    assert wording.intervals(sample, sample.stats[0]) == sample.stats[0].quantiles
    assert tail.of_run(read(placed)) == wording.grid(grid)


def test_a_card_has_a_grid_without_a_latency(tmp_path, placed, plain):
    lost = tmp_path / "lost"
    write_run(lost, experiment(name="lost", **LOSS), [30], loss={"cells": [cell()]}, stats=[])
    write_suite(tmp_path, dict.fromkeys(("placed", "plain", "lost"), "valid"))
    page = write_card(tmp_path).read_text(encoding="utf-8")
    runs = {r["name"]: r for r in json.loads((tmp_path / "card.json").read_text())["runs"]}
    assert runs["plain"]["latency"] and not runs["placed"]["latency"]
    assert not runs["lost"]["latency"]
    assert "10 placements of f" in page and "1 cells, 40 pulses" in page
    assert page.count("no latency: the stimuli are a grid") == 2
