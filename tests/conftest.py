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


PARAMETERS, STORED = functools.cache(twins.parameters), functools.cache(twins.stored)
#: By the names that callers have for them.
ASKED_ONCE = {
    "irqscope.targets.twin.parameters": PARAMETERS,
    "irqscope.campaign.sensitivity.plan.parameters": PARAMETERS,
    "irqscope.acquire.running.stored": STORED,
}


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    """A profile's table and what is stored of it do not change: each process asks for them once.

    After each module it is as it was: tests in other folders put tables of their own there.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, asked in ASKED_ONCE.items():
            patch.setattr(name, asked)
        yield


@pytest.fixture
def twin() -> Iterator[Twin]:
    one = Twin()
    yield one
    one.stop()
