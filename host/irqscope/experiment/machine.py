"""Features that an experiment needs and a machine lacks, with reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from irqscope.constants import Marker
from irqscope.experiment.model import WATCHED, Experiment
from irqscope.experiment.problem import Path, Problem
from irqscope.experiment.tables import OWN_INTERRUPT
from irqscope.experiment.values import STAGES, Event
from irqscope.machines import under_linux
from irqscope.machines.model import Machine
from irqscope.machines.unsupported import lack

#: Keys that need software which the instrument knows, with their plain values. A device has none.
OF_SOFTWARE = {
    key: Experiment.model_fields[key].default
    for key in (
        "measure",
        "stack",
        "core",
        "cores",
        "placement",
        "pages",
        "memory",
        "state",
        "lockdown",
        "warm",
        "interrupt",
        "priority",
        "period",
        "idle",
        "clock_divisor",
        "markers",
        "background",
        "load",
        "timer_tick",
    )
} | {"caches": "on", "warm_up": 0}


def misplaced(experiment: Experiment, of_program: bool) -> Problem | None:
    """Returns why an experiment does not fit a target's kind of program, or None.

    ``of_program``: the target runs a foreign program, not our own firmware.
    """
    if experiment.of_program == of_program:
        return None
    text = (
        'the target runs a foreign program; write machine = "program", or connect to another target'
    )
    if experiment.of_program:
        text = "the target runs no program; connect to rtl:CORE:elf=FILE or twin:elf=FILE"
    return Problem(("machine",), text)


def placed(experiment: Experiment, machine: Machine) -> Experiment:
    """The experiment with the place where the machine's programs stand, if it names none itself.

    Does not raise: :func:`problems_of_machine` reports a place that the machine lacks.
    """
    usual = machine.placements[0].name
    if "placement" in experiment.model_fields_set or experiment.placement == usual:
        return experiment
    return experiment.model_copy(update={"placement": usual})


def problems_of_machine(experiment: Experiment, machine: Machine) -> Iterator[Problem]:
    """All that the machine lacks for the experiment, each with its reason."""
    for path, key, word in _words(experiment):
        if reason := lack(machine, key, word):
            yield Problem(path, reason)
    yield from _own_interrupts(experiment, machine)
    yield from _symbols(experiment, machine)
    yield from _counts(experiment, machine)
    if machine.name == under_linux.NAME:
        yield from _under_linux(experiment)


def _under_linux(experiment: Experiment) -> Iterator[Problem]:
    """Stages that the agent has no marker for, and levels that nothing takes back in time."""
    for place, channel in enumerate(experiment.channels):
        for key in ("start", "stop"):
            marker = getattr(channel, key).marker
            if marker in (Marker.VECTOR, Marker.TASK, Marker.START):
                text = (
                    f"{marker.name.lower()}: the agent has no such marker; its stages are "
                    "handler, the return of the read of /dev/uioN, and done; those in the kernel "
                    'are in the samples with markers = "stages"'
                )
                yield Problem(("channels", place, key), text)


def _words(experiment: Experiment) -> Iterator[tuple[Path, str, str]]:
    """Path, key and value of whatever a machine may lack."""
    for key in ("case", "stack", "placement", "pages", "memory", "lockdown", "idle", "markers"):
        if (word := getattr(experiment, key)) is not None:
            yield (key,), key, word
    for word in experiment.state:
        yield ("state",), "state", word
    if experiment.kind not in (None, "none"):
        yield ("interrupt",), "interrupt", str(experiment.kind)
    if experiment.clock_divisor > 1:
        yield ("clock_divisor",), "clock_divisor", "more than 1"
    if experiment.warm_up:
        yield ("warm_up",), "warm_up", "more than 0"
    if experiment.timer_tick is not None:
        yield ("timer_tick",), "timer_tick", "any"


def _own_interrupts(experiment: Experiment, machine: Machine) -> Iterator[Problem]:
    if reason := machine.without.get("line interrupts"):
        for place, line in enumerate(experiment.lines):
            if line.interrupt == OWN_INTERRUPT:
                text = f"{machine.name} answers no line by an interrupt of its own: {reason}"
                yield Problem(("lines", place, "interrupt"), text)


def _symbols(experiment: Experiment, machine: Machine) -> Iterator[Problem]:
    if experiment.of_program and not machine.simulated:
        yield from _stages(experiment, machine)
    elif experiment.symbols and not machine.simulated:
        text = f"{machine.name} does not show which instruction it executes; write a marker"
        for place, channel in enumerate(experiment.channels):
            for key in ("start", "stop"):
                if getattr(channel, key).symbol is not None:
                    yield Problem(("channels", place, key), text)
    if not experiment.of_program:
        for place, channel in enumerate(experiment.channels):
            for key in ("start", "stop"):
                event = getattr(channel, key)
                if event.symbol is not None and not _ours(event):
                    text = 'of our own firmware write "pc:SYMBOL", "id:SYMBOL" or a marker'
                    yield Problem(("channels", place, key), text)
    if len(experiment.symbols) > len(WATCHED):
        text = f"{len(experiment.symbols)} symbols are watched; {len(WATCHED)} at most"
        yield Problem(("channels",), text)


def _stages(experiment: Experiment, machine: Machine) -> Iterator[Problem]:
    """A twin knows when an instruction issues, and no earlier stage."""
    if len(experiment.watches) > len(WATCHED):
        text = f"{len(experiment.watches)} places are watched; {len(WATCHED)} at most"
        yield Problem(("channels",), text)
    for place, channel in enumerate(experiment.channels):
        for key in ("start", "stop"):
            event = getattr(channel, key)
            if event.symbol is not None and event.core == STAGES["id"]:
                text = f'the twin of {machine.name} has no decode stage; write "pc:{event.symbol}"'
                yield Problem(("channels", place, key), text)


def _ours(event: Event) -> bool:
    """Whether our own firmware can be watched there: its symbols alone are looked up."""
    named = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", str(event.symbol)) is not None
    return named and event.core != STAGES["store"]


def _counts(experiment: Experiment, machine: Machine) -> Iterator[Problem]:
    name, cores = machine.name, machine.cores.count
    if experiment.cores > cores:
        yield Problem(("cores",), f"{experiment.cores}; {name} has {cores}")
    limit = machine.has.clock_divisor
    if 1 < limit < experiment.clock_divisor:
        yield Problem(("clock_divisor",), f"{experiment.clock_divisor}; {name} has {limit} at most")
    background, limit = experiment.background, machine.interrupts.background
    if background is not None and background.interrupts > limit:
        text = f"{background.interrupts}; {name} has {limit} besides the measured one"
        yield Problem(("background", "interrupts"), text)
    for place, line in enumerate(experiment.lines):
        if line.stm and machine.pins.stm is None:
            yield Problem(
                ("lines", place, "stm"),
                f"{name} has no trace unit that a line reaches; leave the key out",
            )
        for pin in line.pmod:
            yield from _pin(("lines", place, "pmod"), pin, machine)
    if machine.pins.pmod:  # or the case itself is refused
        for place, described in enumerate(experiment.pins):
            yield from _pin(("pins", place, "pin"), described.pin, machine)
        if experiment.wire is not None:
            yield from _pin(("wire", "output"), experiment.wire.output, machine)
            yield from _pin(("wire", "input"), experiment.wire.input, machine)


def _pin(path: Path, pin: int, machine: Machine) -> Iterator[Problem]:
    """An output or an input that nothing is wired to."""
    pins = machine.pins.pmod
    if pin >= pins:
        available = f"pins 0 to {pins - 1} here" if pins else "no pins"
        yield Problem(path, f"{pin}; {machine.name} has {available}")
