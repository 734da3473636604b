"""Effects of a profile's assumptions: which are varied, and how they are reported."""

from __future__ import annotations

import json
import re
import signal
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from test_cli import Command, one_line

from irqscope import experiment as experiments
from irqscope.campaign import sensitivity
from irqscope.campaign.sensitivity.plan import BASE, Point
from irqscope.errors import StorageError
from irqscope.results import jsonfile, sensitivity_record
from irqscope.results.sensitivity_record import Failed, Outcome, Parameter

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
TABLE = [
    {"name": "issue.divide", "value": 8, "unit": "cycle", "range": [4, 20], "mark": "S"},
    {"name": "gic.path", "value": 38, "unit": "ns", "range": [20, 55], "mark": "G"},
    {"name": "l1i.size", "value": 32, "unit": "KB", "range": [32, 32], "mark": "A"},
    {"name": "ddr.load", "value": 100, "unit": "ns", "range": [100, 150], "mark": "A"},
]
TABLE = [row | {"meaning": f"meaning of {row['name']}", "source": "a source"} for row in TABLE]


@pytest.fixture
def table(fake_twin, monkeypatch):
    """Twins with the table above and two layouts; ``latency``: ticks that a setting adds."""
    monkeypatch.setattr("irqscope.campaign.sensitivity.plan.layouts", lambda machine, stack: [1, 2])

    def use(latency, **options):
        fake_twin(parameters=TABLE, adds=latency, latency_ticks=60, **options)

    return use


def parameter(row):
    return Parameter.model_validate_json(json.dumps(row))


def test_assumptions_are_what_no_source_gives_and_is_not_fixed(table):
    table({})
    names = [row.name for row in sensitivity.assumptions("twin:functional")]
    assert names == ["gic.path", "ddr.load"]
    only = sensitivity.assumptions("twin:functional", ["ddr.*"])
    assert [row.name for row in only] == ["ddr.load"]


def planned(experiment, *rows, draws=0, **options):
    expected = experiments.load(experiment())
    assumed = [parameter(row) for row in rows]
    (actual,) = sensitivity.planned([expected], "twin", assumed, draws=draws, seed=1, **options)
    return actual


def test_each_end_is_run_once_and_the_value_itself_not_again(experiment, table):
    assert planned(experiment, TABLE[1], TABLE[3]).points == [
        BASE,
        Point((("gic.path", 20),)),
        Point((("gic.path", 55),)),
        Point((("ddr.load", 150),)),
        Point(layout=1),
        Point(layout=2),
    ]
    assert not planned(experiment, TABLE[1], only=["gic.*"]).layouts


def test_draws_fill_the_space_of_all_constants_and_layouts(experiment, table):
    joint = planned(experiment, TABLE[1], TABLE[3], draws=36).joint
    assert len(set(joint)) == 36
    paths = [dict(point.values)["gic.path"] for point in joint]
    loads = [dict(point.values)["ddr.load"] for point in joint]
    assert sorted(paths) == list(range(20, 56))  # each of 36 parts of the range once
    assert all(100 <= load <= 150 for load in loads) and min(loads) < 103 and max(loads) > 147
    assert sorted(point.layout for point in joint) == [0] * 12 + [1] * 12 + [2] * 12
    assert paths != sorted(paths) and loads != sorted(loads)
    assert joint == planned(experiment, TABLE[1], TABLE[3], draws=36).joint


def test_a_draw_has_values_alone_that_the_model_takes(experiment, table):
    row = TABLE[1] | {"range": [16, 64], "allowed": [16, 32, 64]}
    joint = planned(experiment, row, draws=30).joint
    assert sorted(dict(point.values)["gic.path"] for point in joint) == sorted([16, 32, 64] * 10)


