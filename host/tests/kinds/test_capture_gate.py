"""``irqscope gate`` with captures and histograms of other instruments."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from irqscope.acquire.callbacks import Untold
from irqscope.cli.main import cli
from irqscope.errors import ExperimentError
from irqscope.kinds.capture.importing import import_run
from irqscope.kinds.capture.recipe import Recipe

#: Latencies, us, of which half take 110 at most.
LATENCIES = np.random.default_rng(4).permutation(np.arange(400) % 7 + 107).tolist()


def listed(path, shift=0, per_us=1, unit="us"):
    rows = "".join(f"{(n + shift) * per_us}\n" for n in LATENCIES)
    path.write_text(f"latency_{unit}\n{rows}")


def cyclic(path, shift=0, rows=40):
    counts = [(bin_, 10 if 4 + shift <= bin_ < 14 + shift else 0) for bin_ in range(rows)]
    lines = ["# Histogram", *(f"{bin_:06d} {count:06d}" for bin_, count in counts)]
    ends = (("Total", 100), ("Min Latencies", 4 + shift), ("Max Latencies", 13 + shift))
    lines += [f"# {name}: {value:09d}" for name, value in ends]
    path.write_text("\n".join([*lines, "# Histogram Overflows: 00000", ""]))


@pytest.fixture
def gate(tmp_path):
    """Runs a gate of one file with a baseline; returns exit code and output in one line."""

    def call(file, *options, more="", baseline="base.json", recipe=None):
        recipe = f'files = ["{file}"]' if recipe is None else recipe
        (tmp_path / "pins.toml").write_text(f'machine = "capture"\n{recipe}\n')
        item = f'[[items]]\nfile = "pins.toml"\nbaseline = "{baseline}"\n'
        (tmp_path / "gate.toml").write_text(f'name = "g"\nquantiles = [0.5]\n{more}\n{item}')
        out = tmp_path / f"out{len(list(tmp_path.glob('out*')))}"
        words = ["gate", str(tmp_path / "gate.toml"), "--out", str(out), *map(str, options)]
        result = CliRunner().invoke(cli, words, standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        return result.return_value, " ".join(result.stdout.split())

    return call


@pytest.mark.parametrize(
    ("shift", "code", "said"),
    [
        (0, 0, "pass: pins: p50: baseline 110000 ns, now 110000 ns;"),
        (-30, 0, "pass: pins: p50: baseline 110000 ns, now 80000 ns;"),
        (2, 8, "not resolved: pins: p50: slower by less than can be told: baseline 110000 ns, now"),
        (30, 7, "fail: pins: p50: slower: baseline 110000 ns, now 140000 ns;"),
    ],
)
def test_a_new_file_is_judged_against_a_baseline_of_another(gate, tmp_path, shift, code, said):
    listed(tmp_path / "a.csv")
    assert gate("a.csv", "--accept")[0] == 0
    listed(tmp_path / "b.csv", shift)
    result, out = gate("b.csv")
    assert result == code, out
    assert said in out
    assert "the baseline is known to 1 us, this to 1 us" in out
    record = json.loads((tmp_path / "out1/gate.json").read_text())
    assert record["target"] == "capture"
    assert record["label"].endswith("not measured by irqscope")


def test_sides_of_two_clocks_are_compared_in_time(gate, tmp_path):
    listed(tmp_path / "a.csv")
    gate("a.csv", "--accept")
    for shift, code in ((0, 0), (5, 7)):
        listed(tmp_path / "b.csv", shift, 1000, "ns")
        result, out = gate("b.csv")
        assert result == code, out
        assert "the baseline is known to 1 us, this to 1 ns" in out
        assert f"baseline 110000 ns, now {110 + shift}000 ns" in out


def test_a_histogram_is_judged_by_its_bins(gate, tmp_path):
    cyclic(tmp_path / "a.hist")
    gate("a.hist", "--accept")
    for shift, code in ((0, 0), (20, 7)):
        cyclic(tmp_path / "b.hist", shift)
        result, out = gate("b.hist")
        assert result == code, out
        assert "known to 1 us, this to 1 us" in out
        assert "a histogram cannot show whether its latencies are independent" in out
    cyclic(tmp_path / "c.hist")
    text = (tmp_path / "c.hist").read_text().replace("000013 000010", "000013 000000")
    (tmp_path / "c.hist").write_text(text.replace("000000100", "000000090"))
    with pytest.raises(ExperimentError, match=r"c\.hist: thread: the greatest latency is stated"):
        gate("c.hist")


def test_a_limit_inside_the_resolution_is_not_resolved(gate, tmp_path):
    listed(tmp_path / "a.csv")
    gate("a.csv", "--accept")
    path = tmp_path / "gate.toml"
    for limit, code in (("p50 <= 109999 ns", 8), ("p50 <= 130 us", 0), ("p50 <= 100 us", 7)):
        path.write_text(
            f'name = "g"\n[[items]]\nfile = "pins.toml"\nlimits = ["{limit}"]\n',
        )
        words = ["gate", str(path), "--out", str(tmp_path / limit[-7:])]
        result = CliRunner().invoke(cli, words, standalone_mode=False)
        assert result.return_value == code, result.output
        assert ("not resolved: pins" in result.output) == (code == 8)


def test_run_folders_are_baselines_and_are_judged(gate, tmp_path):
    for name, shift in (("base", 0), ("pins.1", 1), ("pins.2", 30)):
        listed(tmp_path / f"{name}.csv", shift)
        recipe = Recipe(name="pins", files=(str(tmp_path / f"{name}.csv"),))
        import_run(recipe, tmp_path / "runs" / name, Untold())
    result, out = gate("none.csv", "--from", tmp_path / "runs", baseline="runs/base")
    assert result == 7, out
    assert "of 800" in out


def test_another_span_is_refused_unless_mixed(gate, tmp_path):
    listed(tmp_path / "a.csv")
    gate("a.csv", "--accept")
    cyclic(tmp_path / "b.hist", 96, 200)
    with pytest.raises(ExperimentError, match="is of another span: .*; renew it with"):
        gate("b.hist")
    result, out = gate("b.hist", "--mixed")
    assert result == 0, out


@pytest.mark.parametrize(
    ("more", "recipe", "said"),
    [
        ("repeats = 2", None, "pins: files are measured once; leave `repeats`"),
        ("", "", "pins names no files; add `files`, or measure with --target sigrok:"),
        ("", "filse = []", r"pins\.toml:2: filse: unknown key"),
    ],
)
def test_what_cannot_be_judged_is_one_line(gate, tmp_path, more, recipe, said):
    listed(tmp_path / "a.csv")
    gate("a.csv", "--accept")
    with pytest.raises(ExperimentError, match=said) as error:
        gate("a.csv", more=more, recipe=recipe)
    assert "\n" not in str(error.value)
