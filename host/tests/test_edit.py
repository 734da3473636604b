"""One key of a TOML file is changed, and all that somebody wrote around it stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.experiment.edit import edited, with_item, without_item
from irqscope.experiment.save import document

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
    ("text", "path", "value"),
    [
        ("a = [\n 1,\n 2,\n]\n", ("a",), [3]),
        ('b = { c = 1 }\nname = "x"\n', ("b", "c"), 2),
        ('name = "x"\n', ("load",), {"array": "64 KB"}),
        ('[load]\narray = "64 KB"\n', ("load",), None),
        ('a = """x\ny"""\n', ("a",), "z"),
    ],
)
def test_what_cannot_be_changed_in_its_line_is_written_anew_and_right(text, path, value):
    found, table = edited(text, tomllib.loads(text), path, value)
    assert tomllib.loads(found) == table and table != tomllib.loads(text)


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
