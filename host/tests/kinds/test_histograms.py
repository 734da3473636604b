"""Histograms of other tools as runs, and a run's histogram for other tools."""

from __future__ import annotations

import json
import re

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from irqscope.acquire.callbacks import Untold
from irqscope.cli.main import cli
from irqscope.errors import ExperimentError
from irqscope.kinds.capture.importing import import_run
from irqscope.kinds.capture.recipe import Recipe
from irqscope.report import wording
from irqscope.results.histogram_export import export_histogram
from irqscope.results.reader import read

CYCLIC = """# /dev/cpu_dma_latency set to 0us
# Histogram
000003 000000\t000000
000004 000010\t000001
000005 000030\t000020
000009 000001\t000000
# Total: 000000042 000000021
# Min Latencies: 00004 00004
# Avg Latencies: 00005 00005
# Max Latencies: 00123 00005
# Histogram Overflows: 00001 00000
# Histogram Overflow at cycle number:
# Thread 0: 00777
# Thread 1:
"""
ALL = CYCLIC.replace("000001\n", "000001\t000011\n").replace("000020\n", "000020\t000050\n")
ALL = ALL.replace("\t000000\n", "\t000000\t000000\n").replace("00123 00005", "00123 00005 00123")
RTLA = """# RTLA timerlat histogram
# Time unit is microseconds (us)
# Duration:   0 00:00:30
Index   IRQ-000   Thr-000   Usr-000
0            10         0         0
2            20        30        12
4             0         2         1
over:         1         0         0
count:       31        32        13
min:          0         2         3
avg:          1         3         3
max:        999         5         4
ALL:        IRQ       Thr       Usr
count:       31        32        13
"""
OSLAT = """oslat V 2.40
    Core:\t 1 2
    001 (us):\t 100 200
    002 (us):\t 10 20
    003 (us):\t 1 0 (including overflows)
     Minimum:\t 1 1 (us)
     Maximum:\t 9 2 (us)
"""
CYCLIC_JSON = json.dumps(
    {
        "file_version": 1,
        "cmdline:": "cyclictest -N",
        "resolution_in_ns": 1,
        "thread": {
            "0": {"histogram": {"1500": 9, "20": 1}, "cycles": 10, "min": 20, "max": 1500},
            "1": {"histogram": {"7": 3}, "cycles": 5, "min": 7, "max": 90},
        },
    }
)
JITTER = json.dumps(
    {"cpu": {"3": {"histogram": {"2": 5, "3": 1}, "count": 6, "min": 2, "max": 3, "avg": 2.2}}}
)
HGRM = """       Value     Percentile TotalCount 1/(1-Percentile)

       1.250 0.000000000000          1           1.00
       2.000 0.500000000000         50           2.00
       9.750 1.000000000000        100
#[Mean    =        1.900, StdDeviation   =        0.500]
#[Max     =        9.750, Total count    =          100]
"""


#: HdrHistogram's form for spreadsheets, without the last line.
HGRM_CSV = '"Value","Percentile","TotalCount","1/(1-Percentile)"\n'
HGRM_CSV += "1.250,0.000000000000,1,1.00\n2.000,0.500000000000,50,2.00\n"
HGRM_CSV += "9.750,1.000000000000,100,Infinity\n"


def imported(tmp_path, text, name="h", **options):
    (tmp_path / f"{name}.txt").write_text(text)
    recipe = Recipe(name="n", files=(str(tmp_path / f"{name}.txt"),), **options)
    result = import_run(recipe, tmp_path / name, Untold())
    assert result.run.valid, result.run.reasons
    return read(tmp_path / name)


def figures(run):
    """Of each channel: name, n, least, greatest, and bins in ns, open ones as None."""
    found = []
    for channel, stats in zip(run.run.experiment.channels, run.run.stats, strict=True):
        rows = [r for r in run.histogram().to_pylist() if r["channel"] == stats.channel]
        scale = 10**9 / run.run.tick_hz
        bins = [
            (r["lower_ticks"] * scale, r["upper_ticks"] and r["upper_ticks"] * scale, r["count"])
            for r in rows
        ]
        ends = [stats.min_ticks * scale, stats.max_ticks * scale]
        found.append((channel.stop.signal, stats.n, *ends, bins))
    return found


