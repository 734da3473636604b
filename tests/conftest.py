"""Fixtures of the whole-system tests: a build and a running twin."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Iterator

import pytest

from instrument import ROOT, Twin
from irqscope.targets import twin as twins
from objects import once_a_run


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Firmware and twin as `make build` leaves them; does nothing when they are current."""
    command = ["make", "--no-print-directory", "build"]
    once_a_run(tmp_path_factory, "build", lambda: subprocess.run(command, cwd=ROOT, check=True))


#: Tests that read files alone.
TEXTS = ("test_manual.py", "test_resources.py", "test_cost.py")


@pytest.fixture(scope="module", autouse=True)
def _built(request: pytest.FixtureRequest) -> None:
    """Builds for each module but TEXTS."""
    if request.path.name not in TEXTS:
        request.getfixturevalue("built")


PARAMETERS, STORED = functools.cache(twins.parameters), functools.cache(twins.stored)
#: By the names that callers have for them.
ASKED_ONCE = {
    "irqscope.targets.twin.parameters": PARAMETERS,
    "irqscope.campaign.sensitivity.plan.parameters": PARAMETERS,
    "irqscope.acquire.running.stored": STORED,
}


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    """A profile's table and its stored values do not change: each process reads them once.

    Restored after each module, since tests in other folders use their own tables.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, requested in ASKED_ONCE.items():
            patch.setattr(name, requested)
        yield


@pytest.fixture
def twin() -> Iterator[Twin]:
    one = Twin()
    yield one
    one.stop()
