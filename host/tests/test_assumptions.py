"""The range over what a twin's profile assumes: stored, found again, and named when it is stale."""

from __future__ import annotations

import json

import pytest
from irqscope_fake.folder import answered_by, record
from irqscope_fake.folder import experiment as made

from irqscope import experiment as experiments
from irqscope.errors import StorageError
from irqscope.report import summary, wording
from irqscope.results import assumptions
from irqscope.results.assumptions import Assumptions, case_hash, find
from irqscope.results.reader import read

A53 = record(made()).identified.model_copy(update={"source": 0x2_0101})
SPAN = {"low_ns": 300, "high_ns": 420}
TABLE = [
    {"name": "gic.path", "value": 38, "unit": "ns", "range": [20, 55], "mark": "G"},
    {"name": "ddr.load", "value": 100, "unit": "ns", "range": [100, 150], "mark": "A"},
]
TABLE = [row | {"meaning": "a meaning", "source": "a source"} for row in TABLE]


def stored(**changes):
    values = {
        "experiment": "t2",
        "case": case_hash(made()),
        "profile": "a53",
        "profile_hash": f"{A53.source_hash:#010x}",
        "firmware_hash": f"{A53.firmware_hash:#010x}",
        "build_hash": f"{A53.build_hash:#010x}",
        "program": "0.1.0",
        "taken": "2026-11-22T10:00:00Z",
        "n": 240,
        "constants": 44,
        "draws": 200,
        "layouts": 17,
        "layout": SPAN,
        "least": SPAN,
        "median": SPAN,
        "greatest": {"low_ns": 600, "high_ns": 820},
        "strongest": [SPAN | {"name": "gpio.path"}],
    }
    return assumptions.parse(json.dumps(values | changes), "file.json")


def test_a_case_is_what_is_measured_and_not_how_often():
    case = case_hash(made())
    assert case == case_hash(made(count=7, seed=9, name="other", description="x", samples="none"))
    assert case != case_hash(made(caches="off"))
    assert case != case_hash(made(idle="spin"))


def test_the_latest_of_the_same_case_and_build_is_found():
    old, new = stored(), stored(taken="2026-11-23T10:00:00Z")
    stale = stored(taken="2026-11-24T10:00:00Z", firmware_hash="0x00000001")
    assert find(made(), A53, [old, stale, new]).assumptions == new


@pytest.mark.parametrize(
    ("key", "name"),
    [("profile_hash", "profile"), ("firmware_hash", "firmware"), ("build_hash", "gateware")],
)
def test_what_is_of_another_build_is_named_and_not_used(key, name):
    actual = find(made(), A53, [stored(**{key: "0x0badcafe"})])
    assert actual.assumptions is None
    assert "sensitivity of t2, 2026-11-22, irqscope 0.1.0, is stale" in actual.unknown
    assert f"of another {name} (0x0badcafe, here 0x0000" in actual.unknown


def test_a_range_of_another_foreign_program_is_not_used():
    mine, other = "ab" * 32, "cd" * 32
    assert find(made(), A53, [stored(elf=mine)], mine).assumptions == stored(elf=mine)
    actual = find(made(), A53, [stored(elf=other)], mine)
    assert actual.assumptions is None
    assert "of another program (cdcdcdcdcdcd, here abababababab)" in actual.unknown
    assert actual.unknown.endswith("--target twin:a53:elf=FILE")
    assert (
        "of another program (abababababab, here none)"
        in find(made(), A53, [stored(elf=mine)]).unknown
    )


def test_a_file_of_our_own_software_names_no_program(tmp_path):
    for name, elf in (("own", None), ("foreign", "ab" * 32)):
        text = assumptions.store(stored(experiment=name, elf=elf), tmp_path).read_text()
        assert ('"elf"' in text) == (elf is not None)


@pytest.mark.parametrize("other", [{"case": "ab"}, {"profile": "functional"}])
def test_what_is_of_another_case_or_profile_is_none(other):
    actual = find(made(), A53, [stored(**other)])
    assert actual.unknown == "run `irqscope sensitivity` on this experiment, --target twin:a53"


def test_a_damaged_file_is_named():
    with pytest.raises(StorageError, match="x.json: least.low_ns: .*; remove it"):
        assumptions.parse(stored().model_dump_json().replace("300", '"300"'), "x.json")
    with pytest.raises(StorageError, match="x.json: the file: "):
        assumptions.parse("{", "x.json")


def told(profile, **model):
    source = {"a53": 0x2_0101, "functional": 0x1_0101}[profile]
    return wording.model(record(made(), **answered_by(source), model=model or None))


def test_a_model_names_its_range_and_where_it_is_from():
    data = told("a53", assumptions=json.loads(stored().model_dump_json()), unknown=None)
    assert data == (
        "a53, a model; over its assumptions min 300 to 420, p50 300 to 420, max 600 to 820 ns "
        "(200 joint draws, sensitivity of t2, 2026-11-22, irqscope 0.1.0, N = 240 each); one alone "
        "moves p50 most: gpio.path (300 to 420); layout of the code alone: p50 300 to 420 ns"
    )
    old = {"format": "irqscope-assumptions/1", "draws": None, "layouts": None, "layout": None}
    data = told("a53", assumptions=json.loads(stored(**old).model_dump_json()), unknown=None)
    assert data.endswith("irqscope 0.1.0, N = 240 each); p50 moves most by gpio.path (300 to 420)")
    unknown = told("a53", assumptions=None, unknown="run it")
    assert unknown == "a53, a model; spread over its assumptions unknown: run it"
    assert "times of devices are fixed" in told("functional")
    assert "predicts no latency" in told("functional")


