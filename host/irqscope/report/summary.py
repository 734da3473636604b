"""A run in one table, for the terminal and for the report alike. Reads run.json, nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from irqscope.constants import Marker, StartKind
from irqscope.experiment.model import Experiment
from irqscope.experiment.stack import on_core
from irqscope.machines.cases import CASES
from irqscope.machines.interrupts import interrupt_of, kind_name_of
from irqscope.machines.model import Machine
from irqscope.report import calibration_text, placed, wording
from irqscope.report.stm_text import by_stm, stm_counters
from irqscope.results.counters import ChannelCounters
from irqscope.results.masked import MaskedInterval
from irqscope.results.readback import BackgroundState
from irqscope.results.record import RunRecord
from irqscope.results.statistics import QuantileStats, Stats, Throughput

_HALF = 0.5

#: Quantiles that the table shows; run.json has more.
SHOWN = (0.5, 0.99, 0.999)


@dataclass(frozen=True)
class Row:
    """``cells``: one text for each channel, or a single one for the whole run."""

    name: str
    cells: tuple[str, ...]


def verdict(run: RunRecord) -> str:
    """Valid or not, in words."""
    if run.valid:
        lacking = (
            f"channel {stats.channel}: {wording.unanswered(stats)}"
            for stats in run.stats
            if wording.unanswered(stats)
        )
        text = "; ".join(lacking)
        return f"valid, but CENSORED: {text}" if text else "valid"
    if run.interrupted:
        return "interrupted: " + run.reasons[0]
    return "INVALID: " + ("; ".join(run.reasons) or "the run was not closed")


def title(run: RunRecord) -> str:
    """What was measured, for a reader who has never seen a run."""
    e = run.experiment
    if run.loss is not None:
        return "Which pulses are served"
    if e.external:
        return "Latency of a device"
    return f"Interrupt {e.measure}"


def sentence(run: RunRecord) -> str:
    """The result in one sentence; first of all whether there is one."""
    if run.loss is not None:
        return f"{wording.loss(run.loss, run.tick_hz).capitalize()}."
    if not run.valid and not run.interrupted:
        return f"This run is not valid: {'; '.join(run.reasons) or 'it was not closed'}."
    early = "" if run.valid else f" The run was ended early: {run.reasons[0]}."
    if run.throughput:
        each = (f"{handler_of(run, one)}: {one.median_hz:.0f}" for one in run.throughput)
        return f"Interrupts handled in a second, median: {'; '.join(each)}.{early}"
    if not run.stats:
        return f"Nothing was measured.{early}"
    found, hz = run.stats[0], run.tick_hz
    what = "stimuli" if run.experiment.external else "interrupts"
    text = f"Of {found.n} {what}"
    if len(run.stats) > 1:
        text += f" on channel {found.channel}"
    if late := wording.unanswered(found):
        return f"{text}, {late}: latencies are bounded from below alone.{early}"
    carried = [] if wording.grid(run) else [q for q in found.quantiles if not q.note]
    parts = [f"{p} {_took(q, hz)}" for p, q in _named(carried)]
    parts.append(f"the longest took {wording.plain(found.max_ticks or 0, hz)}")
    return f"{text}, {', '.join(parts)}.{early}"


def _named(carried: list[QuantileStats]) -> list[tuple[str, QuantileStats]]:
    """The median and the highest quantile that N carries, in words."""
    ends = carried[:1] + carried[-1:] if len(carried) > 1 else carried
    return [("half" if q.p == _HALF else f"{100 * q.p:.6g} %", q) for q in ends]


def _took(quantile: QuantileStats, hz: int) -> str:
    low, high = quantile.sample_ticks
    return f"took at most {wording.plain(low if high is None else high, hz)}"


def table(run: RunRecord) -> list[Row]:
    """All rows, top to bottom."""
    rows = [Row("source", (run.label,)), Row("case", (case(run),))]
    of_others = run.experiment.of_others
    if (stack := run.stack) and not of_others:  # folders of older versions do not tell
        text = f"{stack.name} {stack.version}; {stack.configuration}"
        rows.append(Row("stack", (text,)))
    if run.readback and not of_others:
        rows.append(Row("readback", (readback(run),)))
    if run.throughput:
        rows.append(Row("throughput", tuple(_throughput(run, entry) for entry in run.throughput)))
    if run.stats:
        hz = run.tick_hz
        rows.append(Row("N", _each(run, wording.counted)))
        rows.append(Row("min", _each(run, lambda s: wording.least(s, hz))))
        if wording.grid(run):
            rows.append(Row("max", _each(run, lambda s: wording.most(s, hz))))
        else:
            rows += _of_a_sample(run)
        if model := wording.model(run):
            rows.append(Row("model", (model,)))
        if not of_others:  # whose markers have no sampling grid
            rows.append(Row("phases", _each(run, lambda s: _phases(run, s))))
        if run.identified.is_rtl:
            rows.append(Row("bound", _each(run, lambda s: _bound(run, s))))
    if grid := wording.grid(run):
        rows.append(Row("distribution", (f"none: {grid}",)))
    if run.placements is not None:
        rows.append(Row("placements", (placed.sentence(run),)))
        rows.append(Row("not interrupted", ("; ".join(placed.never(run)) or "nothing",)))
    if stm := run.stm:
        rows.append(Row("by STM", (by_stm(stm),)))
        rows.append(Row("STM counters", (stm_counters(stm.counters),)))
    if run.masked is not None:
        rows.append(Row("masked", (masked(run.masked, run.tick_hz),)))
    if run.loss is not None:
        rows.append(Row("loss map", (wording.loss(run.loss, run.tick_hz),)))
    if c := run.calibration:
        rows.append(Row("calibration", (calibration_text.of_path(c, run.tick_hz),)))
    if run.pins:
        rows.append(Row("calibration", (calibration_text.of_pins(run.pins, run.tick_hz),)))
    if run.loopback:
        text = "; ".join(
            f"{name} {span}"
            for name, span in calibration_text.loopback_rows(run.loopback, run.tick_hz)
        )
        rows.append(Row("calibration", (text,)))
    if run.counters:
        rows.append(Row("counters", tuple(_counters(counters) for counters in run.counters)))
        rows.append(Row("records", (records(run),)))
    if run.gateware_errors is not None:
        rows.append(Row("gateware", (gateware(run.gateware_errors),)))
    if run.counters and not of_others:
        rows.append(Row("cores", (cores(run),)))
    if run.notes:
        rows.append(Row("notes", ("; ".join(run.notes),)))
    rows.append(Row("verdict", (verdict(run),)))
    return rows


def _of_a_sample(run: RunRecord) -> list[Row]:
    """What latencies tell that are drawn from a distribution."""
    hz = run.tick_hz
    rows = [
        Row(f"p{100 * p:.6g}", tuple(wording.quantile(run, stats, p) for stats in run.stats))
        for p in SHOWN
    ]
    rows.append(Row("max", _each(run, lambda s: wording.greatest(s, hz))))
    if not run.throughput:
        rows.append(Row("mean", _each(run, lambda s: wording.mean(s, hz))))
        rows.append(Row("rate", _each(run, wording.rate)))
    rows.append(Row("independence", _each(run, wording.independence)))
    return rows


def case(run: RunRecord) -> str:
    """What was measured, in one line."""
    e = run.experiment
    if e.external:
        return device(e)
    if e.of_program:
        return "a program that is not ours, interrupted by the lines"
    parts = [
        e.case.upper(),
        _cores_of(e),
        f"caches {e.caches}",
        f"{interrupt(run)} by {e.trigger}",
        f"idle {e.idle}",
        f"{e.markers} markers",
    ]
    if e.measure == "throughput":
        parts.insert(1, "throughput")
    if e.clock_divisor > 1:
        parts.append(f"CPU clock / {e.clock_divisor} in sleep")
    if "state" in CASES[e.case].keys:
        parts.append(f"emptied: {', '.join(e.state).upper() or 'nothing'}")
    if load := e.load:
        parts.append(f"load over {load.array}")
        if load.budget:
            parts.append(
                f"at most {load.data_accesses} data and {load.instruction_accesses} "
                f"instruction accesses in {load.budget} instructions"
            )
        if load.aim == "path":
            parts.append("aimed at the cache sets of the way to the handler")
    if e.lockdown:
        parts.append(f"way to the handler locked in {e.lockdown.replace('+', ' and ').upper()}")
    if e.warm:
        parts.append("way to the handler warmed")
    if timer_tick := e.timer_tick:
        parts.append(f"timer tick of {timer_tick.period}")
    return ", ".join(parts)


def _cores_of(experiment: Experiment) -> str:
    """The cores that answer, and by which stack's handler."""
    stack, last = experiment.stack, experiment.cores - 1
    others = on_core(stack, last)
    if others == stack:
        return f"{stack}, " + (f"cores 0 to {last}" if last else f"core {experiment.core}")
    return f"{stack} on core 0, {others} on core{'s 1 to' if last > 1 else ''} {last}"


