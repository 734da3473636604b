"""Files changed by other programs: faults are left out or refused, and reported."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from irqscope_fake.folder import (
    batch_table,
    deviate,
    experiment,
    record,
    reseal,
    rewrite,
    write_run,
    write_suite,
)
from test_cli import children, one_line

from irqscope import files
from irqscope.acquire.measure import measure
from irqscope.campaign.gate import baseline
from irqscope.cli.main import main
from irqscope.errors import ExperimentError, IrqscopeError, StorageError, TargetError
from irqscope.experiment import load
from irqscope.report import page
from irqscope.results import note
from irqscope.results import sensitivity_record as sensitivity
from irqscope.results import suite_record as suite
from irqscope.results.export import ENDINGS
from irqscope.results.folder import RunFolder
from irqscope.results.reader import read
from irqscope.results.stimuli import State, Stimulus
from irqscope.results.sums import Sums
from irqscope.results.tables import HISTOGRAM, sample_rows
from irqscope.targets.replay import ReplayTarget

ROOT = Path(__file__).parents[2]
T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
SHARED = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def parts(path, n=3):
    """A folder of ``n`` flushes, 20 samples in each."""
    folder = RunFolder(path, record(experiment(), valid=True))
    rows = []
    for batch in range(n):
        stimuli = [Stimulus(10 * i, State.SERVED, 50 + i) for i in range(20)]
        rows.append(sample_rows(0, batch, 20 * batch, range(20), stimuli))
        folder.add_samples(rows[-1])
        folder.add_batch(batch_table(batch, 1000 * batch, 20 * batch, 20))
        folder.flush(HISTOGRAM.empty_table())
    folder.end("complete", "")
    assert read(path).doubts == ()
    return pa.concat_tables(rows)


# ---- salvage ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder, its samples, and the bytes of its files."""
    path = tmp_path_factory.mktemp("whole") / "run"
    rows = parts(path)
    return path, rows, {p: p.read_bytes() for p in path.rglob("*") if p.is_file()}


def call(*words):
    """The command line in this process, without the fixtures of a single test; its exit code."""
    before = sys.argv
    sys.argv = ["irqscope", *map(str, words)]
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        sys.argv = before
    raise AssertionError


FLIPS = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), max_size=5)


@SHARED
@given(
    flips=st.dictionaries(st.integers(0, 8), FLIPS, min_size=1, max_size=3),
    cut=st.none() | st.tuples(st.integers(0, 8), st.floats(0, 1)),
    ending=st.sampled_from(ENDINGS),
)
def test_salvage_writes_no_sample_that_its_sum_refuses(whole, capfd, flips, cut, ending):
    path, rows, contents = whole
    names = sorted(name for name in contents if name.name != "log.txt")
    assert len(names) == 9
    touched = set()
    try:
        for number, bits in flips.items():
            name = names[number % len(names)]
            data = bytearray(contents[name])
            for at, bit in bits:
                data[int(at * len(data))] ^= 1 << bit
            name.write_bytes(data)
        if cut is not None:
            name = names[cut[0] % len(names)]
            name.write_bytes(name.read_bytes()[: int(cut[1] * len(contents[name]))])
        touched = {name for name in names if name.read_bytes() != contents[name]}
        out = path.parent / f"out{ending}"
        out.unlink(missing_ok=True)
        code = call("export", path, out, "--salvage", "--json")
        output = capfd.readouterr()
        assert "defect" not in output.err and "Traceback" not in output.err
        assert code in (0, 5), output.err
        if code == 5:
            assert not out.exists() and one_line(output.err)
            assert {"run.json", "SHA256SUMS"} & {name.name for name in touched}, output.err
            return
        decoded = json.loads(output.out)
        lost = {n.stem for n in touched if n.parent.name in ("samples", "batches")}
        if "SHA256SUMS" not in {n.name for n in touched}:
            assert decoded["rows"] == len(rows) - 20 * len(lost), output.err
            for stem in lost:
                assert any(stem in one for one in decoded["left_out"])
        if ending == ".parquet":
            expected = rows.select(["batch", "edge_ticks", "latency_ticks", "sequence"]).to_pylist()
            actual = pq.read_table(out).select(["batch", "edge_ticks", "latency_ticks", "sequence"])
            assert all(row in expected for row in actual.to_pylist())
            assert actual.num_rows == decoded["rows"]
    finally:
        for name in touched:
            name.write_bytes(contents[name])


