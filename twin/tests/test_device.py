"""Tables of simulated devices: their meaning for the engine, and one-line refusals."""

import os
import re
import subprocess
import sys

import pytest

from board import command_of
from irqscope.machines.firmware_file import DEFAULT_MACHINE, DEFAULT_STACK, firmware
from irqscope.resources import resource
from irqscope_twin import device
from irqscope_twin import device_table as table

TABLE = (device.FOLDER / "stm32f411.toml").read_text()


def test_a_state_is_its_steps_in_order_and_each_pin_one_of_them():
    actual = device.load("stm32f411/tick-on").settings
    of_state = actual[actual.index("state=1") :]
    assert of_state == (
        "state=1",
        *("pin=0", "level=1", "delay=30000", "spread=0"),  # 5 us in units of 1/6 ns
        *("pin=3", "level=1", "delay=21000", "spread=0"),
        *("pin=0", "level=0", "delay=120000", "spread=0"),
        *("pin=3", "level=0", "delay=0", "spread=0"),
    )
    assert device.load("stm32f411").settings.count("state=1") == 2


def test_a_table_of_ones_own_has_states_by_name_too(tmp_path):
    (tmp_path / "mine.toml").write_text(TABLE.replace('"stm32f411"', '"mine"'))
    own = device.load(f"{tmp_path}/mine.toml/tick-on")
    assert own.settings == device.load("stm32f411/tick-on").settings


def test_each_input_has_its_states(tmp_path):
    actual = device.load("two-inputs").settings
    assert [one for one in actual if one.startswith(("input=", "late=", "state=", "of="))] == [
        "input=0", "input=1", "late=2", "state=1", "state=1", "of=1",
    ]  # fmt: skip
    assert "of=1" not in device.load("two-inputs/second").settings
    assert "input=0" not in device.load("two-inputs/second").settings
    text = (device.FOLDER / "two-inputs.toml").read_text().replace("input = 1", "input = 0")
    (tmp_path / "two-inputs.toml").write_text(text)
    with pytest.raises(device.DeviceError, match=r"toml:\d+: inputs: no state answers input 1"):
        device.load(f"{tmp_path}/two-inputs.toml")


def test_devices_that_differ_have_another_hash():
    collected = [device.load(name) for name in ("stm32f411", "stm32f411/tick-on")]
    collected += [device.load("stm32f411", wiring) for wiring in ("hum", "bounce")]
    assert len({one.source_hash(1) for one in collected}) == 4


#: The change in the table, (before, after), and the message after file and line.
REFUSED = {
    "a time": (
        'delay = "5 us"',
        'delay = "5"',
        'states[0].steps[0].delay: give a time of at most an hour, such as "3.5 us"',
    ),
    "a time in other digits": ('delay = "5 us"', 'delay = "\u0665 us"', "steps[0].delay: give a"),
    "an unknown key": (
        'source = "80 us until',
        'sauce = "80 us until',
        "states[1].steps[0].sauce: unknown key; did you mean source?",
    ),
    "no mark": ('mark = "published"\n', "", "states[0].steps[0].mark: this key is missing; add it"),
    "a mark": ('mark = "published"', 'mark = "true"', "steps[0].mark: input should be 'published'"),
    "a pin": ("raises = [3]", "raises = [8]", "states[0].steps[1].raises[0]: input should be less"),
    "no pin": ("raises = [3]", "raises = []", "states[0].steps[1]: it raises and lowers no pin"),
    "a weight": ("weight = 1", "weight = 0", "states[0].weight: input should be greater than"),
    "a sense": ('"rising edge"', '"up"', "sense: input should be 'rising edge' or 'level'"),
    "a clock": ('period = "10.5 ns"', 'period = "0 ns"', "clock.period: input should be greater"),
    "no seed": ("seed = 3\n", "", "seed: this key is missing; add it"),
    **{
        f"a seed {seed}": ("seed = 3", f"seed = {seed}", "seed: ")
        for seed in (-1, 1.5, "true", '"3"', "inf", 10**40)
    },
    "no signal": ('signal = "tick"\n', "", "states[0].steps[0].signal: this key is missing"),
    "a state's name": ('name = "tick-on"', "name = 3", "states[0].name: give a text in quotes"),
    "two states": ('name = "tick-on"', 'name = "tickless"', "states: two states have the same"),
    "no TOML": ("seed = 3", "seed = ", "not TOML: Invalid value"),
    "no input": ("input = 0  ", "# ", "input: this key is missing; add it, or inputs for several"),
    "input and inputs": (
        "input = 0 ",
        "input = 0\ninputs = [0] # ",
        "input: inputs has them all; remove this one",
    ),
    "an input twice": ("input = 0 ", "inputs = [0, 0] # ", "inputs: a pin is there twice"),
    "a state of no input": (
        "input = 0 ",
        "inputs = [0] # ",
        "states[0].input: this key is missing; name one of inputs",
    ),
    "an input of a state": (
        'name = "tick-on"',
        'input = 0\nname = "tick-on"',
        "states[0].input: the device has one input; remove this key",
    ),
    "a name": ('device = "mine"', 'device = "x"', 'device: the file is named for "mine"'),
}


