"""Gates: contents of their files, verdicts, and undecided statements."""

from __future__ import annotations

import csv
import itertools
import json
import math
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import gate_simulations as simulations
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from irqscope_fake.firmware import FakeFirmware, Faults, default_latency
from irqscope_fake.folder import rewrite
from test_cli import one_line

from irqscope.analysis import exceedance, stats
from irqscope.analysis.stats import OPEN, Distribution
from irqscope.campaign.gate import bins, load
from irqscope.campaign.gate.limits import Limit
from irqscope.errors import ExperimentError

ROOT = Path(__file__).parents[2]
T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
#: The ZynqMP, its ZCU102, no simulation.
BOARD = 0x101
GATE = """name = "night"
[[items]]
file = "t2.toml"
changes = { count = 200 }
baseline = "t2.json"
"""
HZ = 250_000_000


@pytest.fixture
def file(tmp_path):
    """A gate of T2, whose baseline is not there yet."""
    shutil.copy(T2, tmp_path / "t2.toml")
    path = tmp_path / "gate.toml"
    path.write_text(GATE, encoding="utf-8")
    return path


@pytest.fixture
def gate(irqscope, file, board, tmp_path) -> Callable[..., tuple[int, str, str]]:
    """Runs it on a firmware with faults: exit code, stdout, stderr. ``latency``: of its answers.

    Wrapped lines are whole again.
    """
    numbers = itertools.count()

    def call(*arguments: object, latency=default_latency, **faults) -> tuple[int, str, str]:
        port = board(FakeFirmware(Faults(**faults), latency).receive).port
        out = tmp_path / f"out{next(numbers)}"
        code, error, err = irqscope("gate", file, "--target", port, "--out", out, *arguments)
        return code, error.replace("\n  ", " "), err

    return call


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# ---- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "night"', 'nmae = "night"', ":1: nmae: unknown key; did you mean name?"),
        ('"t2.toml"', '"t3.toml"', ":2: t3.toml: cannot read"),
        ("count = 200", "cuont = 2", ":2: t2.toml: cuont: unknown key; did you mean count?"),
        ('baseline = "t2.json"', "", ":2: t2.toml: nothing to compare it with"),
        (
            'baseline = "t2.json"',
            'limits = ["max <= 2 us"]',
            ":5: items[0].limits[0]: a maximum cannot be a limit, because it grows with the number",
        ),
        ('baseline = "t2.json"', 'limits = ["p99 < 2 us"]', ':5: items[0].limits[0]: give "p99.9'),
        (
            'baseline = "t2.json"',
            'limits = ["p99 <= 2"]',
            ':5: items[0].limits[0]: "2" is not a time',
        ),
        ('baseline = "t2.json"', 'limits = ["p0 <= 2 us"]', '"p0 <= 2 us" bounds no share'),
        ('baseline = "t2.json"', "budget = true", ":5: items[0].budget: a time is a whole number"),
        ('name = "night"', 'name = "n"\nlevel = 2.0', ":2: level: input should be less than 1"),
        ('name = "night"', 'name = "n"\nmargin = inf', ":2: margin: input should be a finite"),
        ('name = "night"', 'name = "n"\nmargin = nan', ":2: margin: input should be a finite"),
        ('name = "night"', 'name = "n"\nmargin = 1e300', ":2: margin: input should be less than"),
        ('"t2.json"', '"t2\\u0000"', ":5: items[0].baseline: string should match"),
        ('name = "night"', 'name = "n"\ndetect = inf', ":2: detect: input should be a finite"),
        ('baseline = "t2.json"', 'limits = ["p99 <= 2 us\\n"]', ":5: items[0].limits[0]: "),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_key(file, old, new, said):
    edit(file, old, new)
    with pytest.raises(ExperimentError) as error:
        load(file)
    assert said in str(error.value) and str(error.value).startswith(str(file))
    assert "\n" not in str(error.value)


def test_an_experiment_that_is_named_twice_is_refused(file):
    edit(file, "[[items]]", '[[items]]\nfile = "t2.toml"\nbaseline = "b"\n[[items]]')
    with pytest.raises(ExperimentError, match='there is a run "t2" already'):
        load(file)


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 10**6), st.integers(0, 50) | st.none()), st.integers(1, 10**9)
    )
)
def test_bins_come_back_as_they_were(counts):
    rows = [(low, OPEN if more is None else low + more, n) for (low, more), n in counts.items()]
    columns = np.array(sorted(rows), np.int64).reshape(-1, 3).T
    actual = bins.load(bins.dump(Distribution(*columns)))
    for name, column in zip(("lower", "upper", "counts"), columns, strict=True):
        assert getattr(actual, name).tolist() == column.tolist()


