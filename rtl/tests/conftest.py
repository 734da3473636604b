"""A core that is built, and its firmware."""

import itertools
import subprocess

import pytest

from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

MACHINES = ("soft", "clic")
STACKS = ("baremetal", "eabi", "least")


@pytest.fixture(scope="session")
def soft():
    """Firmware and cores; what was made before is not made again."""
    for machine, stack in itertools.product(MACHINES, STACKS):
        command = ["make", "-s", "-C", str(ROOT / "fw"), f"MACHINE={machine}", f"STACK={stack}"]
        subprocess.run(command, check=True, capture_output=True)
    return build.build(["cv32e40p", "cv32e40p-clic", "ibex"], report=lambda text: None)