def device(experiment: Experiment) -> str:
    """What is measured by its pins, and which of its edges are markers."""
    edges = ", ".join(f"{pin.name} by {pin.edge} of pin {pin.pin}" for pin in experiment.pins)
    outputs = ", ".join(str(pin) for pin in experiment.lines[0].pmod)
    return f"external device, interrupted by {experiment.trigger} of output {outputs}; {edges}"


def readback(run: RunRecord) -> str:
    """Placement, pages, cores and background interrupts, as read back from the hardware."""
    found, background = run.readback, run.experiment.background
    assert found is not None  # asked for where there is one
    machine = run.identified.machine
    place = found.placement.name.lower()
    text = f"handler in {next(p.title for p in machine.placements if p.name == place)}"
    if len(machine.has.pages) > 1:  # one size: nothing is translated
        # A run whose pages are other ones has ended.
        text += f", {run.experiment.pages or machine.usual_pages} pages"
    if run.experiment.memory != "cacheable":
        text += f", memory {run.experiment.memory}"
    if found.cores:
        text += f", cores running {_listed([core.core for core in found.cores])}"
    if background:
        kinds = _kinds(found.background, machine)
        text += f"; {len(found.background)} background interrupts, {kinds}"
        if background.period:
            text += f", raised by core {found.raising_core} every {background.period}"
        else:
            text += ", enabled and never raised"
    return text