# ---- limits ----------------------------------------------------------------------------------


def of(*counts: tuple[int, int]) -> Distribution:
    """Latencies in ticks, and how many of each."""
    ticks, each = np.array(counts, np.int64).T
    return Distribution(ticks, ticks, each)


@pytest.mark.parametrize("text", ["p99 <= 2 us", "longer than 2 us <= 1 %"])
@pytest.mark.parametrize(
    ("longer", "state"),
    [(0, "pass"), (6, "too few samples"), (12, "too few samples"), (30, "fail")],
)
def test_a_limit_is_a_share_with_its_bounds(text, longer, state):
    """2 us are 500 ticks; of 1000, ten may be longer."""
    verdict = Limit.parse(text).judge(of((500, 1000 - longer), (501, longer)), HZ, 0.01)
    assert verdict.state == state
    assert f"{longer} of 1000 took longer than 2000 ns" in verdict.said
    assert (verdict.needed is not None) == (state == "too few samples")


def test_the_samples_that_are_needed_are_enough_and_few_less_are_not():
    limit, share = Limit.parse("p99 <= 2 us"), 0.004
    needed = limit.judge(of((500, 249), (501, 1)), HZ, 0.01).needed
    assert needed is not None
    for n, state in ((needed, "pass"), (round(0.75 * needed), "too few samples")):
        longer = round(share * n)
        assert limit.judge(of((500, n - longer), (501, longer)), HZ, 0.01).state == state


def test_what_was_not_answered_is_no_pass():
    """Nothing is known of those that coalesced: they count for the worse at each end."""
    expected = of((100, 10_000))
    limit = Limit.parse("p99 <= 2 us")
    assert limit.judge(expected, HZ, 0.01).state == "pass"
    assert limit.judge(expected.censored(1000, 0, 300), HZ, 0.01).state == "too few samples"
    assert limit.judge(expected.censored(1000, 300, 0), HZ, 0.01).state == "fail"


def test_limits_work_without_a_baseline(gate, file):
    edit(file, 'baseline = "t2.json"', 'limits = ["p90 <= 1 us", "p90 <= 240 ns", "p99.9 <= 1 us"]')
    code, out, err = gate("--json", source=BOARD)
    record = json.loads(out)
    assert [one["state"] for one in record["statements"]] == ["pass", "fail", "too few samples"]
    assert code == 7
    edit(file, '"p90 <= 240 ns", ', "")
    assert gate(source=BOARD)[0] == 8
    edit(file, ', "p99.9 <= 1 us"', "")
    code, out, err = gate(source=BOARD)
    assert code == 0 and out.endswith("PASS\n") and "gate.json" in err


# ---- a simulation, to the tick ---------------------------------------------------------------


def test_a_simulation_that_repeats_itself_passes_and_a_tick_more_fails(gate, file):
    code, out, _ = gate("--accept", latency_ticks=60)
    assert code == 0 and "t2.json is new" in out
    code, out, _ = gate(latency_ticks=60)
    assert code == 0 and "equal to the tick" in out
    code, out, _ = gate(latency_ticks=61)
    assert code == 7
    assert (
        "fail: t2: exact: channel 0, edge -> handler: 200 of 200 moved by +1 ticks (min 60 -> 61"
        in out
    )
    assert out.endswith("FAIL\n")
    edit(file, "changes", 'budget = "1 tick"\nchanges')
    assert gate(latency_ticks=61)[0] == 0
    assert gate(latency_ticks=62)[0] == 7


def test_the_same_latencies_in_another_order_are_a_change(gate):
    def forwards(generator, n):
        return 60 + np.arange(n) % 7

    def backwards(generator, n):
        return forwards(generator, n)[::-1]

    gate("--accept", latency=forwards)
    code, out, _ = gate(latency=backwards)
    assert code == 7 and "the same latencies, at other stimuli" in out


def test_a_latency_that_a_marker_lost_is_a_change(gate):
    gate("--accept", latency_ticks=60)
    code, out, _ = gate(latency_ticks=60, silent_every=50)
    assert code == 7 and "channel 0: 200 served, now 196" in out


def test_accept_renews_a_baseline_and_shows_what_changed(gate, file):
    gate("--accept", latency_ticks=60)
    before = (file.parent / "t2.json").read_text()
    assert gate("--accept", latency_ticks=60)[1].endswith("t2: nothing changed\n")
    code, out, _ = gate("--accept", latency_ticks=70)
    assert code == 0 and "200 of 200 moved by +10 ticks" in out
    assert (file.parent / "t2.json").read_text() != before
    assert gate(latency_ticks=70)[0] == 0


