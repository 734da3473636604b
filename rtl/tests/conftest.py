"""A core that is built, and its firmware."""

import subprocess

import pytest

from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

STACKS = {
    "soft": (
        "baremetal",
        "eabi",
        "least",
        "fastirq",
        "emret",
        "nested",
        "nested-fastirq",
        "freertos",
        "freertos-pended",
        "freertos-fastirq",
    ),  # fmt: skip
    "clic": ("baremetal", "eabi", "least", "nxti", "jalnxti", "fastirq", "emret"),
    "picorv32": ("baremetal", "eabi", "least"),
}
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
