"""A bad line and a sudden end, many times at random.

The samples are those of a good line, or the run names the link; a folder is readable whenever its
writer was killed.

`make soak` runs the campaigns at full size.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from instrument import IRQSCOPE, ROOT, Twin
from irqscope.acquire.measure import measure
from irqscope.errors import LinkError
from irqscope.experiment import load
from irqscope.report import summary
from irqscope.results.reader import read
from wire import Send, Treat, Wire

T2 = ROOT / "experiments/horst2020/t2.toml"
KINDS = ("flip", "drop", "double", "delay", "flood")


class BadLine(Wire):
    """Damages random bytes in both directions."""

    def __init__(self, twin: str, seed: int, kinds: tuple[str, ...], share: float) -> None:
        self.hits: Counter[str] = Counter()
        super().__init__(twin, *(self._hitting(one, kinds, share) for one in (seed, -seed - 1)))

    def _hitting(self, seed: int, kinds: tuple[str, ...], share: float) -> Treat:
        chance = random.Random(seed)

        def treat(send: Send, data: bytes) -> None:
            if chance.random() < share:
                kind = chance.choice(kinds)
                self.hits[kind] += 1
                data = hit(chance, kind, data)
            send(data)

        return treat


def hit(chance: random.Random, kind: str, data: bytes) -> bytes:
    """The output of the faulty line for the input ``data``."""
    at = chance.randrange(len(data))
    if kind == "flip":
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if kind == "drop":
        return data[:at] + data[at + chance.randint(1, 16) :]
    if kind == "double":
        return data + data[at:]
    if kind == "flood":
        return data[:at] + chance.randbytes(chance.randint(1, 3000)) + data[at:]
    time.sleep(chance.uniform(0, 0.2))
    return data


def measured(folder: Path, seed: int, kinds: tuple[str, ...] = (), share: float = 0.0):
    """Runs over a bad line on a separate twin; returns its end, its samples, and the faults."""
    twin = Twin("--profile", "functional")
    line = BadLine(twin.port, seed, kinds, share)
    try:
        result = measure(load(T2, count=40), line.port, folder, batch_s=0.05)
    finally:
        line.close()
        twin.stop()
    run = read(folder)
    assert run.changed == ()
    # How they are cut into parts is the clock's on the wall.
    return result, run.samples().to_pylist(), line.hits


@pytest.mark.parametrize("runs", [5, pytest.param(120, marks=pytest.mark.soak)])
def test_a_bad_line_changes_no_sample(runs: int, tmp_path: Path) -> None:
    result, expected, _ = measured(tmp_path / "good", 0)
    assert result.state == "valid"
    ends: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    retries = 0
    for number in range(runs):
        kinds = KINDS if number % 6 == 5 else (KINDS[number % 6],)
        share = (0.01, 0.03, 0.1)[number // 6 % 3]
        folder = tmp_path / f"{number}"
        result, samples, process = measured(folder, number, kinds, share)
        hits += process
        retries += result.run.link.retries
        if result.error is None:
            assert result.state == "valid" and samples == expected, (number, result.run.reasons)
            ends["the same samples"] += 1
        else:
            assert isinstance(result.error, LinkError), (number, result.error)
            assert str(result.error).count("\n") == 0
            ends["the link was named"] += 1
    print(f"{runs} runs: {dict(ends)}; hits {dict(hits)}; {retries} requests asked again")
    assert ends["the same samples"] > runs // 2 and hits.total() > 0


@pytest.mark.parametrize("kills", [2, pytest.param(60, marks=pytest.mark.soak)])
def test_a_kill_leaves_a_readable_folder(kills: int, tmp_path: Path) -> None:
    chance = random.Random(1)
    flushes: Counter[int] = Counter()
    for number in range(kills):
        folder = tmp_path / f"{number}"
        command = ["run", T2, "--target", "twin:functional", "--count", 10_000_000]
        command += ["--batch", "0.2", "--out", folder]
        writer = subprocess.Popen(
            [*IRQSCOPE, *map(str, command)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # Any moment after the first words; each second time right in a flush.
        await_(writer, folder, "run.json")
        if number % 2:
            part = f"samples/.part-{chance.randint(0, 1):05}.parquet.*.new"
            await_(writer, folder, part)
            time.sleep(chance.uniform(0, 0.05))
        else:
            time.sleep(chance.uniform(0, 6))
        writer.kill()
        writer.wait()
        run = read(folder)
        assert run.cut_short and run.changed == (), (number, run.changed)
        rows = run.samples()["sequence"].to_pylist()
        assert rows == list(range(len(rows))) and len(rows) >= run.run.stimuli, number
        assert summary.verdict(run.run) == "INVALID: the run was not closed"
        flushes[run.run.flushes] += 1
    print(f"{kills} kills: every folder readable; at flush {dict(sorted(flushes.items()))}")


def await_(writer: subprocess.Popen[bytes], folder: Path, pattern: str) -> None:
    end = time.monotonic() + 300
    while not any(folder.glob(pattern)):
        assert writer.poll() is None and time.monotonic() < end, pattern
        time.sleep(0.001)
