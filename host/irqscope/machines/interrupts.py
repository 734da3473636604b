"""The interrupts of a machine by their names: as experiments write them, and as people say them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irqscope.machines.model import Machine, Private, Shared, Software
from irqscope.machines.names import InterruptKind
from irqscope.machines.unsupported import lack, words


@dataclass(frozen=True)
class Interrupt:
    """An interrupt that an experiment can measure.

    ``name``: as an experiment writes it, such as ``spi 121``. ``output``: the instrument's output
    that raises it, if it is a shared one; else None.
    """

    kind: InterruptKind
    id: int
    name: str
    output: int | None
    senses: tuple[str, ...]


def measurable(machine: Machine) -> Iterator[Interrupt]:
    """All interrupts that an experiment can measure; of each kind its default comes first."""
    i = machine.interrupts
    for output, number in enumerate(i.shared.ids):
        if number != i.finished:
            yield _interrupt("shared", i.shared, number, output)
    if i.private is not None:
        yield _interrupt("private", i.private, i.private.id, None)
    if i.software is not None:
        for number in range(i.software.first, i.software.first + i.software.count):
            yield _interrupt("software", i.software, number, None)


def _interrupt(
    kind: InterruptKind, of: Shared | Private | Software, number: int, output: int | None
) -> Interrupt:
    return Interrupt(kind, number, f"{of.word} {number}", output, of.senses)


def interrupt_of(machine: Machine, text: str) -> Interrupt:
    """The interrupt that an experiment writes as ``text``: a kind, or a name such as ``spi 121``.

    Raises ValueError if it does not exist; the text gives the reason, or valid values.
    """
    for candidate in measurable(machine):
        if text in (candidate.kind, candidate.name):
            return candidate
    if reason := lack(machine, "interrupt", text):
        raise ValueError(reason)
    raise ValueError(f'give {choices(machine)}; a case of switches has "none"')


def choices(machine: Machine) -> str:
    """Describes to a user the values that an experiment's `interrupt` may have."""
    kinds = [f'"{kind}"' for kind in words(machine, "interrupt")]
    rows = [
        f'"{first}" to "{last}"' if first != last else f'"{first}"'
        for first, last in _rows(machine)
    ]
    return f"{', '.join(kinds)}, or {', '.join(rows)}"


def _rows(machine: Machine) -> Iterator[tuple[str, str]]:
    """First and last name of interrupts whose IDs follow on each other."""
    row: list[Interrupt] = []
    for candidate in measurable(machine):
        if row and (candidate.kind != row[-1].kind or candidate.id != row[-1].id + 1):
            yield row[0].name, row[-1].name
            row = []
        row.append(candidate)
    yield row[0].name, row[-1].name


def name_of(machine: Machine, number: int) -> str:
    """Common name of the interrupt with an ID, such as SPI 121."""
    for candidate in measurable(machine):
        if candidate.id == number:
            return candidate.name.upper()
    if number == machine.interrupts.finished:
        return f"{machine.interrupts.shared.word} {number}".upper()
    return f"interrupt {number}"


def kind_name_of(machine: Machine, number: int) -> str:
    """Common name of the kind of the interrupt with an ID, such as SPI."""
    i = machine.interrupts
    if i.software is not None and number - i.software.first in range(i.software.count):
        return i.software.word.upper()
    if i.private is not None and number - i.private.first in range(i.private.count):
        return i.private.word.upper()
    return i.shared.word.upper()
