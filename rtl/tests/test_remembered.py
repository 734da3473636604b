"""Remembered conversations with a simulated core: the same one is not simulated, others are."""

from pathlib import Path

import pytest

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope.results.reader import read
from irqscope_rtl.cores import ROOT

from . import remembered as conversations

LATENCY = ROOT / "examples" / "program" / "latency.toml"


@pytest.fixture
def measured(plain, program, remembered, monkeypatch, tmp_path):
    """Measures as in a new test: its masked map, samples, functions, log; processes started."""
    monkeypatch.setenv("IRQSCOPE_CACHE", str(tmp_path / "cache"))
    started = []
    start = conversations.SimulationProcess

    def counting(*arguments):
        started.append(arguments)
        return start(*arguments)

    monkeypatch.setattr(conversations, "SimulationProcess", counting)

    def take(name, elf=program, **changes):
        conversations.STARTED.clear()
        started.clear()
        folder = tmp_path / name
        functions = Path(f"{folder}.csv")
        changes = {"count": 12, "masked": True} | changes
        record = measure(
            load(LATENCY, **changes), f"rtl:ibex:elf={elf}", folder, functions=functions
        ).run
        assert record.valid, record.reasons
        conversations.keep()
        ready = "program: ready" in (folder / "log.txt").read_text()
        return (record.masked, read(folder).samples(), functions.read_text(), ready), len(started)

    return take


def test_the_same_conversation_is_not_simulated_again(measured):
    first, second = measured("first"), measured("second")
    assert (first[1], second[1]) == (1, 0)
    assert first[0] == second[0] and first[0][3] and first[0][2]


def test_other_bytes_from_the_host_are_simulated(measured, monkeypatch):
    """And give what an empty cache gives."""
    measured("first")
    repeated, started = measured("again", count=15)
    assert started == 1 and repeated[1].num_rows == 45
    monkeypatch.setenv("IRQSCOPE_CACHE", "")
    assert measured("alone", count=15) == (repeated, 1)


def test_another_program_is_simulated(measured, program, tmp_path):
    other = tmp_path / "program.elf"
    other.write_bytes(program.read_bytes() + b"\0")
    measured("first")
    assert measured("other", elf=other)[1] == 1


class Answering:
    """A simulation, and its port: it answers each byte by 02, with zeros between as it works."""

    def __init__(self):
        self.sent = b""
        self.closed = False
        self._lines = []

    def write(self, data):
        self.sent += data

    def read(self, timeout_s):
        return b"\0\0\2\0"

    def said(self):
        lines, self._lines = self._lines, []
        return lines

    def close(self):
        self.closed = True
        self._lines = ["program: done"]


@pytest.fixture
def conversation(monkeypatch, tmp_path):
    """A conversation that opens by itself, and the simulations that it has started."""
    monkeypatch.setenv("IRQSCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr(conversations, "_Transport", lambda process: process)
    started = []

    def start():
        started.append(Answering())
        return started[-1]

    def begin():
        words = ["simulation", "--core", "ibex", "--elf", "a.elf"]
        return conversations.RememberedProcess("0" * 64, words, start, "the simulation")

    return begin, started


def talk(process, *data):
    for each in data:
        process.send(">", each)
        assert process.receive(1).strip(b"\0") == b"\2"
    process.close()
    conversations.keep()
    return process.said()


@pytest.mark.parametrize("again", [("01",), ("01", "04"), ("01", "03", "05"), ()])
def test_another_length_or_another_byte_is_simulated_from_the_start(conversation, again):
    begin, started = conversation
    assert talk(begin(), "01", "03") == talk(begin(), "01", "03") == ["program: done"]
    assert len(started) == 1
    assert talk(begin(), *again) == ["program: done"]
    assert [one.sent.hex() for one in started] == ["0103", "".join(again)]
    assert all(one.closed for one in started)


def test_a_test_that_fails_leaves_nothing_behind(conversation):
    begin, started = conversation
    talk(begin(), "01")
    process = begin()
    process.send(">", "03")
    process.close()
    conversations.NEW.clear()  # as the fixture `remembered` does before the next test
    assert talk(begin(), "01") == ["program: done"]
    assert len(started) == 2