@pytest.fixture(autouse=True)
def layouts(monkeypatch):
    """One layout in addition to that of the build."""
    monkeypatch.setattr("irqscope.campaign.sensitivity.plan.layouts", lambda machine, stack: [1])


@pytest.fixture
def swept(irqscope, experiment, fake_twin, once, tmp_path):
    """A sensitivity, and a function that then measures next to it: its model and its table."""
    adds = {f"gic.path={ns}": -3 for ns in range(20, 38)} | {
        f"ddr.load={ns}": 10 for ns in range(125, 151)
    }
    fake_twin(parameters=TABLE, adds=adds, latency_ticks=60)
    arguments = ("--target", "twin:functional", "--count", 80)

    def take(sweep):
        words = ("--draws", 12, "--out", sweep)
        assert irqscope("sensitivity", experiment(), *arguments, *words)[0] == 0

    sweep = once(tmp_path / "runs" / "sweep", take)

    def measure(name="run"):
        out = tmp_path / "runs" / name
        code, _, err = irqscope("run", experiment(), *arguments, "--out", out)
        assert code == 0, err
        run = read(out).run
        return run.model, {row.name: row.cells[0] for row in summary.table(run)}

    return sweep / "assumptions" / "functional-t2.json", measure


def test_a_sensitivity_is_found_by_runs_beside_it(swept):
    path, measure = swept
    text = Assumptions.model_validate_json(path.read_text())
    # 60 ticks of 4.0004 ns, less 3, plus 10.
    assert (text.median.low_ns, text.median.high_ns) == (228, 280)
    assert (text.constants, text.n, text.draws, text.layouts) == (2, 80, 12, 2)
    assert (text.layout.low_ns, text.layout.high_ns) == (240, 240)
    assert text.strongest[0].name == "ddr.load"
    model, output = measure()
    assert model.assumptions == text
    assert output["p50"] == (
        "240 ns (60 ticks); 228 to 280 ns over 12 joint draws of the 2 unsourced constants of "
        "functional and 2 layouts of the code"
    )


def test_a_stale_one_is_told_of_by_the_run(swept):
    path, measure = swept
    values = json.loads(path.read_text())
    path.write_text(json.dumps(values | {"firmware_hash": "0x0badcafe"}))
    model, _ = measure()
    assert model.assumptions is None and "is stale: of another firmware" in model.unknown


def test_a_damaged_one_does_not_end_a_run(swept):
    path, measure = swept
    path.write_text("{")
    model, _ = measure()
    assert model.assumptions is None and "functional-t2.json: the file" in model.unknown


def test_what_comes_with_the_profiles_is_found_anywhere(swept, fake_twin, monkeypatch):
    path, measure = swept
    text = path.read_text()
    path.unlink()
    assert measure("first")[0].assumptions is None
    fake_twin(parameters=TABLE, latency_ticks=60, sensitivities={path.name: text})
    assert measure("second")[0].assumptions.model_dump_json() == (
        Assumptions.model_validate_json(text).model_dump_json()
    )


def test_a_range_over_some_constants_or_with_a_failed_run_is_not_stored(
    irqscope, experiment, fake_twin, tmp_path
):
    fake_twin(parameters=TABLE, latency_ticks=60, refuse="gic.path=55")
    arguments = ("--target", "twin:functional", "--count", 80, "--draws", 2)
    some, failed = tmp_path / "some", tmp_path / "failed"
    irqscope("sensitivity", experiment(), *arguments, "--vary", "ddr.*", "--out", some)
    code, _, err = irqscope("sensitivity", experiment(), *arguments, "--out", failed)
    assert code == 4 and "t2: not stored, for 1 of its runs failed" in err
    assert not list(tmp_path.glob("*/assumptions/*.json"))
    code, _, err = irqscope(
        "sensitivity", experiment(), *arguments, "--vary", "ddr.*", "--keep", tmp_path / "kept"
    )
    assert code == 2 and "leave --vary and --draws 0 out" in err


def test_no_range_is_stored_where_the_layout_was_not_varied(
    irqscope, experiment, fake_twin, monkeypatch, tmp_path
):
    monkeypatch.setattr("irqscope.campaign.sensitivity.plan.layouts", lambda machine, stack: [])
    fake_twin(parameters=TABLE, latency_ticks=60)
    arguments = ("--target", "twin:functional", "--keep", tmp_path / "kept")
    code, _, err = irqscope("sensitivity", experiment(), *arguments)
    assert code == 2 and "run `make layouts STACKS=baremetal` before" in err


def test_what_is_kept_is_what_runs_find(irqscope, experiment, fake_twin, tmp_path):
    fake_twin(parameters=TABLE, latency_ticks=60)
    out, remaining = tmp_path / "out", tmp_path / "kept"
    words = ("--draws", 2, "--out", out, "--keep", remaining)
    arguments = ("--target", "twin:functional", "--count", 80, *words)
    assert irqscope("sensitivity", experiment(), *arguments)[0] == 0
    (file,) = remaining.iterdir()
    assert file.read_text() == (out / "assumptions" / file.name).read_text()
    assert case_hash(experiments.load(experiment())) == json.loads(file.read_text())["case"]
