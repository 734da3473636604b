"""The software stacks that come with irqscope, and for which machines: as they say themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: Variables of a stack's ``stack.mk``, which make also reads (fw/Makefile).
_SAYS = re.compile(r"^(MACHINES|WHY_NO_OTHER|NEEDS) := (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class StackOfMachines:
    """``machines``: names of those that can run it. ``why``: reason why others cannot run it.

    ``needs``: what not every core of those machines is; empty if any of them can.
    """

    machines: tuple[str, ...]
    why: str
    needs: str = ""


def stacks(folder: Path) -> dict[str, StackOfMachines]:
    """All stacks below ``fw/stacks`` that say for which machines they are, by name.

    Those of one name are one stack: its machines add up. Raises OSError.
    """
    by_name: dict[str, StackOfMachines] = {}
    paths = (*folder.glob("*/stack.mk"), *folder.glob("*/*/stack.mk"))
    for path in sorted(paths, key=lambda path: path.parent.name):
        says = dict(_SAYS.findall(path.read_text(encoding="utf-8")))
        if "MACHINES" not in says:
            continue
        before = by_name.get(path.parent.name, StackOfMachines((), ""))
        machines = (*before.machines, *says["MACHINES"].split())
        why = before.why or says.get("WHY_NO_OTHER", "")
        by_name[path.parent.name] = StackOfMachines(machines, why, says.get("NEEDS", ""))
    return by_name
