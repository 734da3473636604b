"""``irqscope import`` of captures: each form of the same edges is the same run."""

from __future__ import annotations

import json
import re
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from irqscope.acquire.callbacks import Untold
from irqscope.cli import main
from irqscope.cli.main import cli
from irqscope.errors import ExitCode, ExperimentError
from irqscope.kinds.capture.importing import import_run
from irqscope.kinds.capture.model import CaptureError
from irqscope.kinds.capture.recipe import Pair, Recipe, load
from irqscope.report import latency_plots
from irqscope.report.compare import compare
from irqscope.results.export import export
from irqscope.results.reader import read

sys.path.insert(0, str(Path(__file__).parent))
import capture_files as made  # noqa: E402

PAIR = {"timeout": "90 us"}


def imported(tmp_path, files, start="A rise", stop="B rise", out="run", timeout=None, **more):
    """Exit code and folder of an import. No report is made, which takes most of the time."""
    files = files if isinstance(files, list) else [files]
    pairs = [Pair(start=start, stop=stop, timeout=timeout)] if start else []
    recipe = Recipe(name="n", files=tuple(map(str, files)), channels=tuple(pairs), **more)
    result = import_run(recipe, tmp_path / out, Untold())
    return result.exit_code, read(tmp_path / out)


def latencies(run):
    return run.samples()["latency_ticks"].to_pylist()


def test_each_form_of_the_same_edges_has_the_same_latencies_in_samples(tmp_path):
    forms = {
        "csv": (made.saleae_csv(tmp_path / "a.csv"), "Channel 0 rise", "Channel 1 rise"),
        "binary": (made.saleae_binary(tmp_path), "Channel 0 rise", "Channel 1 rise"),
        "sr": (made.sigrok(tmp_path / "a.sr"), "A rise", "B rise"),
        "chunks": (
            made.sigrok(tmp_path / "b.sr", unit=2, chunks=12, analog=True, shift=9),
            "A rise",
            "B rise",
        ),
        "vcd": (made.vcd(tmp_path / "a.vcd"), "A rise", "B rise"),
        "vcd of 10 ps": (made.vcd(tmp_path / "b.vcd", "10 ps", 10**11), "A rise", "B rise"),
    }
    for name, (files, start, stop) in forms.items():
        code, run = imported(tmp_path, files, **PAIR, start=start, stop=stop, out=name)
        assert code == ExitCode.VALID, name
        assert run.run.tick_hz == made.HZ, name
        assert latencies(run) == made.LATENCIES, name
        counters = run.run.counters[0]
        assert (counters.starts, counters.served, counters.unmatched) == (50, 50, 0), name
        assert "24 MHz; not measured by irqscope" in run.run.label, name
        assert not run.doubts, name


def decimal_commas(text):
    text = re.sub(r",([01]),([01])$", r";\1;\2", text, flags=re.MULTILINE)
    return text.replace("Time [s],Channel 0,", "Time [s];Channel 0;").replace(".", ",")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        decimal_commas,
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace("Time [s]", "start_time"),
        lambda text: text.replace("Time [s]", '"Start Time [s]"'),
        lambda text: "; written by hand\n\n" + text,
        lambda text: re.sub(r"^(.*?),(.*?),(.*)$", r"\3,\2,\1", text, flags=re.MULTILINE),
        lambda text: re.sub(",1\\b(?=,|$)", ",True", text, flags=re.MULTILINE).replace(
            ",0", ",False"
        ),
        lambda text: re.sub(",1\\b(?=,|$)", ",High", text, flags=re.MULTILINE).replace(
            ",0", ",Low"
        ),
        lambda text: re.sub("([01])$", r"\1,", text, flags=re.MULTILINE).replace("1,", "1", 1),
        lambda text: re.sub(r"^[\d.]+", lambda t: f"{float(t[0]):.9E}", text, flags=re.MULTILINE),
    ],
)
def test_saleae_csv_may_be_written_otherwise(tmp_path, change):
    text = change(made.saleae_csv(tmp_path / "a.csv").read_text())
    (tmp_path / "b.csv").write_text(text, newline="")
    ends = {"start": "Channel 0 rise", "stop": "Channel 1 rise"}
    code, run = imported(tmp_path, tmp_path / "b.csv", **PAIR, **ends)
    assert code == ExitCode.VALID
    assert latencies(run) == made.LATENCIES


