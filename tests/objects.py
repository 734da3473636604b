"""Builds that tests share: once in a run of pytest, or from the objects of one that is current."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def seed(build: Path, folder: Path, *without: str) -> Path:
    """Copies the objects of ``build``, with their times, into the new ``folder``, and returns it.

    make then compiles what differs. ``without``: patterns of names of objects to skip, whose
    differences would not be visible: those with another folder of headers.
    """
    with (ROOT / "build" / "fw-tests.lock").open("w") as lock:  # while nobody writes there
        fcntl.flock(lock, fcntl.LOCK_EX)
        return shutil.copytree(build, folder, ignore=shutil.ignore_patterns("*.elf", *without))


def once_a_run(factory: pytest.TempPathFactory, name: str, make: Callable[[], object]) -> None:
    """Calls ``make`` in the first process of a run of pytest that asks; the others wait for it."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = folder / f"{name}.done"
        if not process.exists():
            make()
            process.touch()
