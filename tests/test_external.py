"""An external device at the pins, whole: file, link, firmware, RTL, and a simulated device."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from instrument import ROOT, irqscope, record, samples
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.examine import WIRINGS
from irqscope.doctor.pins import steps
from irqscope.doctor.step import Notes
from irqscope.experiment import load
from irqscope.targets import open_target

TICKLESS = ROOT / "experiments" / "tickless"
#: Periods of the device's clock and of a tick: the edge waits for a sample, then for a stamp.
SAMPLED_NS, TICK_NS = 10.5, 4


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Path]:
    """Both runs of the suite, and the first again."""
    folder = tmp_path_factory.mktemp("external")
    for name, file in (("on", "on"), ("again", "on"), ("tickless", "tickless")):
        out = folder / name
        args = ("--target", "twin:external", "--count", 24, "--out", out)
        ended = irqscope("run", TICKLESS / f"{file}.toml", *args)
        assert ended.returncode == 0, ended.stderr
    return {path.name: path for path in folder.iterdir()}


def published(run: dict, channel: int, us: float) -> bool:
    """Whether the channel says the published time, and what sampling adds."""
    stats = run["stats"][channel]
    # A twin's time has 4 ns a tick, whatever rate the board that it plays has.
    ns = [TICK_NS * stats[key] for key in ("min_ticks", "max_ticks")]
    return 1000 * us - TICK_NS <= ns[0] and ns[1] <= 1000 * us + SAMPLED_NS + 4 * TICK_NS


def test_the_published_delays_come_out_as_stages(runs):
    on, tickless = record(runs["on"]), record(runs["tickless"])
    assert on["valid"] and tickless["valid"]
    assert [published(on, n, us) for n, us in enumerate((8.5, 5, 3.5))] == [True] * 3
    stages = (806.6, 80, 720, 6.6)
    assert [published(tickless, n, us) for n, us in enumerate(stages)] == [True] * 4
    counters = on["counters"][0]
    assert (counters["starts"], counters["served"], counters["unmatched"]) == (24, 24, 0)
    assert on["firmware"]["handled_0"] == 0  # no software of the carrier answers


def test_the_label_says_that_the_device_is_simulated_and_by_a_table(runs):
    label = record(runs["on"])["source"]["label"]
    assert "simulated device stm32f411/tick-on, delays from its table" in label
    page = (runs["on"] / "report.html").read_text()
    assert "STM32F411, pico]OS, tick on, at the pins of twin" in page
    assert "simulated device: they are the delays of its table" in page


def test_loop_back_and_wire_are_measured_and_stored(runs):
    pins = record(runs["on"])["pins"]
    assert (pins["loopback"]["min_ticks"], pins["loopback"]["max_ticks"]) == (2, 2)
    # The table's wire takes 9 ns: two ticks and a part of one.
    assert pins["wire"]["n"] == 256
    assert 4 <= pins["wire"]["min_ticks"] <= pins["wire"]["max_ticks"] <= 5


def test_calibrate_measures_what_a_run_does_in_front_of_its_first_batch(runs):
    words = ("calibrate", TICKLESS / "on.toml", "--target", "twin:external", "--json")
    ended = irqscope(*words)
    assert ended.returncode == 0, ended.stderr
    output, of_run = json.loads(ended.stdout), record(runs["on"])
    assert output["pins"] == of_run["pins"] and not output["validity_errors"]
    assert "calibration" not in output


@pytest.fixture(scope="module")
def two_lines(tmp_path_factory) -> Path:
    """A run of a device with two inputs that forgets edges of one while it serves the other."""
    folder = tmp_path_factory.mktemp("two-lines")
    (folder / "two.toml").write_text(TWO_LINES)
    ended = irqscope(
        "run", folder / "two.toml", "--target", "twin:external", "--out", folder / "run"
    )
    (folder / "printed").write_text(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    return folder


TWO_LINES = """
name = "two"
machine = "external"
trigger = "rising edge"
count = 400
samples = "all"
seed = 1
[device]
name = "two inputs"
simulated = "two-inputs"
[[pins]]
name = "first"
pin = 3
[[pins]]
name = "second"
pin = 4
[[lines]]
high = "10 us"
low = "190 us"
phase = "locked"
pmod = [0]
[[lines]]
high = "10 us"
low = "190.5 us"
phase = "locked"
pmod = [1]
[[channels]]
start = "line 0"
stop = "pin:first"
timeout = "150 us"
[[channels]]
start = "line 1"
stop = "pin:second"
timeout = "150 us"
"""


def test_a_run_of_two_lines_tells_at_which_offsets_one_was_lost(two_lines):
    """The device serves line 0 for 10 to 11 us and line 1 for 8 us, each a sample later."""
    run, printed = record(two_lines / "run"), (two_lines / "printed").read_text()
    matches = re.findall(
        r"lost: line (\d) had no answer to (\d+) of 400 rises, from (\d+) ns after to "
        r"([\d.]+ \S+) after line (\d); (\d+) other rises in that span were answered",
        " ".join(printed.split()),
    )
    lost = {int(line): rest for line, *rest in matches}
    stats = run["stats"]
    assert {n: int(rest[0]) for n, rest in lost.items()} == {
        n: one["timed_out"] + one["coalesced"] for n, one in enumerate(stats)
    }
    # Line 1 rises 500 ns later each time, and 400 times: at the end shortly before line 0.
    assert lost == {0: ["14", "980", "7481 ns", "1", "0"], 1: ["22", "0", "10.5 µs", "0", "0"]}
    assert "Lost: line 1 had no answer" in (two_lines / "run" / "report.html").read_text()
    matches = json.loads(irqscope("info", two_lines / "run", "--json").stdout)["lost_between_lines"]
    assert [one["unanswered"] for one in matches] == [int(lost[n][0]) for n in (0, 1)]


def test_the_plot_over_a_phase_is_of_one_channel_and_has_the_unanswered(two_lines):
    picture = two_lines / "phase.svg"
    words = ("export", two_lines / "run", picture, "--period", "200 us", "--channel")
    ended = irqscope(*words, 1)
    assert ended.returncode == 0 and "Phase of 200 us, channel 1" in ended.stdout, ended.stderr
    lost = record(two_lines / "run")["stats"][1]["timed_out"]
    assert f"no answer: {lost} stimuli" in picture.read_text()
    ended = irqscope(*words, 5)
    assert ended.returncode == 2 and "no channel 5; its channels are 0, 1" in ended.stderr


def test_compare_says_which_channel_and_takes_another(two_lines):
    words = ("compare", two_lines / "run", two_lines / "run", "--json")
    for channel, more in ((0, ()), (1, ("--channel", 1))):
        output = json.loads(irqscope(*words, *more).stdout)
        median = record(two_lines / "run")["stats"][channel]["quantiles"][0]["value_ticks"]
        assert output["quantiles"]["p50"][0]["value"] == pytest.approx([TICK_NS * median] * 2, 1e-3)
        assert f"run 1 channel {channel}: line {channel} to pin:" in output["remarks"][1]
    ended = irqscope(*words, "--channel", 2)
    assert ended.returncode == 2 and "no channel 2; its channels are 0, 1" in ended.stderr


def test_the_same_seed_gives_the_same_samples(runs):
    assert samples(runs["on"]).equals(samples(runs["again"]))


@pytest.fixture(scope="module")
def examined(tmp_path_factory) -> dict[str, Notes]:
    """Notes of the wire check, by fault of the wires."""
    experiment = load(TICKLESS / "on.toml")
    _, look = steps(experiment)
    by_key = {}
    for wiring in ("good", "no-edge", "bounce", "inverted", "hum"):
        with open_target(f"twin:external:device=stm32f411/tick-on:wiring={wiring}") as target:
            folder = tmp_path_factory.mktemp(wiring)
            dut = DeviceUnderTest(target, wiring, folder, WIRINGS, lambda text: None)
            dut.begin_session()
            by_key[wiring] = Notes()
            look.carry_out(dut, by_key[wiring])
    return by_key


@pytest.mark.parametrize("wiring", ["no-edge", "bounce", "inverted", "hum"])
def test_bad_wiring_is_named(examined, wiring):
    messages = [finding.what for finding in examined[wiring].findings]
    assert len(messages) == 2  # one of each pin
    assert all(text.split(": ")[1] == wiring.replace("-", " ") for text in messages), messages


def test_good_wiring_is_not(examined):
    assert not examined["good"].findings
    assert "pin 3, task: 400 edges of 200 stimuli" in " ".join(examined["good"].seen)


def test_a_device_that_never_answers_makes_the_run_invalid(tmp_path):
    target = "twin:external:device=stm32f411/tick-on:wiring=no-edge"
    out = tmp_path / "run"
    args = ("--target", target, "--count", 5, "--out", out)
    assert irqscope("run", TICKLESS / "on.toml", *args).returncode == 4
    assert "none of 5 stimuli was served" in " ".join(record(out)["reasons"])


def test_a_marker_that_two_pins_lose_makes_the_run_invalid_and_says_so(tmp_path):
    # A fifth pin shares the source of the first one, and both fall in one tick. Only the rise of
    # the fifth is measured, so that no stimulus times out.
    text = (TICKLESS / "on.toml").read_text()
    tick, task = '[[pins]]\nname = "tick"\npin = 0\n', '[[pins]]\nname = "task"\npin = 3\n'
    between = "".join(f'\n[[pins]]\nname = "unwired-{pin}"\npin = {pin}\n' for pin in (4, 5, 6))
    assert tick in text and task in text
    text = text.replace(tick, f'{tick}edge = "both"\n{between}')
    path, out = tmp_path / "on.toml", tmp_path / "run"
    path.write_text(text.replace(task, f'{task}edge = "both"\n'))
    args = ("--target", "twin:external", "--count", 8, "--out", out)
    ended = irqscope("run", path, *args)
    assert ended.returncode == 4, ended.stderr
    run = record(out)
    assert run["gateware_errors"] == {"marker_collided": 1}
    assert run["counters"][0]["served"] == run["counters"][0]["starts"] == 8
    expected = "after 1 batch the gateware reported marker_collided"
    assert [reason.partition(":")[0] for reason in run["reasons"]] == [expected]
    assert expected in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("name", "target", "good"),
    [
        # Each pulse that the device's clock of 125 ns cannot miss, after its handler.
        ("device", "twin:external", [(140, 12_000)]),
        # By level a pulse has to be there when the processor looks, and gone when it looks again.
        ("level", "twin:functional", []),
    ],
)
def test_a_loss_map_tells_what_is_served_and_what_is_not(tmp_path, name, target, good):
    text = (ROOT / "experiments" / "loss" / f"{name}.toml").read_text()
    path, out = tmp_path / f"{name}.toml", tmp_path / "run"
    text = re.sub(r"widths = .*", 'widths = ["40 ns", "140 ns", "2 us"]', text)
    path.write_text(re.sub(r"spacings = .*", 'spacings = ["4 us", "12 us"]', text))
    ended = irqscope("run", path, "--target", target, "--count", 12, "--out", out)
    assert ended.returncode == 0, ended.stderr
    cells = {
        (c["width_ticks"] * 4, c["spacing_ticks"] * 4): c for c in record(out)["loss"]["cells"]
    }
    for (width, _), cell in cells.items():
        assert cell["served"] + cell["coalesced"] + cell["lost"] == 24
        if name == "level":
            assert bool(cell["lost"]) == (width == 40) and bool(cell["spurious"]) == (width > 1000)
    if name == "device":
        assert [cells[c]["served"] for c in good] == [24] and cells[40, 12_000]["lost"]
        assert cells[2000, 4000]["coalesced"] == 12  # a second edge within the handler is forgotten
    page = (out / "report.html").read_text()
    assert "Loss map" in page and "some lost" in page