def cores(run: RunRecord) -> str:
    """What each core did: interrupts handled and their shares, accesses, background interrupts."""
    did = run.firmware
    handled = {core: count for core, count in enumerate(did.handled) if count}
    parts = []
    for core, count in handled.items():
        share = f" ({100 * count / sum(handled.values()):.3g} %)" if len(handled) > 1 else ""
        parts.append(f"core {core} handled {count}{share}")
    loads = [f"core {core} made {count}" for core, count in enumerate(did.loads) if count]
    texts = [", ".join(parts) or "no interrupt handled"]
    if did.raised:
        texts.append(f"{did.raised} background interrupts raised, {did.others} taken")
    if loads:
        texts.append(f"accesses: {', '.join(loads)}")
    if did.timer_ticks:
        texts.append(f"{did.timer_ticks} timer ticks")
    if did.nested:
        texts.append(f"{did.nested} interrupts met a handler and interrupted it")
    return "; ".join(texts)


def gateware(errors: Mapping[str, int]) -> str:
    """Its sticky errors, and after how many batches each was set."""
    told = (f"{name} after {number}" for name, number in errors.items())
    return f"errors, by batches: {', '.join(told)}" if errors else "no error after any batch"


def records(run: RunRecord) -> str:
    """Counters of the records, in words."""
    r = run.records
    return f"{r.stamped} stamped = {r.delivered} delivered + {r.lost} lost"


def _throughput(run: RunRecord, entry: Throughput) -> str:
    """Throughput of one channel, in handled interrupts a second of high phase."""
    who = "any core" if entry.core is None else f"core {handler_of(run, entry)}"
    phases = f"in {len(entry.stops)} phases"
    if wording.repeats(run, entry):
        return f"{who}: {entry.median_hz:.0f} Hz {phases}, as {wording.REPEATS}"
    return f"{who}: {entry.median_hz:.0f} Hz, {entry.min_hz:.0f} to {entry.max_hz:.0f} Hz {phases}"