def test_a_run_folder_is_a_baseline(gate, file, tmp_path):
    gate("--accept", latency_ticks=60)
    shutil.copytree(tmp_path / "out0" / "t2", tmp_path / "base")
    edit(file, '"t2.json"', '"base"')
    assert gate(latency_ticks=60)[0] == 0
    assert gate(latency_ticks=59)[0] == 7
    code, _, err = gate("--accept", latency_ticks=60)
    assert code == 2 and "is a run folder, and --accept writes a file" in one_line(err)
    rewrite(tmp_path / "base", lambda run: run.update(valid=False))
    code, _, err = gate(latency_ticks=60)
    assert code == 2 and "its run is not valid" in one_line(err)


def test_runs_that_are_there_are_judged_without_a_target(gate, irqscope, file, tmp_path):
    gate("--accept", latency_ticks=60)
    arguments = ("gate", file, "--target", "/dev/ttyNONE", "--out", tmp_path / "x")
    assert irqscope(*arguments, "--from", tmp_path / "out0")[0] == 0
    code, _, err = irqscope(*arguments, "--from", tmp_path)
    assert code == 2 and one_line(err) == f"{tmp_path} holds no run t2; name a folder that does"


# ---- what does not compare -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda b: b["experiment"].update(count=100), "another experiment: it differs in count"),
        (lambda b: b["source"].update(label="twin, a53 timing"), "another profile: twin, a53"),
        (lambda b: b["source"].update(profile_hash="0x1"), "another profile: 0x1, here 0x"),
        (lambda b: b.update(machine="zynq7000"), "another machine: zynq7000, here zynqmp"),
        (lambda b: b["stack"].update(name="freertos"), "another software stack: freertos, here"),
    ],
)
def test_a_baseline_of_something_else_is_refused_unless_mixed(gate, file, change, said):
    gate("--accept", latency_ticks=60)
    path = file.parent / "t2.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))
    code, _, err = gate(latency_ticks=60)
    assert code == 2
    assert f"t2: {path} is of {said}" in one_line(err) and "--mixed" in err
    assert gate("--mixed", latency_ticks=60)[0] == 0
    code, out, _ = gate("--accept", latency_ticks=60)
    assert code == 0 and f"t2.json was of {said}" in " ".join(out.split())
    assert gate(latency_ticks=60)[0] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--load", ""), "--load: no command; name one"),
        (("--load", "a 'b"), "--load: a 'b: No closing quotation; close the quotes"),
        (("--load-against", "true"), "--load-against loads what --against names; name it"),
        (("--bencher", "/"), "'/' is a directory"),
    ],
)
def test_an_option_that_cannot_be_followed_is_refused_before_anything_runs(gate, options, said):
    code, _, err = gate(*options)
    assert code == 2 and said in one_line(err)


def test_another_clock_is_refused_even_when_mixed(gate, file):
    gate("--accept", latency_ticks=60)
    edit(file.parent / "t2.json", '"tick_hz": 249975000', '"tick_hz": 250000000')
    code, _, err = gate("--mixed", latency_ticks=60)
    assert code == 2 and "has ticks of 250000000 Hz, here 249975000 Hz" in one_line(err)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (None, 2, "cannot read the baseline "),
        ("{", 5, "t2.json is damaged"),
        (
            '{"format": "irqscope-run/3"}',
            5,
            "t2.json: format: 'irqscope-run/3', this irqsc",
        ),
        ('{"format": "irqscope-baseline/2", "runs": []}', 5, "t2.json: program: this key is miss"),
    ],
)
def test_a_baseline_that_is_none_is_one_line(gate, file, text, code, said):
    if text is not None:
        (file.parent / "t2.json").write_text(text)
    actual, _, err = gate()
    assert actual == code and said in one_line(err)


def test_a_run_that_is_not_valid_ends_it(gate):
    code, _, err = gate("--accept", of_counters=(("starts", 1),))
    assert code == 4 and "t2 is not valid: " in one_line(err)


# ---- a board ---------------------------------------------------------------------------------


