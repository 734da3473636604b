"""Machines and their capabilities as rows of text, for manual and command line."""

from __future__ import annotations

from collections.abc import Sequence

from irqscope.machines.model import Machine


def summary(machines: Sequence[Machine]) -> list[tuple[str, ...]]:
    """A row for each machine, below the heads of the columns."""
    head = (
        "machine",
        "cores",
        "interrupt controller",
        "boards or cores",
        "twins",
        "cases",
        "external device",
    )
    return [head, *(_row(machine, machines) for machine in machines)]


def twin_targets(machine: Machine, machines: Sequence[Machine]) -> list[str]:
    """Names of its twins as targets; the last is its own model and the default.

    A profile's name is alone for the first machine that has it.
    """
    targets = []
    for twin in machine.twins:
        first = next(m for m in machines if twin.profile in [t.profile for t in m.twins])
        of = "" if first is machine else f"{machine.name}:"
        targets.append(f"twin:{of}{twin.profile}")
    return targets


def _row(machine: Machine, machines: Sequence[Machine]) -> tuple[str, ...]:
    lacking = machine.unsupported.get("case", {})
    return (
        f"{machine.title} (`{machine.name}`)",
        f"{machine.cores.count} {machine.cores.name}, {machine.cores.mode}",
        machine.interrupts.controller,
        ", ".join(place.title for place in machine.boards or machine.simulated),
        ", ".join(f"`{target}`" for target in twin_targets(machine, machines)) or "none",
        _but(machine.has.case, tuple(lacking)),
        f"none: {why}" if (why := lacking.get("external")) else '`machine = "external"`',
    )


def _but(available: tuple[str, ...], lacking: tuple[str, ...]) -> str:
    """The shorter way to say which there are."""
    if len(lacking) > len(available):
        return ", ".join(available)
    return f"all but {', '.join(lacking)}" if lacking else "all"


def outputs_of(machine: Machine) -> list[tuple[str, ...]]:
    """Returns rows of the interrupts that outputs reach, and of those that cores raise."""
    i = machine.interrupts
    rows: list[tuple[str, ...]] = [
        ("interrupt", "outputs", "IDs", "trigger", "value of `interrupt`")
    ]
    first = 0
    for row in i.shared.outputs:
        ids = [n for n in range(row.first, row.first + row.count) if n != i.finished]
        rows.append(
            (
                "shared",
                f"`{row.port}`, {first} to {first + row.count - 1}",
                f"{row.first} to {row.first + row.count - 1}",
                " or ".join(i.shared.senses),
                f"`{i.shared.word} {ids[0]}` to `{i.shared.word} {ids[-1]}`"
                + ("" if first else f"; `shared` is `{i.shared.word} {ids[0]}`"),
            )
        )
        first += row.count
    if i.private is not None:
        says = f"`private`, `{i.private.word} {i.private.id}`"
        of = f"`{i.private.port}`, one for each core"
        rows.append(("private", of, str(i.private.id), " or ".join(i.private.senses), says))
    if i.software is not None:
        word, start = i.software.word, i.software.first
        last = start + i.software.count - 1
        says = f"`{word} {start}` to `{word} {last}`; `software` is `{word} {start}`"
        by = " or ".join(i.software.senses)
        rows.append(("software", "none: a core raises it", f"{start} to {last}", by, says))
    return rows
