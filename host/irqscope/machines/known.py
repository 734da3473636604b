"""All machines that this irqscope knows."""

from __future__ import annotations

from irqscope.machines.generated import MACHINES as MACHINES
from irqscope.machines.model import Machine
from irqscope.machines.words import WORDS, InterruptKind

#: What limits are judged by where no target has said yet which machine it is.
DEFAULT = MACHINES[0]


def numbered(number: int) -> Machine | None:
    """The machine of this number."""
    return next((machine for machine in MACHINES if machine.number == number), None)


def kind_of(interrupt: str) -> InterruptKind | None:
    """Kind of an interrupt that an experiment names, on whatever machine; None: of none."""
    for kind in WORDS["interrupt"]:
        if interrupt == kind:
            return kind  # type: ignore[return-value]
    for machine in MACHINES:
        for found in machine.usable:
            if found.name == interrupt:
                return found.kind
    return None
