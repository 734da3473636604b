"""All machines that this irqscope knows."""

from __future__ import annotations

from irqscope.machines.generated import MACHINES as MACHINES
from irqscope.machines.interrupts import measurable
from irqscope.machines.model import Machine
from irqscope.machines.names import InterruptKind

#: What limits are judged by where no target has said yet which machine it is.
DEFAULT = MACHINES[0]
#: By the word of an experiment: a kind itself, or a name, which has one kind on all machines.
_KINDS: dict[str, InterruptKind] = {
    word: found.kind
    for machine in MACHINES
    for found in measurable(machine)
    for word in (found.kind, found.name)
}


def numbered(number: int) -> Machine | None:
    """The machine with a number, as gateware and firmware say it; None for an unknown one."""
    return next((machine for machine in MACHINES if machine.number == number), None)


def kind_of(interrupt: str) -> InterruptKind | None:
    """Kind of an interrupt that an experiment names, on any machine, or None."""
    return _KINDS.get(interrupt)
