"""Firmware and gateware together: skipping changes nothing, Amaranth's simulator agrees."""

import json
from pathlib import Path

import dialogue
import pytest
import replay
from dialogue import drain, t2, talking
from replay import read_trace

import board
from board import Board, command_of
from irqscope.link import messages as m
from irqscope_twin import build
from outcome import GATEWARE, once

STIMULI = 12
FIRMWARE = build.ROOT / "build" / "fw" / "irqscope.elf"
#: What a trace is made by, next to the engine and the firmware.
HERE = [Path(module.__file__) for module in (board, dialogue, replay)]
HERE += [Path(__file__)]
for module in (build, m):
    HERE += sorted(Path(module.__file__).parent.glob("*.py"))


def outputs(path: Path) -> list[tuple[int, str, int]]:
    return [row for row in read_trace(path) if row[1] not in ("skip", "skip_to")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A traced batch with skipping."""
    folder = tmp_path_factory.mktemp("run")
    with talking(
        "--trace", str(folder / "trace.csv"), "--stats", str(folder / "stats.json")
    ) as link:
        reply = t2(link, STIMULI)
        records = drain(link, reply.waiting)
    (folder / "records.json").write_text(json.dumps(records))
    return folder


def test_every_stimulus_is_served(run):
    records = json.loads((run / "records.json").read_text())
    rises = [row for row in records if row[1] & 0xFF]
    served = [row for row in records if row[2]]
    assert len(rises) == len(served) == STIMULI
    assert all(stop[0] - start[0] == stop[2] for start, stop in zip(rises, served, strict=True))
    stats = json.loads((run / "stats.json").read_text())
    assert stats["cores"][0]["interrupts"]["121"] == STIMULI
    assert stats["ticks_evaluated"] < stats["ticks_skipped"] / 50


def test_records_are_the_edges_that_left_the_pins(run):
    """The stamp of a rise is the tick in which the interrupt line changed."""
    rises = [row[0] for row in json.loads((run / "records.json").read_text()) if row[1] & 0xFF]
    trace = read_trace(run / "trace.csv")
    level = [(tick, value & 1) for tick, signal, value in trace if signal == "pl_ps_irq0"]
    assert [tick for tick, value in level if value] == rises


def test_nothing_skipped_gives_the_same_trace(run, tmp_path):
    made_by = (run / "trace.csv", build.EXECUTABLE, FIRMWARE, *HERE)
    once(lambda: compare(run, tmp_path / "trace.csv"), "nothing skipped", *made_by)


def compare(run, trace):
    with talking("--trace", str(trace), "--no-skip") as link:
        reply = t2(link, STIMULI)
        drain(link, reply.waiting)
    stepped, skipped = outputs(trace), outputs(run / "trace.csv")
    assert len(skipped) > 500
    assert stepped == skipped


def test_amaranth_simulator_agrees_tick_by_tick(run):
    trace = run / "trace.csv"

    def show():
        assert replay.replay(trace) > 5000

    once(show, "amaranth", trace, GATEWARE, build.GATEWARE, *HERE)


@pytest.mark.parametrize("phase", [0, 17, 35, 59])
def test_apb_phase_moves_latency_by_less_than_its_period(phase):
    with talking(clock_apb_phase=phase) as link:
        reply = t2(link, 40)
        served = [row[2] for row in drain(link, reply.waiting) if row[2]]
    assert len(served) == 40
    assert max(served) - min(served) <= 4  # the 10 ns sampling grid is 2.5 ticks, sampling adds one
    assert 60 <= min(served) <= 75


def test_spinning_takes_the_same_stimuli():
    with talking() as link:
        reply = t2(link, STIMULI, idle=m.Idle.SPIN)
        served = [row[2] for row in drain(link, reply.waiting) if row[2]]
    assert (reply.handled_0, len(served)) == (STIMULI, STIMULI)


def test_self_test_of_the_firmware_passes():
    with Board(build.ROOT / "build" / "fw" / "selftest.elf") as board:
        transcript = board.read_until(b"SELFTEST ") + board.read_until(b"\n")
    assert transcript.decode().split("SELFTEST ")[1].strip() == "PASS", transcript.decode()


def test_engine_knows_the_command_line_of_the_front():
    assert "--no-skip" in command_of(Path(build.GATEWARE), "--no-skip")
