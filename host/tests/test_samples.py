"""Single stimuli of a folder: the results equal those of a search through all samples."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from irqscope_fake.folder import TICK_HZ, batch_table, rewrite, write_run
from irqscope_fake.folder import experiment as described

from irqscope.acquire.measure import measure
from irqscope.errors import StorageError
from irqscope.experiment import load
from irqscope.results import samples as module
from irqscope.results.folder import RunFolder
from irqscope.results.reader import read
from irqscope.results.samples import UNANSWERED, Only, Samples
from irqscope.results.tables import HISTOGRAM, SAMPLES

pytestmark = pytest.mark.quick

PERIOD = 5 * TICK_HZ // 1000


def write_parts(path, latencies, parts, channels=1, samples="all"):
    """A folder whose samples lie in ``parts`` files of one batch of 400 each."""
    line = {"high": "1 ms", "low": "4 ms", "phase": "locked"}
    requested = described(count=400 * parts, lines=[line], samples=samples)
    run = write_run(path.with_name("draft"), requested, [50])
    folder = RunFolder(path, run)
    for part, values in enumerate(np.array_split(np.array(latencies), parts)):
        n = len(values)
        open_ = values == UNANSWERED
        columns = {
            "channel": np.arange(n) % channels,
            "batch": np.full(n, part),
            "place": np.arange(n) // channels,
            "edge_ticks": 5000 + PERIOD * np.arange(n),
            "latency_ticks": pa.array(values, mask=open_),
            "state": np.where(open_, "timed_out", "served"),
        }
        none = pa.nulls(n)
        table = [pa.array(columns.get(f.name, none)).cast(f.type) for f in SAMPLES]
        folder.add_samples(pa.table(table, schema=SAMPLES))
        folder.add_batch(batch_table(part, 400 * PERIOD * part))
        folder.flush(HISTOGRAM.empty_table())
    folder.end("complete", "")
    return path


def opened(path):
    samples = Samples(path)
    samples.update()
    return samples


@pytest.fixture(params=[1, 2, 3])
def many(request, tmp_path):
    generator = np.random.default_rng(request.param)
    latencies = generator.integers(50, 90, 1500)
    latencies[generator.integers(0, 1500, 3)] = UNANSWERED
    return latencies, opened(write_parts(tmp_path / "run", latencies, 7, channels=2))


def test_the_worst_are_those_that_sorting_all_would_find(many):
    latencies, samples = many
    assert len(samples) == 1500
    channel = np.concatenate([np.arange(len(p)) % 2 for p in np.array_split(latencies, 7)])
    for only, held in (
        (Only(), latencies > 0),
        (Only(channel=1), channel == 1),
        (Only(answered=True), latencies < UNANSWERED),
        (Only(low=60, high=61), (latencies >= 60) & (latencies <= 61)),
        (Only(low=1000, high=2000), latencies < 0),
    ):
        places = np.flatnonzero(held)
        expected = places[np.argsort(-latencies[places], kind="stable")]
        for count in (1, 10, 400, 3000):
            actual = samples.worst(count, only)
            assert actual["index"].to_pylist() == expected[:count].tolist()


def test_parts_that_cannot_hold_a_worse_one_are_not_read(tmp_path, monkeypatch):
    latencies = np.full(4000, 60)
    latencies[[10, 3990]] = 99
    samples = opened(write_parts(tmp_path / "run", latencies, 10))
    observed = []
    real = module.read_part
    monkeypatch.setattr(
        module, "read_part", lambda p, c=None: observed.append(p.name) or real(p, c)
    )
    assert samples.worst(2)["index"].to_pylist() == [10, 3990]
    assert set(observed) == {"part-00000.parquet", "part-00009.parquet"}


def test_rows_come_in_the_order_asked_for_with_their_time(many):
    _, samples = many
    whole = pa.concat_tables(samples.tables())
    assert whole["index"].to_pylist() == list(range(1500))
    requests = [1499, 3, 700, 3, 5000, -1]
    assert samples.rows(requests).equals(whole.take([1499, 3, 700, 3]))
    assert samples.around(2, 4)["index"].to_pylist() == list(range(7))
    time = whole["time_ticks"].to_numpy()
    first = len(np.array_split(range(1500), 7)[0])
    # 215 of the 400 stimuli of each batch have samples here: the others take their time as well.
    assert time[first] - time[0] == 400 * PERIOD


def test_all_of_them_come_in_tables_of_few_rows(many, monkeypatch):
    _, samples = many
    whole = pa.concat_tables(samples.tables())
    monkeypatch.setattr(module, "BLOCK", 50)
    tables = list(samples.tables())
    assert max(table.num_rows for table in tables) == 50
    assert pa.concat_tables(tables).equals(whole)
    some = pa.concat_tables(samples.tables(range(190, 460)))
    assert some["index"].to_pylist() == list(range(190, 460))


def test_the_nearest_in_time(many):
    _, samples = many
    whole = pa.concat_tables(samples.tables())
    time, channel = whole["time_ticks"].to_numpy(), whole["channel"].to_numpy()
    for requested in (
        -5,
        0,
        int(time[40]),
        int(time[214]) + 1,
        int(time[215]) - 1,
        int(time[-1]) + 9,
    ):
        assert samples.nearest(requested) == np.argmin(np.abs(time - requested))
        away = np.where(channel == 1, np.abs(time - requested), 1 << 60)
        assert samples.nearest(requested, channel=1) == np.argmin(away)
    assert samples.nearest(0, channel=5) is None


def test_what_is_flushed_later_is_taken_in(tmp_path):
    latencies = np.arange(50, 650)
    path = write_parts(tmp_path / "run", latencies, 3)
    later = path / "samples" / "part-00002.parquet"
    later.rename(path / "later")
    samples = opened(path)
    assert len(samples) == 400 and samples.worst(1)["latency_ticks"][0].as_py() == 449
    (path / "later").rename(later)
    samples.update()
    assert len(samples) == 600 and samples.worst(1)["latency_ticks"][0].as_py() == 649


def test_samples_whose_batches_are_being_written_wait_for_them(tmp_path):
    path = write_parts(tmp_path / "run", np.arange(50, 650), 3)
    later = path / "batches" / "part-00002.parquet"
    later.rename(path / "later")
    with pytest.raises(StorageError, match="samples of batch 2, which the folder does not list"):
        opened(path)  # a run that has ended is damaged
    rewrite(path, lambda run: run.update(ended=None))
    samples = opened(path)
    assert len(samples) == 400
    (path / "later").rename(later)
    samples.update()
    assert len(samples) == 600 and samples.worst(1)["latency_ticks"][0].as_py() == 649


def test_a_tail_is_what_its_last_part_says(tmp_path):
    path = write_parts(tmp_path / "run", np.arange(50, 650), 2, samples="tail 300")
    samples = opened(path)
    assert len(samples) == 300 and samples.worst(9)["latency_ticks"].to_pylist() == list(
        range(649, 640, -1)
    )
    samples.update()
    assert len(samples) == 300


def test_a_run_without_samples_has_no_worst(tmp_path):
    path = write_parts(tmp_path / "run", [], 1)
    samples = opened(path)
    assert len(samples) == 0 and samples.worst(5).num_rows == 0 and samples.nearest(0) is None


# ---- from the command line -----------------------------------------------------------------------


def test_the_worst_are_listed(irqscope, experiment, board, tmp_path):
    folder = tmp_path / "run"
    measure(load(experiment(), count=30), board().port, folder)
    code, out, err = irqscope("worst", folder, "--most", 3, "--json")
    assert (code, err) == (0, "")
    rows = json.loads(out)
    samples = read(folder).samples()
    assert len(rows) == 3
    assert rows[0]["latency_ticks"] == pc.max(samples["latency_ticks"]).as_py()
    assert rows[0]["core"] == 0
    code, out, _ = irqscope("worst", folder)
    assert code == 0 and "16 of 30 samples" in out and "twin, functional timing" in out


def test_a_window_that_holds_nothing_is_one_line(irqscope, experiment, board, tmp_path):
    folder = tmp_path / "run"
    measure(load(experiment(), count=30), board().port, folder)
    code, _, err = irqscope("export", folder, tmp_path / "x.csv", "--around", 99, "--neighbours", 3)
    assert code == 2 and err.count("\n") == 1 and "has no sample 96 to 102; it has 30" in err
    code, out, _ = irqscope("export", folder, tmp_path / "x.csv", "--around", 31, "--neighbours", 3)
    assert code == 0 and out.startswith("2 samples in ")
