"""Checks of a description beyond its schema: numbers and reasons that must fit each other."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.machines.cases import CASES
from irqscope.machines.model import Board, Interrupts, Machine, Simulated
from irqscope.machines.names import WORDS
from irqscope.machines.unsupported import words


def problems(machine: Machine) -> Iterator[str]:
    """Yields the contradictions in a description, each in one line that begins with the key."""
    yield from (f"interrupts: {text}" for text in _interrupts(machine.interrupts))
    yield from _reasons(machine)
    yield from _places(machine)


def _interrupts(i: Interrupts) -> Iterator[str]:
    used = [*i.shared.ids, i.link, i.timer_tick]
    used += [] if i.private is None else [i.private.id]
    if i.software is not None:
        used += range(i.software.first, i.software.first + i.software.count)
    if len(set(used)) != len(used):
        yield "an ID is twice"
    if max(used) >= i.ids:
        yield f"{max(used)} is not below ids = {i.ids}"
    if i.uarts and i.link not in i.uarts:
        yield "link is one of the uarts"
    if both := sorted({*used} & {*i.absent}):
        yield f"{both[0]} is absent"
    if i.finished not in i.shared.ids or i.finished == i.shared.ids[0]:
        yield "finished is one of the shared outputs, and not the first"


def _reasons(machine: Machine) -> Iterator[str]:
    """Yields faults of the reasons: each missing value needs one, and no other may have one."""
    for key, allowed in (WORDS | {"case": tuple(CASES)}).items():
        missing = {word for word in allowed if word not in words(machine, key)}
        reasons = set(machine.unsupported.get(key, {}))
        if missing - reasons:
            yield f"unsupported.{key}: why is there no {min(missing - reasons)!r}?"
        if reasons - missing:
            yield f"unsupported.{key}: {min(reasons - missing)!r} is there, or is not a word"
    if unknown := set(machine.unsupported) - {*WORDS, "case", "stack"}:
        yield f"unsupported.{min(unknown)}: no such key; give one of case, {', '.join(WORDS)}"


def _places(machine: Machine) -> Iterator[str]:
    """Names and numbers distinguish boards, cores in simulation, and twins."""
    if bool(machine.boards) == bool(machine.simulated):
        yield "boards: a machine has boards, or is simulated"
    boards: tuple[Board | Simulated, ...] = (*machine.boards, *machine.simulated)
    text = "two of them have one name or number"
    if _repeated(board.name for board in boards) or _repeated(board.number for board in boards):
        yield f"{'boards' if machine.boards else 'simulated'}: {text}"
    twins = machine.twins
    if _repeated(twin.profile for twin in twins) or _repeated(twin.number for twin in twins):
        yield f"twins: {text}"


def _repeated(values: Iterator[str] | Iterator[int]) -> bool:
    items = list(values)
    return len(set(items)) != len(items)