@pytest.mark.parametrize(("old", "new", "said"), REFUSED.values(), ids=REFUSED)
def test_a_table_that_does_not_hold_is_refused_with_line_and_key(tmp_path, old, new, said):
    text = TABLE.replace('device = "stm32f411"', 'device = "mine"')
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(device.DeviceError) as refused:
        device.load(str(path))
    match = re.fullmatch(rf"{path}:(\d+): (.*)", str(refused.value))
    assert match and said in match[2]
    # A changed value is on that line; a missing one in the table that begins there.
    line = path.read_text().splitlines()[int(match[1]) - 1]
    assert line.startswith("[[states") or new.partition(" =")[0] in line or "missing" in match[2]


def test_the_manual_has_each_key_of_a_table():
    page = resource("docs/external.md").read_text().split("\n## A device of your own\n")[1]
    rows = set(re.findall(r"^\| `(\w+)`", page.split("\n## ")[0], re.MULTILINE))
    models = (table.Description, table.Clock, table.Wire, table.State, table.Step)
    assert rows == {key for model in models for key in model.model_fields}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--device", "nix"), "there is no device 'nix'; there are: forgetful, stm32f411"),
        (("--device", "stm32f411/nix"), "it has no state 'nix'; it has: tick-on, tickless"),
        (("--device", "stm32f411/"), "'stm32f411/' names no state; leave out the slash"),
        (("--device", ""), "there is no device ''; there are: forgetful, stm32f411"),
        (("--wiring", "hum"), "wiring 'hum': there is no device to be wired"),
        (("--fault", ""), "there is no fault ''"),
        (("--variant", ""), "there is no variant ''"),
        (("--device", "stm32f411", "--wiring", "nix"), "there is no wiring 'nix'; there are: good"),
    ],
)
def test_an_unknown_device_is_refused_in_one_line(options, said):
    command = [sys.executable, "-m", "irqscope_twin", *options]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (process.returncode, process.stderr.count("\n")) == (2, 1)
    assert said in process.stderr


@pytest.mark.parametrize("setting", ["nix=1", "clock", "clock=x", "level=1", "clock=60"])
def test_the_engine_refuses_what_is_no_device(setting):
    command = [*command_of(firmware(DEFAULT_MACHINE, DEFAULT_STACK)), "--device", setting]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (process.returncode, process.stderr.count("\n")) == (2, 1)


def test_a_table_that_is_no_regular_file_is_refused_before_it_is_opened(tmp_path):
    """Opening a pipe waits, and a device never ends."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(device.DeviceError, match=rf"{name}\.toml \(no regular file\)"):
            device.load(str(tmp_path / f"{name}.toml"))
