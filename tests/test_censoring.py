"""A timeout that many answers exceed: the same stimuli, known only in part."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument import ROOT, irqscope, record, samples

T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
COUNT = 400


def run(folder: Path, timeout: str, *arguments: object) -> str:
    text = T2.read_text(encoding="utf-8").replace('timeout = "4 ms"', f'timeout = "{timeout}"')
    file = folder.with_suffix(".toml")
    file.write_text(text, encoding="utf-8")
    process = irqscope(
        "run", file, "--target", "twin:functional", "--count", COUNT, "--out", folder, *arguments
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def latencies(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """Latencies of every stimulus, with a timeout that none meets."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(folder, "4 ms")
    return samples(folder)["latency_ticks"].to_pylist()


def test_what_times_out_is_what_takes_longer(tmp_path: Path, latencies: list[int]) -> None:
    timeout = sorted(latencies)[COUNT // 2]
    longer = sum(ticks > timeout for ticks in latencies)
    assert 20 < longer < COUNT - 20  # the latencies have a few values
    output = " ".join(run(tmp_path / "cut", f"{timeout} ticks").split())
    result = record(tmp_path / "cut")
    (stats,), (counters,) = result["stats"], result["counters"]
    assert (stats["n"], stats["timed_out"]) == (COUNT, longer) == (counters["starts"], longer)
    assert stats["served"] == COUNT - longer and stats["coalesced"] == 0
    assert stats["longer"]["ticks"] == stats["timeout_ticks"] == timeout
    assert stats["longer"]["at_least"] < longer / COUNT < stats["longer"]["at_most"]
    by_p = {quantile["p"]: quantile for quantile in stats["quantiles"]}
    assert by_p[0.5]["value_ticks"] == timeout
    assert by_p[0.99]["value_ticks"] is None and by_p[0.99]["sample_ticks"][1] is None
    states = samples(tmp_path / "cut")["state"].to_pylist()
    assert [state == "timed_out" for state in states] == [ticks > timeout for ticks in latencies]
    assert result["valid"]
    assert f"valid, but CENSORED: channel 0: {longer} of {COUNT} timed out" in output
    assert (
        f"more than {round(timeout * 1e9 / 249975000)} ns: {longer} of {COUNT} timed out" in output
    )
    page = (tmp_path / "cut" / "report.html").read_text(encoding="utf-8")
    assert "valid, but CENSORED" in page


def test_t2_looks_independent(latencies: list[int], tmp_path: Path) -> None:
    """On the twin its latency hangs on the stimulus' phase, which must not follow the last one."""
    output = run(tmp_path / "run", "4 ms", "--batch", 60)
    assert len(set(latencies)) > 1
    (stats,) = record(tmp_path / "run")["stats"]
    assert [answer["fails"] for answer in stats["independence"]["answers"]] == [False] * 8
    words = " ".join(output.split())
    # Few values and one batch: no test finds dependence, and not all can be made.
    assert "independence: cannot tell: N = 400" in words and "one batch" in words
