"""Targets: each yields an open link, and nothing above knows which it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from irqscope.errors import ExperimentError, TargetError
from irqscope.experiment.model import Experiment
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.targets.base import Target
from irqscope.targets.board import BoardTarget
from irqscope.targets.linux import linux
from irqscope.targets.process import Say, unsaid
from irqscope.targets.replay import ReplayTarget
from irqscope.targets.rtl import RtlSettings, RtlTarget
from irqscope.targets.twin import TwinSettings, TwinTarget

__all__ = ["Target", "open_target", "playing"]


def open_target(
    name: str,
    record: Path | None = None,
    *,
    stack: str = DEFAULT_STACK,
    markers: Path | None = None,
    watches: tuple[tuple[str, int], ...] = (),
    leads: tuple[str, ...] = (),
    of_program: bool = False,
    masked: bool = False,
    interruptions: bool = False,
    functions: Path | None = None,
    say: Say = unsaid,
) -> Target:
    """Opens a twin, a soft core, ``replay:FILE``, an agent, or a port as :mod:`.board` takes it.

    A twin is ``twin[:MACHINE][:PROFILE][:no-skip][:fault=NAME][:variant=NAME][:KEY=VALUE ...]``. A
    profile is alone where one machine has it, a machine alone for its own model. ``no-skip``
    evaluates every tick: slow, to verify the skipping. ``fault`` injects one, ``variant`` follows
    the other source where two differ. KEY=VALUE gives a constant of the profile another value, in
    its own unit. ``elf=FILE`` is a program next to the instrument's own, and ``ready=PLACE`` where
    it can be measured. A soft core is ``rtl:CORE[:no-skip][:elf=FILE]``. ``of_program``: FILE does
    not know of the instrument, and options describe its surroundings (docs/programs.md);
    ``watches``: stages and places that give markers there, with their codes; ``leads``:
    destinations of lines on its chip, as ``0=pin:PC13``; ``masked``: whether it reports when the
    program's interrupts are off; ``interruptions``: whether it reports where lines interrupt it;
    ``functions``: file that receives the functions that it executes for each stimulus. ``stack``:
    that a simulation shall run; a board runs what was loaded. ``record``: file that receives every
    byte of the link, for ``replay:``. ``markers``: file that receives a simulation's instruction
    counts at each marker; no other target has these.
    ``twin:external[:device=NAME[/STATE]][:wiring=NAME]`` wires a simulated device to the pins, and
    may have something wrong with the wires. ``say`` receives each step if a simulation must be
    compiled first. Raises TargetError, LinkError.
    """
    requests = {"masked": masked, "interruptions": interruptions, "functions": functions}
    target = _opened(name, record, stack, markers, watches, leads, say, of_program, requests)
    target.name = name
    return target


def _opened(
    name: str,
    record: Path | None,
    stack: str,
    markers: Path | None,
    watches: tuple[tuple[str, int], ...],
    leads: tuple[str, ...],
    say: Say,
    of_program: bool,
    requests: dict[str, Any],
) -> Target:
    if "\0" in name:  # characters that a command line or a path cannot hold
        raise TargetError(f"{name}: a target has no byte 0; leave it out")
    scheme, _, rest = name.partition(":")
    if of_program and scheme not in ("rtl", "twin", "replay"):
        raise TargetError(
            f'machine = "program" measures a program in simulation, and {name} runs none: '
            "say rtl:CORE:elf=FILE or twin:elf=FILE"
        )
    if scheme == "twin":
        of_twin = replace(TwinSettings.parse(rest), stack=stack, markers=markers)
        if of_program:
            of_twin = replace(of_twin.watching(watches, leads), **requests)
        return TwinTarget(of_twin.of(program=of_program), record, say)
    if scheme == "rtl":
        of_core = RtlSettings.parse(rest)
        _refuse_leads(name, leads)
        settings = replace(
            of_core,
            stack=stack,
            watches=watches,
            markers=markers,
            of_program=of_program,
            **requests,
        )
        return RtlTarget(settings, record, say)
    if scheme == "linux":
        return linux(rest, record)
    if scheme == "replay":
        return ReplayTarget(Path(rest))
    return BoardTarget(name, record)


def _refuse_leads(target: str, leads: tuple[str, ...]) -> None:
    """Raises TargetError for lines that lead to a pin or an interrupt of a chip."""
    for lead in leads:
        if not lead.endswith("="):
            raise TargetError(
                f"{target}: its lines reach the program's core by their numbers; "
                "leave the keys pin and irq of the line out"
            )


def playing(target: str, experiment: Experiment) -> str:
    """The target with the simulated device that an experiment names, if it is one for that.

    Raises ExperimentError for an external device on a twin without one, TargetError.
    """
    scheme, _, rest = target.partition(":")
    device = experiment.device
    if device is None or scheme != "twin":
        return target
    if TwinSettings.parse(rest).device is None:
        raise ExperimentError(
            f'machine: "{experiment.name}" measures a device at the pins ({device.name}), and '
            f"{target} has none there; take --target twin:external, or a board with the device"
        )
    if device.simulated is None or ":device=" in target:
        return target
    return f"{target}:device={device.simulated}"
