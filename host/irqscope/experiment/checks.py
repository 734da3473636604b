"""Checks beyond the schema: limits in ticks, and keys that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import SHORTEST_PHASE, Marker, StartKind
from irqscope.experiment.constraints import problems_of_case
from irqscope.experiment.kinds import KINDS, kind_of
from irqscope.experiment.machine import misplaced, problems_of_machine
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Path, Problem
from irqscope.experiment.stacks import problems_of_stack
from irqscope.experiment.tables import OWN_INTERRUPT, SHORTEST_PULSE, Channel, Line
from irqscope.experiment.values import Event
from irqscope.machines import known
from irqscope.machines.cases import CASES
from irqscope.machines.interrupts import interrupt_of
from irqscope.machines.model import Machine
from irqscope.units import Duration, ns_to_ticks

#: Largest value of a phase, timeout or delay.
LONGEST = (1 << 32) - 1
#: Shortest high phase of an acknowledged pulse: the shortest phase, and then one more to answer.
SHORTEST_ACKNOWLEDGED = 2 * SHORTEST_PHASE
#: Stacks whose handlers a line with an interrupt of its own can have, and priorities of those
#: (fw/cases/parts/line_interrupts.c).
OWN_STACKS = ("baremetal", "nested")
OWN_PRIORITY_STEP = 8
LARGEST_OWN_PRIORITY = 0xE0
#: Shortest period of what software raises.
SHORTEST_PERIOD_NS = 1_000
#: Shortest period of a line that the STM also stamps. Time distinguishes its edges.
SHORTEST_STM_PERIOD_NS = 100_000
#: A timeout ends this long before the next stimulus at the earliest.
TIMEOUT_MARGIN = 10
#: Longest tail that can be kept: all of it may come in one batch.
LONGEST_TAIL = 8192


#: A file that describes what another instrument has measured.
OF_CAPTURE = Problem(
    ("machine",),
    "files of another instrument are read by `irqscope import`, or by `irqscope run` with "
    "--target sigrok:DRIVER; no other target, suite or gate takes them",
)


def problems(
    experiment: Experiment, machine: Machine, tick_hz: int, of_program: bool | None = None
) -> Iterator[Problem]:
    """All that is wrong with an experiment on a machine whose PL clock has ``tick_hz``.

    ``of_program``: whether the target runs a foreign program, or None if unknown.
    """
    if experiment.of_capture:
        yield OF_CAPTURE
        return
    if of_program is not None and (problem := misplaced(experiment, of_program)):
        yield problem
        return
    if lacking := list(problems_of_machine(experiment, machine)):
        yield from lacking
        return
    for kind in KINDS:
        yield from kind.problems(experiment, machine, tick_hz)
    if not experiment.of_others:
        yield from problems_of_case(experiment, machine)
        yield from problems_of_stack(experiment, tick_hz)
    yield from _periods(experiment, tick_hz)
    for place, line in enumerate(experiment.lines):
        yield from _line(place, line, tick_hz)
        if not experiment.of_others and not experiment.by_software:
            yield from _interrupt(place, line, experiment, machine)
    for place, channel in enumerate(experiment.channels):
        yield from _channel(place, channel, experiment, tick_hz)
    yield from _twice(experiment)
    yield from _samples(experiment)
    yield from _second_stamp(experiment, tick_hz)


def problems_anywhere(experiment: Experiment) -> list[Problem]:
    """All that is wrong with it on every machine; empty if one can run it.

    Told is what the machine has against it that comes nearest: that lacks nothing for it, if there
    is one, and then has the least to say.
    """

    def distance(machine: Machine) -> tuple[bool, int]:
        lacking = any(True for _ in problems_of_machine(experiment, machine))
        return lacking, len(by_check[machine.name])

    by_check = {
        machine.name: list(problems(experiment, machine, machine.tick_hz))
        for machine in known.MACHINES
    }
    return by_check[min(known.MACHINES, key=distance).name]


def shortest_period(line: Line, tick_hz: int) -> int:
    """Ticks between two rises at least; an acknowledged pulse may end early."""
    high = SHORTEST_PHASE if line.mode == "acknowledged" else line.high.ticks(tick_hz)
    return high + line.low.ticks(tick_hz)


def longest_period(line: Line, tick_hz: int) -> int:
    """Ticks between two rises at most: with the largest dither, and no pulse ended early."""
    return line.high.ticks(tick_hz) + line.low.ticks(tick_hz) + (1 << line.dither) - 1


def _periods(experiment: Experiment, tick_hz: int) -> Iterator[Problem]:
    background, timer_tick = experiment.background, experiment.timer_tick
    periods: dict[Path, Duration | None] = {
        ("period",): experiment.period,
        ("background", "period"): background.period if background else None,
        ("timer_tick", "period"): timer_tick.period if timer_tick else None,
    }
    for path, period in periods.items():
        if period is not None:
            shortest = ns_to_ticks(SHORTEST_PERIOD_NS, tick_hz)
            yield from _limits(path, period.ticks(tick_hz), shortest, tick_hz)


def _line(place: int, line: Line, tick_hz: int) -> Iterator[Problem]:
    path = ("lines", place)
    shortest = {"high": SHORTEST_PULSE, "low": SHORTEST_PHASE, "start_delay": 0}
    if line.mode == "acknowledged":
        shortest["high"] = SHORTEST_ACKNOWLEDGED
    for key, shortest_time in shortest.items():
        yield from _limits((*path, key), getattr(line, key).ticks(tick_hz), shortest_time, tick_hz)
    if line.mode == "free running":
        text = 'it never ends, and runs are defined by count; write mode = "burst"'
        yield Problem((*path, "mode"), text)
    if line.phase == "locked" and line.dither_bits:
        text = f'phase = "locked" contradicts dither_bits = {line.dither_bits}; drop one of them'
        yield Problem((*path, "dither_bits"), text)
    if line.acknowledge.kind is not StartKind.MARKER:
        yield Problem(
            (*path, "acknowledge"),
            'a pulse is acknowledged by a marker, not by a line; write acknowledge = "handler"',
        )


def _interrupt(
    place: int, line: Line, experiment: Experiment, machine: Machine
) -> Iterator[Problem]:
    """Yields problems of a line that cannot raise its interrupt."""
    path, name = ("lines", place, "interrupt"), line.interrupt
    if name is None:
        return
    if name == OWN_INTERRUPT:
        if text := _why_none_of_its_own(place, line, experiment, machine):
            yield Problem(path, text)
        return
    if name == "none":
        if place == 0:
            text = "the first line raises the measured interrupt; leave the key out"
            yield Problem(path, text)
        return
    try:
        measured = interrupt_of(machine, experiment.interrupt)
        raised = interrupt_of(machine, name)
    except ValueError as error:
        yield Problem(path, str(error))
        return
    if raised != measured:
        text = (
            f"nothing handles {raised.name}: lines raise the measured interrupt, {measured.name}; "
            f'write interrupt = "{experiment.interrupt}", or "none"'
        )
        yield Problem(path, text)
    elif place and experiment.measure == "throughput":
        text = 'a throughput is of one line that is held; write interrupt = "none"'
        yield Problem(path, text)
    elif place and experiment.second_stamp:
        text = (
            f'with markers = "{experiment.markers}" each answer is to the first line; '
            'write interrupt = "none"'
        )
        yield Problem(path, text)


def own_priority(experiment: Experiment, line: Line) -> int:
    """Priority of the interrupt that a line has of its own."""
    return experiment.priority + OWN_PRIORITY_STEP * line.index


def _why_none_of_its_own(
    place: int, line: Line, experiment: Experiment, machine: Machine
) -> str | None:
    """Why a line has no interrupt of its own here, and what to write; None if it may have one."""
    if place == 0:
        return "the first line raises the measured interrupt; leave the key out"
    output = interrupt_of(machine, experiment.interrupt).output
    usable = [n for n in range(1, machine.finished_output) if n != output]
    if line.index not in usable:
        return f"line {line.index} has none: give it an index of {usable}"
    if experiment.stack not in OWN_STACKS:
        stacks = " or ".join(f'"{stack}"' for stack in OWN_STACKS)
        return f'the stack "{experiment.stack}" has no handler for it; write stack = {stacks}'
    if experiment.markers != "paper" or experiment.measure != "latency":
        return 'it goes with markers = "paper" and measure = "latency"'
    if line.mode == "acknowledged":
        return 'nothing takes its pulse back; write mode = "burst" for the line'
    if own_priority(experiment, line) > LARGEST_OWN_PRIORITY:
        return (
            f"it is less urgent than priority = {experiment.priority} by "
            f"{OWN_PRIORITY_STEP} a line; give a smaller priority"
        )
    return None


def _channel(
    place: int, channel: Channel, experiment: Experiment, tick_hz: int
) -> Iterator[Problem]:
    path = ("channels", place)
    timeout = channel.timeout.ticks(tick_hz)
    yield from _limits((*path, "timeout"), timeout, SHORTEST_PHASE, tick_hz)
    yield from _pairing(path, channel, experiment)
    queue = channel.pairing == "queue"
    if channel.stop.kind is not StartKind.MARKER:
        text = 'a stimulus is served by a marker, not by a line; write stop = "handler"'
        yield Problem((*path, "stop"), text)
    events = {"stop": channel.stop}
    if channel.start.marker is not Marker.VECTOR:  # which no channel starts at
        events["start"] = channel.start
    for key, event in events.items():
        if text := _never_made(event, experiment):
            yield Problem((*path, key), text)
    width = channel.bin.ticks(tick_hz)
    if width not in [1 << k for k in range(16)]:
        yield Problem((*path, "bin"), f"{width} ticks; a bin is 2^k ticks wide, k from 0 to 15")
    yield from _limits((*path, "origin"), channel.origin.ticks(tick_hz), 0, tick_hz)
    if experiment.period is not None and channel.start.marker is Marker.START and not queue:
        period = experiment.period.ticks(tick_hz)
        subject = "the interrupt, whose period"
        yield from _timeout(path, timeout, subject, period, "a longer period")
    if channel.start.kind is not StartKind.LINE:
        if channel.start.marker is Marker.VECTOR and channel.start.pin is None:
            text = (
                "the interrupt that ends a batch passes the vector, too, and would stay open; "
                "start at the line and read vector_ticks of the samples"
            )
            yield Problem((*path, "start"), text)
        return
    lines = {line.index: line for line in experiment.lines}
    line = lines.get(channel.start.line)
    if line is None:
        yield Problem(
            (*path, "start"),
            f"there is no line {channel.start.line} in this file; add it, or start at another",
        )
        return
    if text := _never_answered(line, channel.stop, experiment):
        yield Problem((*path, "start"), text)
    if queue:
        return
    period = shortest_period(line, tick_hz)
    keys = "low" if line.mode == "acknowledged" else "high or low"
    longer = f"a longer lines[{experiment.lines.index(line)}].{keys}"
    subject = f"line {line.index}, whose shortest period"
    yield from _timeout(path, timeout, subject, period, longer)


def _never_made(event: Event, experiment: Experiment) -> str:
    """Why no program makes this marker in this experiment, and what to write; empty if one does."""
    case = CASES[experiment.case]
    if event.kind is StartKind.LINE or event.symbol is not None or experiment.of_others:
        return ""
    if event.marker in (Marker.VECTOR, Marker.DONE) or (
        event.marker is Marker.TASK and not case.tasks
    ):
        if experiment.markers == "stages":
            return ""
        return f'markers = "{experiment.markers}" makes no "{event}"; write markers = "stages"'
    if event.marker is Marker.START and not (experiment.by_software or case.code_under_test):
        return f'"{event}" is made where software begins a stimulus; write start = "line 0"'
    if event.marker in (Marker.PROBE_FIRST, Marker.PROBE_SECOND):
        return f'"{event}" is made in calibrations alone; write start = "line 0", stop = "handler"'
    return ""


def _never_answered(line: Line, stop: Event, experiment: Experiment) -> str:
    """Why a stimulus that a line opens is never answered, and what to write; empty if it may be.

    An instruction may be passed whatever a line does, and so may the code of a code_under_test.
    """
    place = experiment.lines.index(line)
    if experiment.external:
        if line.pmod:
            return ""
        return (
            f"line {line.index} reaches no pin of the device, so nothing answers it; "
            f"write pmod for lines[{place}], or start at another line"
        )
    if line.interrupt == OWN_INTERRUPT and stop.symbol is None:
        return (
            f'line {line.index} has an interrupt of its own, whose handler makes no "{stop}"; '
            f'write stop = "pc:handler_line_{line.index}"'
        )
    answers = (Marker.VECTOR, Marker.HANDLER, Marker.DONE, Marker.TASK)
    if line in experiment.raising or stop.symbol is not None or stop.marker not in answers:
        return ""
    return (
        f'line {line.index} raises no interrupt, so no "{stop}" answers it; '
        f'write interrupt = "{experiment.interrupt}" for lines[{place}], or start at another line'
    )


def _pairing(path: Path, channel: Channel, experiment: Experiment) -> Iterator[Problem]:
    """Why starts and stops cannot be paired by a queue."""
    if channel.pairing == "open":
        return
    path = (*path, "pairing")
    named = 'pairing = "queue"'
    if experiment.samples.which != "all":
        text = f'{named} pairs the records of all stimuli; write samples = "all"'
        yield Problem(path, text)
    if refires(experiment):
        text = f"{named} wants one answer for each stimulus, and a level held high has many"
        yield Problem(path, f'{text}; write mode = "acknowledged" for the line')
    if experiment.measure != "latency" or kind_of(experiment).grid:
        yield Problem(path, f"{named} is for latencies of single stimuli; leave it out")
    if experiment.markers != "paper":
        yield Problem(path, f'{named} has no stages; write markers = "paper"')


def _timeout(path: Path, timeout: int, subject: str, period: int, longer: str) -> Iterator[Problem]:
    if timeout >= period - TIMEOUT_MARGIN:
        yield Problem(
            (*path, "timeout"),
            f"{timeout} ticks do not fit {subject} is {period} ticks; "
            f"give less than {period - TIMEOUT_MARGIN} ticks, or {longer}",
        )


def _twice(experiment: Experiment) -> Iterator[Problem]:
    used: set[int] = set()
    for place, line in enumerate(experiment.lines):
        if line.index in used:
            yield Problem(
                ("lines", place, "index"),
                f"line {line.index} is described twice; give another index",
            )
        used.add(line.index)
    indices: set[int] = set()
    measures: dict[tuple[str, str], Channel] = {}
    for place, channel in enumerate(experiment.channels):
        path = ("channels", place)
        if channel.index in indices:
            yield Problem(
                (*path, "index"), f"channel {channel.index} is described twice; give another index"
            )
        indices.add(channel.index)
        key = (_full(channel.start, experiment), _full(channel.stop, experiment))
        other = measures.setdefault(key, channel)
        if other is channel:
            continue
        text = f"channels {other.index} and {channel.index} both measure {key[0]} to {key[1]}"
        if str(other.timeout) != str(channel.timeout):
            text += f" but with timeout {other.timeout} and {channel.timeout}"
            yield Problem((*path, "timeout"), text + "; keep one of them")
        else:
            yield Problem(path, text + "; keep one of them")


def _samples(experiment: Experiment) -> Iterator[Problem]:
    samples = experiment.samples
    if samples.which == "first" and samples.number > experiment.count:
        yield Problem(
            ("samples",), f'"{samples}" of count = {experiment.count}; keep fewer, or measure more'
        )
    if samples.which == "tail" and samples.number > LONGEST_TAIL:
        yield Problem(("samples",), f'"{samples}"; the longest tail kept is {LONGEST_TAIL}')
    if samples.which == "tail" and experiment.markers == "stages":
        text = 'a tail has no stages; write markers = "paper", or keep other samples'
        yield Problem(("samples",), text)
    recorded = samples.which in ("all", "first")
    if refires(experiment) and recorded and experiment.markers == "stages":
        text = (
            "a level held high fires again and again, too often to record its stages; "
            'write mode = "acknowledged" for the line, or samples = "none"'
        )
        yield Problem(("markers",), text)


def _second_stamp(experiment: Experiment, tick_hz: int) -> Iterator[Problem]:
    """Yields problems of an experiment that the STM cannot resolve or its memory cannot hold."""
    if not experiment.second_stamp:
        return
    path, named = ("markers",), f'"{experiment.markers}"'
    if experiment.measure != "latency" or refires(experiment):
        yield Problem(
            path, f'{named} stamps single stimuli: it goes with a latency; write markers = "paper"'
        )
    if experiment.by_software:
        text = f'{named} stamps a line\'s edge, and software has none; write markers = "paper"'
        yield Problem(path, text)
        return
    if experiment.samples.which != "all":
        text = (
            f'the STM\'s stamps are compared with every sample: write samples = "all" with {named}'
        )
        yield Problem(("samples",), text)
    for place, line in enumerate(experiment.lines):
        if place and line.stm:
            text = f"with markers = {named} only the measured line goes to the STM; drop the key"
            yield Problem(("lines", place, "stm"), text)
    line = experiment.lines[0]
    period = shortest_period(line, tick_hz)
    if period < (shortest := ns_to_ticks(SHORTEST_STM_PERIOD_NS, tick_hz)):
        text = (
            f"{period} ticks from rise to rise are too short for markers = {named}; "
            f"give at least {shortest} ticks ({SHORTEST_STM_PERIOD_NS // 1000} us)"
        )
        yield Problem(("lines", 0, "low"), text)


def refires(experiment: Experiment) -> bool:
    """Whether one stimulus is answered many times: a level that no answer takes back."""
    held = any(line.mode != "acknowledged" for line in experiment.raising)
    return experiment.trigger == "level" and held


def _full(event: Event, experiment: Experiment) -> str:
    if event.kind is StartKind.MARKER and event.core is None:
        event = event.model_copy(update={"core": experiment.core})
    return str(event)


def _limits(path: Path, ticks: int, minimum: int, tick_hz: int) -> Iterator[Problem]:
    if ticks < minimum:
        ns = minimum * 1_000_000_000 // tick_hz
        unit = "tick" if minimum == 1 else "ticks"
        text = f"{ticks} ticks are too short; give at least {minimum} {unit} ({ns} ns)"
        yield Problem(path, text)
    elif ticks > LONGEST:
        yield Problem(path, f"{ticks} ticks are too long; give at most {LONGEST} ticks")
