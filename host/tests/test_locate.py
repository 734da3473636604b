"""Excessive files are refused before they are parsed; a key is reported with its line."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from irqscope import experiment as experiments
from irqscope.errors import ExperimentError
from irqscope.experiment.locate import line_of, lines_of, too_much

T2 = (Path(__file__).parents[2] / "experiments/horst2020/t2.toml").read_text()
COUNT = T2.splitlines().index(next(line for line in T2.splitlines() if "count" in line)) + 1

TOO_MUCH = {
    "digits": (COUNT, T2.replace("count = 2400", "count = " + "9" * 5000), "more than 1000 digits"),
    "hex digits": (COUNT, T2.replace("count = 2400", "count = 0x" + "f" * 5000), "1000 digits"),
    "lists in lists": (1, "a = " + "[" * 3000 + "]" * 3000 + "\n" + T2, "more than 64 deep"),
    "over lines": (65, "a = [\n" + "[\n" * 3000 + "]\n" * 3001, "64 deep"),
    "tables in tables": (2, "\na = " + "{a=" * 3000 + "1" + "}" * 3000, "more than 64 deep"),
    "a dotted key": (1, ".".join("a" * 20_000) + " = 1\n" + T2, "more than 32 parts"),
    "a dotted key in a table": (1, "x = {" + " . ".join("a" * 20_000) + " = 1}", "32 parts"),
    "a dotted table": (1, "[" + ".".join("a" * 20_000) + "]\n", "more than 32 parts"),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_nobody_would_write_is_refused_with_its_line(name, tmp_path):
    line, text, output = TOO_MUCH[name]
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ExperimentError) as refused:
        experiments.load(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert output in str(refused.value) and "; write" in str(refused.value)


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder", "a long file"])
def test_what_is_no_file_of_text_is_not_read(kind, tmp_path):
    path = Path("/dev/zero") if kind == "a device" else tmp_path / "x.toml"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a long file":
        path.write_bytes(b"#" * 1_000_001)
    with pytest.raises(ExperimentError, match="cannot read .*; name a TOML file"):
        experiments.load(path)


def test_as_much_as_somebody_may_write_is_read():
    strings = f'a = "{"[" * 100}{"9" * 2000}" # {"[" * 100}\nb = """\n{"a." * 100}\n"""\n'
    assert too_much(strings + "c = 123_456\n" + "d = [[1.5, 2.5], [{e.f = 1}]]\n" + T2) is None


LINES = '''"name" = "x"
text = """
count = 5
[lines]
""" # count = 6
other = \'\'\'
tick = 1 \'\'\'
"count" = 3
tick . "period" = "1 ms"
"a.b".'c d' = "x = [ # no comment"
list = [
  { key = 1 }, # ]
  "]",
]
last = 1
[ load ]
array = 2
[[lines]]
high = 1
[[lines]]
"high" = 2
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 1), (("text",), 2), (("other",), 6), (("count",), 8), (("tick", "period"), 9),
        (("a.b", "c d"), 10), (("list",), 11), (("last",), 15), (("load", "array"), 17),
        (("lines",), 18), (("lines", 0, "high"), 19), (("lines", 1, "high"), 21),
        (("lines", 1, "low"), 20), (("none",), None),
    ],
)  # fmt: skip
def test_a_key_has_the_line_on_which_it_stands(path, line):
    assert tomllib.loads(LINES)["count"] == 3
    assert line_of(LINES, path) == line


def test_nothing_else_is_a_key():
    tops = {path[0] for path in lines_of(LINES)}
    assert tops == {*tomllib.loads(LINES)}
