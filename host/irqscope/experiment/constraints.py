"""Demands of a case on an experiment, and the keys that belong to each case."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import Marker, StartKind
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.tables import Background, Channel, Load
from irqscope.machines import under_linux
from irqscope.machines.cases import CASES, Case
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.machines.interrupts import interrupt_of
from irqscope.machines.model import Machine
from irqscope.machines.on_chip import WHY

#: Priority of the timer tick's interrupt, and of further ones of lowest priority.
TIMER_TICK_PRIORITY = 0xE8
#: Instructions of a random load, always and for each access (fw/stacks/baremetal/cases/accesses.h).
INSTRUCTIONS_FIXED = 12
INSTRUCTIONS_EACH = 16


def problems_of_case(experiment: Experiment, machine: Machine) -> Iterator[Problem]:
    """All that contradicts the experiment's case."""
    case, rule = f'case "{experiment.case}"', CASES[experiment.case]
    if rule.caches not in (None, experiment.caches):
        yield Problem(("caches",), f'{case} has caches = "{rule.caches}"; write that')
    if experiment.memory == "non-cacheable" and experiment.caches == "off":
        text = 'caches = "off" leaves nothing to be cached; leave the key out, or turn them on'
        yield Problem(("memory",), text)
    if experiment.measure not in rule.measures:
        yield Problem(
            ("measure",), f"{case} measures {' or '.join(rule.measures)}; write one of these"
        )
    if experiment.cores not in rule.cores:
        text = f"{case} has {' or '.join(map(str, rule.cores))} of them; give as many"
        yield Problem(("cores",), text)
    if experiment.core:
        yield Problem(
            ("core",), "the firmware measures the core that it starts on, core 0; leave the key out"
        )
    for key in sorted({key for each in CASES.values() for key in each.keys} - {*rule.keys}):
        if getattr(experiment, key) != Experiment.model_fields[key].default:
            yield Problem((key,), f"{case} has no such key; it belongs to {_with(key)}")
    yield from _interrupt(experiment, rule, machine)
    yield from _background(experiment, rule)
    yield from _load(experiment, rule, machine)
    yield from _tasks(experiment, rule)
    if rule.combines:
        yield from _combination(experiment, machine.cores.count)
    yield from _timer_tick(experiment)
    yield from _idle(experiment, rule)
    if experiment.measure == "throughput":
        yield from _throughput(experiment)
    for place, channel in enumerate(experiment.channels):
        yield from _cores(("channels", place), channel, experiment, rule)


def _with(key: str) -> str:
    """The cases that have a key of their own, or of their load."""
    return " or ".join(f'"{name}"' for name, one in CASES.items() if key in one.keys + one.load)


#: Words of a sentence that says which interrupt a case takes.
_KINDS = {
    "shared": "a shared interrupt",
    "private": "a private interrupt",
    "software": "one that software raises",
    "none": '"none"',
}


def _interrupt(experiment: Experiment, rule: Case, machine: Machine) -> Iterator[Problem]:
    kind = experiment.kind
    if kind != "none":
        try:
            senses = interrupt_of(machine, experiment.interrupt).senses
        except ValueError as error:
            whose = "" if kind is None else f"{machine.name} has no {experiment.interrupt}: "
            yield Problem(("interrupt",), f"{whose}{error}")
            return
    if kind not in rule.interrupts:
        allowed = " or ".join(_KINDS[name] for name in rule.interrupts)
        yield Problem(
            ("interrupt",), f'case "{experiment.case}" takes {allowed}; write one of these'
        )
    if experiment.by_software:
        yield from _by_software(experiment)
        return
    if experiment.trigger not in senses:
        text = (
            f"a {kind} interrupt of {machine.name} is sensed by {' or '.join(senses)} only "
            f'({machine.interrupts.controller}); write trigger = "{senses[0]}"'
        )
        yield Problem(("trigger",), text)
    if experiment.period is not None:
        text = f"the first line raises a {kind} interrupt; a period is for one of software"
        yield Problem(("period",), text)
    if not experiment.lines:
        yield Problem(("lines",), f"a {kind} interrupt is raised by a line; describe one")
    for place, line in enumerate(experiment.lines):
        if experiment.cores > 1 and line in experiment.raising and line.mode == "acknowledged":
            text = 'the first core to answer would take it from the others; write mode = "burst"'
            yield Problem(("lines", place, "mode"), text)
    if rule.held and experiment.trigger != "level":
        yield Problem(("trigger",), f'case "{experiment.case}" has trigger = "level"; write that')