@pytest.mark.parametrize("name", ["run.json", "SHA256SUMS"])
def test_without_what_tells_of_the_others_nothing_is_salvaged(irqscope, tmp_path, name):
    parts(tmp_path / "run")
    path = tmp_path / "run" / name
    if name == "run.json":
        path.write_text(path.read_text().replace("250000000", "250000001"))
    else:
        path.unlink()
    code, _, err = irqscope("export", tmp_path / "run", tmp_path / "x.csv", "--salvage")
    assert code == 5 and "nothing can be salvaged" in one_line(err)
    assert not (tmp_path / "x.csv").exists()


# ---- statistics ------------------------------------------------------------------------------


LATENCIES = [*range(50, 150)]


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("n", lambda s: s.update(n=s["n"] + 1)),
        ("served", lambda s: s.update(served=s["served"] - 1)),
        ("timed_out", lambda s: s.update(timed_out=1)),
        ("coalesced", lambda s: s.update(coalesced=1)),
        ("timeout_ticks", lambda s: s.update(timeout_ticks=5)),
        ("min_ticks", lambda s: s.update(min_ticks=49)),
        ("max_ticks", lambda s: s.update(max_ticks=148)),
        ("sum_ticks", lambda s: s.update(sum_ticks=s["sum_ticks"] - 1)),
        ("deviation_ticks", lambda s: s.update(deviation_ticks=1.0)),
        ("confidence", lambda s: s.update(confidence=0.99)),
        ("quantiles", lambda s: s["quantiles"].pop()),
        ("quantiles[0].value_ticks", lambda s: s["quantiles"][0].update(value_ticks=98)),
        ("quantiles[0].sample_ticks", lambda s: s["quantiles"][0].update(sample_ticks=[98, 98])),
        ("quantiles[0].lower_ticks", lambda s: s["quantiles"][0].update(lower_ticks=98)),
        ("quantiles[0].upper_ticks", lambda s: s["quantiles"][0].update(upper_ticks=100)),
        ("quantiles[3].note", lambda s: s["quantiles"][3].update(note=None)),
        ("longer.ticks", lambda s: s["longer"].update(ticks=140)),
        ("longer.at_most", lambda s: s["longer"].update(at_most=0.001)),
        ("longer.at_least", lambda s: s["longer"].update(at_least=0.001)),
        ("longer", lambda s: s.update(longer=None)),
    ],
)
def test_statistics_are_those_of_the_histogram(irqscope, tmp_path, field, change):
    folder = tmp_path / "run"
    write_run(folder, experiment(), LATENCIES)
    assert read(folder).run.valid
    rewrite(folder, lambda run: change(run["stats"][0]))
    run = read(folder)
    expected = f"its files contradict each other: run.json: stats[0].{field} is "
    assert not run.run.valid and run.run.reasons[-1].startswith(expected), run.run.reasons
    assert irqscope("report", folder)[0] == 5
    code, out, err = irqscope("info", folder)
    assert code == 5 and "INVALID" in out and "contradict each other" in one_line(err)


def test_a_histogram_with_other_counts_contradicts(tmp_path):
    folder = tmp_path / "run"
    write_run(folder, experiment(), LATENCIES)
    path = folder / "histogram.parquet"
    table = pq.read_table(path)
    counts = table["count"].to_numpy().copy()
    counts[0] += 1
    pq.write_table(table.set_column(3, HISTOGRAM.field("count"), [counts]), path)
    reseal(folder)
    assert (
        "contradict each other: run.json: stats[0].n is 100, 101 " in read(folder).run.reasons[-1]
    )
    path.write_bytes(b"PAR1")
    reseal(folder)
    assert "histogram.parquet is damaged" in read(folder).run.reasons[-1]


def set_column(path, name, value):
    table = pq.read_table(path)
    place = table.column_names.index(name)
    field = table.schema.field(name)
    column = pa.array([value] * table.num_rows, field.type)
    pq.write_table(table.set_column(place, field, column), path)


