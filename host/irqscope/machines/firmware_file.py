"""Path of the firmware, by machine and software stack (fw/Makefile)."""

from __future__ import annotations

import itertools
from pathlib import Path

from irqscope.resources import resource

#: Below it each machine has a folder; that of the default machine has no machine in its name.
BUILD = resource("build")
#: Message of an installed wheel about a program that it does not carry.
CARRIED = "an installed irqscope has the software stacks of its release alone; take a checkout"
DEFAULT_MACHINE = "zynqmp"
DEFAULT_STACK = "baremetal"
DEFAULT_MEMORY = "ddr"
#: Boards whose link is another UART than that of their machine's others (fw/Makefile, BOARD).
OF_ITS_OWN = ("kv260",)


def program(stack: str) -> str:
    """File name of the firmware with a stack."""
    return "irqscope.elf" if stack == DEFAULT_STACK else f"irqscope-{stack}.elf"


def firmware(
    machine: str,
    stack: str,
    layout: int = 0,
    memory: str = DEFAULT_MEMORY,
    board: str = "",
    causes: str = "own",
) -> Path:
    """The firmware of a machine with a stack, whether it is built or not.

    ``layout``: number of one whose parts are elsewhere (fw/layout.py), or 0 for the one as built.
    ``memory``: where it stands; ``board``: for which it is. ``causes``: ``"shared"`` if all
    interrupts have one cause.
    """
    other = [machine] * (machine != DEFAULT_MACHINE) + [board] * (board in OF_ITS_OWN)
    other += [memory] * (memory != DEFAULT_MEMORY) + [causes] * (causes != "own")
    folder = BUILD / "-".join(["fw", *other])
    return (folder / f"layout-{layout}" if layout else folder) / program(stack)


def layouts(machine: str, stack: str) -> list[int]:
    """Numbers of the layouts that are built, ascending, from 1 on without a gap."""
    numbers = itertools.count(1)
    return list(itertools.takewhile(lambda n: firmware(machine, stack, n).exists(), numbers))
