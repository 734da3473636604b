"""The run folder at every moment at which the program may end."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from irqscope_fake.folder import experiment, record, reseal, write_run

from irqscope import files
from irqscope.analysis.stats import OPEN, Distribution
from irqscope.errors import ExperimentError, StorageError
from irqscope.results.folder import RunFolder, new_folder
from irqscope.results.reader import Run, read
from irqscope.results.stimuli import State, Stimulus
from irqscope.results.tables import HISTOGRAM, sample_rows


def rows(batch, n):
    stimuli = [Stimulus(i, State.SERVED, 5) for i in range(n)]
    return sample_rows(0, batch, 10 * batch, range(n), stimuli)


def blank(samples="all"):
    return record(experiment(samples=samples))


def test_run_json_exists_from_the_start_without_an_end(tmp_path):
    RunFolder(tmp_path / "run", blank())
    run = read(tmp_path / "run")
    assert run.cut_short
    assert "cut short" in run.ending and "flush 0" in run.ending
    assert run.samples().num_rows == 0
    assert run.histogram().num_rows == 0


def test_every_state_on_the_way_through_a_flush_reads_as_the_flush_before_or_after(
    tmp_path, monkeypatch
):
    """A copy of the folder is taken after each single file is in place."""
    folder = RunFolder(tmp_path / "run", blank())
    folder.add_samples(rows(0, 3))
    folder.flush(HISTOGRAM.empty_table())
    observed = []
    original = files.replace

    def spied(path, write, before):
        original(path, write, before)
        shutil.copytree(tmp_path / "run", tmp_path / f"copy{len(observed)}")
        observed.append((path.name, read(tmp_path / f"copy{len(observed)}").samples().num_rows))

    monkeypatch.setattr("irqscope.results.sums.replace", spied)
    folder.add_samples(rows(1, 4))
    folder.flush(HISTOGRAM.empty_table())
    assert observed == [("part-00001.parquet", 3), ("histogram-00001.parquet", 3), ("run.json", 7)]


def test_a_tail_is_always_read_once(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "run", blank("tail 5"))
    folder.set_samples(rows(0, 3))
    folder.flush(HISTOGRAM.empty_table())
    counts = []
    original = files.replace

    def spied(path, write, before):
        original(path, write, before)
        counts.append(read(tmp_path / "run").samples().num_rows)

    monkeypatch.setattr("irqscope.results.sums.replace", spied)
    folder.set_samples(rows(1, 5))
    folder.flush(HISTOGRAM.empty_table())
    assert counts == [3, 3, 5]
    assert [path.name for path in (tmp_path / "run" / "samples").iterdir()] == [
        "part-00001.parquet"
    ]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "file"
    path.write_text("before")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="the disk is full.*; make room"):
        files.replace(path, fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_folders_of_one_second_have_names_of_their_own(tmp_path):
    for _ in range(3):
        new_folder("t2", tmp_path).mkdir()
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 3
    assert all(name.startswith("t2-") for name in names)


def test_a_folder_in_use_is_not_written_into(tmp_path):
    (tmp_path / "something").write_text("")
    with pytest.raises(ExperimentError, match="is there already; name a new folder with --out"):
        RunFolder(tmp_path, blank())


def test_rows_have_the_documented_columns(tmp_path):
    folder = RunFolder(tmp_path / "run", blank())
    folder.add_samples(rows(2, 2))
    folder.flush(HISTOGRAM.empty_table())
    table = pq.read_table(tmp_path / "run" / "samples" / "part-00000.parquet")
    assert table.column_names == [
        "channel", "batch", "place", "sequence", "edge_ticks", "latency_ticks", "state", "core",
        "vector_ticks", "handler_ticks", "done_ticks", "task_ticks", "timer_tick_phase_ticks",
    ]  # fmt: skip
    first = table.to_pylist()[0]
    assert (first["sequence"], first["state"], first["latency_ticks"]) == (20, "served", 5)
    assert first["vector_ticks"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is not a run folder"),
        ("{", "run.json is damaged"),
        ("[]", "format: None"),
        (json.dumps({"format": "irqscope-run/9"}), "format: 'irqscope-run/9', this irqscope reads"),
    ],
)
def test_a_folder_that_is_none_of_ours(tmp_path, text, said):
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(StorageError, match=said):
        read(tmp_path)


def test_a_damaged_part_is_named(tmp_path):
    folder = RunFolder(tmp_path / "run", blank())
    folder.add_samples(rows(0, 3))
    folder.flush(HISTOGRAM.empty_table())
    part = tmp_path / "run" / "samples" / "part-00000.parquet"
    part.write_bytes(part.read_bytes()[:-10])
    with pytest.raises(StorageError, match="part-00000.parquet was changed since it was written"):
        read(tmp_path / "run").samples()
    reseal(tmp_path / "run")
    with pytest.raises(StorageError, match="part-00000.parquet is damaged"):
        read(tmp_path / "run").samples()


def test_the_reserve_is_given_back_at_the_end(tmp_path):
    folder = RunFolder(tmp_path / "run", blank())
    assert (tmp_path / "run" / ".reserve").stat().st_blocks > 0
    folder.end("complete", "")
    assert not (tmp_path / "run" / ".reserve").exists()
    assert not read(tmp_path / "run").cut_short


@pytest.mark.parametrize("there", [True, False])
def test_a_start_that_failed_leaves_the_name_free(tmp_path, monkeypatch, there):
    path = tmp_path / "run"
    if there:
        path.mkdir()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "posix_fallocate", full)
        with pytest.raises(StorageError, match="the disk is full"):
            RunFolder(path, blank())
    assert not path.exists()
    RunFolder(path, blank())


def test_a_file_system_that_turns_read_only_is_a_storage_error(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "run", blank())

    def read_only(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system", "file")

    for name in ("unlink", "replace", "open", "write_bytes"):
        monkeypatch.setattr(Path, name, read_only)
    with pytest.raises(StorageError, match="run.json: Read-only file system"):
        folder.end("complete", "")


@pytest.mark.parametrize(("samples", "upper"), [("all", [10, 20, 9000]), ("none", [10, 20, OPEN])])
def test_latencies_above_the_last_bin_are_those_of_the_samples(
    tmp_path, monkeypatch, samples, upper
):
    write_run(tmp_path / "run", experiment(samples=samples), [10, 20, 9000])
    bins = (np.array(column) for column in ([10, 20, 4096], [10, 20, OPEN], [1, 1, 1]))
    histogram = Distribution(*bins)
    monkeypatch.setattr(Run, "known", lambda run, channel: histogram)
    assert read(tmp_path / "run").distribution(0).upper.tolist()[:3] == upper