def _by_software(experiment: Experiment) -> Iterator[Problem]:
    switch = experiment.interrupt == "none"
    subject = "a switch of tasks" if switch else "an interrupt that software raises"
    if experiment.trigger != "rising edge":
        text = f'{subject} has no level; write trigger = "rising edge"'
        yield Problem(("trigger",), text)
    if experiment.period is None:
        yield Problem(("period",), f"the core begins {subject} once a period; add the key")
    if experiment.lines:
        yield Problem(("lines",), f"{subject} has no line; remove them")
    for place, channel in enumerate(experiment.channels):
        if channel.start.kind is StartKind.LINE:
            text = f'{subject} has no line; write start = "start", the marker in front of it'
            yield Problem(("channels", place, "start"), text)


def _tasks(experiment: Experiment, rule: Case) -> Iterator[Problem]:
    case = f'case "{experiment.case}"'
    if not rule.tasks:
        return
    if experiment.stack == DEFAULT_STACK:
        text = f'{case} switches tasks, and bare metal has one; write stack = "freertos"'
        yield Problem(("stack",), text)
    if experiment.markers != "paper":
        text = f'{case} makes two markers of its own; write markers = "paper"'
        yield Problem(("markers",), text)
    for place, channel in enumerate(experiment.channels):
        if channel.stop.symbol is None and channel.stop.marker is not Marker.TASK:
            text = f'{case} ends in a task; write stop = "task"'
            yield Problem(("channels", place, "stop"), text)


def _background(experiment: Experiment, rule: Case) -> Iterator[Problem]:
    background, case = experiment.background, f'case "{experiment.case}"'
    if background is not None and background.program is not None:
        yield from _program(experiment, background)
        return
    if background is not None and not background.interrupts:
        yield Problem(("background",), "it is empty; add interrupts, or under Linux a program")
        return
    if rule.background is None:
        if background is not None:
            names = [f'"{name}"' for name, one in CASES.items() if one.background is not None]
            text = f"{case} has none; they belong to {', '.join(names)}"
            yield Problem(("background",), text)
        return
    if background is None:
        if not rule.combines:
            yield Problem(("background",), f"{case} needs them; add the table")
        return
    if background.interrupts not in rule.background:
        text = f"{case} has {rule.background.start} of them; it is {background.interrupts}"
        yield Problem(("background", "interrupts"), text)
    if rule.raised and background.period is None:
        yield Problem(("background", "period"), f"{case} raises them; add the key")
    if experiment.priority:
        yield Problem(
            ("priority",), f"{case} has its measured interrupt above all others; write priority = 0"
        )


def _program(experiment: Experiment, background: Background) -> Iterator[Problem]:
    """A program in the background, which an operating system runs."""
    if experiment.stack != under_linux.STACK:
        text = f'a program runs under Linux alone; write stack = "{under_linux.STACK}"'
        yield Problem(("background", "program"), text)
    if background.interrupts or background.period is not None:
        text = "a program raises no background interrupts; leave interrupts and period out"
        yield Problem(("background",), text)


def _combination(experiment: Experiment, available: int) -> Iterator[Problem]:
    """Cores from 0 on answer, the next one raises, and the rest of the ``available`` ones write."""
    case, background, cores = f'case "{experiment.case}"', experiment.background, experiment.cores
    if (background is not None) + (cores > 1) + (experiment.load is not None) < 2:
        text = f"{case} combines at least two of [background], several cores and [load]; add one"
        yield Problem(("case",), text)
    if cores > 1 and experiment.kind != "private":
        yield Problem(("interrupt",), f"{cores} cores answer; that takes a private interrupt")
    raises = background is not None and background.period is not None
    if raises and cores == available:
        text = f"{cores} cores answer and none is left to raise them; give fewer, or no period"
        yield Problem(("background", "period"), text)
    elif experiment.load is not None and cores + raises >= available:
        rest = "answer and one raises" if raises else "answer"
        text = f"{cores} cores {rest}, and none is left to write; give fewer cores"
        yield Problem(("load",), text)


