"""One command measures end to end on the twin, checked on both sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from instrument import ROOT, irqscope, record, samples

HORST = ROOT / "experiments/horst2020"
#: The path from edge to handler, in ticks of 4 ns: not below the 25 instructions and three device
#: accesses that lie on it, not above a microsecond.
FLOOR, CEILING = 25, 250


def run(experiment: str, folder: Path, *options: object) -> dict:
    result = irqscope("run", HORST / experiment, "--out", folder, *options)
    assert result.returncode == 0, result.stderr
    return record(folder)


@pytest.fixture(scope="module")
def t2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "t2"
    run("t2.toml", folder, "--count", 200)
    return folder


@pytest.mark.quick
def test_t2_is_valid_and_its_counters_agree(t2: Path) -> None:
    result = record(t2)
    assert result["format"] == "irqscope-run/7"
    assert result["valid"] is True
    assert result["ended"]["reason"] == "complete"
    (counters,) = result["counters"]
    assert counters["starts"] == counters["served"] == counters["stops"] == 200
    for none in ("coalesced", "timed_out", "pending", "unmatched", "implausible"):
        assert counters[none] == 0
    records = result["records"]
    assert records["stamped"] == records["delivered"] == 400
    assert records["lost"] == 0


def test_t2_says_where_it_came_from(t2: Path) -> None:
    source = record(t2)["source"]
    assert (source["target"], source["profile"]) == ("twin", "a53")
    assert "a53 timing" in (t2 / "report.html").read_text()


def test_t2_has_one_sample_a_stimulus_between_floor_and_ceiling(t2: Path) -> None:
    table = samples(t2)
    assert table["sequence"].to_pylist() == list(range(200))
    assert set(table["state"].to_pylist()) == {"served"}
    latencies = table["latency_ticks"].to_pylist()
    assert min(latencies) >= FLOOR
    assert max(latencies) <= CEILING
    (stats,) = record(t2)["stats"]
    assert stats["n"] == 200
    assert (stats["min_ticks"], stats["max_ticks"]) == (min(latencies), max(latencies))
    assert stats["sum_ticks"] == sum(latencies)
    for quantile in stats["quantiles"]:
        assert quantile["value_ticks"] is None or quantile["value_ticks"] in latencies


def test_t2_stimuli_are_5_ms_apart_and_dithered(t2: Path) -> None:
    hz = record(t2)["identity"]["tick_hz"]
    edges = samples(t2)["edge_ticks"].to_pylist()
    gaps = {b - a for a, b in zip(edges, edges[1:], strict=False)}
    nominal = round(0.005 * hz)
    assert gaps <= set(range(nominal - 1, nominal + 257))
    assert len(gaps) > 100  # of 256 values, which 200 stimuli do not all meet
    assert {edge % 5 for edge in edges} == set(range(5))


def test_report_needs_no_network(t2: Path) -> None:
    page = (t2 / "report.html").read_text()
    assert not re.search(r"""(?:src|href)\s*=\s*["']?https?:|@import|url\(\s*["']?https?:""", page)
    assert page.count("<svg") + page.count("data:image/png") >= 3


@pytest.mark.parametrize("experiment", ["t1.toml", "t2-level.toml", "t2-ppi.toml"])
def test_other_ways_to_signal_serve_every_stimulus(experiment: str, tmp_path: Path) -> None:
    result = run(experiment, tmp_path / "run", "--count", 50)
    (counters,) = result["counters"]
    assert counters["starts"] == counters["served"] == 50
    (stats,) = result["stats"]
    assert FLOOR <= stats["min_ticks"] <= stats["max_ticks"] <= CEILING


def test_stages_come_in_order_and_lengthen_what_is_measured(t2: Path, tmp_path: Path) -> None:
    run("t2-stages.toml", tmp_path / "run", "--count", 50)
    rows = samples(tmp_path / "run").to_pylist()
    assert len(rows) == 50
    for row in rows:
        stages = [row[f"{stage}_ticks"] for stage in ("vector", "handler", "done", "task")]
        assert 0 < stages[0] < stages[1] < stages[2] < stages[3]
        assert row["latency_ticks"] == row["handler_ticks"]
    paper = min(samples(t2)["latency_ticks"].to_pylist())
    assert min(row["latency_ticks"] for row in rows) > paper


def test_a_channel_between_two_markers_has_its_stages_and_its_waves(tmp_path: Path) -> None:
    text = (HORST / "t2-stages.toml").read_text()
    path, out, waves = tmp_path / "between.toml", tmp_path / "run", tmp_path / "run.vcd"
    path.write_text(text + '\n[[channels]]\nstart = "handler"\nstop = "done"\ntimeout = "4 ms"\n')
    for words in (("run", path, "--count", 50, "--out", out), ("export", out, waves)):
        ended = irqscope(*words)
        assert ended.returncode == 0, ended.stderr
    rows = samples(out).to_pylist()
    whole, between = ([row for row in rows if row["channel"] == n] for n in (0, 1))
    assert len(whole) == len(between) == 50
    for first, second in zip(whole, between, strict=True):
        assert second["latency_ticks"] == second["done_ticks"]
        assert second["done_ticks"] == first["done_ticks"] - first["handler_ticks"]
        assert second["task_ticks"] == first["task_ticks"] - first["handler_ticks"]
        assert second["vector_ticks"] is second["handler_ticks"] is None
    scope = waves.read_text().partition("$scope module channel_1")[2]
    identifier = re.search(r"\$var wire 1 (\S+) done ", scope)[1]
    assert len(re.findall(rf"^1{re.escape(identifier)}$", scope, re.MULTILINE)) == 50


def test_two_lines_that_raise_the_measured_interrupt_are_both_answered(tmp_path: Path) -> None:
    text = (HORST / "t2.toml").read_text()
    path, out = tmp_path / "two.toml", tmp_path / "run"
    line = '[[lines]]\nhigh = "1 ms"\nlow = "4 ms"\nstart_delay = "2 ms"\ninterrupt = "shared"\n'
    channel = '[[channels]]\nstart = "line 1"\nstop = "handler"\ntimeout = "1 ms"\n'
    text = text.replace('timeout = "4 ms"', 'timeout = "1 ms"')
    path.write_text(f"{text}\n{line}\n{channel}")
    ended = irqscope("run", path, "--count", 50, "--out", out)
    run = record(out)
    assert ended.returncode == 0, (ended.stderr, run["reasons"])
    for counters in run["counters"]:
        # The other line's answers find nothing open.
        assert (counters["served"], counters["unmatched"], counters["timed_out"]) == (50, 50, 0)
    assert run["firmware"]["handled_0"] == 100


def test_spinning_core_answers_sooner_than_a_sleeping_one(t2: Path, tmp_path: Path) -> None:
    text = (HORST / "t2.toml").read_text()
    spin = tmp_path / "spin.toml"
    spin.write_text(re.sub(r'idle = "wfi".*', 'idle = "spin"', text))
    result = irqscope("run", spin, "--count", 50, "--out", tmp_path / "run")
    assert result.returncode == 0, result.stderr
    (stats,) = record(tmp_path / "run")["stats"]
    assert FLOOR <= stats["min_ticks"] < record(t2)["stats"][0]["min_ticks"]
