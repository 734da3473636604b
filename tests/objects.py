"""Builds of the firmware that begin with the objects of one that is current."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def seed(build: Path, folder: Path, *without: str) -> Path:
    """Copies the objects of ``build``, with their times, into the new ``folder``, and returns it.

    make then compiles what differs. ``without``: patterns of names whose objects would not be
    seen to differ: those with another folder of headers.
    """
    with (ROOT / "build" / "fw-tests.lock").open("w") as lock:  # while nobody writes there
        fcntl.flock(lock, fcntl.LOCK_EX)
        return shutil.copytree(build, folder, ignore=shutil.ignore_patterns("*.elf", *without))
