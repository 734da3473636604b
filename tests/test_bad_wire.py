"""Faults of a wire, one at a time: the samples equal those over a good wire."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from instrument import ROOT, Twin
from irqscope.acquire.measure import Result, measure
from irqscope.experiment import load
from irqscope.link import codec, timeouts
from irqscope.link.frames import Frame, decode
from irqscope.link.messages import BATCH, CLEAR, HELLO, LINE, REPLY
from irqscope.results.reader import read
from wire import Send, Treat, Wire, by_frame, untouched

T2 = ROOT / "experiments/horst2020/t2.toml"


def measured(twin: Twin, folder: Path, to_twin=untouched, to_host=untouched) -> Result:
    wire = Wire(twin.port, to_twin, to_host)
    try:
        return measure(load(T2, count=40), wire.port, folder, batch_s=0.05)
    finally:
        wire.close()


def samples(folder: Path) -> list[dict[str, object]]:
    return read(folder).samples().to_pylist()


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    folder = tmp_path_factory.mktemp("good") / "run"
    twin = Twin()
    result = measured(twin, folder)
    twin.stop()
    assert result.state == "valid" and len(samples(folder)) == 40
    return samples(folder)


def at(kind: int, numbers: set[int], act: Callable[[Send, bytes], object]) -> Treat:
    """``act`` on the frames of one kind that have these numbers, counted from 0."""
    counted = itertools.count()

    def treat(send: Send, data: bytes) -> None:
        frame = decode(data[:-1])
        hit = isinstance(frame, Frame) and frame.kind == kind and next(counted) in numbers
        act(send, data) if hit else send(data)

    return by_frame(treat)


def lose(send: Send, data: bytes) -> None:
    pass


def damage(send: Send, data: bytes) -> None:
    send(bytes([*data[:9], data[9] ^ (1 if data[9] != 1 else 2), *data[10:]]))


def test_an_old_request_is_never_carried_out(twin: Twin, good: object, tmp_path: Path) -> None:
    """The line of each batch comes again before the next one, which would fire it instead."""
    lines: list[bytes] = []
    replayed = [0]

    def again(send: Send, data: bytes) -> None:
        frame = decode(data[:-1])
        kind = frame.kind if isinstance(frame, Frame) else None
        if kind == LINE.kind and codec.unpack(LINE.request, (), frame.payload).enable:
            lines.append(data)
        if kind == BATCH.kind and len(lines) > 1:
            replayed[0] += 1
            send(lines[-2])
        send(data)

    result = measured(twin, tmp_path / "run", by_frame(again))
    assert result.state == "valid", result.error or result.run.reasons
    assert samples(tmp_path / "run") == good
    assert result.run.link.stale >= replayed[0] > 3


@pytest.mark.parametrize("act", [lose, damage])
def test_a_batch_that_did_not_arrive_is_asked_again_at_once(
    twin: Twin,
    good: object,
    tmp_path: Path,
    act: Callable[[Send, bytes], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The twin says that it works; where it says nothing, it waits for a request."""
    monkeypatch.setattr(timeouts, "SIMULATION_SCALE", 1e6)  # else for hours
    monkeypatch.setattr(timeouts, "SIMULATION_QUIET_S", 0.5)
    result = measured(twin, tmp_path / "run", at(BATCH.kind, {2, 5, 6}, act))
    assert result.state == "valid", result.error or result.run.reasons
    assert samples(tmp_path / "run") == good
    assert result.run.link.retries >= 3


@pytest.mark.parametrize("act", [lose, damage])
def test_an_answer_at_a_new_rate_that_did_not_arrive_keeps_the_rate(
    twin: Twin, good: object, tmp_path: Path, act: Callable[[Send, bytes], object]
) -> None:
    """The answer to the hello at a new rate is lost; the firmware keeps the rate."""
    result = measured(twin, tmp_path / "run", to_host=at(HELLO.kind + REPLY, {1}, act))
    assert result.state == "valid", result.error or result.run.reasons
    assert samples(tmp_path / "run") == good
    assert result.run.link.baud == 2_000_000


class Outage:
    """Blocks the wire for a time from the n-th frame of a kind on, or sends ``noise`` instead."""

    def __init__(self, kind: int, number: int, seconds: float, noise: int = 0) -> None:
        self._kind, self._number, self._seconds, self._noise = kind, number, seconds, noise
        self._until: float | None = None
        self._chance = random.Random(7)

    def to_twin(self, send: Send, data: bytes) -> None:
        frame = decode(data[:-1])
        if isinstance(frame, Frame) and frame.kind == self._kind:
            self._number -= 1
            if self._number == 0:
                self._until = time.monotonic() + self._seconds
        self.pass_on(send, data)

    def pass_on(self, send: Send, data: bytes) -> None:
        if self._noise and self._until is not None:
            noise, self._noise = self._noise, 0
            send(self._chance.randbytes(noise))
        if self._until is None or time.monotonic() >= self._until:
            send(data)


LONG = pytest.mark.soak  # the time passes on the wall


@pytest.mark.parametrize(
    ("seconds", "noise"),
    [
        (2.0, 0),
        pytest.param(5.0, 0, marks=LONG),
        pytest.param(10.0, 0, marks=LONG),
        (0.2, 60_000),
    ],
)
@pytest.mark.parametrize("kind", [CLEAR, BATCH])
def test_an_outage_costs_time_and_nothing_else(
    twin: Twin, good: object, tmp_path: Path, kind: object, seconds: float, noise: int
) -> None:
    """Cut both ways, or noise both ways, in the set-up of the third batch or in it."""
    outage = Outage(kind.kind, 3, seconds, noise)
    to_twin, to_host = by_frame(outage.to_twin), outage.pass_on
    result = measured(twin, tmp_path / "run", to_twin, to_host)
    assert result.state == "valid", result.error or result.run.reasons
    assert samples(tmp_path / "run") == good
    assert result.run.link.retries > 0


def test_a_calibration_knows_nothing_of_the_links_history(twin: Twin, tmp_path: Path) -> None:
    """Requests doubled and damaged by turns, and the highest rate not carried."""
    counted, fallen, doubled = itertools.count(), [], []

    def trouble(send: Send, data: bytes) -> object:
        frame = decode(data[:-1])
        if not isinstance(frame, Frame):
            return send(data)
        turn = next(counted)
        # The first hello at the highest rate; unheard, the firmware falls back.
        fast = frame.kind == HELLO.kind and frame.number > 0 and not fallen
        if fast:
            fallen.append(frame.number)
        if fast or turn % 11 == 10:
            return damage(send, data)
        if turn % 3 == 2:
            doubled.append(turn)
            return send(data + data)
        return send(data)

    runs = [measured(twin, tmp_path / "good"), measured(twin, tmp_path / "bad", by_frame(trouble))]
    quiet, troubled = (result.run for result in runs)
    assert troubled.valid and len(doubled) > 10 and troubled.link.retries > 5
    assert troubled.link.stale > 10 and quiet.link.stale == 0
    assert troubled.calibration == quiet.calibration
    assert troubled.link.baud < quiet.link.baud