def test_times_of_day_and_times_before_the_trigger(tmp_path):
    rows = ["Time,A,B"]
    base = np.datetime64("2026-03-01T12:00:00", "ns")
    for t, a, b in made.levels():
        rows.append(f"{base + np.timedelta64(round(t * 1e9 / made.HZ), 'ns')}Z,{a},{b}")
    (tmp_path / "iso.csv").write_text("\n".join(rows))
    code, run = imported(tmp_path, tmp_path / "iso.csv", **PAIR)
    assert code == ExitCode.VALID
    assert run.run.tick_hz == made.HZ
    assert latencies(run) == made.LATENCIES
    rows = ["time_us,A,B", *(f"{(t - 60000) / 24:.3f},{a},{b}" for t, a, b in made.levels())]
    (tmp_path / "early.csv").write_text("\n".join(rows))
    code, run = imported(tmp_path, tmp_path / "early.csv", **PAIR, out="early")
    assert latencies(run) == made.LATENCIES
    assert run.run.capture.first_tick == -60000


def test_edges_by_name_and_parquet(tmp_path):
    edges = []
    for before, now in zip(made.levels(), made.levels()[1:], strict=False):
        edges += [(now[0], "AB"[n], now[n + 1]) for n in (0, 1) if now[n + 1] != before[n + 1]]
    text = "timestamp;signal;edge\n" + "".join(
        f"{t};{name};{'rising' if level else 'falling'}\n" for t, name, level in edges
    )
    (tmp_path / "e.csv").write_text(text)
    code, run = imported(tmp_path, tmp_path / "e.csv", unit="ns", timeout="2000 ns")
    assert code == ExitCode.VALID
    assert latencies(run) == made.LATENCIES
    columns = {"time_ns": [t for t, *_ in made.levels()]}
    columns |= {name: [row[n + 1] for row in made.levels()] for n, name in enumerate("AB")}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    code, run = imported(tmp_path, tmp_path / "e.parquet", timeout="2000 ns", out="parquet")
    assert latencies(run) == made.LATENCIES


@pytest.mark.parametrize(
    ("text", "options", "ticks", "hz"),
    [
        ("latency_us\n1.25\n3\n2.5\n", {}, [125, 300, 250], 10**8),
        ("latency [ns]\n10\n30\n\n25\n", {}, [10, 30, 25], 10**9),
        ("10\n30\n25\n", {"unit": "us"}, [10, 30, 25], 10**6),
        ("1,5\n30,0\n2,5\n", {"unit": "us"}, [15, 300, 25], 10**7),
        ("n;wait;took\n0;1;10\n1;1;30\n", {"column": "took", "unit": "ms"}, [10, 30], 10**3),
        ("latency_ms\n7\nnan\n9\n", {}, [7, None, 9], 10**3),
    ],
)
def test_a_list_of_latencies(tmp_path, text, options, ticks, hz):
    (tmp_path / "l.csv").write_text(text)
    code, run = imported(tmp_path, tmp_path / "l.csv", start=None, **options)
    assert code == ExitCode.VALID
    assert (latencies(run), run.run.tick_hz) == (ticks, hz)


def test_latencies_without_times_are_drawn_by_number(tmp_path):
    (tmp_path / "l.csv").write_text("latency_us\n1.25\n3\n2.5\n")
    _, run = imported(tmp_path, tmp_path / "l.csv", start=None)
    (trace,) = (one for one in latency_plots.of_run(run) if one.title == "Time trace")
    assert "number of the stimulus" in trace.drawing and "time since" not in trace.drawing
    _, run = imported(tmp_path, made.sigrok(tmp_path / "a.sr"), **PAIR, out="timed")
    (trace,) = (one for one in latency_plots.of_run(run) if one.title == "Time trace")
    assert "time since" in trace.drawing


