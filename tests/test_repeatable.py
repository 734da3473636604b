"""Same ELF, RTL, experiment and seed: byte-identical samples, whatever the host's timing."""

from __future__ import annotations

import contextlib
import os
import pty
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from instrument import ROOT, Twin, irqscope
from irqscope import session
from irqscope.experiment import load
from irqscope.measure import measure

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


class Between:
    """A pseudo-terminal between host and twin that treats the host's bytes as ``treat`` says."""

    def __init__(self, port: str, treat: Callable[[int, bytes], None], delay_s: float) -> None:
        self._twin = os.open(port, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._twin)
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self._treat = treat
        self._delay_s = delay_s
        for way in (self._to_twin, self._to_host):
            threading.Thread(target=way, daemon=True).start()

    def _to_twin(self) -> None:
        with contextlib.suppress(OSError):  # a side that closed
            while data := os.read(self._master, 4096):
                self._treat(self._twin, data)

    def _to_host(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._twin, 256):
                time.sleep(self._delay_s)
                os.write(self._master, data)


def one_at_a_time(fd: int, data: bytes) -> None:
    for byte in data:
        os.write(fd, bytes([byte]))
        time.sleep(0.0005)


def test_bytes_one_at_a_time_to_a_slow_reader(
    reference: list[bytes], twin: Twin, tmp_path: Path
) -> None:
    between = Between(twin.port, one_at_a_time, delay_s=0.01)
    assert run(tmp_path / "slow", target=between.port) == reference


def test_damaged_requests_are_asked_again(
    reference: list[bytes], twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A lost answer is waited for as long as a slow twin may take; this one is quick.
    monkeypatch.setattr(session, "TWIN_SCALE", 20.0)
    seen = [0]

    def damage_some(fd: int, data: bytes) -> None:
        seen[0] += 1
        if seen[0] % 10 == 0:
            data = bytes([data[0] ^ 0x55]) + data[1:]
        os.write(fd, data)

    between = Between(twin.port, damage_some, delay_s=0)
    result = measure(load(T2, count=40), between.port, tmp_path / "retry")
    assert sample_bytes(tmp_path / "retry") == reference
    assert seen[0] > 20 and result.run.link.retries > 1


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
