"""Where ``make`` puts the firmware: its file, by machine and software stack (fw/Makefile)."""

from __future__ import annotations

from pathlib import Path

#: Below it each machine has a folder; that of the default machine has no machine in its name.
BUILD = Path(__file__).resolve().parents[2] / "build"
DEFAULT_MACHINE = "zynqmp"
DEFAULT_STACK = "baremetal"


def program(stack: str) -> str:
    """File name of the firmware with a stack."""
    return "irqscope.elf" if stack == DEFAULT_STACK else f"irqscope-{stack}.elf"


def firmware(machine: str, stack: str) -> Path:
    """The firmware of a machine with a stack, whether it is built or not."""
    return BUILD / ("fw" if machine == DEFAULT_MACHINE else f"fw-{machine}") / program(stack)