def handler_of(run: RunRecord, entry: Throughput) -> str:
    """The core that stored, with the stack of its handler where that is not the measured one."""
    stack = on_core(run.experiment.stack, entry.core)
    return f"{entry.core}" + ("" if stack == run.experiment.stack else f" ({stack})")


def interrupt(run: RunRecord) -> str:
    """The measured interrupt, as the machine calls it."""
    asked = run.experiment.interrupt
    if asked != "none" and run.identity is not None:
        with contextlib.suppress(ValueError):  # it has none of that name, and the run ended by that
            asked = interrupt_of(run.identity.machine, asked).name
    return asked.upper()


def _kinds(background: Sequence[BackgroundState], machine: Machine) -> str:
    """IDs by kind, each under the machine's own word."""
    rows: dict[str, list[int]] = {}
    for entry in background:
        rows.setdefault(kind_name_of(machine, entry.id), []).append(entry.id)
    return ", ".join(
        f"{word}s {ids[0]} to {ids[-1]}" if len(ids) > 1 else f"{word} {ids[0]}"
        for word, ids in rows.items()
    )


def _listed(numbers: list[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} and {last}" if most else last


def _each(run: RunRecord, cell: Callable[[Stats], str]) -> tuple[str, ...]:
    return tuple(cell(stats) for stats in run.stats)


def _phases(run: RunRecord, stats: Stats) -> str:
    """Which stimulus phases against the sampling grid of markers the samples covered."""
    channels = {channel.index: channel for channel in run.experiment.channels}
    start = channels[stats.channel].start
    if start.kind is not StartKind.LINE:
        return f"on the sampling grid itself: started by marker {start}"
    counts = stats.phases
    if not any(counts):
        return "no samples to tell by"
    missed = [str(phase) for phase, count in enumerate(counts) if not count]
    if missed:
        ns = run.identified.machine.sampling_grid.ns
        text = f"another may differ by {ns} ns"
        return f"phase {', '.join(missed)} of 0 to {len(counts) - 1} ticks never met: {text}"
    return f"all of 0 to {len(counts) - 1} ticks, {min(counts)} to {max(counts)} samples each"


def _bound(run: RunRecord, stats: Stats) -> str:
    """The most cycles from the input to an instruction of the handler, with what was tried.

    That is what suites for certification ask for. It holds for what was tried and for nothing else.
    """
    channels = {channel.index: channel for channel in run.experiment.channels}
    start, stop = channels[stats.channel].start, channels[stats.channel].stop
    if start.kind is not StartKind.LINE or not (stop.symbol or stop.marker is Marker.HANDLER):
        return "not from an input to a handler"
    if lacking := wording.unanswered(stats):
        return f"none: {lacking}"
    most = wording.plain(stats.max_ticks or 0, run.tick_hz)
    return f"at most {most}: tried were {stats.n} interrupts {_tried(run, start.line)}"


def _tried(run: RunRecord, index: int) -> str:
    """When the line met the core, and what it did then."""
    if run.placements is not None:
        return f"at {placed.tried(run.placements)} placements of {run.placements.symbol}"
    line = next(line for line in run.experiment.lines if line.index == index)
    times = f"{2**line.dither} delays by chance" if line.dither else "one delay"
    if run.experiment.of_program:
        return f"of the program in whatever it did, with {times}"
    waits = {"wfi": "asleep in wfi", "spin": "in a loop of nops"}[run.experiment.idle]
    return f"of a core {waits}, with {times}"


def masked(found: tuple[MaskedInterval, ...], hz: int) -> str:
    """The longest interval in which the interrupt could not be taken; how many kinds there are."""
    if not found:
        return "never for a whole interval"
    one, more = found[0], len(found) - 1
    longest = f"at most {wording.plain(one.greatest_ticks, hz)}, {one.opened} to {one.closed}"
    rest = f"; {more} more, by `irqscope masked`" if more else ""
    return f"{longest}, {one.count} times{rest}"


def _counters(b: ChannelCounters) -> str:
    return (
        f"{b.starts} starts = {b.served} served + {b.coalesced} coalesced + "
        f"{b.timed_out} timed out + {b.pending} pending; "
        f"{b.stops} stops = {b.served} served + {b.unmatched} unmatched; "
        f"{b.implausible} implausible"
    )
