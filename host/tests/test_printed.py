"""Output of commands for stored runs: a headline first, lines of at most 100 columns, no boxes."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from irqscope_fake.folder import PLAIN, write_run

from irqscope.cli import bars, show
from irqscope.errors import ExperimentError
from irqscope.experiment import load
from irqscope.experiment.model import Experiment
from irqscope.report import compare
from irqscope.report.compare import Cell
from irqscope.report.telling import Row

HEADLINE = "t2 on twin, functional timing: p50 328 ns, p99 332 ns, max 332 ns (N = 400), valid"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Twenty runs of two names, one of them slower."""
    folder = tmp_path_factory.mktemp("runs")
    for number in range(20):
        requested = Experiment.model_validate(
            PLAIN | {"name": ("t2", "t3")[number % 2], "count": 400}
        )
        latencies = np.tile([81, 82, 82, 83], 100) + (4 if number == 1 else 0)
        write_run(folder / f"r{number}", requested, latencies)
    return folder


def test_a_run_begins_with_its_headline_and_goes_on_as_fields(irqscope, runs):
    code, out, _ = irqscope("info", runs / "r0")
    first, *fields = out.splitlines()
    assert code == 0 and first == HEADLINE
    keys = [line.partition(":")[0] for line in fields if not line.startswith(" ")]
    begin = ["source", "case", "readback", "N", "min", "p50", "p99", "p99.9", "max", "mean", "rate"]
    assert keys[: len(begin)] == begin and keys[-3:] == ["verdict", "samples", "ended"]


@pytest.mark.parametrize("command", ["list", "table", "compare", "worst", "info"])
def test_a_file_holds_no_boxes_and_no_wide_lines(irqscope, runs, command):
    of = {"list": [runs], "table": [runs], "compare": [runs / "r0", runs / "r1"]}
    code, out, _ = irqscope(command, *of.get(command, [runs / "r0"]))
    assert code == 0 and out.isascii()
    paths = len(str(runs))  # a path is not broken
    assert all(len(line) <= 100 or len(line.split()[0]) >= paths for line in out.splitlines())


def test_an_interval_is_whole_in_a_table_of_channels(monkeypatch, capsys):
    many = SimpleNamespace(
        stats=[SimpleNamespace(channel=n) for n in (0, 1)],
        experiment=SimpleNamespace(channels=()),
        valid=True,
    )
    cells = ("4556 ns (1139 ticks) [4500, 4620]; of 4 served", "12.3 µs [9.1, 14]: with a reason")
    rows = [Row("p50", cells), Row("verdict", ("valid",))]
    monkeypatch.setattr(show.summary, "table", lambda run: rows)
    monkeypatch.setattr(show.summary, "headline", lambda run: HEADLINE)
    show.print_run(many)
    _, _, *table, first, second, _ = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[-1].strip() for line in table] == [
        "4556 ns [4500, 4620]",
        "12.3 µs [9.1, 14]",
    ]
    assert (first, second) == ("p50, channel 0: of 4 served", "p50, channel 1: with a reason")


def test_a_comparison_names_the_unit_that_fits_each_value():
    slow = Cell((4781751.4, 4781751.4), "ns", 324.032403240324, -12000.4, 13000.6, "no difference")
    assert str(slow) == "4.782 ms, +0.324 µs [-12, 13]: no difference"
    assert slow.as_dict()["difference"] == 324.032 and slow.as_dict()["lower"] == -12000.4
    assert str(Cell((328.0, 332.0), "ns", lower=324.0)) == "328 to 332 ns [324, open]"
    assert str(Cell((81.0, None), "cycles", interval=False)) == "81 cycles or more"


def test_a_table_that_only_one_run_has_is_one_difference():
    records = ({"identity": {"a": 1, "b": 2}, "batch_s": 2.0}, {"identity": None, "batch_s": 2.0})
    runs = [SimpleNamespace(run=SimpleNamespace(model_dump=lambda mode, r=r: r)) for r in records]
    assert compare.differences(runs) == {"identity": ("2 values", "-")}
    records[1]["identity"] = {"a": 1, "b": None}
    assert compare.differences(runs) == {"identity.b": ("2", "-")}


def test_a_quiet_command_prints_the_headline_alone(capsys):
    show.quiet(True)
    try:
        show.print_headline(HEADLINE)
        show.print_line("more")
        show.print_table(("a", "b"), [("1", "2")])
    finally:
        show.quiet(False)
    assert capsys.readouterr().out == HEADLINE + "\n"


def test_a_list_shows_what_differs_and_the_columns_that_are_named(irqscope, runs):
    head, *rows = irqscope("list", runs)[1].splitlines()
    assert head.split("  ")[0] == "folder" and head.endswith("verdict") and "source" not in head
    assert [row.split()[1:] for row in rows if row.startswith("r1 ")] == [
        ["t3", "344", "348", "valid"]
    ]
    assert len(rows) == 20 and max(map(len, rows)) <= 80
    assert irqscope("list", runs, "--columns", "N,p50")[1].splitlines()[0].split() == [
        *("N", "p50,", "ns")
    ]
    code, _, err = irqscope("list", runs, "--columns", "N,p51")
    assert code == 2 and "there is no column 'p51'; name some of started," in err


def test_a_table_prints_once_what_all_rows_share(irqscope, runs):
    out = irqscope("table", runs)[1]
    assert out.startswith("20 rows\n") and out.count("zynqmp") == 1 and "\nmachine: zynqmp\n" in out
    assert irqscope("table", runs, "--format", "md")[1].startswith("| folder | name |")


def test_json_of_the_longest_has_ns_and_the_rate_of_the_ticks(irqscope, runs):
    first = json.loads(irqscope("worst", runs / "r0", "--json")[1])[0]
    assert (first["latency_ticks"], first["latency_ns"], first["tick_hz"]) == (83, 332, 250_000_000)


def test_a_plot_of_samples_is_refused(irqscope, runs, tmp_path):
    for options in ([], ["--histogram"]):
        words = ("export", runs / "r0", tmp_path / "x.csv", "--plot", "tail", *options)
        code, _, err = irqscope(*words)
        assert code == 2 and "--plot is for a picture; name a .png or .svg file" in err
    assert not (tmp_path / "x.csv").exists()


def test_a_smaller_count_keeps_all_its_samples(experiment):
    file = experiment(('samples = "all"', 'samples = "first 1000"'))
    assert str(load(file, count=20).samples) == "first 20"
    assert str(load(file, count=1001).samples) == "first 1000"
    file = experiment(('samples = "all"', 'samples = "first 1000"'), ("count = 2400", "count = 20"))
    with pytest.raises(ExperimentError, match="keep fewer"):
        load(file)


def test_progress_is_a_line_from_time_to_time_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(bars, "LINE_S", 0.01)
    with bars.Bar() as bar:
        bar.step("measure")
        bar.advance(600, 2400)
        expected = ""
        while expected.count("\n") < 2:
            expected += capsys.readouterr().err
    assert expected.splitlines()[-1].startswith("measure, 600/2400 stimuli, 25 %, ")


def test_a_line_of_progress_tells_one_time(monkeypatch, capsys):
    monkeypatch.setattr(bars, "LINE_S", 0.01)
    expected = ""
    with bars.Bar() as bar:
        bar.step("compile ibex, once: its model, 10 s so far")
        while expected.count("\n") < 3:
            expected += capsys.readouterr().err
    lines = [line for line in expected.splitlines() if line.startswith("compile ibex")]
    assert lines and all(line.count("so far") == 1 for line in lines)
