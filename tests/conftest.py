"""What every test of the whole needs: a build, and a twin to talk to."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from instrument import ROOT, Twin


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    """Firmware and twin as `make build` leaves them; does nothing when they are current."""
    subprocess.run(["make", "--no-print-directory", "build"], cwd=ROOT, check=True)


@pytest.fixture
def twin() -> Iterator[Twin]:
    one = Twin()
    yield one
    one.stop()
