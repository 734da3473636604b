"""Edited run.json: changes are refused in one line, or reported."""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
import shutil
import stat
import subprocess
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pytest
from irqscope_fake.folder import experiment, record, rewrite

from irqscope.acquire.measure import measure
from irqscope.errors import IrqscopeError, StorageError
from irqscope.experiment import load
from irqscope.link import messages
from irqscope.report import summary
from irqscope.report.folders import Entry
from irqscope.results import stages
from irqscope.results.again import experiment_of
from irqscope.results.folder import RunFolder
from irqscope.results.readback import BackgroundState, CoreState, Readback
from irqscope.results.reader import read
from irqscope.results.record import dumps, loads
from irqscope.results.samples import INDEXED, Samples, flags
from irqscope.results.signals import signals
from irqscope.results.stimuli import State, Stimulus
from irqscope.results.tables import HISTOGRAM, sample_rows

T2 = Path(__file__).parents[2] / "experiments" / "horst2020" / "t2.toml"
#: Put in the place of each value.
VALUES = (None, True, -1, 7, 10**40, 1e3, "[/]", "10", "٣", [], {})


@pytest.fixture
def folder(board, tmp_path):
    """A run with every part of the record that a single core has."""
    expected = load(T2, count=60, **{"markers": "stages"})
    assert measure(expected, board().port, tmp_path / "run").state == "valid"
    return tmp_path / "run"


def paths(value, path=()):
    """Path of each value inside; in a list, whose values are alike, of the first and the last."""
    inner = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, one in inner if isinstance(value, dict) else inner[:1] + inner[1:][-1:]:
        yield (*path, key)
        if isinstance(one, dict | list):
            yield from paths(one, (*path, key))


def edits(run, kinds):
    """Yields (edit, edited record): each key deleted, changed in kind, and joined.

    ``kinds``: how many of VALUES each is changed to, by turns.
    """
    turns = itertools.cycle(VALUES)
    joined = set()
    for path in paths(run):
        values = ["delete", *itertools.islice(turns, kinds)]
        if path[:-1] not in joined:
            joined.add(path[:-1])
            values.append("add")
        for value in values:
            changed = copy.deepcopy(run)
            at = changed
            for key in path[:-1]:
                at = at[key]
            if value == "delete":
                del at[path[-1]]
            elif value == "add":
                if not isinstance(at, dict):
                    continue
                at["unheard_of"] = 1
            else:
                at[path[-1]] = value
            if json.dumps(changed) != json.dumps(run):
                yield f"{path}: {value!r}", changed


def looked_at(run):
    """All that reads the record, but the plots."""
    summary.table(run.run)
    assert Entry(run.path, run.run).cells["verdict"].startswith("INVALID")
    rows = run.samples().slice(0, 2)
    for row in rows.to_pylist():
        flags(run.run, row)
    for counters in run.run.counters:
        run.distribution(counters.channel)
        stages.of_run(run.run, counters.channel)
    signals(run.run, INDEXED.empty_table())
    experiment_of(run.run)
    samples = Samples(run.path)
    samples.update()
    samples.worst(2)


@pytest.mark.parametrize("kinds", [3, pytest.param(len(VALUES), marks=pytest.mark.soak)])
def test_no_edit_of_run_json_goes_unnoticed(folder, kinds):
    path = folder / "run.json"
    original = json.loads(path.read_text())
    assert read(folder).run.valid
    refused = reported = 0
    for subject, edited in edits(original, kinds):
        path.write_text(json.dumps(edited))
        try:
            run = read(folder)
        except StorageError as error:
            refused += 1
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error), subject
            continue
        reported += 1
        assert run.changed == ("run.json",) and not run.run.valid, subject
        assert run.run.reasons[-1] == "changed since it was written: run.json", subject
        try:
            looked_at(run)
        except IrqscopeError as error:
            assert "\n" not in str(error), subject
        except Exception as error:
            raise AssertionError(subject) from error
    assert refused > 250 * kinds and reported > 25 * kinds, (refused, reported)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run["stats"][0].update(n="600"), "stats[0].n: give a whole number"),
        (
            lambda run: run["counters"][0].update(starts=True),
            "counters[0].starts: give a whole number",
        ),
        (lambda run: run["identity"].pop("tick_hz"), "identity.tick_hz: this key is missing"),
        (lambda run: run["identity"].update(magic="0x4٣"), "identity.magic: give hexadecimal"),
        (lambda run: run.update(ende=1), "ende: unknown key; did you mean ended?"),
        (lambda run: run["stats"][0].update(channel=1), "stats of channel 1, which has no"),
        (lambda run: run["experiment"].update(case="t9"), "experiment.case: "),
        (lambda run: run.update(started="yesterday"), "started: "),
    ],
)
def test_a_damaged_record_is_refused_with_file_and_field(folder, change, said):
    rewrite(folder, change)
    with pytest.raises(StorageError) as caught:
        read(folder)
    assert f"{folder}/run.json: {said}" in str(caught.value)
    assert str(caught.value).endswith("; the file is damaged or of another irqscope")