def test_a_board_passes_fails_and_says_how_many_samples_are_needed(gate, file):
    edit(file, 'name = "night"', 'name = "night"\nquantiles = [0.5, 0.9]')
    edit(file, "count = 200", "count = 2000, seed = 5")
    gate("--accept", source=BOARD)
    edit(file, "seed = 5", "seed = 6")
    code, out, _ = gate(source=BOARD)
    assert code == 0, out

    def slower(generator, n):
        return default_latency(generator, n) + 3

    code, out, _ = gate("--json", latency=slower, source=BOARD)
    states = {one["name"]: one["state"] for one in json.loads(out)["statements"]}
    assert code == 7 and states == {"p50": "fail", "p90": "fail"}
    edit(file, "0.9]", "0.999]")
    code, out, _ = gate("--json", source=BOARD)
    (data,) = (one for one in json.loads(out)["statements"] if one["name"] == "p99.9")
    assert code == 8 and data["state"] == "too few samples"
    assert data["needed"] > 20_000


def test_within_the_margin_is_no_failure(gate, file):
    edit(file, 'name = "night"', 'name = "night"\nquantiles = [0.5]\nmargin = 0.1')
    edit(file, "count = 200", "count = 2000")
    gate("--accept", source=BOARD)

    def slower(generator, n):
        return default_latency(generator, n) + 3

    code, out, _ = gate("--json", latency=slower, source=BOARD)
    assert code == 0
    assert json.loads(out)["statements"][0]["said"].startswith("slower by no more than the margin")


def test_latencies_that_drift_are_compared_run_by_run_or_not_at_all(gate, file):
    edit(file, 'name = "night"', 'name = "night"\nquantiles = [0.5]')

    def drifting(generator, n):
        return 60 + np.arange(n) // 20

    gate("--accept", source=BOARD)
    code, out, _ = gate("--json", latency=drifting, source=BOARD)
    (data,) = json.loads(out)["statements"]
    assert code == 8
    assert data["said"].startswith("cannot tell: ") and "give several runs" in data["said"]


def test_two_firmwares_are_measured_in_turn_and_whole_runs_permuted(gate, file, board, tmp_path):
    edit(file, 'name = "night"', 'name = "night"\nquantiles = [0.5, 0.9]\nrepeats = 5')
    log = tmp_path / "log"
    loads = ("--load", f"sh -c 'echo b >> {log}'", "--load-against", f"sh -c 'echo a >> {log}'")
    against = board(source=BOARD).port
    code, out, err = gate("--against", against, *loads, "--json", source=BOARD)
    assert code == 0, (out, err)
    assert log.read_text().split() == list("baabbaabba")
    record = json.loads(out)
    assert record["items"]["t2"]["against"] == [f"t2.against.{n}" for n in range(1, 6)]
    assert "5 and 5 whole runs permuted" in record["statements"][0]["said"]

    def slower(generator, n):
        return default_latency(generator, n) + 5

    assert gate("--against", against, latency=slower, source=BOARD)[0] == 7
    edit(file, "repeats = 5", "repeats = 3")
    code, out, _ = gate("--against", against, latency=slower, source=BOARD)
    assert code == 8 and "an alarm at 0.01 needs 5 runs of each side" in out


def test_a_firmware_that_cannot_be_loaded_is_one_line(gate, tmp_path):
    code, _, err = gate("--accept", "--load", "sh -c 'echo no cable >&2; exit 3'")
    assert code == 3 and one_line(err).endswith("ended with exit code 3: no cable")
    code, _, err = gate("--accept", "--load", str(tmp_path / "absent"))
    assert code == 3 and "cannot run" in one_line(err)


# ---- the tests themselves --------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), [(5, 4), (3, 6)])
def test_the_chance_of_the_exact_test_is_that_of_all_orders(first, second):
    for rank, longer in itertools.product(range(1, first + 1), range(second + 1)):
        extreme = 0
        for places in itertools.combinations(range(first + second), first):
            rest = [p for p in range(places[rank - 1], first + second) if p not in places]
            extreme += len(rest) >= longer
        expected = extreme / math.comb(first + second, first)
        side, other = np.arange(1, first + 1), np.where(np.arange(second) < longer, rank + 0.5, 0)
        of_sides = stats.of_samples(2 * side), stats.of_samples((2 * other).astype(int))
        actual = exceedance.precedence(*of_sides, (rank - 0.5) / first)
        assert (actual.first, actual.second) == (first - rank, longer)
        assert actual.chance == pytest.approx(expected)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 99))
def test_the_permutation_counts_as_the_exact_test_does(ticks, percent):
    half = len(ticks) // 2
    first, second = stats.of_samples(ticks[half:]), stats.of_samples(ticks[:half] or [1])
    one = exceedance.precedence(first, second, percent / 100)
    (other,) = exceedance.permuted([first], [second], [percent / 100])
    assert (one.threshold, one.first, one.second) == (other.threshold, other.first, other.second)


