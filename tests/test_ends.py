"""A run that is cut short keeps what was flushed and says why it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from instrument import IRQSCOPE, ROOT, irqscope, record, samples

T2 = ROOT / "experiments/horst2020/t2.toml"
LONG = 10_000_000


def children(pid: int) -> list[int]:
    """Process IDs of all descendants, the deepest last."""
    direct = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in direct] + [
        deeper for child in direct for deeper in children(int(child))
    ]


@pytest.fixture
def long_run(tmp_path: Path) -> subprocess.Popen[str]:
    """A run that would take hours, after its first flush. A flush is some seconds after another."""
    process = subprocess.Popen(
        [*IRQSCOPE, "run", str(T2), "--count", str(LONG), "--out", str(tmp_path / "run")],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_part(process, tmp_path / "run", 0)
    return process


def wait_for_part(process: subprocess.Popen[str], folder: Path, number: int) -> None:
    part = folder / f"samples/part-{number:05}.parquet"
    wait_for(lambda: part.exists() or process.poll() is not None, str(part))
    assert part.exists(), process.communicate()


def flushed(folder: Path) -> int:
    """Checks that all files are complete and no others exist; returns the number of stimuli."""
    assert not list(folder.rglob("*.tmp"))
    rows = samples(folder)
    assert rows["sequence"].to_pylist() == list(range(len(rows)))
    return len(rows)


def test_ctrl_c_ends_after_the_batch(long_run: subprocess.Popen[str], tmp_path: Path) -> None:
    long_run.send_signal(signal.SIGINT)
    _, errors = long_run.communicate(timeout=300)
    assert long_run.returncode == 130
    assert "Traceback" not in errors
    result = record(tmp_path / "run")
    assert result["ended"]["reason"] == "interrupted"
    (counters,) = result["counters"]
    assert flushed(tmp_path / "run") == counters["served"] == counters["starts"] > 0


def kill_twin(run: subprocess.Popen[str]) -> None:
    os.kill(children(run.pid)[-1], signal.SIGKILL)


def kill_host(run: subprocess.Popen[str]) -> None:
    run.kill()


def test_killed_twin_is_named(long_run: subprocess.Popen[str], tmp_path: Path) -> None:
    kill_twin(long_run)
    _, errors = long_run.communicate(timeout=300)
    assert long_run.returncode == 3
    assert "Traceback" not in errors
    (line,) = [line for line in errors.splitlines() if line.startswith("irqscope: ")]
    assert "twin" in line
    result = record(tmp_path / "run")
    assert result["valid"] is False
    assert result["ended"]["reason"] == "target"
    assert flushed(tmp_path / "run") > 0


def test_killed_host_leaves_a_readable_folder(
    long_run: subprocess.Popen[str], tmp_path: Path
) -> None:
    wait_for_part(long_run, tmp_path / "run", 1)
    twins = children(long_run.pid)
    kill_host(long_run)
    long_run.communicate(timeout=300)
    assert record(tmp_path / "run")["ended"] is None
    assert flushed(tmp_path / "run") > 0
    info = irqscope("info", tmp_path / "run")
    assert "cut short" in info.stdout
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in twins), "the twin's end")


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def test_port_that_does_not_exist(tmp_path: Path) -> None:
    result = irqscope("run", T2, "--target", "/dev/ttyNowhere", "--out", tmp_path / "run")
    assert result.returncode == 3
    assert "/dev/ttyNowhere" in result.stderr
    assert "Traceback" not in result.stderr
