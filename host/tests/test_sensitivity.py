"""What the assumptions of a profile do: which are varied, and what is told of them."""

from __future__ import annotations

import json
import re
import signal
import xml.etree.ElementTree as ET

import pytest
from test_cli import Command, one_line

from irqscope import experiment as experiments
from irqscope import sensitivity

TABLE = [
    {"name": "issue.divide", "value": 8, "unit": "cycle", "range": [4, 20], "mark": "S"},
    {"name": "gic.path", "value": 38, "unit": "ns", "range": [20, 55], "mark": "G"},
    {"name": "l1i.size", "value": 32, "unit": "KB", "range": [32, 32], "mark": "A"},
    {"name": "ddr.load", "value": 100, "unit": "ns", "range": [100, 150], "mark": "A"},
]
TABLE = [row | {"meaning": f"meaning of {row['name']}", "source": "a source"} for row in TABLE]


@pytest.fixture
def table(fake_twin):
    """Twins with the table above; ``latency``: ticks that a setting adds."""

    def use(latency, **options):
        fake_twin(parameters=TABLE, adds=latency, latency_ticks=60, **options)

    return use


def test_assumptions_are_what_no_source_gives_and_is_not_fixed(table):
    table({})
    names = [row["name"] for row in sensitivity.assumptions("twin:functional")]
    assert names == ["gic.path", "ddr.load"]
    only = sensitivity.assumptions("twin:functional", ["ddr.*"])
    assert [row["name"] for row in only] == ["ddr.load"]


def test_each_end_is_run_once_and_the_value_itself_not_again(experiment):
    wanted = experiments.load(experiment())
    planned = sensitivity.variations([wanted], [TABLE[1], TABLE[3]])
    assert [variation.folder for variation in planned] == [
        "t2/base",
        "t2/gic.path-low",
        "t2/gic.path-high",
        "t2/ddr.load-high",
    ]
    assert [variation.value for variation in planned] == [None, 20, 55, 150]


def test_the_greatest_effect_stands_first(irqscope, experiment, table, tmp_path):
    table({"gic.path=20": -3, "gic.path=55": 2, "ddr.load=150": 10})
    out = tmp_path / "out"
    code, stdout, err = irqscope(
        "sensitivity", experiment(), "--target", "twin", "--count", 20, "--out", out
    )
    assert code == 0, err
    (told,) = json.loads((out / "sensitivity.json").read_text())["experiments"]
    assert (told["base"]["n"], told["base"]["median_ns"]) == (20, 240)
    # 60 ticks of 4.0004 ns, less 3 and plus 2; plus 10.
    found = {
        row["name"]: (row["low"]["median_ns"], row["high"]["median_ns"], row["effect_ns"])
        for row in told["rows"]
    }
    assert list(found.items()) == [("ddr.load", (240, 280, 40)), ("gic.path", (228, 248, 12))]
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
    arguments = ("--target", "twin", "--count", 20, "--out", out)
    code, stdout, err = irqscope("sensitivity", experiment(), *arguments)
    assert code == 4
    assert "the twin did not start: it refuses gic.path=55" in err
    (told,) = json.loads((out / "sensitivity.json").read_text())["experiments"]
    first, second = told["rows"]
    assert first["name"] == "gic.path" and first["effect_ns"] is None
    assert first["low"]["failed"] is None and "refuses" in first["high"]["failed"]
    assert second["effect_ns"] == 40
    assert "failed" in stdout and "it refuses" in (out / "sensitivity.html").read_text()


def test_ctrl_c_ends_it(experiment, tmp_path):
    out = tmp_path / "out"
    options = {"parameters": TABLE, "batch_s": 0.5}
    arguments = ("--target", "twin", "--count", 8000, "--out", out)
    command = Command("sensitivity", experiment(), *arguments, **options)
    while not (out / "t2" / "base" / "histogram.parquet").exists():
        assert command.process.poll() is None
    command.process.send_signal(signal.SIGINT)
    code, _, err = command.end()
    assert code == 130
    assert "interrupted by Ctrl-C" in one_line(err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "/dev/ttyUSB0"), "/dev/ttyUSB0 has no timing profile; name a twin"),
        (("--target", "twin", "--only", "gcc"), 'assumes no "gcc"; it does: gic.path, ddr.load'),
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
