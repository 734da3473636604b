"""Values of experiment files that a machine supports, and the reasons why it lacks the others."""

from __future__ import annotations

from irqscope.machines.model import Machine
from irqscope.machines.names import WORDS


def words(machine: Machine, key: str) -> tuple[str, ...]:
    """Words of ``WORDS[key]``, or cases, or stacks, that hold on the machine.

    Raises KeyError for another key.
    """
    if key == "stack":
        return machine.has.stack
    if key == "case":
        return machine.has.case
    vocabulary = WORDS[key]
    if key == "placement":
        return tuple(placement.name for placement in machine.placements)
    if key == "interrupt":
        return tuple(kind for kind in vocabulary if getattr(machine.interrupts, kind) is not None)
    if key == "clock_divisor":
        return vocabulary if machine.has.clock_divisor > 1 else ()
    if key == "lines.interrupt":
        return () if "line interrupts" in machine.without else vocabulary
    if key == "state":
        return tuple(machine.emptied)
    return tuple(map(str, getattr(machine.has, key)))


def lack(machine: Machine, key: str, word: str) -> str | None:
    """Why the machine has no such thing, for a user to read; None if it has."""
    reason = machine.unsupported.get(key, {}).get(word)
    return None if reason is None else f"{machine.name} has no {word}: {reason}"
