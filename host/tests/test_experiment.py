from __future__ import annotations

from pathlib import Path

import pytest

from irqscope.errors import ExperimentError
from irqscope.experiment import load
from irqscope.experiment.load import check
from irqscope.experiment.locate import line_of

FILES = (Path(__file__).parents[2] / "experiments").rglob("*.toml")
SHIPPED = sorted(path for path in FILES if path.name != "suite.toml")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_experiments_are_valid_also_on_the_boards_clock(path):
    experiment = load(path)
    check(experiment, 249_975_000)
    assert experiment.name == path.stem


def test_published_cases_use_the_published_numbers():
    experiment = load(next(path for path in SHIPPED if path.stem == "t2"))
    line = experiment.lines[0]
    assert (str(line.high), str(line.low), line.mode) == ("1 ms", "4 ms", "burst")
    assert line.dither == 3
    assert (experiment.count, str(experiment.samples)) == (2400, "all")
    assert (experiment.core, experiment.caches, experiment.interrupt_id) == (0, "on", 121)
    assert experiment.trigger == "rising edge"


WAITS = "          # the paper does not say how its core waits"
# What is changed in t2.toml, and what the one line of the error says behind the file's name.
BAD = {
    "unknown key": ("count = ", "cuont = ", ":11: cuont: unknown key; did you mean count?"),
    "unknown key in a line": (
        "high = ",
        "hihg = ",
        ":17: lines[0].hihg: unknown key; did you mean high?",
    ),
    "unknown table": (
        "[[lines]]",
        "[[linse]]",
        ":15: linse: unknown key; did you mean lines?",
    ),
    "missing key": (
        'timeout = "4 ms"',
        "",
        ":21: channels[0].timeout: this key is missing",
    ),
    "core": ("core = 0", "core = 4", ":5: core: input should be less than 4; it is 4"),
    "count": (
        "count = 2400",
        "count = 0",
        ":11: count: input should be greater than or equal to 1; it is 0",
    ),
    "choice": (
        'idle = "wfi"',
        'idle = "nap"',
        ":9: idle: input should be 'wfi' or 'spin'; it is 'nap'",
    ),
    "phase under 10 ticks": (
        'high = "1 ms"',
        'high = "36 ns"',
        ":17: lines[0].high: 9 ticks are too short; give at least 10 ticks (40 ns)",
    ),
    "phase over 32 bits": (
        'low = "4 ms"',
        'low = "20 s"',
        ":18: lines[0].low: 5000000000 ticks are too long",
    ),
    "no time": (
        'high = "1 ms"',
        'high = "1 parsec"',
        ':17: lines[0].high: "1 parsec" is no time',
    ),
    "acknowledged too short": (
        'mode = "burst"\nhigh = "1 ms"',
        'mode = "acknowledged"\nhigh = 19',
        ":17: lines[0].high: 19 ticks are too short; give at least 20",
    ),
    "timeout over the period": (
        'timeout = "4 ms"',
        "timeout = 1249990",
        ":24: channels[0].timeout: 1249990 ticks do not fit line 0, "
        "whose shortest period is 1250000 ticks",
    ),
    "timeout of a pulse that may end early": (
        'mode = "burst"',
        'mode = "acknowledged"',
        ":24: channels[0].timeout: 1000000 ticks do not fit line 0, "
        "whose shortest period is 1000010 ticks",
    ),
    "endless": ('mode = "burst"', 'mode = "free running"', ":16: lines[0].mode: it never ends"),
    "locked and dithered": (
        'phase = "dithered"',
        'phase = "locked"\ndither_bits = 3',
        ':20: lines[0].dither_bits: phase = "locked" contradicts dither_bits = 3',
    ),
    "case against caches": (
        'caches = "on"',
        'caches = "off"',
        ':6: caches: case "t2" has caches = "on"',
    ),
    "private interrupt by edge": (
        '"spi 121"',
        '"ppi 31"',
        ":8: trigger: a private interrupt knows levels only",
    ),
    "interrupt that no line reaches": (
        '"spi 121"',
        '"spi 143"',
        ":7: interrupt: lines reach",
    ),
    "no such line": (
        'start = "line 0"',
        'start = "line 1"',
        ":22: channels[0].start: there is no line 1 in this file",
    ),
    "stop by a line": (
        'stop = "handler"',
        'stop = "line 0"',
        ":23: channels[0].stop: a stimulus is served by a marker",
    ),
    "start at the vector": (
        'start = "line 0"',
        'start = "vector"',
        ":22: channels[0].start: the interrupt that ends a batch passes the vector, too",
    ),
    "bin": (
        'stop = "handler"',
        'stop = "handler"\nbin = 3',
        ":24: channels[0].bin: 3 ticks; a bin is 2^k ticks wide",
    ),
    "contradicting channels": (
        'timeout = "4 ms"',
        'timeout = "4 ms"\n[[channels]]\ntimeout = "3 ms"',
        ":26: channels[1].timeout: channels 0 and 1 both measure line 0 to handler core 0 "
        "but with timeout 4 ms and 3 ms",
    ),
    "the same channel twice": (
        'timeout = "4 ms"',
        'timeout = "4 ms"\n[[channels]]\nindex = 0\nstop = "done"\ntimeout = "3 ms"',
        ":26: channels[1].index: channel 0 is described twice",
    ),
    "samples": (
        'samples = "all"',
        'samples = "first 2401"',
        ':12: samples: "first 2401" of count = 2400',
    ),
    "refiring stages": (
        'trigger = "rising edge"\nidle = "wfi"' + WAITS + '\nmarkers = "paper"',
        'trigger = "level"\nmarkers = "stages"',
        ":9: markers: a level held high fires again and again",
    ),
    "no TOML": ("count = 2400", "count = = 2400", ":11: not TOML: Invalid value"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_error_names_file_line_key_and_cause(name, experiment):
    old, new, said = BAD[name]
    path = experiment((old, new))
    with pytest.raises(ExperimentError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}{said}")
    assert "\n" not in str(error.value)


def test_an_option_is_named_in_place_of_a_line(experiment):
    with pytest.raises(ExperimentError, match=r"^--count: count: input should be greater"):
        load(experiment(), count=0)


@pytest.mark.parametrize(
    ("name", "said"), [("absent.toml", "No such file"), ("", "Is a directory")]
)
def test_a_file_that_cannot_be_read(tmp_path, name, said):
    with pytest.raises(ExperimentError, match=said):
        load(tmp_path / name)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ExperimentError, match="not UTF-8"):
        load(path)


def test_limits_hold_on_the_targets_own_clock(experiment):
    """40 ns are 10 ticks of 250 MHz, but 9 of a clock that is 10 % slower."""
    changes = ('high = "1 ms"', 'high = "40 ns"'), ('timeout = "4 ms"', 'timeout = "3 ms"')
    ten = load(experiment(*changes))
    with pytest.raises(ExperimentError, match=r"clock of 225000000 Hz: lines\[0\].high: 9 ticks"):
        check(ten, 225_000_000)


def test_keys_are_found_in_the_table_they_belong_to():
    text = (
        "high = 1\n[[lines]]\nlow = 2\n# high = 9\n[[lines]] # second\n"
        '"high" = 3\n[other]\nhigh = 4\n'
    )
    assert line_of(text, ("high",)) == 1
    assert line_of(text, ("lines", 1, "high")) == 6
    assert line_of(text, ("lines", 0, "high")) == 2  # not there: the table
    assert line_of(text, ("other", "high")) == 8
    assert line_of(text, ("absent",)) is None
