"""Experiments with an external device: their meaning, and one-line refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from irqscope.acquire import encoding
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import Plan
from irqscope.constants import Marker
from irqscope.doctor.wires import Seen, diagnose
from irqscope.errors import ExitCode, ExperimentError
from irqscope.experiment import load
from irqscope.experiment.load import check
from irqscope.kinds.external.acquisition import pins
from irqscope.machines.generated import ZYNQ7000, ZYNQMP
from irqscope.targets import Target, playing

ROOT = Path(__file__).parents[2]
ON = ROOT / "experiments" / "tickless" / "on.toml"
T2 = ROOT / "experiments" / "horst2020" / "t2.toml"
TICK_HZ = 250_000_000
MS = TICK_HZ // 1000


@pytest.mark.parametrize("machine", [ZYNQMP, ZYNQ7000])
def test_each_pin_is_a_marker_of_a_source_of_its_own_on_each_machine_with_pins(machine):
    plan = Plan(load(ON), machine, machine.tick_hz)
    tick, task = pins(plan)
    assert (tick["index"], tick["core"], tick["code"]) == (0, 0, Marker.VECTOR)
    assert (task["index"], task["core"], task["rise"], task["fall"]) == (3, 1, 1, 0)
    batch = next(plan.batches())
    (line,) = encoding.lines(plan, batch)
    assert (line["pmod"], line["shared"], line["private"]) == (1, 0, 0)
    channels = encoding.channels(plan, 0)
    assert (channels[0]["stop_cores"], channels[0]["stop_code"]) == (0b10, Marker.VECTOR)
    assert (channels[2]["start_cores"], channels[2]["stop_cores"]) == (0b01, 0b10)
    assert plan.handlers == 0 and plan.sampling_grid.phases == 1


REFUSED = {
    "no device": ("[device]\n", "[devices]\n", "devices: unknown key; did you mean device"),
    "no pin": ('stop = "pin:task"', 'stop = "pin:nix"', 'channels[0].stop: there is no pin "nix"'),
    "a marker": ('stop = "pin:task"', 'stop = "handler"', 'channels[0].stop: a device\'s markers'),
    "a name twice": ('name = "task"', 'name = "tick"', "pins[1].name: tick is that of the pin 1"),
    "a pin twice": ("pin = 3", "pin = 0", "pins[1].pin: 0 is that of the pin 1, too"),
    "pin 8": ("pin = 3", "pin = 8", "pins[1].pin: input should be less than 8; it is 8"),
    "an edge": ("pin = 3", 'pin = 3\nedge = "up"', "pins[1].edge: input should be 'rise'"),
    "a filter": ("pin = 3", 'pin = 3\nfilter = "1 ms"', "pins[1].filter: 250000 ticks; at most"),
    "no output": ("pmod = [0]", "", "lines[0].pmod: the device is wired to an output"),
    "an interrupt": (
        "pmod = [0]",
        'pmod = [0]\ninterrupt = "shared"',
        "lines[0].interrupt: a device is interrupted by an output",
    ),
    "a line without an output": (
        '[[channels]]\nstart = "line 0"\nstop = "pin:task"',
        '[[lines]]\nhigh = "10 us"\nlow = "190 us"\n\n'
        '[[channels]]\nstart = "line 1"\nstop = "pin:task"',
        "channels[0].start: line 1 reaches no pin of the device, so nothing answers it",
    ),
    "the wire's": ("pmod = [0]", "pmod = [0, 7]", "lines[0].pmod: output 7 is that of the wire"),
    "its input": ("pin = 3", "pin = 7", "wire.input: pin 7 is one of the device's"),
    "software": ("seed = 3", 'seed = 3\nidle = "spin"', "idle: it is said of software"),
    "a machine": ('= "external"', '= "zynqmp"', "machine: input should be 'external'"),
    "no machine": ('machine = "external"', 'case = "t2"\ncaches = "on"', "device: it belongs to"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_told_in_one_line(refused, old, new, said):
    assert said in refused(ON, old, new)


def test_a_case_of_software_takes_no_pins(refused):
    output = refused(T2, 'stop = "handler"', 'stop = "pin:task"')
    assert "channels[0].stop: an edge of a pin is a marker" in output


def test_an_experiment_is_held_to_the_pins_that_its_board_wires(tmp_path):
    one_pmod = ZYNQMP.wired_by(3)
    with pytest.raises(ExperimentError, match=r"wire\.output: 7; zynqmp has pins 0 to 3 here"):
        check(load(ON), one_pmod, one_pmod.tick_hz)
    path = tmp_path / "on.toml"
    text = ON.read_text().replace("output = 7", "output = 3").replace("input = 7", "input = 1")
    path.write_text(text)
    check(load(path), one_pmod, one_pmod.tick_hz)
    path.write_text(text.replace("pin = 3", "pin = 4"))
    with pytest.raises(ExperimentError, match=r"pins\[1\]\.pin: 4; zynqmp has pins 0 to 3"):
        check(load(path), one_pmod, one_pmod.tick_hz)


def test_an_experiment_names_its_simulated_device_unless_the_target_does():
    on = load(ON)
    of_its_own = "twin:external:device=stm32f411/tick-on"
    assert playing("twin:external", on) == of_its_own
    assert playing("twin:external:wiring=hum", on) == f"twin:external:wiring=hum{of_its_own[13:]}"
    assert playing("twin:external:device=c", on) == "twin:external:device=c"
    assert playing("twin:a53:device=c", on) == "twin:a53:device=c"
    assert playing("/dev/ttyUSB0", on) == "/dev/ttyUSB0"
    assert playing("twin:a53", load(T2)) == "twin:a53"


@pytest.mark.parametrize("target", ["twin", "twin:a53", "twin:a9", "twin:functional:fault=late"])
def test_a_twin_without_a_device_is_refused_in_one_line_that_names_both(target, tmp_path, irqscope):
    """It also applies to a run on an open target, as in the window, and to a whole suite."""
    expected = (
        f'machine: "on" measures a device at the pins (STM32F411, pico]OS, tick on), and {target}'
    )
    failed = measure(load(ON), target, tmp_path / "run", opened=Target())
    assert failed.state == "failed" and failed.exit_code is ExitCode.USAGE
    assert str(failed.error).startswith(f"{expected} has none there; take --target twin:external")
    suite = ("suite", ON.parent, "--counts", "quick", "--out", tmp_path / "suite")
    for command in (("run", ON, "--out", tmp_path / "r"), suite, ("calibrate", ON)):
        code, _, err = irqscope(*command, "--target", target)
        assert code == ExitCode.USAGE and expected in err, err


STIMULI = [n * MS for n in range(200)]


def named(at_rest, edges, **given):
    fault = diagnose(Seen(at_rest, edges, STIMULI, TICK_HZ, **given))
    return None if fault is None else fault.what.split(":")[0]


def answers(*behind):
    return [edge + tick for edge in STIMULI for tick in behind]


def test_wires_are_judged_by_their_edges():
    assert named(False, answers(2000, 9000)) is None
    assert named(False, []) == "no edge"
    assert named(True, answers(2000, 9000)) == "inverted"
    assert named(True, answers(2000, 9000), rise=False, fall=True) is None
    assert named(True, answers(2000, 9000), rise=True, fall=True) is None
    assert named(False, answers(2000, 2100, 2300, 9000)) == "bounce"
    assert named(False, list(range(0, 200 * MS, 10 * MS))) == "hum"  # 50 Hz
    assert named(True, list(range(0, 200 * MS, TICK_HZ // 120))) == "hum"  # 60 Hz
    # A device that answers a stimulus a 10 ms answers every 10 ms, in pairs of edges.
    assert named(False, [t for n in range(20) for t in (n * 10 * MS, n * 10 * MS + 900)]) is None
