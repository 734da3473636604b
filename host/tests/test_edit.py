"""One key of a TOML file is changed, and all text around it stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.experiment.edit import edited, with_item, without_item
from irqscope.experiment.save import document

pytestmark = pytest.mark.quick

TEXT = """\
# What this is for.
name = "t2"   # a "name" # of ours
case = 't2'

count = 2400 # many

# The measured line.
[[lines]]
high = "1 ms"  # long
low = "4 ms"
# The one channel.
[[channels]]
timeout = "4 ms"
"""


def change(text, path, value):
    return edited(text, tomllib.loads(text), path, value)[0]


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("count",), 7, "count = 2400 # many", "count = 7 # many"),
        (("name",), "x#y", 'name = "t2"   # a', 'name = "x#y"   # a'),
        (("lines", 0, "high"), "2 ms", 'high = "1 ms"  # long', 'high = "2 ms"  # long'),
        (("channels", 0, "timeout"), "3 ms", 'timeout = "4 ms"', 'timeout = "3 ms"'),
        (("seed",), 5, "count = 2400 # many", "count = 2400 # many\nseed = 5"),
        (("lines", 0, "mode"), "burst", 'low = "4 ms"', 'low = "4 ms"\nmode = "burst"'),
        (("lines", 0, "low"), None, 'low = "4 ms"\n', ""),
        (("state",), ["l1i"], "# many", '# many\nstate = ["l1i"]'),
    ],
)
def test_only_the_line_of_the_key_changes(path, value, old, new):
    assert TEXT.count(old) == 1
    assert change(TEXT, path, value) == TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("text", "path", "value", "changed"),
    [
        ("# of a\na = [\n 1,\n 2,\n] # a\n", ("a",), [3], "# of a\na = [3] # a\n"),
        ("b = { c = 1, d = 2 } # b\n", ("b", "c"), 2, "b = { c = 2, d = 2 } # b\n"),
        (
            'timer_tick.period = "1 ms" # t\n',
            ("timer_tick", "period"),
            "2 ms",
            'timer_tick.period = "2 ms" # t\n',
        ),
        ('a = """x\ny""" # a\n', ("a",), "z", 'a = "z" # a\n'),
        ("'a b' = 1 # a\n", ("a b",), 2, "'a b' = 2 # a\n"),
        (
            'name = "x" # n\n',
            ("load", "aim"),
            "path",
            'name = "x" # n\n\n[load]\naim = "path"\n',
        ),
        ('# all\n[load]\narray = "64 KB"\n', ("load",), None, "# all\n"),
        ('# all\n[load]\narray = "64 KB" # a\n', ("load", "array"), None, "# all\n[load]\n"),
    ],
)
def test_a_value_is_changed_however_it_is_written(text, path, value, changed):
    actual, table = edited(text, tomllib.loads(text), path, value)
    assert actual == changed and tomllib.loads(actual) == table


def test_every_experiment_keeps_each_of_its_comments():
    for path in sorted((Path(__file__).parents[2] / "experiments").glob("*/*.toml")):
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
        for key, value in (("count", 7), ("seed", 5), ("description", "x"), ("warm_up", None)):
            text, table = edited(text, table, (key,), value)
        before = path.read_text(encoding="utf-8")
        comments = [line for line in before.splitlines() if line.startswith("#")]
        assert [line for line in text.splitlines() if line.startswith("#")] == comments, path
        assert tomllib.loads(text) == table


def test_a_table_comes_and_goes_and_nothing_else():
    more = with_item(TEXT, "lines", {"high": "1 ms", "low": "2 ms", "index": 3})
    assert more.startswith(TEXT.rstrip()) and len(tomllib.loads(more)["lines"]) == 2
    assert without_item(more, "lines", 1).rstrip() == TEXT.rstrip()
    assert "# The one channel." in without_item(TEXT, "lines", 0)
    assert without_item(TEXT, "lines", 4) == TEXT


KEYS = st.sampled_from(["count", "name", "seed", "case"])
VALUES = st.one_of(
    st.integers(-9, 9),
    st.booleans(),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=9),
)


@given(st.lists(st.tuples(KEYS, st.none() | VALUES), max_size=8))
def test_text_and_table_never_differ(changes):
    text, table = TEXT, tomllib.loads(TEXT)
    for key, value in changes:
        text, table = edited(text, table, (key,), value)
        assert tomllib.loads(text) == table
    assert "# What this is for." in text and document(table)
