"""What a wire may do to a run, one thing at a time: the samples stay those of a good one."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument import ROOT, Twin
from irqscope import session
from irqscope.experiment import load
from irqscope.measure import Result, measure
from irqscope.protocol import codec
from irqscope.protocol.frames import Frame, decode
from irqscope.protocol.messages import BATCH, LINE
from irqscope.results.reader import read
from wire import Send, Wire, by_frame, untouched

T2 = ROOT / "experiments/horst2020/t2.toml"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost answer is waited for as long as a slow twin may take; this one is quick."""
    monkeypatch.setattr(session, "TWIN_SCALE", 20.0)


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
    assert result.run.link.stale == result.run.link.retries == 0
    return samples(folder)


def test_an_old_request_is_never_carried_out(twin: Twin, good: object, tmp_path: Path) -> None:
    """The line of each batch comes once more before the next one, which would fire it instead."""
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
    assert result.run.link.stale == replayed[0] > 3
