"""Tables of simulated devices: what they mean for the engine, and what is refused in one line."""

import os
import subprocess
import sys

import pytest

from board import command_of
from irqscope.machines.firmware_file import DEFAULT_MACHINE, DEFAULT_STACK, firmware
from irqscope_twin import device

TABLE = (device.FOLDER / "stm32f411.toml").read_text()


def test_a_state_is_its_steps_in_order_and_each_pin_one_of_them():
    found = device.load("stm32f411/tick-on").settings
    of_state = found[found.index("state=1") :]
    assert of_state == (
        "state=1",
        *("pin=0", "level=1", "delay=30000", "spread=0"),  # 5 us in units of 1/6 ns
        *("pin=3", "level=1", "delay=21000", "spread=0"),
        *("pin=0", "level=0", "delay=120000", "spread=0"),
        *("pin=3", "level=0", "delay=0", "spread=0"),
    )
    assert device.load("stm32f411").settings.count("state=1") == 2


def test_devices_that_differ_have_another_hash():
    tables = [device.load(name) for name in ("stm32f411", "stm32f411/tick-on")]
    tables += [device.load("stm32f411", wiring) for wiring in ("hum", "bounce")]
    assert len({table.source_hash(1) for table in tables}) == 4


REFUSED = {
    "a time": ('delay = "5 us"', 'delay = "5"', "delay: '5' is no time such as"),
    "no source": ('source = "80 us until', 'sauce = "80 us until', "has no key 'sauce'"),
    "a mark": ('mark = "published"', 'mark = "true"', "mark is one of published, assumed"),
    "a pin": ("raises = [3]", "raises = [8]", "8 is no pin, 0 to 7"),
    "no pin": ("raises = [3]", "raises = []", "task raises and lowers no pin"),
    "a weight": ("weight = 1", "weight = 0", "weight is a whole number from 1 on"),
    "a sense": ('sense = "rising edge"', 'sense = "up"', 'sense is "rising edge" or "level"'),
    "a clock": ('period = "10.5 ns"', 'period = "0 ns"', "clock: period is 0"),
    "no seed": ("seed = 3\n", "", "seed is missing"),
    **{
        f"a seed {seed}": ("seed = 3", f"seed = {seed}", "seed is a whole number from 0 to 4294967")
        for seed in (-1, 1.5, "true", '"3"', "inf", 10**40)
    },
    "no signal": ('signal = "tick"\n', "", "signal is missing"),
    "a state's name": ('name = "tick-on"', "name = 3", "a state: name is a text"),
    "two states": ('name = "tick-on"', 'name = "tickless"', "two states have the same name"),
    "a time in other digits": ('delay = "5 us"', 'delay = "\u0665 us"', "is no time such as"),
    "a title": (
        'title = "STM32F411 with pico]OS, by published delays"',
        "title = 3",
        "device: title is a text",
    ),
    "no TOML": ("seed = 3", "seed = ", "Invalid value"),
    "a name": ('device = "stm32f411"', 'device = "x"', "device must be 'mine'"),
}


@pytest.mark.parametrize(("old", "new", "said"), REFUSED.values(), ids=REFUSED)
def test_a_table_that_does_not_hold_is_refused_in_one_line(tmp_path, old, new, said):
    text = TABLE.replace('device = "stm32f411"', 'device = "mine"')
    old = old.replace('"stm32f411"', '"mine"')
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(device.DeviceError) as refused:
        device.load(str(path))
    assert str(refused.value).startswith("mine.toml: ") and said in str(refused.value)
    assert "\n" not in str(refused.value)


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
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


@pytest.mark.parametrize("setting", ["nix=1", "clock", "clock=x", "level=1", "clock=60"])
def test_the_engine_refuses_what_is_no_device(setting):
    command = [*command_of(firmware(DEFAULT_MACHINE, DEFAULT_STACK)), "--device", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_table_that_is_no_regular_file_is_refused_before_it_is_opened(tmp_path):
    """Who opens a pipe waits, and a device never ends."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(device.DeviceError, match=rf"{name}\.toml \(no regular file\)"):
            device.load(str(tmp_path / f"{name}.toml"))
