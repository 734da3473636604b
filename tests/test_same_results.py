"""The judge of changes that must change nothing finds a tick, and names what was not held."""

from __future__ import annotations

import copy
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment.tomlfile import read as read_toml
from irqscope.results.reader import read

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "scripts" / "same_results.py"
SCRIPT = runpy.run_path(str(FILE))
NAMES = ("horst2020/t2", "horst2020/t2-throughput")
#: Folders of experiments that no twin can run.
OF_SOFT_CORES = ("cv32rt", "lines")


def record(out: Path, target: str) -> dict:
    assert SCRIPT["record"](out, target, NAMES, 8, jobs=2) == 0
    return json.loads(out.read_text())


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    return record(tmp_path_factory.mktemp("same_results") / "held.json", "twin:functional")


def test_every_experiment_of_a_twin_is_held():
    names = {each.experiment.description for each in SCRIPT["all_experiments"](8)}
    for path in (ROOT / "experiments").glob("*/*.toml"):
        if path.name != "suite.toml" and path.parent.name not in OF_SOFT_CORES:
            assert read_toml(path)[1]["description"] in names, path


def test_an_experiment_that_the_target_refuses_has_a_row(tmp_path):
    out = tmp_path / "out.json"
    arguments = ["record", str(out), "--target", "twin:functional", "--only", "tickless/on"]
    process = subprocess.run(
        [sys.executable, str(FILE), *arguments], capture_output=True, text=True
    )
    refused = json.loads(out.read_text())
    (row,) = refused["experiments"].values()
    assert process.returncode == 1 and row["state"] == "failed"
    assert "measures a device at the pins" in "".join(row["reasons"])
    compared = subprocess.run(
        [sys.executable, str(FILE), "compare", out, out], capture_output=True, text=True
    )
    assert compared.returncode == 1 and not compared.stderr, compared.stderr
    assert "tickless/on: in both refused: " in compared.stdout
    changed = copy.deepcopy(refused)
    changed["experiments"]["tickless/on"]["reasons"] = ["another reason"]
    lines, well = SCRIPT["compare"](refused, changed)
    assert "refused: another reason" in lines[0] and not well
    changed["experiments"]["tickless/on"] = {"samples": {}}
    assert SCRIPT["compare"](refused, changed)[0][0].startswith("tickless/on: A: refused: ")


def test_the_same_is_the_same(held, tmp_path):
    assert tuple(held["experiments"]) == NAMES
    repeated = record(tmp_path / "again.json", "twin:functional")
    lines, well = SCRIPT["compare"](held, repeated)
    assert lines == ["2 the same, 0 differ, 0 without results"]
    assert well


def test_a_tick_of_one_stimulus_is_found(tmp_path):
    (t2,) = SCRIPT["all_experiments"](8, NAMES[:1])
    measured = read(measure(t2.experiment, "twin:functional", tmp_path / "run").folder)
    samples = measured.samples()
    places = range(len(samples))
    longer = pc.add(samples["latency_ticks"], pa.array([int(n == 5) for n in places], pa.uint32()))
    at = samples.schema.get_field_index("latency_ticks")
    changed = samples.set_column(at, samples.schema.field(at), longer)
    rows = [
        {"latencies": SCRIPT["integers"](table["latency_ticks"]).tolist()}
        | {"samples": SCRIPT["digests"](table), "histogram": {}, "stm": {}}
        | {"state": "valid", "count": 8, "counters": {}, "throughput": []}
        for table in (samples, changed)
    ]
    assert SCRIPT["differences"](*rows) == [
        "samples: latency_ticks",
        "1 of 8 latencies, the largest difference 1 ticks",
    ]


def test_a_clock_in_another_phase_is_found(held, tmp_path):
    other = record(tmp_path / "other.json", "twin:functional:clock.apb_phase=24")
    other["target"] = held["target"]
    (latencies, *_), well = SCRIPT["compare"](held, other)
    assert "of 8 latencies, the largest difference" in latencies
    assert not well


@pytest.mark.parametrize("table", ["samples", "histogram", "stm"])
def test_each_column_counts(held, table):
    changed = copy.deepcopy(held)
    column = next(iter(changed["experiments"]["horst2020/t2"][table]))
    changed["experiments"]["horst2020/t2"][table][column] = "0"
    (line, _), well = SCRIPT["compare"](held, changed)
    assert line == f"horst2020/t2: {table}: {column}"
    assert not well


def test_counters_and_throughput_count(held):
    changed = copy.deepcopy(held)
    changed["experiments"]["horst2020/t2"]["counters"]["0"]["unmatched"] += 1
    changed["experiments"]["horst2020/t2-throughput"]["throughput"][0][-1] += 1
    (counters, throughput, _), well = SCRIPT["compare"](held, changed)
    assert counters == "horst2020/t2: counters of channel 0: unmatched 0, 1"
    assert throughput.startswith("horst2020/t2-throughput: throughput [[0, 0, ")
    assert not well


def test_what_was_not_held_is_told(held):
    lacking = copy.deepcopy(held)
    lacking["experiments"]["horst2020/t2"] = {"skipped": "not built"}
    del lacking["experiments"]["horst2020/t2-throughput"]
    lines, well = SCRIPT["compare"](held, lacking)
    assert lines[:2] == [
        "horst2020/t2: B: skipped: not built",
        "horst2020/t2-throughput: only in A",
    ]
    assert not well
    lines, well = SCRIPT["compare"](lacking, lacking)
    assert lines[0] == "horst2020/t2: in both skipped: not built"
    assert not well, "nothing was compared"


def test_a_stack_that_is_not_built_has_a_row():
    (experiment,) = SCRIPT["all_experiments"](8, ["horst2020/t2"])
    unsupported = SCRIPT["Held"](
        "x", experiment.experiment.model_copy(update={"stack": "of-nobody"})
    )
    why = SCRIPT["missing_stacks"]([experiment, unsupported], "twin:functional")
    assert list(why) == ["of-nobody"]
    assert "make stacks STACKS=of-nobody" in why["of-nobody"]