def test_the_joint_range_holds_what_no_constant_alone_comes_to(
    irqscope, experiment, table, tmp_path
):
    adds = {f"gic.path={ns}": (ns - 38) // 2 for ns in range(20, 56)}
    adds |= {f"ddr.load={ns}": (ns - 100) // 5 for ns in range(100, 151)}
    table(adds)
    out = tmp_path / "out"
    arguments = ("--target", "twin", "--count", 20, "--draws", 36, "--out", out)
    code, stdout, err = irqscope("sensitivity", experiment(), *arguments)
    assert code == 0, err
    (reported,) = sensitivity_record.read(out).experiments
    alone = [end.median_ns for row in reported.rows for end in (row.low, row.high)]
    plotted = [each.median_ns for each in reported.joint.outcomes]
    assert len(plotted) == 36 and max(plotted) > max(alone)
    for each in reported.joint.draws:
        path, load = each.values
        ticks = 60 + (path - 38) // 2 + (load - 100) // 5
        assert abs(each.end.median_ns - 4 * ticks) <= 1
    expected = (
        "36 joint draws of 2 constants and 3 layouts: "
        f"min {min(plotted)} to {max(plotted)} ns, median"
    )
    assert expected in " ".join(stdout.split())
    page = (out / "sensitivity.html").read_text()
    assert expected in page and page.count("<svg") == 2


def test_the_greatest_effect_stands_first(irqscope, experiment, table, tmp_path):
    table({"gic.path=20": -3, "gic.path=55": 2, "ddr.load=150": 10})
    out = tmp_path / "out"
    code, stdout, err = irqscope(
        "sensitivity",
        experiment(),
        *("--target", "twin", "--count", 20, "--draws", 0, "--out", out),
    )
    assert code == 0, err
    (text,) = json.loads((out / "sensitivity.json").read_text())["experiments"]
    assert (text["base"]["n"], text["base"]["median_ns"]) == (20, 240)
    # 60 ticks of 4.0004 ns, less 3 and plus 2; plus 10.
    by_key = {
        row["name"]: (row["low"]["median_ns"], row["high"]["median_ns"], row["effect_ns"])
        for row in text["rows"]
    }
    assert list(by_key.items()) == [("ddr.load", (240, 280, 40)), ("gic.path", (228, 248, 12))]
    assert re.search(r"ddr\.load.*100 to 150 ns.*A.*240 \.\. 280.*240 \.\. 280.*40", stdout)
    assert "t2: median 240 ns, max 240 ns, N = 20" in stdout
    page = (out / "sensitivity.html").read_text()
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    ET.fromstring(svg)
    assert "twin, functional timing" in svg and "N = 20 each" in svg
    assert svg.index("ddr.load, 100 to 150 ns") < svg.index("gic.path, 20 to 55 ns")
    assert "meaning of gic.path" in page and "issue.divide" not in page
    links = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(link.startswith(("#", "data:")) for link in links)


def test_a_run_that_fails_stands_in_its_row(irqscope, experiment, table, tmp_path):
    table({"ddr.load=150": 10}, refuse="gic.path=55")
    out = tmp_path / "out"
    arguments = ("--target", "twin", "--count", 20, "--draws", 0, "--out", out)
    code, stdout, err = irqscope("sensitivity", experiment(), *arguments)
    assert code == 4
    assert "the twin did not start: it refuses gic.path=55" in err
    (text,) = json.loads((out / "sensitivity.json").read_text())["experiments"]
    first, second = text["rows"]
    assert first["name"] == "gic.path" and first["effect_ns"] is None
    assert first["low"]["failed"] is None and "refuses" in first["high"]["failed"]
    assert second["effect_ns"] == 40
    assert "failed" in stdout and "it refuses" in (out / "sensitivity.html").read_text()


@pytest.mark.parametrize(
    ("file", "target", "said"),
    [
        ("lockdown/tlb", "twin", "lockdown: zynqmp has no tlb: the Cortex-A53 locks nothing"),
        ("horst2020/t6-4", "twin:a9", "cores: 4; zynq7000 has 2"),
        ("horst2020/t6-4", "twin:zynq7000:functional", "cores: 4; zynq7000 has 2"),
    ],
)
def test_what_the_twins_machine_cannot_run_is_refused_before_anything_runs(
    irqscope, table, tmp_path, file, target, said
):
    table({})
    path = EXPERIMENTS / f"{file}.toml"
    out = tmp_path / "out"
    code, _, err = irqscope("sensitivity", path, "--target", target, "--out", out)
    assert code == 2 and said in one_line(err)
    assert not out.exists()


def test_ctrl_c_ends_it(experiment, tmp_path):
    out = tmp_path / "out"
    options = {"parameters": TABLE, "batch_s": 0.5}
    arguments = ("--target", "twin", "--count", 8000, "--out", out)
    command = Command("sensitivity", experiment(), *arguments, **options)
    command.until(out.exists)
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130
    assert "interrupted by Ctrl-C" in one_line(err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "/dev/ttyUSB0"), "/dev/ttyUSB0 has no timing profile; name a twin"),
        (
            ("--target", "twin", "--vary", "gcc"),
            'assumes no "gcc"; it does: gic.path, ddr.load, layout',
        ),
        (("--target", "twin:functional:layout=1"), "the layout is varied; leave it out"),
    ],
)
def test_what_cannot_be_varied_is_refused(irqscope, experiment, table, tmp_path, arguments, said):
    table({})
    out = tmp_path / "out"
    code, _, err = irqscope("sensitivity", experiment(), "--out", out, *arguments)
    assert code == 2
    assert said in one_line(err)
    assert not out.exists()