def test_what_is_read_is_what_was_written(folder):
    text = (folder / "run.json").read_bytes()
    assert dumps(loads(text, folder)) == text


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Readback, messages.CASE.reply),
        (CoreState, messages.CORE.reply),
        (BackgroundState, messages.BACKGROUND.tail),
    ],
)
def test_the_record_has_the_fields_that_the_firmware_sends(model, message):
    rest = {Readback: {"cores", "background", "registers"}, CoreState: {"registers"}}.get(
        model, set()
    )
    assert {field.name for field in message} | rest == set(model.model_fields)


# ---- sums ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["run.json", "histogram.parquet", "samples/part-00000.parquet", "SHA256SUMS"]
)
@pytest.mark.parametrize("how", ["a bit", "gone"])
def test_a_changed_file_is_named_and_the_verdict_shows_it(folder, irqscope, name, how):
    path = folder / name
    if how == "gone":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[
            len(data) // 2 if name != "run.json" else data.index(version("irqscope").encode())
        ] ^= 1
        path.write_bytes(data)
    if (name, how) == ("run.json", "gone"):
        assert irqscope("info", folder)[0] == 5
        return
    run = read(folder)
    # A sum that matches no version of a file counts against the file.
    expected = "changed since it was written: "
    if (name, how) == ("SHA256SUMS", "gone"):
        expected = "SHA256SUMS is missing: nothing shows that the files are as they were written"
    elif name != "SHA256SUMS":
        expected += name
    assert not run.run.valid and run.run.reasons[-1].startswith(expected)
    assert Entry.of(folder).cells["verdict"].startswith(f"INVALID: {expected}")


def test_no_flipped_bit_goes_unnoticed(folder, tmp_path):
    """Covers every file with a sum and every kind of part."""
    other = RunFolder(tmp_path / "parts", read(folder).run)
    table = read(folder).samples()
    for add in (other.add_samples, other.add_stm, other.add_places):
        add(table)
    other.add_batch(read(folder).batches())
    other.flush(read(folder).histogram())
    other.end("complete", "")
    assert read(other.path).changed == ()
    chance, files = random.Random(1), [p for p in other.path.rglob("*") if p.is_file()]
    files = [path for path in files if path.name != "log.txt"]
    assert {path.parent.name for path in files} == {"parts", "samples", "stm", "places", "batches"}
    for _ in range(800):
        path = chance.choice(files)
        whole = path.read_bytes()
        at, bit = chance.randrange(len(whole)), chance.randrange(8)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        expected = f"bit {bit} of byte {at} of {path.name}"
        try:
            run = read(other.path)
        except StorageError:
            assert path.name == "run.json", expected
        else:
            assert run.changed and not run.run.valid, expected
        path.write_bytes(whole)
    assert read(other.path).changed == ()