@pytest.mark.parametrize(
    ("file", "name", "value", "said"),
    [
        ("samples/part-00000.parquet", "edge_ticks", -(1 << 63), "longer than any run"),
        ("samples/part-00000.parquet", "channel", 255, "channel 255"),
        ("samples/part-00000.parquet", "batch", 9, "samples of batch 9"),
        ("batches/part-00000.parquet", "since_ticks", 1 << 62, "longer than any run"),
        ("batches/part-00000.parquet", "start_tick", (1 << 64) - 1, "batch 0 is not as it was"),
        ("batches/part-00000.parquet", "case", "[1]", "batch 0 is not as it was"),
        ("batches/part-00000.parquet", "case", "{", "batch 0 is not as it was"),
        ("histogram.parquet", "upper_ticks", (1 << 64) - 1, "longer than any run"),
        ("histogram.parquet", "count", 1 << 62, "longer than any run"),
    ],
)
def test_absurd_rows_with_sums_are_one_line(irqscope, tmp_path, file, name, value, said):
    folder = tmp_path / "run"
    write_run(folder, experiment(), LATENCIES)
    set_column(folder / file, name, value)
    reseal(folder)
    assert irqscope("list", tmp_path)[0] == 0
    lines = []
    for ending in ENDINGS:
        code, _, err = irqscope("export", folder, tmp_path / f"x{ending}")
        assert code == 0 or (code == 5 and one_line(err)), err
        lines.append(err)
    assert said in "".join(lines)


def test_a_source_is_that_of_its_identity(tmp_path):
    write_run(tmp_path / "run", experiment(), LATENCIES)
    rewrite(tmp_path / "run", lambda run: run["source"].update(target="zcu102", label="zcu102"))
    with pytest.raises(StorageError, match="source is not that of the identity, which says twin"):
        read(tmp_path / "run")


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6])
def test_a_folder_of_another_format_is_refused(tmp_path, number):
    write_run(tmp_path / "run", experiment(), LATENCIES)
    (tmp_path / "run" / "SHA256SUMS").unlink()
    path = tmp_path / "run" / "run.json"
    path.write_text(path.read_text().replace("irqscope-run/7", f"irqscope-run/{number}"))
    with pytest.raises(StorageError, match=f"format: 'irqscope-run/{number}', this irqscope reads"):
        read(tmp_path / "run")


@pytest.mark.parametrize("samples", ["all", "none", "tail 5"])
@pytest.mark.parametrize("wide", [1, 16])
@pytest.mark.parametrize("faults", [{}, {"silent_every": 7}, {"coalesce_every": 9}])
def test_no_run_contradicts_itself(board, tmp_path, samples, wide, faults):
    """Where bins are wide, samples may be known to the tick and the histogram is not."""
    expected = load(T2, count=300, samples=samples, **{"channels.0.bin": wide})
    run = measure(expected, board(**faults).port, tmp_path / "run").run
    assert run.valid, run.reasons
    (stats,) = run.stats
    assert bool(faults) == bool(stats.timed_out + stats.coalesced)
    actual = read(tmp_path / "run")
    assert actual.doubts == () and actual.run.valid


# ---- a full disk -----------------------------------------------------------------------------


def test_behind_a_full_disk_the_record_tells_of_what_is_there(board, tmp_path, monkeypatch):
    write, process = Sums.write, []

    def full(self, name, *rest):
        if name == "run.json" and len(process) > 2 and (tmp_path / "run" / ".reserve").exists():
            raise StorageError("cannot write run.json: the disk is full")
        process.append(name)
        write(self, name, *rest)

    monkeypatch.setattr(Sums, "write", full)
    monkeypatch.setattr("irqscope.acquire.running.FLUSH_S", 0.0)
    result = measure(load(T2, count=2000), board().port, tmp_path / "run")
    assert result.state == "failed" and result.run.ended.reason == "storage"
    run = read(tmp_path / "run")
    counted = sum(run.histogram()["count"].to_pylist())
    assert run.samples().num_rows == run.run.stimuli == counted == run.run.stats[0].n > 0
    assert run.batches().num_rows > 0


# ---- files that are no regular ones ----------------------------------------------------------


def pipe(path):
    os.mkfifo(path)


def zero(path):
    path.symlink_to("/dev/zero")


@pytest.fixture
def soon():
    """Fails the test if it opens a pipe, which would wait for its other end for ever."""

    def hangs(*_):
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