def _load(experiment: Experiment, rule: Case, machine: Machine) -> Iterator[Problem]:
    load, case = experiment.load, f'case "{experiment.case}"'
    if not rule.load:
        if load is not None:
            yield Problem(
                ("load",), f'{case} has none; it belongs to "t7", "b-lmax" and "random-load"'
            )
        return
    if load is None:
        if not rule.combines:
            yield Problem(("load",), f"{case} needs it; add the table")
        return
    if not machine.memory.arrays_kib:
        yield Problem(("load",), f"its arrays are in DDR: {WHY}")
        return
    # A random load has a second one, of code.
    arrays, way = machine.memory.arrays_kib, machine.memory.way_kib
    largest = arrays // 2 if "budget" in rule.load else arrays
    if not 0 < load.array.kib <= largest:
        text = f"{load.array}; give at least 1 KB and at most {largest >> 10} MB"
        yield Problem(("load", "array"), text)
    if load.aim == "path" and load.array.kib < way:
        text = f"{load.array}; a path is aimed at once in {way} KB, give at least that"
        yield Problem(("load", "array"), text)
    for key in sorted({key for each in CASES.values() for key in each.load} - {*rule.load}):
        if getattr(load, key) != Load.model_fields[key].default:
            text = f"{case} has no such key; it belongs to {_with(key)}"
            yield Problem(("load", key), text)
    if "budget" not in rule.load:
        return
    if not load.data_accesses and not load.instruction_accesses:
        text = "no access is asked for; give this key or instruction_accesses"
        yield Problem(("load", "data_accesses"), text)
    accesses = load.data_accesses + load.instruction_accesses
    minimum = INSTRUCTIONS_FIXED + INSTRUCTIONS_EACH * accesses
    if load.budget < minimum:
        text = (
            f"{load.budget} instructions do not hold {accesses} accesses; give at least {minimum}"
        )
        yield Problem(("load", "budget"), text)


def _timer_tick(experiment: Experiment) -> Iterator[Problem]:
    if experiment.timer_tick is None:
        return
    if experiment.priority >= TIMER_TICK_PRIORITY:
        text = f"the timer tick has {TIMER_TICK_PRIORITY}; give less"
        yield Problem(("priority",), text)


def _idle(experiment: Experiment, rule: Case) -> Iterator[Problem]:
    if experiment.clock_divisor == 1:
        return
    if experiment.idle != "wfi":
        yield Problem(("clock_divisor",), 'the clock is divided in sleep; write idle = "wfi"')
    if not rule.idles:
        text = f'the measured core of case "{experiment.case}" never idles; leave the key out'
        yield Problem(("clock_divisor",), text)
    if experiment.by_software:
        yield Problem(
            ("clock_divisor",),
            "a core that raises its own does not sleep before it; leave the key out",
        )


def _throughput(experiment: Experiment) -> Iterator[Problem]:
    required = {"trigger": "level", "samples": "none", "markers": "paper"}
    for key, value in required.items():
        if str(getattr(experiment, key)) != value:
            yield Problem((key,), f'throughput needs {key} = "{value}"; write that')
    if experiment.lines and experiment.lines[0].mode != "burst":
        text = 'a level that is held makes the throughput; write mode = "burst"'
        yield Problem(("lines", 0, "mode"), text)
    for place, channel in enumerate(experiment.channels):
        if channel.start.kind is not StartKind.LINE or channel.stop.marker is not Marker.HANDLER:
            text = "throughput counts handlers while a line is high; start at it, stop at a handler"
            yield Problem(("channels", place), text)


def _cores(
    path: tuple[str, int], channel: Channel, experiment: Experiment, rule: Case
) -> Iterator[Problem]:
    """Problems of a channel that looks at cores which do not answer."""
    answering = range(experiment.cores) if experiment.cores > 1 else [experiment.core]
    for key in ("start", "stop"):
        core = getattr(channel, key).core
        if getattr(channel, key).symbol is not None:
            continue
        if core == "any" and experiment.cores == 1:
            text = "one core answers the interrupt; leave the core out"
            yield Problem((*path, key), text)
        if isinstance(core, int) and core not in answering:
            yield Problem(
                (*path, key),
                f"core {core} does not answer the interrupt; name one of {list(answering)}",
            )
    if rule.chance and channel.stop.core != "any":
        text = (
            "which core answers is chance, so one core's time is no latency; "
            'write "handler any core" and read the shares'
        )
        yield Problem((*path, "stop"), text)