def test_intervals_allow_for_a_sample_at_each_end(tmp_path):
    _, run = imported(tmp_path, made.sigrok(tmp_path / "a.sr"), **PAIR)
    median = run.run.stats[0].quantiles[0]
    ordered = sorted(made.LATENCIES)
    assert median.value_ticks == ordered[24]
    assert (median.lower_ticks, median.upper_ticks) == (ordered[17] - 1, ordered[32] + 1)


def test_what_the_capture_cut_off_is_counted(tmp_path):
    rows = ["t_us,A,B", "0,1,0", "5,0,0", "7,0,1", "8,0,0"]  # begins while A is high
    rows += ["100,1,0", "105,0,1", "110,0,0", "200,1,0", "201,0,0", "300,1,0", "303,0,0"]
    rows += ["398,1,0", "400,0,0"]
    (tmp_path / "cut.csv").write_text("\n".join(rows))
    code, run = imported(tmp_path, tmp_path / "cut.csv", timeout="50 us")
    found = run.run.counters[0]
    assert code == ExitCode.VALID
    assert (found.starts, found.served, found.timed_out, found.pending) == (4, 1, 2, 1)
    assert (found.stops, found.unmatched) == (2, 1)
    assert any("open where the capture ends" in note for note in run.run.notes)
    assert any("1 stops came without" in note for note in run.run.notes)
    assert latencies(run) == [5, None, None]


def test_a_last_row_that_is_cut_short_is_noted_also_where_the_timeout_is_looked_for(tmp_path):
    text = made.saleae_csv(tmp_path / "a.csv").read_text()
    (tmp_path / "a.csv").write_text(text[: text.rindex(",")])
    ends = {"start": "Channel 0 rise", "stop": "Channel 1 rise"}
    code, run = imported(tmp_path, tmp_path / "a.csv", **ends)
    assert (code, run.run.stats[0].served) == (ExitCode.VALID, 50)
    assert sum("the last row was left out" in note for note in run.run.notes) == 1


@pytest.mark.parametrize("gap", [False, True], ids=["whole", "a gap"])
def test_a_binary_export_of_version_1_has_its_rate_and_its_gaps(tmp_path, gap):
    files = made.saleae_binary(tmp_path, version=1, cut=30 if gap else None)
    ends = {"start": "Channel 0 rise", "stop": "Channel 1 rise"}
    code, run = imported(tmp_path, files, **ends, timeout="50 us")
    assert run.run.capture.basis == "stated in the file" and run.run.tick_hz == made.HZ
    books = run.run.counters[0]
    if not gap:
        assert code == ExitCode.VALID and latencies(run) == made.LATENCIES
        return
    # The gap begins while the 30th stimulus is open, and ends after its answer.
    assert code == ExitCode.INVALID
    assert "a gap in the capture: no data from 0.003004 s to 0.003042 s" in run.run.reasons[0]
    assert (books.starts, books.served, books.pending, books.unmatched) == (50, 49, 1, 0)


@pytest.mark.parametrize("cuts", [(30, None), (None, 30), (30, 40), (40, 30)])
def test_of_channels_with_other_gaps_the_time_with_data_of_both_is_taken(tmp_path, cuts):
    files = [
        made.saleae_binary(tmp_path / f"{n}", version=1, cut=cut)[n] for n, cut in enumerate(cuts)
    ]
    ends = {"start": "Channel 0 rise", "stop": "Channel 1 rise"}
    code, run = imported(tmp_path, files, **PAIR, **ends)
    gaps = len([cut for cut in cuts if cut is not None])
    books = run.run.counters[0]
    assert code == ExitCode.INVALID
    assert run.run.capture.sections == 1 + gaps
    assert (books.starts, books.served, books.pending) == (50, 50 - gaps, gaps)
    assert (books.stops, books.unmatched) == (50 - gaps, 0)
    lost = {cut - 1 for cut in cuts if cut is not None}
    assert latencies(run) == [n for place, n in enumerate(made.LATENCIES) if place not in lost]


