"""Many runs as one table, which other programs read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from irqscope.report.table import COLUMNS, table
from irqscope.results.nanoseconds import beside, with_ns
from irqscope.results.reader import read
from irqscope.units import ticks_to_ns

PAGE = Path(__file__).parents[2] / "docs" / "run-folder.md"


@pytest.fixture
def grid(irqscope, experiment, board, once, tmp_path):
    """Folder of a suite with a matrix of two keys, each run on a firmware of its own."""

    def measure(folder):
        experiment()
        folder.parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "suite.toml").write_text(
            'name = "grid"\n[[items]]\nfile = "experiment.toml"\n'
            "matrix.seed = [3, 1]\nmatrix.idle = ['wfi', 'spin']\nquick = { count = 300 }\n"
        )
        words = ("--target", board(latency_ticks=61).port, "--counts", "quick", "--out", folder)
        assert irqscope("suite", tmp_path, *words)[0] == 0

    return once(tmp_path / "grid", measure, (), {})


def test_a_grid_becomes_one_table_in_its_order(irqscope, grid):
    rows = json.loads(irqscope("table", grid, "--format", "json")[1])
    assert [(row["grid.seed"], row["grid.idle"]) for row in rows] == [
        (3, "wfi"), (3, "spin"), (1, "wfi"), (1, "spin"),
    ]  # fmt: skip
    for row in rows:
        run = read(grid / row["folder"]).run
        (stats,) = run.stats
        median = next(q for q in stats.quantiles if q.p == 0.5)
        assert (row["n"], row["tick_hz"], row["verdict"]) == (300, run.tick_hz, "valid")
        assert row["max_ns"] == ticks_to_ns(stats.max_ticks, run.tick_hz) == 244
        assert row["p50_ns"] == ticks_to_ns(median.value_ticks, run.tick_hz)
        assert (row["channel"], row["start"], row["stop"]) == (0, "line 0", "handler")
        assert row["p9999_ns"] is None  # N is too small for it


def test_each_format_says_the_same(irqscope, grid, tmp_path):
    expected = table(grid)
    assert irqscope("table", grid, "--out", tmp_path / "t.parquet")[0] == 0
    assert pq.read_table(tmp_path / "t.parquet").equals(expected)
    rows = list(csv.DictReader(io.StringIO(irqscope("table", grid, "--format", "csv")[1])))
    assert [int(row["p50_ns"]) for row in rows] == expected["p50_ns"].to_pylist()
    head, _, *lines = irqscope("table", grid, "--format", "md")[1].splitlines()
    assert head.strip("| ").split(" | ") == expected.column_names and len(lines) == 4
    assert all(pa.types.is_integer(f.type) for f in expected.schema if f.name.endswith("_ns"))
    listed = json.loads(irqscope("list", grid, "--json")[1])
    assert listed == expected.to_pylist()


def test_what_is_no_folder_is_one_line(irqscope, tmp_path):
    code, _, err = irqscope("table", tmp_path / "nowhere")
    assert code == 5 and err.count("\n") == 1 and "there is no folder" in err


def test_every_column_is_described():
    text = PAGE.read_text().split("\n## One table\n")[1].split("\n## ")[0]
    for column in COLUMNS:
        assert f"| `{column.name}` | {pa_name(column.type)} | {column.meaning} |" in text


def pa_name(kind: pa.DataType) -> str:
    return {"uint8": "integer", "int64": "integer", "double": "number", "string": "text"}[str(kind)]


def test_ns_are_those_of_single_values_however_long_and_whatever_the_clock():
    values = [0, 1, 2, 3, -1, -7, 249_975_000, 1 << 52, None]
    ticks = pa.table({"a_ticks": pa.array(values, pa.int64()), "b": values})
    for hz in (249_975_000, 250_000_000, 125_000_000, 1_000_000_000):
        actual = with_ns(ticks, hz)
        assert actual.column_names == ["a_ticks", "a_ns", "b"] == beside(ticks.schema).names
        assert actual["a_ns"].to_pylist() == [
            None if value is None else ticks_to_ns(value, hz) for value in values
        ]
