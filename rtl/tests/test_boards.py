"""Boards whose FPGA is simulated whole.

The RTL of the bitstream, by the bits of its UART; and the routed netlist of `make bitstream`.
"""

import csv
import subprocess

import pytest

from irqscope.acquire.measure import measure
from irqscope.doctor.by_hand import acknowledged, channel, line
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.examine import WIRINGS
from irqscope.doctor.pattern import known_answers
from irqscope.doctor.step import Notes
from irqscope.experiment import load
from irqscope.link.codec import request_values
from irqscope.link.messages import RECORDER, Trigger
from irqscope.machines.cases import CaseId
from irqscope.machines.generated import ECP5
from irqscope.targets import open_target
from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

#: The smaller one.
BOARD = "colorlight-i5"
PULSES = 4
#: Longer than the handler takes, ticks.
PHASE = 1500
EXPERIMENTS = ROOT / "experiments" / "ecp5"
#: Rates that the UART supports.
FASTEST = 2_000_000
#: Ticks of the simulated wires.
WAY = 7


@pytest.fixture(scope="session")
def simulated():
    """Builds firmware and simulation, once."""
    command = ["make", "-s", "-C", str(ROOT / "fw"), f"MACHINE={ECP5.name}"]
    subprocess.run(command, check=True, capture_output=True)
    return build.build([BOARD], report=lambda text: None)


@pytest.mark.soak
def test_its_core_answers_interrupts_and_it_says_that_it_is_simulated(simulated, tmp_path):
    with open_target(f"rtl:{BOARD}") as opened:
        dut = DeviceUnderTest(opened, BOARD, tmp_path, WIRINGS, lambda text: None)
        assert dut.recognise(opened.link.hello().built_for) == ""
        identity = dut.begin_session()
        dut.session.raise_baud()
        pulses = line(count=PULSES, shared=1, high=PHASE, low=PHASE, **acknowledged())
        case = dut.case(CaseId.T1, ECP5.interrupts.shared.ids[0], Trigger.LEVEL)
        outcome = dut.answer(case, pulses)
    assert (identity.machine, identity.board, identity.tick_hz) == (ECP5, BOARD, 100_000_000)
    label = f"RTL simulation of {BOARD}, calibrated by 8 repetitions of each step"
    assert identity.is_rtl and identity.label == label
    assert outcome.reply.handled_0 == PULSES
    counters = outcome.counters[0]
    assert (counters.served, counters.unmatched, counters.coalesced) == (PULSES, 0, 0)
    assert 0 < counters.min_ticks <= counters.max_ticks < PHASE


def run(name, target, folder, **changes):
    """The run that measured an experiment of experiments/ecp5; valid."""
    result = measure(load(EXPERIMENTS / f"{name}.toml", **changes), target, folder)
    assert result.error is None and result.run.valid, (result.error, result.run.reasons)
    return result


@pytest.mark.soak
def test_its_core_and_a_device_on_two_wires_are_measured(simulated, tmp_path):
    of_core = run("t1-ecp5", f"rtl:{BOARD}", tmp_path / "core", count=8).run
    assert of_core.stats[0].n == 8
    assert "calibrated by 8 repetitions of each step" in of_core.identity.label
    wired = f"rtl:{BOARD}:wire=0-3-{WAY}:wire=7-7-{WAY}"
    of_wire = run("wires", wired, tmp_path / "wire", count=8).run
    # A wire's level is sampled by the flip-flop that the loop-back has a tick in front of.
    delay = of_wire.pins.loopback.min_ticks - 1 + WAY
    assert of_wire.stats[0].min_ticks == of_wire.stats[0].max_ticks == delay


@pytest.fixture(scope="session")
def both(simulated):
    """RTL and routed netlist of a board. Fails where `make bitstream` has not been run for it."""
    return build.build([BOARD, f"{BOARD}:routed"], report=lambda text: None)


def seen_of(target, folder):
    """Results of hello, of line 0 answered by the core, and of the doctor's pattern.

    For line 0: the recorder's edges and markers, counters, changes of outputs; in ticks from its
    start. The start itself depends on the bytes of hello, in which an RTL is simulated.
    """
    folder.mkdir()
    pins = folder / "pins.csv"
    with open_target(f"{target}:pins={pins}") as opened:
        assert opened.link.try_baud(FASTEST)  # bits take as long as anything
        dut = DeviceUnderTest(opened, BOARD, folder, WIRINGS, lambda text: None)
        assert dut.recognise(opened.link.hello().built_for) == ""
        identity = dut.begin_session()
        dut.session.prepare(dut.case(CaseId.T1, ECP5.interrupts.shared.ids[0], Trigger.LEVEL))
        pulses = line(count=PULSES, shared=1, pmod=1, high=PHASE, low=PHASE, **acknowledged())
        everything = request_values(RECORDER, rises=1, falls=1, select_markers=0xFF)
        batch = dut.session.batch(0, [pulses], [channel(0)], everything, 0.001)
        notes = Notes()
        known_answers(dut, notes)
    assert not notes.findings and notes.seen
    with pins.open() as file:
        rows = [row for row in csv.reader(file) if row[1] == "pmod"]
    start = batch.reply.start_tick
    records = [(stamp - start, *rest) for stamp, *rest in batch.records.tolist()]
    edges = [(int(tick) - start, level) for tick, _, level in rows[1:]]  # after the first level
    return identity, notes.seen, records, batch.counters[0].values, edges


@pytest.mark.soak
def test_the_routed_netlist_says_and_measures_what_its_rtl_does_tick_for_tick(both, tmp_path):
    rtl = seen_of(f"rtl:{BOARD}", tmp_path / "rtl")
    routed = seen_of(f"rtl:{BOARD}:routed", tmp_path / "routed")
    assert rtl[0].is_rtl and not routed[0].is_rtl and "the routed netlist of" in routed[0].label
    assert rtl[0].firmware_hash == routed[0].firmware_hash
    assert rtl[3]["served"] == PULSES and len(rtl[2]) == 3 * PULSES and len(rtl[4]) == 2 * PULSES
    assert rtl[1:] == routed[1:]