KINDS = {"pipe": pipe, "device": zero, "folder": Path.mkdir}
READERS = {
    "run.json": (lambda p: read(p.parent), "run.json", StorageError),
    "suite.json": (lambda p: suite.read(p.parent), "suite.json", StorageError),
    "sensitivity.json": (lambda p: sensitivity.read(p.parent), "sensitivity.json", StorageError),
    "note.json": (lambda p: note.read(p.parent), "note.json", StorageError),
    "baseline": (baseline.load, "t2.json", IrqscopeError),
    "replay": (ReplayTarget, "link", TargetError),
    "experiment": (load, "t2.toml", ExperimentError),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_opens_what_is_no_regular_file(soon, tmp_path, reader, kind):
    read_, name, error = READERS[reader]
    KINDS[kind](tmp_path / name)
    with pytest.raises(error, match=r"no regular file|[Ii]s a directory|run.json: "):
        read_(tmp_path / name)


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize(
    "name",
    [
        "run.json", "SHA256SUMS", "histogram.parquet", "samples/part-00000.parquet",
        "batches/part-00000.parquet", "note.json",
    ],
)  # fmt: skip
def test_a_list_goes_on_past_what_is_no_regular_file(soon, irqscope, tmp_path, name, kind):
    for folder in ("a", "b"):
        write_run(tmp_path / folder, experiment(), LATENCIES)
    path = tmp_path / "a" / name
    path.unlink(missing_ok=True)
    KINDS[kind](path)
    code, out, _ = irqscope("list", tmp_path, "--json")
    assert code == 0
    verdicts = sorted(row["verdict"] for row in json.loads(out))
    assert len(verdicts) == 2 and "valid" in verdicts
    if name != "note.json":
        assert verdicts[0].startswith("INVALID") or "not a run folder" in "".join(verdicts)
        assert irqscope("report", tmp_path / "a")[0] == 5
        assert irqscope("export", tmp_path / "a", tmp_path / "x.csv", "--salvage")[0] in (0, 5)


# ---- what is not ours ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "mine", '{"format": "irqscope-suite/1"}', '{"format": "other"}', None]
)
def test_a_suite_writes_over_no_foreign_or_damaged_suite_json(irqscope, tmp_path, text):
    out = tmp_path / "out"
    out.mkdir()
    path = out / "suite.json"
    if text is None:
        write_suite(out, {"t2": "valid"})  # whole, and of another suite
    else:
        path.write_text(text)
    before = path.read_bytes()
    code, _, err = irqscope("suite", T2.parent, "--target", "/dev/null", "--out", out)
    assert code in (2, 5) and f"{out}" in one_line(err) and "--out" in err
    assert path.read_bytes() == before and list(out.iterdir()) == [path]


