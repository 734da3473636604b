"""Errors of input are refused in one line: file, line, field, and valid values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from irqscope.campaign.suite.load import load as load_suite
from irqscope.errors import ExperimentError
from irqscope.experiment import load
from irqscope.experiment.load import check
from irqscope.machines.generated import ZYNQMP

ROOT = Path(__file__).parents[2]
T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
FILES = sorted((ROOT / "experiments").rglob("*.toml"))
EXPERIMENTS = [path for path in FILES if path.name != "suite.toml"]
SUITES = [path for path in FILES if path.name == "suite.toml"]

WHOLE = "give a whole number, without quotes and without a point; it is "
TIME = "is not a time; write ticks, ns, us, ms or s"
REACH = 'interrupt: give "shared", "private", "software", or "spi 121"'
#: A text of t2.toml, its replacement, line and begin of the refusal.
STRICT = {
    "a number as text": ("count = 2400", 'count = "2400"', 11, f"count: {WHOLE}'2400'"),
    "a boolean as number": ("count = 2400", "count = true", 11, f"count: {WHOLE}true"),
    "a float as number": ("count = 2400", "count = 1e3", 11, f"count: {WHOLE}1000.0"),
    "a whole float": ("core = 0", "core = 0.0", 5, f"core: {WHOLE}0.0"),
    "a list as number": ("count = 2400", "count = [1]", 11, f"count: {WHOLE}a list of 1"),
    "a table as number": ("count = 2400", "count = {}", 11, f"count: {WHOLE}a table"),
    "a day as number": ("count = 2400", "count = 1979-05-27", 11, f"count: {WHOLE}1979-05-27"),
    "a seed as text": ("seed = 1", 'seed = "1"', 13, f"seed: {WHOLE}'1'"),
    "40 digits": (
        "count = 2400", f"count = {10**40}", 11,
        f"count: input should be less than or equal to 1000000000000; it is {10**40}",
    ),
    "400 digits": (
        "count = 2400", f"count = {10**400}", 11,
        "count: input should be less than or equal to 1000000000000; it is 1000",
    ),
    "5000 digits": ("count = 2400", "count = " + "1" * 5000, 11, "a number has more than"),
    "a thousand lists": (
        "count = 2400", f"count = {'[' * 5000}", 11, "brackets are more than 64 deep",
    ),
    "a number as text of a case": ('case = "t2"', "case = 2", 4, "case: input should be 't1'"),
    "a text as table": (
        "seed = 1", 'seed = 1\ntimer_tick = "1 ms"', 14, "timer_tick: give a table; it is '"
    ),  # fmt: skip
    "a number as boolean": ("seed = 1", "seed = 1\nwarm = 1", 14, "warm: give true or false"),
    "a text as list": ("seed = 1", 'seed = 1\nstate = "l2"', 14, "state: give a list, in"),
    "a boolean in a list": (
        'phase = "dithered"', 'phase = "dithered"\npmod = [true]', 20, f"lines[0].pmod[0]: {WHOLE}",
    ),
    "an Arabic time": ('high = "1 ms"', 'high = "١ ms"', 17, f'lines[0].high: "١ ms" {TIME}'),
    "a time with wide digits": ('"4 ms"', '"４ ms"', 18, f'lines[0].low: "４ ms" {TIME}'),
    "a time as boolean": ('high = "1 ms"', "high = true", 17, "lines[0].high: a time is a"),
    "a time as float": ('high = "1 ms"', "high = 1e3", 17, "lines[0].high: a time is a"),
    "a long time": (
        'high = "1 ms"', f'high = "{10**40} s"', 17, f'lines[0].high: "{10**40} s" is longer than',
    ),
    "a long time in ticks": (
        'high = "1 ms"', f"high = {10**40}", 17, f'lines[0].high: "{10**40} ticks" is longer than',
    ),
    "an Arabic line": ('"line 0"', '"line ٠"', 22, 'channels[0].start: give "line N" or a marker'),
    "an Arabic SPI": ('"shared"', '"spi ١٢١"', 7, REACH),
    "an SPI with a leading 0": ('"shared"', '"spi 0121"', 7, REACH),
    "an SPI of 5000 digits": ('"shared"', f'"spi {"1" * 5000}"', 7, REACH),
    "an Arabic tail": ('"all"', '"tail ٣"', 12, 'samples: give "all", "first N", "tail N" or'),
    "samples as number": ('samples = "all"', "samples = 10", 12, 'samples: give "all", "first N"'),
    "a case without its table": (
        'case = "t2"', 'case = "t4"', 4, 'background: case "t4" needs them',
    ),
    "a missing name": ('name = "t2"', "", 4, "name: this key is missing; add it"),
    "too short a period": (
        'low = "4 ms"', 'low = "1 ms"', 24,
        "channels[0].timeout: 1000000 ticks do not fit line 0, whose shortest period is 500000 "
        "ticks; give less than 499990 ticks, or a longer lines[0].high or low",
    ),
    "a key over two lines": ("seed = 1", '"a\\nb" = 1', 13, "a\\nb: unknown key; remove it"),
    "a key that turns text around": (
        "seed = 1", '"a\\u202eb" = 1', 13, "a\\u202eb: unknown key; remove it",
    ),
    "a key of 100,000 characters": ("seed = 1", f'"{"a" * 100_000}" = 1', 13, "a" * 40),
    "a name over two lines": ('name = "t2"', 'name = "t2\\nb"', 2, "name: string should match"),
    "a name with an end of line": ('name = "t2"', 'name = "t2\\n"', 2, "name: string should mat"),
    "a time over two lines": (
        'high = "1 ms"', 'high = "1 ms\\n"', 17, f'lines[0].high: "1 ms\\n" {TIME}',
    ),
    "a dotted key": (
        "[[lines]]", 'timer_tick.period = "1 ps"\n[[lines]]', 15, "timer_tick.period: "
    ),  # fmt: skip
    "an unfinished text": ("seed = 1", 'seed = "', 13, "not TOML: "),
    "an unfinished file": ('timeout = "4 ms"', "timeout =", 24, "not TOML: Invalid value"),
    "an unfinished table": ('timeout = "4 ms"', "timeout = [", 24, "not TOML: "),
}  # fmt: skip


@pytest.mark.parametrize("name", STRICT)
def test_a_value_of_another_kind_is_refused_where_it_stands(name, experiment):
    old, new, line, output = STRICT[name]
    path = experiment((old, new))
    with pytest.raises(ExperimentError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}:{line}: {output}")
    assert "\n" not in str(error.value) and len(str(error.value)) < 600


#: In the place of a value, or somewhere in a line.
ODD = st.one_of(
    st.sampled_from(
        [
            "true",
            "false",
            "0",
            "-1",
            "1e3",
            "1.5",
            "nan",
            "inf",
            "''",
            '"10"',
            '"١"',
            '"spi 0121"',
            '"line ٣"',
            '"0 s"',
            '"1 tick"',
            '"99999999999999999999 s"',
            '"0.0000001 ns"',
            "[]",
            "[0]",
            '["l2"]',
            "[[]]",
            "{}",
            "{x = 1}",
            "1979-05-27",
            "07:32:00",
            f"{10**40}",
            f"-{10**40}",
            "0x10",
            "0b1",
            '"handler any core"',
            '"start"',
            '"vector"',
            '"tail 9000"',
            '"first 1"',
            '"none"',
            '"sgi 3"',
            '"ppi 31"',
            '"level"',
            '"on"',
            '"off"',
            '"t1"',
            '"t4"',
            '"t5"',
            '"t6"',
            '"t6-spi"',
            '"t7"',
            '"b-lmax"',
            '"b-tmax"',
            '"cache-state"',
            '"random-load"',
            '"switch-yield"',
            '"throughput"',
            '"acknowledged"',
            '"single shot"',
            '"freertos"',
            '"1 GB"',
            '"stages"',
            '"locked"',
            "24",
            "3",
            "65535",
            f"{2**32}",
            f"{2**63}",
        ]  # fmt: skip
    ),
    st.text(max_size=12).map(lambda text: '"' + text.replace("\\", "").replace('"', "") + '"'),
    st.integers().map(str),
    st.text(max_size=8),
)
EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from(["value", "drop", "twice", "swap"]), ODD),
    min_size=1,
    max_size=3,
)


def edited(text, edits):
    """The lines of a file with values replaced, dropped, doubled, or exchanged with the next."""
    lines = text.splitlines()
    for place, how, unusual in edits:
        place %= len(lines)
        key, equals, _ = lines[place].partition("=")
        if how == "value":
            lines[place] = f"{key}= {unusual}" if equals else unusual
        elif how == "drop" and len(lines) > 1:
            del lines[place]
        elif how == "twice":
            lines.insert(place, lines[place])
        elif how == "swap":
            lines[place - 1], lines[place] = lines[place], lines[place - 1]
    return "\n".join(lines) + "\n"


def judged(path, call):
    """Takes it, or refuses it in one line that names file, line and field."""
    try:
        return call()
    except ExperimentError as error:
        text = str(error)
        assert re.match(re.escape(str(path)) + r":[1-9]\d*: [^\s]", text), text
        assert "\n" not in text and "Traceback" not in text
        rest = text.partition(": ")[2]
        field = r"[A-Za-z0-9_.\-\[\]]+: |not TOML|.*\.toml"
        assert re.match(field, rest) or "unknown key" in rest, text
        return None


UNHURRIED = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@UNHURRIED
@given(source=st.sampled_from(EXPERIMENTS), edits=EDITS)
def test_no_edit_of_an_experiment_is_a_defect(tmp_path, source, edits):
    path = tmp_path / "experiment.toml"
    path.write_text(edited(source.read_text(encoding="utf-8"), edits), encoding="utf-8", newline="")
    actual = judged(path, lambda: load(path))
    if actual is not None:
        try:
            check(actual, ZYNQMP, 249_975_000)
        except ExperimentError as error:
            assert "\n" not in str(error)


@UNHURRIED
@given(source=st.sampled_from(SUITES), edits=EDITS)
def test_no_edit_of_a_suite_is_a_defect(tmp_path, source, edits):
    for file in source.parent.glob("*.toml"):
        if not (tmp_path / file.name).exists():
            (tmp_path / file.name).symlink_to(file)
    path = tmp_path / f"{source.parent.name}-suite.toml"
    path.write_text(edited(source.read_text(encoding="utf-8"), edits), encoding="utf-8", newline="")
    judged(path, lambda: load_suite(path, "quick"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--count", "1e3"), "'--count': '1e3' is not a whole number; write it in digits"),
        (("--count", "true"), "'--count': 'true' is not a whole number"),
        (("--count", "1_000"), "'--count': '1_000' is not a whole number"),
        (("--count", "١٠"), "'--count': '١٠' is not a whole number"),
        (("--count", " 10"), "'--count': ' 10' is not a whole number"),
        (("--count", "0"), "'--count': 0 is not in the range 1<=x<=1000000000000"),
        (("--count", str(10**40)), f"'--count': {10**40} is not in the range"),
        (("--count", "1" * 5000), "is not a whole number"),
        (("--seed", "-1"), "'--seed': -1 is not in the range"),
        (("--seed", str(2**63)), "'--seed': 9223372036854775808 is not in the range"),
        (("--batch", "nan"), "'--batch': 'nan' is not a time; write seconds, as in 0.05"),
        (("--batch", "inf"), "'--batch': 'inf' is not a time"),
        (("--batch", "1e300"), "'--batch': '1e300' is not a time"),
        (("--batch", "1e400"), "'--batch': '1e400' is not a time"),
        (("--batch", "٢"), "'--batch': '٢' is not a time"),
        (("--batch", "0"), "'--batch': 0.0 is not in the range"),
        (("--batch", "1" * 50), "is not in the range 0<x<=3600"),
    ],
)
def test_an_option_of_another_kind_is_refused(irqscope, options, said):
    code, out, err = irqscope("run", T2, *options)
    assert (code, out) == (2, "") and said in err
    assert err.count("\n") == 1 and "Traceback" not in err


def test_a_number_above_64_bits_is_refused(irqscope, tmp_path):
    for number in (2**63, 10**40):
        code, _, err = irqscope("worst", tmp_path, "--most", number)
        assert code == 2 and f"'--most': {number} does not fit 64 bits" in err
    code, _, err = irqscope("worst", tmp_path, "--most", 2**63 - 1)
    assert "64 bits" not in err


LONG = "n" * 300
NO_TEXT = "name\udcff.toml"
#: Arguments of each command that takes a name, with NAME in place of it.
NAMED = {
    "run a file": ("run", "NAME"),
    "run into a folder": ("run", T2, "--target", "PORT", "--count", 10, "--out", "NAME"),
    "record": ("run", T2, "--target", "PORT", "--count", 10, "--record", "NAME", "--out", "OUT"),
    "target": ("run", T2, "--target", "NAME", "--out", "OUT"),
    "replay": ("run", T2, "--target", "replay:NAME", "--out", "OUT"),
    "suite": ("suite", "NAME"),
    "suite into": ("suite", T2.parent, "--target", "PORT", "--only", "t2", "--out", "NAME"),
    "sensitivity": ("sensitivity", "NAME"),
    "sensitivity into": ("sensitivity", T2, "--vary", "gic.path", "--out", "NAME"),
    "calibrate": ("calibrate", "NAME"),
    "doctor into": ("doctor", "--target", "PORT", "--out", "NAME"),
    "info": ("info", "NAME"),
    "report": ("report", "NAME"),
    "export from": ("export", "NAME", "x.csv"),
    "compare": ("compare", "NAME", "NAME"),
    "worst": ("worst", "NAME"),
    "list": ("list", "NAME"),
    "tag": ("tag", "NAME", "+x"),
}


@pytest.mark.parametrize("name", [LONG, NO_TEXT], ids=["long", "no text"])
@pytest.mark.parametrize("command", NAMED)
def test_a_name_that_cannot_be_is_refused_in_one_line(irqscope, board, tmp_path, command, name):
    words = {"PORT": board().port, "OUT": tmp_path / "out"}
    arguments = [words.get(word, word) for word in NAMED[command]]
    arguments = [str(word).replace("NAME", str(tmp_path / name)) for word in arguments]
    code, _, err = irqscope(*arguments)
    (line,) = [line for line in err.splitlines() if line.startswith("irqscope: ")]
    assert code in (2, 3, 5) and "Traceback" not in err and "defect" not in line
    assert "not UTF-8" in line if name is NO_TEXT else "File name too long" in line or code == 3


def test_a_folder_with_a_name_that_is_no_text_is_listed(irqscope, board, tmp_path):
    out = tmp_path / "run"
    assert irqscope("run", T2, "--target", board().port, "--count", 10, "--out", out)[0] == 0
    out.rename(tmp_path / "name\udcff")
    assert irqscope("list", tmp_path)[0] == 0
    code, displayed, err = irqscope("list", tmp_path, "--json")
    assert code == 0 and "\\udcff" in displayed, err
