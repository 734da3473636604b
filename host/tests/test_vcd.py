"""Waves of a run: what an independent reader finds in the file is what the samples say."""

from __future__ import annotations

import bisect

import pytest
from irqscope_fake.folder import TICK_HZ, write_run
from irqscope_fake.folder import experiment as described
from vcd.reader import TokenKind, tokenize

from irqscope.results.export import export
from irqscope.results.reader import read

PS = 10**12 // TICK_HZ
PERIOD = 5 * TICK_HZ // 1000
HIGH = TICK_HZ // 1000


@pytest.fixture
def waves(tmp_path):
    """(comment, changes by name as (tick, value)) of a run with these columns."""

    def make(asked, latencies, columns=None, window=None):
        n = len(latencies)
        rows = {"edge_ticks": [5000 + PERIOD * i for i in range(n)]} | (columns or {})
        write_run(tmp_path / asked.name, asked, latencies, rows)
        path = tmp_path / "run.vcd"
        export(read(tmp_path / asked.name), path, window)
        by_key, names, now, comment = {}, {}, None, ""
        with path.open("rb") as file:
            for token in tokenize(file):
                if token.kind is TokenKind.COMMENT:
                    comment = token.comment
                elif token.kind is TokenKind.VAR:
                    names[token.var.id_code] = token.var.reference
                elif token.kind is TokenKind.CHANGE_TIME:
                    assert now is None or token.time_change > now
                    assert token.time_change % PS == 0
                    now = token.time_change
                elif token.kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR):
                    change = token.data
                    value = int(change.value)
                    by_key.setdefault(names[change.id_code], []).append((now // PS, value))
        return comment, by_key

    return make


def value(changes, tick):
    return changes[bisect.bisect_right(changes, (tick, 1 << 70)) - 1][1]


def test_lines_answers_and_markers_stand_at_their_ticks(waves):
    requested = described(markers="stages")
    stages = {"vector_ticks": [40, 41], "handler_ticks": [60, 62], "done_ticks": [80, 83]}
    comment, actual = waves(requested, [60, 62], stages)
    assert "twin, functional timing" in comment
    first, second = 5000, 5000 + PERIOD
    assert actual["line_0"] == [
        (first - 1, 0), (first, 1), (first + HIGH, 0), (second, 1), (second + HIGH, 0),
    ]  # fmt: skip
    assert actual["waiting"][1:] == [
        (first, 1), (first + 60, 0), (second, 1), (second + 62, 0),
    ]  # fmt: skip
    for name, ticks in (("vector", (40, 41)), ("handler", (60, 62)), ("done", (80, 83))):
        rises = [tick for tick, level in actual[name] if level]
        assert rises == [first + ticks[0], second + ticks[1]]
        assert value(actual[name], rises[0] + 1) == 0
    assert actual["task"] == [(first - 1, 0)]
    assert value(actual["index"], second) == 1 and value(actual["latency_ticks"], second + 62) == 62


def test_a_window_holds_its_events_and_no_other(waves):
    _, actual = waves(described(), [60] * 20, window=range(7, 10))
    assert [level for _, level in actual["index"]] == [0, 7, 8, 9]
    rises = [tick for tick, level in actual["handler"] if level]
    assert rises == [5000 + 60 + PERIOD * n for n in range(7, 10)]
    assert [tick for tick, level in actual["waiting"] if level][0] == 5000 + 7 * PERIOD


def test_a_line_that_is_acknowledged_falls_behind_the_marker(waves):
    line = {"high": "1 ms", "low": "4 ms", "mode": "acknowledged"}
    _, actual = waves(described(lines=[line], trigger="level"), [60, 3])
    falls = [tick for tick, level in actual["line_0"][1:] if not level]
    assert falls == [5000 + 66, 5000 + PERIOD + 10]  # never shorter than the shortest phase
    other = line | {"acknowledge": "done"}
    _, actual = waves(described(lines=[other], trigger="level", name="other"), [60])
    assert "line_0" not in actual


def test_without_an_answer_the_wait_ends_at_the_deadline(waves):
    columns = {"latency_ticks": [60, None], "state": ["served", "timed_out"]}
    _, actual = waves(described(), [60, 60], columns)
    assert actual["waiting"][-1] == (5000 + PERIOD + 4 * HIGH, 0)


def test_of_an_answer_and_an_edge_in_one_tick_the_answer_comes_first(waves):
    _, actual = waves(described(), [60, 5], {"edge_ticks": [5000, 5060]})
    assert actual["waiting"][1:] == [(5000, 1), (5060, 0), (5060, 1), (5065, 0)]
