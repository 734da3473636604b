"""A core that is built, and its firmware."""

import subprocess

import pytest

from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

STACKS = ("baremetal", "eabi", "least")


@pytest.fixture(scope="session")
def soft():
    """Firmware and cores; what was made before is not made again."""
    for stack in STACKS:
        command = ["make", "-s", "-C", str(ROOT / "fw"), "MACHINE=soft", f"STACK={stack}"]
        subprocess.run(command, check=True, capture_output=True)
    return build.build(["cv32e40p", "ibex"], report=lambda text: None)