def test_a_folder_that_is_not_empty_is_refused(irqscope, experiment, table, tmp_path):
    table({})
    code, _, err = irqscope("sensitivity", experiment(), "--target", "twin", "--out", tmp_path)
    assert code == 2
    assert "is there already; name a new folder with --out" in one_line(err)


def test_two_experiments_of_one_name_are_refused(irqscope, experiment, table, tmp_path):
    table({})
    path = experiment()
    arguments = ("--target", "twin", "--out", tmp_path / "out")
    code, _, err = irqscope("sensitivity", path, path, *arguments)
    assert code == 2
    assert 'two experiments are called "t2"' in one_line(err)


@pytest.fixture
def swept(irqscope, experiment, table, once, tmp_path):
    """Folder of a sensitivity, one run of which failed."""
    table({"ddr.load=150": 10}, refuse="gic.path=55")
    words = ("--target", "twin", "--count", 20, "--draws", 4, "--out")
    return once(tmp_path / "out", lambda out: irqscope("sensitivity", experiment(), *words, out))


def edit(folder, change):
    path = folder / "sensitivity.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))


def test_what_was_written_is_read_and_makes_the_same_page(irqscope, swept):
    path, page = swept / "sensitivity.json", swept / "sensitivity.html"
    text, html = path.read_text(), page.read_text()
    actual = sensitivity_record.read(swept)
    (reported,) = actual.experiments
    assert isinstance(reported.rows[0].high, Failed) and isinstance(reported.rows[0].low, Outcome)
    assert jsonfile.dumps(actual).decode() == text
    page.unlink()
    code, out, _ = irqscope("report", swept)
    assert code == 0 and out.strip() == str(page)
    plotted = re.compile(r"<svg.*?</svg>", re.DOTALL)  # identifiers in it are new each time
    assert plotted.sub("", page.read_text()) == plotted.sub("", html)


def low(values):
    return values["experiments"][0]["rows"][0]["low"]


def high(values):
    """Value at the high end of the run that failed."""
    return values["experiments"][0]["rows"][0]["high"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda v: v.update(format="irqscope-sensitivity/9"),
            "format: 'irqscope-sensitivity/9'",
        ),
        (lambda v: v.update(target=7), "target: give a text in quotes; it is 7"),
        (lambda v: low(v).update(n="20"), "experiments[0].rows[0].low.n: give a whole number"),
        (lambda v: low(v).update(nn=20), "experiments[0].rows[0].low.nn: unknown key"),
        (lambda v: high(v).update(failed=1), "experiments[0].rows[0].high.failed: give a text"),
        (lambda v: low(v).pop("median_ns"), "low.median_ns: this key is missing"),
        (lambda v: v["experiments"][0].update(rows={}), "experiments[0].rows: give a list"),
        (lambda v: v["experiments"][0]["experiment"].update(case="t9"), "experiment.case: "),
    ],
)
def test_a_damaged_file_is_refused_with_its_field(irqscope, swept, change, said):
    edit(swept, change)
    with pytest.raises(StorageError) as caught:
        sensitivity_record.read(swept)
    assert str(caught.value).startswith(f"{swept}/sensitivity.json: ") and said in str(caught.value)
    code, _, err = irqscope("report", swept)
    assert code == 5 and said in one_line(err)