CYCLIC_BINS = [
    ("thread 0", 42, 4000, 123000,
     [(4000, 5000, 10), (5000, 6000, 30), (9000, 10000, 1), (10000, None, 1)]),
    ("thread 1", 21, 4000, 5000, [(4000, 5000, 1), (5000, 6000, 20)]),
]  # fmt: skip
READ = {
    "cyclictest -h": (CYCLIC, {}, "cyclictest", CYCLIC_BINS),
    "cyclictest -H": (ALL, {}, "cyclictest", CYCLIC_BINS),
    "rtla": (RTLA, {}, "rtla timerlat", [
        ("IRQ handler, CPU 0", 31, 0, 999000,
         [(0, 2000, 10), (2000, 4000, 20), (512000, None, 1)]),
        ("thread, CPU 0", 32, 2000, 5000, [(2000, 4000, 30), (4000, 6000, 2)]),
        ("return to user, CPU 0", 13, 3000, 4000, [(2000, 4000, 12), (4000, 6000, 1)]),
    ]),
    "oslat": (OSLAT, {}, "oslat", [
        ("core 1", 111, 1000, 9000, [(1, 1001, 100), (1001, 2001, 10), (2001, None, 1)]),
        ("core 2", 220, 1000, 2000, [(1, 1001, 200), (1001, 2001, 20)]),
    ]),
    "cyclictest --json": (CYCLIC_JSON, {}, "cyclictest", [
        ("thread 0", 10, 20, 1500, [(20, 21, 1), (1500, 1501, 9)]),
        ("thread 1", 5, 7, 90, [(7, 8, 3), (8, None, 2)]),
    ]),
    "jitterdebugger": (JITTER, {}, "jitterdebugger", [
        ("cpu 3", 6, 2000, 3000, [(2000, 3000, 5), (3000, 4000, 1)]),
    ]),
    "hgrm": (HGRM, {"unit": "us"}, "HdrHistogram", [
        ("all", 100, 1250, 9750, [(1250, 1251, 1), (1251, 2001, 49), (2001, 9751, 50)]),
    ]),
}  # fmt: skip


def cyclictest(threads):
    """A histogram of cyclictest -h on so many CPUs: thread n has n + 1 latencies of 3 us."""
    each = range(1, threads + 1)
    return (
        "# Histogram\n"
        f"000003 {' '.join(f'{n:06d}' for n in each)}\n000004 {'000001 ' * threads}\n"
        f"# Total: {' '.join(f'{n + 1:09d}' for n in each)}\n"
        f"# Min Latencies: {'00003 ' * threads}\n# Max Latencies: {'00004 ' * threads}\n"
    )


def test_each_cpu_of_a_large_machine_is_a_channel(tmp_path):
    run = imported(tmp_path, cyclictest(96))
    assert [stats.n for stats in run.run.stats] == [n + 2 for n in range(96)]
    assert [row[0] for row in figures(run)] == [f"thread {n}" for n in range(96)]
    with pytest.raises(ExperimentError, match="257 histograms, 256 are read"):
        imported(tmp_path, cyclictest(257), "many")
    assert not (tmp_path / "many").exists()


def test_rows_of_single_stimuli_say_why_there_are_none(tmp_path):
    imported(tmp_path, CYCLIC)
    result = CliRunner().invoke(cli, ["worst", str(tmp_path / "h")])
    assert result.exit_code == 0
    assert "no single stimuli are kept: a histogram counts" in " ".join(result.output.split())
    for words, message in (
        (["tail"], "a histogram has no single stimuli"),
        (["masked"], "another instrument measured it"),
        (["export", str(tmp_path / "o.csv")], "--histogram writes its bins$"),
    ):
        command, *rest = words
        result = CliRunner().invoke(cli, [command, str(tmp_path / "h"), *rest])
        assert isinstance(result.exception, ExperimentError)
        assert re.search(message, str(result.exception))


@pytest.mark.parametrize(
    ("text", "options", "p50"),
    [(OSLAT, {}, 1000), (HGRM, {"unit": "us"}, 2000), (RTLA, {}, 2000), (CYCLIC, {}, 5000)],
)
def test_a_median_is_named_as_its_tool_names_the_bin(tmp_path, text, options, p50):
    run = imported(tmp_path, text, **options).run
    assert wording.exact(run, run.stats[0], 0.5) == p50


