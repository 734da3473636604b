"""Samples of a run folder in the formats of other programs, from the command line."""

from __future__ import annotations

import csv
import json

import pyarrow.parquet as pq
import pytest
from PIL import Image

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.results.reader import read
from irqscope.units import ticks_to_ns


def test_samples_are_exported_with_their_source(irqscope, experiment, board, tmp_path):
    folder, table = tmp_path / "run", tmp_path / "samples.csv"
    measure(load(experiment(), count=30), board().port, folder)
    code, out, err = irqscope("export", folder, table)
    assert (code, err) == (0, "") and out.startswith("30 samples in ")
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    samples = read(folder).samples()
    assert [int(row["latency_ticks"]) for row in rows] == samples["latency_ticks"].to_pylist()
    assert [int(row["latency_ns"]) for row in rows] == [
        ticks_to_ns(ticks, 249_975_000) for ticks in samples["latency_ticks"].to_pylist()
    ]
    named = ("source", "tick_hz", "start", "stop")
    assert {tuple(map(row.get, named)) for row in rows} == {
        ("twin, functional timing", "249975000", "line 0", "handler")
    }
    assert irqscope("export", folder, tmp_path / "samples.parquet")[0] == 0
    actual = pq.read_table(tmp_path / "samples.parquet")
    assert actual["index"].to_pylist() == list(range(30))
    assert actual.select(samples.column_names).equals(samples)
    ns = [ticks_to_ns(ticks, 249_975_000) for ticks in samples["edge_ticks"].to_pylist()]
    assert actual["edge_ns"].to_pylist() == ns
    assert actual.schema.metadata == {
        b"irqscope.source": b"twin, functional timing",
        b"irqscope.tick_hz": b"249975000",
    }


def test_an_unknown_ending_is_one_line(irqscope, experiment, board, tmp_path):
    folder = tmp_path / "run"
    measure(load(experiment(), count=3), board().port, folder)
    code, _, err = irqscope("export", folder, tmp_path / "samples.xls")
    assert (
        code == 2
        and err.count("\n") == 1
        and "end it in .csv, .parquet, .vcd, .perfetto-trace, .png or .svg" in err
    )


def test_plots_are_exported_with_their_source(irqscope, experiment, board, tmp_path):
    folder = tmp_path / "run"
    measure(load(experiment(), count=30), board().port, folder)
    code, out, err = irqscope("export", folder, tmp_path / "plot.svg")
    assert (code, err) == (0, "") and out.startswith("Histogram in ")
    svg = (tmp_path / "plot.svg").read_text()
    assert svg.startswith("<?xml") and "twin, functional timing" in svg and "latency, ns" in svg
    code, out, _ = irqscope("export", folder, tmp_path / "plot.png", "--plot", "tail", "--json")
    assert code == 0 and json.loads(out)["plot"] == "Tail (CCDF)"
    with Image.open(tmp_path / "plot.png") as picture:
        assert (
            picture.format == "PNG" and picture.width > 1000 and len(picture.getcolors(1 << 24)) > 9
        )


def test_a_plot_that_there_is_not(irqscope, experiment, board, tmp_path):
    folder = tmp_path / "run"
    measure(load(experiment(), count=30), board().port, folder)
    code, _, err = irqscope("export", folder, tmp_path / "plot.svg", "--plot", "stages")
    assert code == 2 and 'no plot "stages"; there is histogram, time trace, tail (ccdf)' in err
    assert not (tmp_path / "plot.svg").exists()


def test_of_a_damaged_folder_what_is_whole_is_exported(irqscope, experiment, board, tmp_path):
    folder, table = tmp_path / "run", tmp_path / "samples.parquet"
    measure(load(experiment(), count=1000), board().port, folder)
    first, *rest = sorted((folder / "samples").iterdir())
    whole = pq.read_table(rest[-1])
    assert len(rest) == 1
    data = bytearray(first.read_bytes())
    # The end of the last column: the footer with the schema, and the other columns, are whole.
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    data[end - 30 : end] = b"\xff" * 30
    first.write_bytes(data)
    code, _, err = irqscope("export", folder, table)
    assert (
        code == 5 and "changed since it was written" in err and "`irqscope export --salvage`" in err
    )
    assert not table.exists()
    code, out, err = irqscope("export", folder, table, "--salvage", "--json")
    record = json.loads(out)
    assert (
        code == 0 and record["rows"] == whole.num_rows and f"left out: {first} was changed" in err
    )
    assert len(record["left_out"]) == 1
    actual = pq.read_table(table)
    assert actual.select(whole.column_names).equals(whole)
    assert actual["index"].to_pylist() == list(range(whole.num_rows))
    assert actual["time_ticks"][0].as_py() > 1_000_000  # the missing ones took their time


@pytest.mark.parametrize("name", ["histogram.parquet", "samples/part-00000.parquet", "a link"])
def test_the_record_is_not_written_over(irqscope, experiment, board, tmp_path, name):
    folder = tmp_path / "run"
    measure(load(experiment(), count=20), board().port, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    file = folder / name
    if name == "a link":
        file = tmp_path / "link.parquet"
        file.symlink_to(folder / "histogram.parquet")
    code, _, err = irqscope("export", folder, file)
    assert code == 2 and f"{file} is part of the record in {folder}; name another file" in err
    assert {path: path.read_bytes() for path in before} == before
    assert irqscope("export", folder, folder / "mine.parquet")[0] == 0
