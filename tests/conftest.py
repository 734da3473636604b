"""What every test of the whole needs: a build, and a twin to talk to."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Iterator

import pytest

from instrument import ROOT, Twin
from irqscope.targets import twin as twins


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    """Firmware and twin as `make build` leaves them; does nothing when they are current."""
    subprocess.run(["make", "--no-print-directory", "build"], cwd=ROOT, check=True)


ASKED_ONCE = functools.cache(twins._ask)


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    """A profile's table and what is stored of it do not change: each process asks for them once.

    Behind each module it is as it was: tests in other folders put tables of their own there.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twins, "_ask", ASKED_ONCE)
        yield


@pytest.fixture
def twin() -> Iterator[Twin]:
    one = Twin()
    yield one
    one.stop()
