"""Same ELF, RTL, experiment and seed: byte-identical samples, whatever the host's timing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from instrument import ROOT, Twin, irqscope
from irqscope.acquire.measure import measure
from irqscope.experiment import load
from wire import Send, Wire

T2 = ROOT / "experiments/horst2020/t2.toml"


def sample_bytes(folder: Path) -> list[bytes]:
    return [part.read_bytes() for part in sorted((folder / "samples").iterdir())]


def run(
    folder: Path, *options: object, target: str = "twin:functional", count: int = 40
) -> list[bytes]:
    result = irqscope("run", T2, "--target", target, "--count", count, "--out", folder, *options)
    assert result.returncode == 0, result.stderr
    return sample_bytes(folder)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return run(tmp_path_factory.mktemp("runs") / "reference")


def test_a_second_run_gives_the_same_bytes(reference: list[bytes], tmp_path: Path) -> None:
    assert run(tmp_path / "again") == reference


def test_another_seed_gives_other_bytes(reference: list[bytes], tmp_path: Path) -> None:
    assert run(tmp_path / "other", "--seed", 7) != reference


def one_at_a_time(send: Send, data: bytes) -> None:
    for byte in data:
        send(bytes([byte]))
        time.sleep(0.0005)


def slowly(send: Send, data: bytes) -> None:
    time.sleep(0.01)
    send(data)


def test_bytes_one_at_a_time_to_a_slow_reader(
    reference: list[bytes], twin: Twin, tmp_path: Path
) -> None:
    wire = Wire(twin.port, one_at_a_time, slowly)
    assert run(tmp_path / "slow", target=wire.port) == reference
    wire.close()


def test_damaged_requests_are_asked_again(
    reference: list[bytes], twin: Twin, tmp_path: Path
) -> None:
    observed = [0]

    def damage_some(send: Send, data: bytes) -> None:
        observed[0] += 1
        if observed[0] % 10 == 0:
            data = bytes([data[0] ^ 0x55]) + data[1:]
        send(data)

    wire = Wire(twin.port, damage_some)
    result = measure(load(T2, count=40), wire.port, tmp_path / "retry")
    wire.close()
    assert sample_bytes(tmp_path / "retry") == reference
    assert observed[0] > 20 and result.run.link.retries > 1


@pytest.mark.soak  # a minute; of traces the same is tested in twin/tests/test_pl.py
def test_nothing_skipped_gives_the_same_samples(tmp_path: Path) -> None:
    """At a period of 40 us, since every tick is evaluated once."""
    quick = tmp_path / "quick.toml"
    text = T2.read_text()
    text = text.replace('timeout = "4 ms"', 'timeout = "10 us"')
    text = text.replace('"1 ms"', '"20 us"').replace('"4 ms"', '"20 us"')
    quick.write_text(text)
    results = []
    for target in ("twin:functional", "twin:functional:no-skip"):
        folder = tmp_path / target.replace(":", "-")
        result = irqscope("run", quick, "--target", target, "--count", 40, "--out", folder)
        assert result.returncode == 0, result.stderr
        results.append(sample_bytes(folder))
    assert results[0] == results[1]