@pytest.mark.parametrize("name", READ)
def test_a_histogram_keeps_its_bins_and_its_ends(tmp_path, name):
    text, options, tool, expected = READ[name]
    run = imported(tmp_path, text, **options)
    actual = figures(run)
    assert [row[:4] for row in actual] == [pytest.approx(row[:4]) for row in expected]
    for (*_, bins), (*_, expected_bins) in zip(actual, expected, strict=True):
        assert bins == [pytest.approx(row) for row in expected_bins]
    assert run.run.label.startswith(f"histogram of {tool}, bins of ")
    assert "software's own stamps; not measured by irqscope" in run.run.label


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (CYCLIC[: CYCLIC.index("# Total")], {}, "is cut short"),
        (CYCLIC.replace("000030", "000029"), {}, "the bins count"),
        (CYCLIC.replace("000030", "0000x0"), {}, "is no whole number"),
        (CYCLIC.replace("000010\t000001", "000010"), {}, "has 2 columns"),
        (RTLA[: RTLA.index("over")], {}, "is cut short"),
        (RTLA.replace("        30 ", "         3 "), {}, "the bins count"),
        (OSLAT[: OSLAT.index("     Min")], {}, "is cut short"),
        (HGRM, {}, "does not state its unit"),
        (HGRM[: HGRM.index("#[Max")], {"unit": "us"}, "is cut short"),
        (CYCLIC_JSON[:-20], {}, "damaged JSON"),
        ('{"a": 1}', {}, "without a histogram"),
        (JITTER.replace('"3": 1', '"3": -1'), {}, "is no count"),
        (CYCLIC.replace("000009", "9" * 18), {}, "too great for any run"),
        (JITTER.replace('"count": 6', '"count": 1' + "0" * 30), {}, "too great for any run"),
        (HGRM.replace("9.750", "9" * 40), {"unit": "us"}, "too great for any run"),
        (HGRM_CSV[: HGRM_CSV.index("9.75")], {"unit": "us"}, "is cut short"),
    ],
)
def test_a_damaged_histogram_is_refused_and_leaves_no_folder(tmp_path, text, options, said):
    with pytest.raises(ExperimentError, match=said):
        imported(tmp_path, text, **options)
    assert not (tmp_path / "h").exists()


def test_other_forms_of_the_same_histogram_are_the_same(tmp_path):
    for name, text, options in (
        ("spreadsheet", HGRM_CSV, {"unit": "us"}),
        ("percentiles", HGRM, {"unit": "us"}),
    ):
        repeated = imported(tmp_path, text, name, **options)
        assert repeated.run.capture.tool == "HdrHistogram"
        assert figures(repeated)[0][1:4] == (100, 1250, 9750)
    (tmp_path / "wide.txt").write_text(CYCLIC, encoding="utf-16")
    recipe = Recipe(name="n", files=(str(tmp_path / "wide.txt"),))
    import_run(recipe, tmp_path / "wide", Untold())
    assert figures(read(tmp_path / "wide")) == figures(imported(tmp_path, CYCLIC))
    endless = JITTER.replace('"max": 3', '"max": Infinity')
    assert imported(tmp_path, endless, "endless").run.stats[0].max_ticks == 3000


@pytest.mark.parametrize(("ending", "options"), [(".hgrm", {}), (".txt", {"unit": "ns"})])
def test_a_written_histogram_is_read_again(tmp_path, ending, options):
    before = imported(tmp_path, JITTER)
    assert export_histogram(before, tmp_path / f"out{ending}") == 6
    repeated = imported(tmp_path, (tmp_path / f"out{ending}").read_text(), "again", **options)
    actual, expected = repeated.run.stats[0], before.run.stats[0]
    assert (actual.n, actual.served) == (expected.n, expected.served)
    for new, old in zip(actual.quantiles, expected.quantiles, strict=True):
        low, high = (end * 1e9 / repeated.run.tick_hz for end in new.sample_ticks)
        # The text has where a bin begins, percentiles where it ends.
        assert old.sample_ticks[0] - 1000 <= low <= high <= old.sample_ticks[1] + 1


def test_a_table_of_bins_has_both_ends_of_each(tmp_path):
    export_histogram(imported(tmp_path, CYCLIC), tmp_path / "bins.parquet")
    rows = pq.read_table(tmp_path / "bins.parquet").to_pylist()
    bins = [(row["lower_ns"], row["upper_ns"], row["count"]) for row in rows][:4]
    assert bins == [(low, high, n) for low, high, n in CYCLIC_BINS[0][4]]


def test_the_last_bin_of_rtla_is_that_of_its_entries_unless_a_maximum_says_otherwise(tmp_path):
    for greatest, end in (("31", 4000), ("300", 256_000)):
        text = (
            "# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex   IRQ-000\n"
            f"2  12\n3  20\nover: 3\ncount: 35\nmin: 2\navg: 4\nmax: {greatest}\n"
        )
        ((_, n, _, longest, bins),) = figures(imported(tmp_path, text, greatest))
        assert (n, longest) == (35, int(greatest) * 1000)
        assert bins[-1] == (end, None, 3)