@pytest.mark.parametrize("how", ["a bit", "gone", "of another run"])
def test_a_changed_folder_is_code_5_and_one_line(
    folder, board, irqscope, tmp_path, monkeypatch, how
):
    monkeypatch.chdir(tmp_path)
    required = load(T2, count=60, seed=2, **{"markers": "stages"})
    measure(required, board().port, tmp_path / "good")
    for name in ("histogram.parquet", "samples/part-00000.parquet"):
        whole = (folder / name).read_bytes()
        half = len(whole) // 2
        if how == "gone":
            (folder / name).unlink()
        elif how == "a bit":
            (folder / name).write_bytes(whole[:half] + bytes([whole[half] ^ 4]) + whole[half + 1 :])
        else:
            shutil.copy(tmp_path / "good" / name, folder / name)
        for command in (
            "info", "info --json", "report", "report --json", "tail", "worst", "export out.csv",
            "export out.png", "compare good",
        ):  # fmt: skip
            verb, *rest = command.split()
            code, _, err = irqscope(verb, folder, *rest)
            assert code == 5 and len(err.splitlines()) == 1, (command, err)
            expected = f"{folder}: changed since it was written: {name}; take a copy"
            assert expected in err, (command, err)
        (folder / name).write_bytes(whole)
    assert not (tmp_path / "out.csv").exists() and not (tmp_path / "out.png").exists()
    assert irqscope("info", folder)[0] == 0


def test_a_part_that_nobody_wrote_is_a_change(folder):
    part = folder / "samples" / "part-00000.parquet"
    shutil.copy(part, folder / "samples" / "part-00009.parquet")
    assert read(folder).changed == ("samples/part-00009.parquet",)


def test_sums_are_those_that_sha256sum_checks(folder):
    process = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    parts = [f"{kind}/part-00000.parquet" for kind in ("batches", "samples")]
    assert process.stdout.splitlines() == [
        f"{name}: OK" for name in sorted([*parts, "histogram.parquet", "run.json"])
    ]


@pytest.mark.parametrize("samples", ["all", "tail 3"])
def test_a_run_cut_short_anywhere_is_no_changed_one(tmp_path, monkeypatch, samples):
    """A copy of the folder is read after each single step of the file system."""
    steps = []

    def look(*_):
        if (tmp_path / "run" / "run.json").exists():
            copy_ = tmp_path / f"copy{len(steps)}"
            shutil.copytree(tmp_path / "run", copy_)
            steps.append((read(copy_).changed, read(copy_).run.flushes))

    def looking(function):
        def call(*args, **kwargs):
            look()
            actual = function(*args, **kwargs)
            look()
            return actual

        return call

    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, looking(getattr(Path, name)))
    monkeypatch.setattr(os, "fsync", looking(os.fsync))
    written = RunFolder(tmp_path / "run", record(experiment(samples=samples)))
    keep = written.add_samples if samples == "all" else written.set_samples
    for batch in range(3):
        stimuli = [Stimulus(i, State.SERVED, 5) for i in range(3)]
        keep(sample_rows(0, batch, 3 * batch, range(3), stimuli))
        written.flush(HISTOGRAM.empty_table())
    written.end("complete", "")
    look()
    assert len(steps) > 60
    assert {changed for changed, _ in steps} == {()}
    assert {flushes for _, flushes in steps} == {0, 1, 2, 3}


@pytest.mark.parametrize("step", ["rename", "sync of the folder"])
@pytest.mark.parametrize("file", ["part-00001.parquet", "histogram-00001.parquet", "run.json"])
def test_a_write_that_failed_leaves_no_changed_folder(tmp_path, monkeypatch, file, step):
    """After the rename the file is the new one, before it the old one."""
    written = RunFolder(tmp_path / "run", record(experiment()))
    for batch in range(2):
        rows = sample_rows(0, batch, batch, [0], [Stimulus(batch, State.SERVED, 5)])
        written.add_samples(rows)
        if batch == 0:
            written.flush(HISTOGRAM.empty_table())
    rename, sync, renamed = Path.replace, os.fsync, []

    def replace(path, target):
        if target.name == file and step == "rename":
            raise OSError(28, "No space left on device")
        renamed.append(target.name)
        return rename(path, target)

    def fail(descriptor):
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        if folder and renamed[-1] == file and step != "rename":
            raise OSError(5, "Input/output error")
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        patch.setattr(os, "fsync", fail)
        counts = pa.table([[0], [5], [6], [2]], HISTOGRAM)
        with pytest.raises(StorageError):
            written.flush(counts)
    written.end("storage", "full")
    assert read(tmp_path / "run").changed == ()