def test_the_level_after_a_gap_of_another_channel_is_known(tmp_path):
    """Channel 1 rises in the gap of channel 0, so that its next edge falls."""
    pieces = {0: [(0, 1, ()), (2, 4, (3.25,))], 1: [(0, 4, (1.5, 3))]}
    for n, chunks in pieces.items():
        data = struct.pack("<8siiQ", b"<SALEAE>", 1, 0, len(chunks))
        for begin, end, times in chunks:
            data += struct.pack("<IdddQ", 0, made.HZ, begin, end, len(times))
            data += struct.pack(f"<{len(times)}d", *times)
        (tmp_path / f"digital_{n}.bin").write_bytes(data)
    _, run = imported(tmp_path, tmp_path, "Channel 1 fall", "Channel 0 rise", timeout="1 s")
    assert latencies(run) == [made.HZ // 4]


def test_channels_without_data_at_one_time_are_refused(tmp_path):
    for n in (0, 1):
        chunks = [
            struct.pack("<IdddQ", 0, made.HZ, 4 * k + 2 * n, 4 * k + 1 + 2 * n, 0) for k in (0, 1)
        ]
        head = struct.pack("<8siiQ", b"<SALEAE>", 1, 0, 2)
        (tmp_path / f"digital_{n}.bin").write_bytes(head + b"".join(chunks))
    with pytest.raises(CaptureError, match="the channels have no data at one time"):
        imported(tmp_path, tmp_path, "Channel 0 rise", "Channel 1 rise", timeout="1 ms")


def test_a_signal_without_data_makes_a_gap_in_a_csv_of_2025(tmp_path):
    rows = ["Time [s],A,B", "0.000,X,X", "0.001,0,0", "0.010,1,0", "0.013,1,1", "0.015,0,0"]
    rows += ["0.020,1,0", "0.021,1,X", "0.023,1,1", "0.024,0,0", "0.030,1,0", "0.034,1,1"]
    rows += ["0.040,0,0", "0.050,1,0", "0.060,X,X"]
    (tmp_path / "x.csv").write_text("\n".join(rows) + "\n")
    code, run = imported(tmp_path, tmp_path / "x.csv", timeout="9 ms", sample_rate="1 MHz")
    books = run.run.counters[0]
    assert code == ExitCode.INVALID
    assert run.run.reasons == ("a gap in the capture: a signal has no data",)
    assert [n for n in latencies(run) if n is not None] == [3000, 4000]
    # Neither the answer within the gap nor the level after it is an edge. The last one times out.
    assert (books.starts, books.served, books.pending, books.timed_out) == (4, 2, 1, 1)
    assert (books.stops, books.unmatched) == (2, 0)


def test_levels_after_a_gap_are_known_although_they_are_those_before_it(tmp_path):
    rows = ["Time [ms],A,B", "0,0,0", "1,1,0", "2,1,1", "3,0,0", "4,0,X", "5,0,0", "6,1,0", "7,1,1"]
    (tmp_path / "x.csv").write_text("\n".join([*rows, "8,0,0", ""]))
    _, run = imported(tmp_path, tmp_path / "x.csv", timeout="3 ms", sample_rate="1 MHz")
    books = run.run.counters[0]
    assert (books.starts, books.served, books.stops) == (2, 2, 2)
    assert latencies(run) == [1000, 1000]


def test_a_suite_and_a_run_refuse_the_file_of_an_import_in_one_line(tmp_path):
    lines = ['machine = "capture"', 'files = ["a.csv"]', "[[channels]]", 'start = "A rise"']
    (tmp_path / "pair.toml").write_text("\n".join(lines))
    (tmp_path / "all.toml").write_text('name = "all"\n[[items]]\nfile = "pair.toml"\n')
    for words in (["suite", "all.toml"], ["run", "pair.toml"]):
        found = CliRunner().invoke(cli, [words[0], str(tmp_path / words[1])])
        assert isinstance(found.exception, ExperimentError)
        assert "pair.toml:1: machine: files of another instrument are read by" in str(
            found.exception
        )


def test_names_have_blanks_in_what_sigrok_writes(tmp_path):
    made.vcd(tmp_path / "a.vcd")
    text = (tmp_path / "a.vcd").read_text()
    (tmp_path / "a.vcd").write_text(
        text.replace("! A $end", "! my irq µ $end").replace(" top", " a b")
    )
    _, run = imported(tmp_path, tmp_path / "a.vcd", start="my irq µ rise", stop="B rise")
    assert run.run.stats[0].served == 50
    rows = "".join(f"{n % 10 == 2:d},{n % 10 == 5:d}\n" for n in range(100))
    head = (
        "; CSV generated by libsigrok 0.5.2\n; Channels (2/2): my irq, out\n; Samplerate: 1 MHz\n"
    )
    (tmp_path / "s.csv").write_text(f"{head}logic,logic\n{rows}")
    _, run = imported(tmp_path, tmp_path / "s.csv", start="my irq rise", stop="out rise", out="s")
    assert latencies(run) == [3] * 10


def test_a_vcd_may_begin_with_a_mark_and_times_may_have_no_unit(tmp_path):
    text = made.vcd(tmp_path / "a.vcd").read_text()
    (tmp_path / "a.vcd").write_text("\ufeff" + text, newline="\r\n")
    _, run = imported(tmp_path, tmp_path / "a.vcd", **PAIR)
    assert latencies(run) == made.LATENCIES
    rows = ["Time,A,B", *(f"{t / made.HZ:.9f},{a},{b}" for t, a, b in made.levels())]
    (tmp_path / "b.csv").write_text("\n".join(rows))
    _, run = imported(tmp_path, tmp_path / "b.csv", **PAIR, out="b")
    assert run.run.notes == ("the times state no unit and are taken as seconds; --unit states it",)


def test_two_variables_of_one_name_are_told_apart(tmp_path):
    made.vcd(tmp_path / "a.vcd")
    text = (tmp_path / "a.vcd").read_text()
    (tmp_path / "a.vcd").write_text(text.replace('"b B $end', '"b A $end'))
    ends = {"start": "top.A rise", "stop": "top.A (2) rise"}
    _, run = imported(tmp_path, tmp_path / "a.vcd", **ends)
    assert run.run.stats[0].served == 50


def test_time_that_runs_backwards_is_said_and_pairs_nothing_across(tmp_path):
    rows = ["t_us,A,B", "0,0,0", "10,1,0", "12,0,1", "20,0,0", "100,1,0", "3,0,1", "5,0,0"]
    rows += ["10,1,0", "14,0,1"]
    (tmp_path / "back.csv").write_text("\n".join(rows))
    code, run = imported(tmp_path, tmp_path / "back.csv", timeout="50 us")
    assert code == ExitCode.INVALID
    assert "time stamps run backwards once: by 97 ticks" in run.run.reasons[0]
    assert [n for n in latencies(run) if n is not None] == [2, 4]
    assert run.run.counters[0].pending == 1
    # B is high on the other side of the cut, which is not an edge.
    assert (run.run.counters[0].stops, run.run.counters[0].unmatched) == (2, 0)


def test_vcd_with_vectors_scopes_unknown_levels_and_a_pause(tmp_path):
    (tmp_path / "v.vcd").write_text(
        "$timescale 1us $end\n$scope module cpu $end\n$var wire 4 v bus [3:0] $end\n"
        "$var reg 1 i irq $end\n$upscope $end\n$scope module dev $end\n$var wire 1 j irq $end\n"
        "$var real 64 r volts $end\n$upscope $end\n$enddefinitions $end\n"
        "#0 $dumpvars b0000 v xi 0j r1.5 r $end\n#5 0i\n#10 1i\n#12 b0100 v\n#20 b0 v 0i\n"
        "#30 1i\n#31 xi\n#34 b1x00 v\n#36 b0100 v\n#37 0i b0 v\n"
        "#40 $dumpoff xi bxxxx v $end\n#60 $dumpon 0i b0100 v $end\n"
        "#65 b0 v\n#70 1i\n#75 b100 v\n#90 0i\n"
    )
    code, run = imported(
        tmp_path, tmp_path / "v.vcd", timeout="20 us", start="cpu.irq rise", stop="bus[2] rise"
    )
    assert latencies(run) == [2, 6, 5]
    assert code == ExitCode.INVALID
    assert run.run.reasons == ("a gap in the capture: the dump was off",)
    assert any("x or z" in note for note in run.run.notes)


def test_without_a_timeout_it_follows_from_the_starts(tmp_path):
    _, run = imported(tmp_path, made.sigrok(tmp_path / "a.sr"))
    assert run.run.stats[0].timeout_ticks == 2160
    assert any(note.startswith("timeout 90 us: nine tenths") for note in run.run.notes)


def test_a_file_of_toml_says_the_same_as_options(tmp_path):
    made.sigrok(tmp_path / "a.sr")
    (tmp_path / "two.toml").write_text(
        'machine = "capture"\nfiles = ["a.sr"]\n[[channels]]\nstart = "A rise"\nstop = "B rise"\n'
        'timeout = "90 us"\n[[channels]]\nstart = "A rise"\nstop = "A fall"\ntimeout = "90 us"\n'
    )
    import_run(load(tmp_path / "two.toml"), tmp_path / "run", Untold())
    run = read(tmp_path / "run").run
    assert run.valid
    assert run.experiment.name == "two"
    assert [c.served for c in run.counters] == [50, 50]
    assert run.stats[1].max_ticks == 100


REFUSED = {
    "empty": (b"", "is empty"),
    "junk": (bytes(range(256)) * 40, "is no text and no capture"),
    "cut.sr": (b"PK\x03\x04" + bytes(100), "damaged ZIP"),
    "cut.vcd": (b"$timescale 1 ns $end $var wire 1 ! A $end", "has no $enddefinitions"),
    "no unit.vcd": (b"$var wire 1 ! A $end $enddefinitions $end #0 0!", "no $timescale"),
    "words.csv": (b"A,B\nhello,you\n", "no times and levels"),
    "two.csv": (b"Time [s],A,B\n0,0,0\n1,2,0\n", 'no signal "A"; it has "B"'),
    "late.csv": (b"Time [s],A,B\n" + b"0,0,0\n" * 60000 + b"1,2,0\n", "is no level"),
    "hole.csv": (b"Time [s],A,B\n0.0,0,0\n0.1,1\n0.2,1,1\n", "the row '0.1,1' lacks columns"),
    "no time.csv": (b"Time [s],A,B\n0,0,0\n,1,0\n", "no time"),
    "analog.bin": (b"<SALEAE>" + b"\0\0\0\0\1\0\0\0" + bytes(28), "holds analog values"),
    "cut.bin": (b"<SALEAE>" + bytes(8) + b"\0" * 20 + b"\7" + bytes(7), "is cut short"),
    "new.bin": (b"<SALEAE>" + b"\2\0\0\0\0\0\0\0" + bytes(28), "version 2, versions 0 and 1"),
    "none.bin": (b"<SALEAE>" + b"\1\0\0\0\0\0\0\0" + bytes(8), "holds no data; capture"),
    "far.bin": (
        b"<SALEAE>" + bytes(12) + struct.pack("<ddQ", -1e300, 0, 0),
        "its header makes no sense",
    ),
    "cut1.bin": (b"<SALEAE>" + b"\1\0\0\0\0\0\0\0\2" + bytes(9), "is cut short: 26 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_one_line_that_names_it_and_leaves_nothing(tmp_path, name, capsys):
    data, said = REFUSED[name]
    (tmp_path / name).write_bytes(data)
    code = run_as_a_user(tmp_path, tmp_path / name)
    text = capsys.readouterr().err
    assert code == ExitCode.USAGE
    assert len(text.splitlines()) == 1
    assert said in text
    assert name in text
    assert not (tmp_path / "run").exists()


def run_as_a_user(tmp_path, file, *more):
    words = ["import", str(file), "--start", "A rise", "--stop", "B rise", *more]
    sys.argv = ["irqscope", *words, "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit) as ended:
        main.main()
    return ended.value.code


def test_a_signal_that_is_not_there_is_named_with_those_that_are(tmp_path, capsys):
    made.vcd(tmp_path / "a.vcd")
    words = ["import", str(tmp_path / "a.vcd"), "--start", "Z rise", "--stop", "B rise"]
    sys.argv = ["irqscope", *words, "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == ExitCode.USAGE
    assert 'has no signal "Z"; it has "A", "B"' in capsys.readouterr().err


def test_the_commands_that_read_runs_read_it(tmp_path):
    made.vcd(tmp_path / "a.vcd")
    folder = str(tmp_path / "run")
    importing = ["import", str(tmp_path / "a.vcd"), "--start", "A rise", "--stop", "B rise"]
    for words in (
        [*importing, "--out", folder],
        ["list", folder],
        ["worst", folder],
        ["info", folder],
    ):
        found = CliRunner().invoke(cli, words, standalone_mode=False)
        assert found.exception is None, (words, found.exception)
    found = CliRunner().invoke(cli, ["table", folder, "--format", "json"], standalone_mode=False)
    (row,) = json.loads(found.output)
    assert row["source"] == "capture by another instrument, 24 MHz; not measured by irqscope"
    assert row["n"] == 50
    assert row["p50_ns"] == round(sorted(made.LATENCIES)[24] * 1e9 / made.HZ)
    assert "24 MHz; not measured by irqscope" in (tmp_path / "run/report.html").read_text()
    found = CliRunner().invoke(cli, ["export", folder, str(tmp_path / "o.csv")])
    assert found.exit_code == 0, found.output


def test_compare_names_both_resolutions_and_what_they_cannot_resolve(tmp_path):
    made.sigrok(tmp_path / "a.sr")
    imported(tmp_path, tmp_path / "a.sr", **PAIR, out="24 MHz")
    rows = "".join(f"{n * 1e9 / made.HZ + 20:.0f}\n" for n in made.LATENCIES)
    slower = "".join(f"{n * 1e9 / made.HZ + 5000:.0f}\n" for n in made.LATENCIES)
    for name, text in (("near", rows), ("far", slower)):
        (tmp_path / f"{name}.csv").write_text("latency_ns\n" + text)
        imported(tmp_path, tmp_path / f"{name}.csv", start=None, out=name)
    runs = [read(tmp_path / name) for name in ("24 MHz", "near", "far")]
    found = compare(runs)
    _, near, far = found.quantiles["p50"]
    assert near.verdict == "not resolved, less than 43 ns apart"
    assert far.verdict == "slower"
    assert far.difference == pytest.approx(5000, abs=1)
    (known,) = (remark for remark in found.remarks if "Latencies are known" in remark)
    assert "run 1 to 42 ns, run 2 to 1 ns, run 3 to 1 ns" in known


def test_the_last_edge_of_a_period_is_counted_apart_and_censors_nothing(tmp_path):
    made.sigrok(tmp_path / "a.sr")
    code, run = imported(tmp_path, tmp_path / "a.sr", stop="A rise", timeout="200 us")
    found, stats = run.run.counters[0], run.run.stats[0]
    assert code == ExitCode.VALID
    assert (found.starts, found.served, found.unanswerable, found.pending) == (50, 49, 1, 0)
    assert (stats.n, stats.min_ticks, stats.max_ticks) == (49, 2400, 2400)
    assert not run.doubts


def test_an_export_of_a_run_says_what_measured_it(tmp_path):
    made.sigrok(tmp_path / "a.sr")
    _, run = imported(tmp_path, tmp_path / "a.sr", **PAIR)
    for name in ("o.csv", "o.vcd"):
        export(run, tmp_path / name)
    _, again = imported(tmp_path, tmp_path / "o.csv", start=None, out="csv")
    assert latencies(again) == [round(n * 1e9 / made.HZ) for n in made.LATENCIES]
    assert "by irqscope, from capture by sigrok, 24 MHz" in again.run.label
    ends = {"start": "A_rise rise", "stop": "B_rise rise"}
    _, again = imported(tmp_path, tmp_path / "o.vcd", **PAIR, **ends, out="vcd")
    assert latencies(again) == made.LATENCIES
    assert "irqscope, from n: capture by sigrok" in again.run.label


def test_a_capture_without_samples_has_figures_of_each_ten_seconds(tmp_path):
    # A gap ends a section: 35 s, then 12 s; one start in ten has no answer.
    levels, served = list[tuple[int, int, int]](), dict[int, list[int]]()
    for n in range(470):
        at = 100_000 * n + (1_000_000 if n >= 350 else 0)
        levels.append((at, 1, 0))
        if n % 10:
            served.setdefault(n // 100 if n < 350 else 4 + (at >= 40_000_000), []).append(50 + n)
            levels.append((at + 50 + n, 1, 1))
        levels.append((at + 90_000, 0, 0))
    gap = next(place for place, row in enumerate(levels) if row[0] >= 36_000_000)
    rows = [f"{at},{a},{b}" for at, a, b in levels]
    rows.insert(gap, "35500000,X,X")
    (tmp_path / "a.csv").write_text("\n".join(["time_us,A,B", *rows]))
    _, every = imported(tmp_path, tmp_path / "a.csv", timeout="8 ms", out="all")
    _, run = imported(tmp_path, tmp_path / "a.csv", timeout="8 ms", samples="none")
    assert (len(every.drift()), run.sample_rows()) == (0, 0)
    table = run.drift().to_pylist()
    assert [(row["min_ticks"], row["max_ticks"]) for row in table] == [
        (min(of_part), max(of_part)) for of_part in served.values()
    ]
    assert [row["p50_lower_ticks"] for row in table] == [
        sorted(of_part)[-(-(len(of_part) + row["timed_out"]) // 2) - 1]
        for of_part, row in zip(served.values(), table, strict=True)
    ]
    whole = run.run.counters[0]
    for name in ("starts", "served", "timed_out", "coalesced", "unmatched"):
        assert sum(row[name] for row in table) == getattr(whole, name)
    assert [row["since_ticks"] // 10**6 for row in table] == [0, 10, 20, 30, 36, 40]
    found = CliRunner().invoke(cli, ["info", str(run.path)])
    assert "drift: channel 0, 6 parts of 10 s: min " in found.output


def test_a_capture_keeps_all_samples_or_none(tmp_path):
    (tmp_path / "a.toml").write_text('machine = "capture"\nfiles = ["a.csv"]\nsamples = "tail 9"\n')
    with pytest.raises(ExperimentError, match='samples: a capture keeps "all" or "none"'):
        load(tmp_path / "a.toml")


def test_a_second_device_of_a_session_is_named_as_left_out(tmp_path):
    source = made.sigrok(tmp_path / "a.sr")
    with zipfile.ZipFile(source) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    parts["metadata"] += b"\n[device 2]\ncapturefile=logic-2\nsamplerate=1 MHz\n"
    parts["metadata"] += b"probe1=X\nunitsize=1\n"
    parts["logic-2"] = b"\0\1" * 9
    with zipfile.ZipFile(tmp_path / "b.sr", "w") as whole:
        for name, data in parts.items():
            whole.writestr(name, data)
    _, run = imported(tmp_path, tmp_path / "b.sr", **PAIR)
    assert latencies(run) == made.LATENCIES
    assert any("1 more logic device, which is left out" in note for note in run.run.notes)