def test_no_planted_link_is_followed(tmp_path, monkeypatch):
    """Under the name that a temporary file is about to have."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    write_run(tmp_path / "run", experiment(), LATENCIES)
    (tmp_path / "run" / ".note.json.new").symlink_to(mine)
    note.change(tmp_path / "run", "name")
    assert mine.read_text() == "mine"
    monkeypatch.setattr(files.secrets, "token_hex", lambda n: "0")
    planted = tmp_path / "run" / ".note.json.0.new"
    planted.symlink_to(mine)
    with pytest.raises(StorageError, match=r"note\.json: File exists"):
        note.change(tmp_path / "run", "other")
    assert mine.read_text() == "mine" and planted.is_symlink()
    assert note.read(tmp_path / "run").name == "name"


def test_a_file_has_the_mode_that_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        files.replace(tmp_path / "file", lambda file: file.write(b"x"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


# ---- text of others --------------------------------------------------------------------------

HOSTILE = "\u202e\x1b[2J\x9b31m\x07 $end\n$\\frac$ <b>" + "long" * 25_000


def test_text_of_others_reaches_no_export_report_table_or_message_as_it_is(irqscope, tmp_path):
    folder = tmp_path / "runs" / "run"
    write_run(folder, experiment(description=HOSTILE), np.arange(50, 250))
    rewrite(folder, lambda run: deviate(run, HOSTILE))
    rewrite(folder, lambda run: run["ended"].update(message=HOSTILE))
    note.change(folder, note=HOSTILE)
    displayed = {}
    for ending in (*ENDINGS, ".svg"):
        file = tmp_path / f"x{ending}"
        code, _, err = irqscope("export", folder, file)
        assert code == 0, err
        displayed[ending] = file.read_bytes().decode(errors="replace")
    assert displayed[".csv"].count("\n") == 201
    head = displayed[".vcd"][: displayed[".vcd"].index("$scope")]
    assert (head.count("$end"), head.count("\n")) == (3, 3)
    for command in ("info", "list", "worst", "report", "note"):
        code, out, err = irqscope(command, folder.parent if command == "list" else folder)
        assert code == 0, err
        displayed[command] = out + err
    displayed["compare"] = "".join(map(str, irqscope("compare", folder, folder)))
    displayed["page"] = page.render(read(folder))
    edited = (T2.read_text() + "[lines.x]\n").replace("seed = 1", f'"{"k" * 100_000}\\u202e" = 1')
    (tmp_path / "t2.toml").write_text(edited)
    displayed["key"] = irqscope("run", tmp_path / "t2.toml")[2]
    displayed["option"] = irqscope("run", T2, "--count", "1\u202e" + "1" * 100_000)[2]
    displayed["name"] = irqscope("info", "\u202e" + "n" * 90_000)[2]
    for where, text in displayed.items():
        binary = where in (".parquet", ".perfetto-trace")
        assert not set(text) & set("\u202e\x9b" if binary else "\u202e\x1b\x9b\x07"), where
    for where in ("key", "option", "name"):
        assert len(one_line(displayed[where])) < 2500
    for where in ("info", "list", "worst", "note", "compare"):
        assert len(displayed[where]) < 40_000, (where, len(displayed[where]))


# ---- the end ---------------------------------------------------------------------------------


def started(words, folder, ready):
    """A command in a process of its own, once ``ready`` says that it is under way."""
    program = "from irqscope.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while not ready(process):
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.05)
    return process


def terminated(process):
    """Sends SIGTERM once; returns the exit code and the output."""
    process.send_signal(signal.SIGTERM)
    try:
        _, err = process.communicate(timeout=100)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert b"Traceback" not in err and b"defect" not in err, err
    return process.returncode, err


@pytest.mark.parametrize(
    "words",
    [
        ("suite", T2.parent, "--out", "OUT", "--no-card"),
        ("sensitivity", T2, "--vary", "gic.path", "--out", "OUT"),
        ("doctor", "--out", "OUT"),
        ("calibrate", T2),
        ("twin",),
    ],
    ids=lambda words: words[0],
)
def test_sigterm_ends_every_command(fake_twin, tmp_path, words):
    fake_twin(batch_s=0.5)
    words = [tmp_path / "out" if word == "OUT" else word for word in words]
    process = started(words, tmp_path, lambda one: children(one.pid))
    code, err = terminated(process)
    assert code in (130, -signal.SIGTERM, 0), err


def test_sigterm_ends_a_run_in_the_middle_of_a_batch_of_minutes(fake_twin, tmp_path):
    fake_twin(batch_s=300)
    log = tmp_path / "run" / "log.txt"
    words = ("run", T2, "--count", 10**6, "--batch", 3000, "--out", tmp_path / "run")
    process = started(words, tmp_path, lambda _: log.exists() and "measure" in log.read_text())
    code, err = terminated(process)
    assert code == 130 and b"in 10 s at the latest" in err
    run = read(tmp_path / "run")
    assert run.run.ended.reason == "interrupted" and run.doubts == ()


# ---- files that somebody else needs ----------------------------------------------------------

#: Commands that write a file, and how one of their own begins.
WRITERS = {
    "functions.csv": (("run", "LATENCY", "--functions"), b"stimulus,function,instructions,ticks\n"),
    "link.txt": (("run", T2, "--target", "PORT", "--count", 20, "--record"), b"irqscope-link/1\n"),
    "junit.xml": (("gate", "GATE", "--target", "PORT", "--junit"), b"<testsuites>"),
    "recording.csv": (
        ("gate", "GATE", "--target", "PORT", "--recording"),
        b'"case","lower_nanoseconds",',
    ),
    "metrics.json": (("gate", "GATE", "--target", "PORT", "--bencher"), b"{}\n"),
    "samples.csv": (("export", "RUN"), b'"index","time_ticks",'),
    "samples.parquet": (("export", "RUN"), b"PAR1"),
    "samples.vcd": (("export", "RUN"), b"$date"),
    "samples.perfetto-trace": (("export", "RUN"), b"\n\x00"),
    "plot.png": (("export", "RUN"), b"\x89PNG"),
    "plot.svg": (("export", "RUN"), b"<?xml"),
    "table.csv": (("table", "RUNS", "--out"), b'"folder"'),
    "table.json": (("table", "RUNS", "--out"), b'[\n  {\n    "folder"'),
    "table.md": (("table", "RUNS", "--out"), b"| folder |"),
}


@pytest.fixture
def written(irqscope, board, tmp_path):
    """Calls the command that writes a file of that name: its exit code and stderr."""
    write_run(tmp_path / "runs" / "run", experiment(), LATENCIES)
    (tmp_path / "gate.toml").write_text(
        'name = "g"\n[[items]]\nfile = "t2.toml"\nchanges = { count = 20 }\n'
        'limits = ["p50 <= 1 ms"]\n'
    )
    (tmp_path / "t2.toml").write_text(T2.read_text())
    named = {
        "GATE": tmp_path / "gate.toml",
        "RUN": tmp_path / "runs" / "run",
        "RUNS": tmp_path / "runs",
        "LATENCY": ROOT / "examples" / "program" / "latency.toml",
    }

    def call(path):
        words, _ = WRITERS[path.name]
        port = board().port if "PORT" in words else ""
        words = [port if word == "PORT" else named.get(word, word) for word in words]
        if words[0] in ("run", "gate"):
            words = [words[0], words[1], "--out", tmp_path / f"out-{path.name}", *words[2:]]
        return irqscope(*words, path)[::2]

    return call


FOREIGN = [b"\x7fELF\x01\x01\x01", b"<svg>", b"a user's own notes", b"{\n"]


@pytest.mark.parametrize("name", WRITERS)
def test_no_file_of_another_kind_is_overwritten(soon, written, tmp_path, name):
    path = tmp_path / "there" / name
    path.parent.mkdir()
    for content in FOREIGN:
        if content[:4] == b"<svg" and name.endswith(".svg"):
            continue
        path.write_bytes(content)
        code, err = written(path)
        assert code == 5 and "is there already, and is a file of another kind" in one_line(err)
        assert path.read_bytes() == content
    assert not (tmp_path / f"out-{name}").exists()
    for make in (pipe, zero):
        path.unlink()
        make(path)
        code, err = written(path)
        assert code == 5 and "no regular file" in one_line(err)
        assert not path.is_file()


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_is_not_there_is_told_before_anything_is_measured(written, tmp_path, name):
    code, err = written(tmp_path / "nowhere" / name)
    assert code == 5 and str(tmp_path / "nowhere") in one_line(err)
    assert not (tmp_path / f"out-{name}").exists()


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "functions.csv"])
def test_a_file_of_its_own_kind_is_written_again(written, tmp_path, name):
    path = tmp_path / "there" / name
    path.parent.mkdir()
    path.write_bytes(WRITERS[name][1])
    assert written(path)[0] == 0
    whole = path.read_bytes()
    assert len(whole) > 40 and path.stat().st_size == len(whole)
    if not name.startswith("link"):
        return
    shutil.rmtree(tmp_path / f"out-{name}")
    assert written(path)[0] == 0  # also over what it wrote itself


# ---- runs that were killed -------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("salvage", [(), ("--salvage",)])
def test_a_run_killed_before_its_target_answered_has_nothing_to_export(
    irqscope, tmp_path, ending, salvage
):
    requested = experiment()
    RunFolder(
        tmp_path / "run", record(requested).model_copy(update={"identity": None, "source": None})
    )
    code, _, err = irqscope("export", tmp_path / "run", tmp_path / f"x{ending}", *salvage)
    assert code == 2 and "the run ended before its target answered" in one_line(err)
    assert not (tmp_path / f"x{ending}").exists()


class Killed(Exception):
    pass


@pytest.mark.parametrize("at", range(1, 9))
def test_a_killed_run_has_the_rows_and_the_bins_that_its_record_tells_of(
    board, tmp_path, monkeypatch, at
):
    """Killed before each write of a flush, and between that and its rename."""
    steps, records = [], []

    def dying(method):
        def call(self, name, *rest):
            if len(records) >= 3:  # two flushes are whole
                steps.append(name)
                if len(steps) == at:
                    raise Killed
            method(self, name, *rest)
            records.extend([name] if name == "run.json" else [])

        return call

    for name in ("write", "rename"):
        monkeypatch.setattr(Sums, name, dying(getattr(Sums, name)))
    monkeypatch.setattr("irqscope.acquire.running.FLUSH_S", 0.0)
    monkeypatch.setattr("irqscope.acquire.running.Running.end", lambda *_: None)
    with pytest.raises(Killed):
        measure(load(T2, count=2000), board().port, tmp_path / "run", batch_s=0.3)
    run = read(tmp_path / "run")
    assert run.cut_short and run.changed == () and run.run.flushes >= 2
    counted = sum(run.histogram()["count"].to_pylist())
    assert run.samples().num_rows == run.run.stimuli == counted > 0
    assert sum(run.run.counters[0].model_dump()[k] for k in ("served", "timed_out")) == counted