def test_equal_sides_seldom_fail_and_longer_ones_are_found():
    """docs/ci.md has the rates of more pairs."""
    Plan, shares = simulations.Plan, simulations.geometric
    for plan in (Plan(100_000), Plan(20_000, 5, 1.0)):
        assert simulations.rate(shares, None, plan, 200) <= 0.03
    assert simulations.rate(shares, None, Plan(20_000, 5, 1.0), 50, pool=True) > 0.1
    slower = simulations.slower_tail(simulations.misses(), 0.999, 0.02)
    assert simulations.rate(simulations.misses, slower, Plan(1_000_000), 50) == 1.0


# ---- for other programs ----------------------------------------------------------------------


@pytest.fixture
def written(gate, file, tmp_path):
    """Exit code and files of a gate with a statement of each verdict."""
    edit(file, 'baseline = "t2.json"', 'limits = ["p90 <= 1 us", "p90 <= 240 ns", "p99.9 <= 1 us"]')
    paths = {name: tmp_path / name for name in ("junit", "recording", "bencher")}
    options = [word for name, path in paths.items() for word in (f"--{name}", path)]
    code, out, _ = gate("--json", *options, source=BOARD)
    return code, json.loads(out), paths


def test_junit_has_a_test_for_each_statement(written):
    code, record, paths = written
    assert code == 7
    (suite,) = ET.parse(paths["junit"]).getroot().iter("testsuite")
    assert [suite.get(n) for n in ("tests", "failures", "errors", "skipped")] == [
        "3",
        "1",
        "1",
        "0",
    ]
    cases = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert cases == {"p90 <= 1 us": [], "p90 <= 240 ns": ["failure"], "p99.9 <= 1 us": ["error"]}
    assert {case.get("classname") for case in suite.iter("testcase")} == {"night.t2"}
    (error,) = suite.iter("error")
    assert error.get("type") == "too few samples" and "are needed" in error.get("message")
    assert suite.find("properties/property[@name='source']").get("value") == "zcu102"


def test_the_recording_is_a_table_of_quantiles_with_empty_fields_for_the_unknown(written):
    _, record, paths = written
    text = paths["recording"].read_text()
    rows = list(csv.DictReader(text.splitlines(), quoting=csv.QUOTE_MINIMAL))
    names = text.splitlines()[0].replace('"', "").split(",")
    assert names == sorted(names)
    assert [row["metric"] for row in rows] == ["p50", "p99", "p99.9"]
    figures = record["items"]["t2"]["figures"]
    assert [float(row["nanoseconds"] or "nan") for row in rows] == pytest.approx(
        [math.nan if f["value_ns"] is None else f["value_ns"] for f in figures],
        abs=0.0005,  # a ps, rounded
        nan_ok=True,
    )
    assert all(len(row["nanoseconds"].partition(".")[2]) <= 3 for row in rows)
    assert rows[2]["nanoseconds"] == ""  # 200 stimuli carry no p99.9
    assert {(row["n"], row["verdict"], row["source"]) for row in rows} == {
        ("200", "fail", "zcu102")
    }


def test_a_quantile_that_is_unknown_is_not_recorded_as_passed(gate, file, tmp_path):
    edit(file, 'baseline = "t2.json"', 'limits = ["p90 <= 1 us"]')
    assert gate("--recording", tmp_path / "r.csv", source=BOARD)[0] == 0
    rows = csv.DictReader((tmp_path / "r.csv").read_text().splitlines())
    assert {row["metric"]: row["verdict"] for row in rows} == {
        "p50": "pass",
        "p99": "too few samples",
        "p99.9": "too few samples",
    }


def test_the_benchmark_json_has_values_with_bounds_and_leaves_out_the_unknown(written):
    _, _, paths = written
    text = json.loads(paths["bencher"].read_text())
    assert list(text) == ["night/t2"]
    assert list(text["night/t2"]) == ["p50"]
    median = text["night/t2"]["p50"]
    assert 55 * 4 <= median["lower_value"] <= median["value"] <= median["upper_value"] <= 63 * 4.1


def test_a_gate_that_could_not_be_carried_out_is_an_error_in_junit(irqscope, file, tmp_path):
    path = tmp_path / "junit.xml"
    code, _, _ = irqscope(
        "gate", file, "--accept", "--target", "/dev/ttyNONE", "--junit", path,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert code == 3
    (suite,) = ET.parse(path).getroot().iter("testsuite")
    assert suite.get("errors") == "1"
    assert "/dev/ttyNONE" in suite.find("testcase/error").get("message")
