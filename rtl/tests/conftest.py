"""A core that is built, and its firmware."""

import subprocess

import pytest

from irqscope.machines.known import MACHINES
from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

#: By machine: all stacks that say that they are for it.
STACKS = {machine.name: machine.has.stack for machine in MACHINES if machine.simulated}
CORES = (
    "cv32e40p",
    "cv32e40p-clic",
    "cv32e40p-fastirq",
    "cv32e40x",
    "cv32e40x-clic",
    "cv32rt",
    "ibex",
    "picorv32",
)


@pytest.fixture(scope="session")
def soft():
    """Firmware and cores; what was made before is not made again."""
    pairs = ((machine, stack) for machine in STACKS for stack in STACKS[machine])
    for machine, stack in pairs:
        command = ["make", "-s", "-C", str(ROOT / "fw"), f"MACHINE={machine}", f"STACK={stack}"]
        subprocess.run(command, check=True, capture_output=True)
    return build.build(CORES, report=lambda text: None)


@pytest.fixture(scope="session")
def plain():
    """The cores that programs of others are run on, and the firmware that serves the instrument."""
    command = ["make", "-s", "-C", str(ROOT / "fw"), "MACHINE=soft"]
    subprocess.run(command, check=True, capture_output=True)
    return build.build(("ibex", "cv32e40p", "cv32e40x"), report=lambda text: None)
