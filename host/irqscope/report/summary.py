"""A run in one table, for the terminal and for the report alike. Reads run.json, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irqscope.experiment.checks import own_priority
from irqscope.experiment.tables import OWN_INTERRUPT
from irqscope.machines import under_linux
from irqscope.machines.interrupts import kind_name_of, name_of
from irqscope.machines.model import Machine
from irqscope.report import calibration_text, kinds, wording
from irqscope.report.stm_text import by_stm, stm_counters
from irqscope.report.telling import Row
from irqscope.results.counters import ChannelCounters
from irqscope.results.readback import BackgroundState
from irqscope.results.record import RunRecord


def verdict(run: RunRecord) -> str:
    """Valid or not, in words."""
    if run.valid:
        lacking = [
            f"channel {stats.channel}: {', '.join(filter(None, of_it))}"
            for stats in run.stats
            if any(of_it := (wording.unanswered(stats), wording.late(stats)))
        ]
        if any(wording.late(stats) for stats in run.stats):
            lacking.append(
                'write pairing = "queue" for the channel if each stimulus is answered once, in '
                "order, or a longer timeout"
            )
        text = "; ".join(lacking)
        valid = f"valid replay of {run.replay}" if run.replay else "valid"
        return f"{valid}, but CENSORED: {text}" if text else valid
    if run.interrupted:
        return "interrupted: " + run.reasons[0]
    return "INVALID: " + ("; ".join(run.reasons) or "the run was not closed")


def headline(run: RunRecord) -> str:
    """Return a run in one line: name, source, quantiles, maximum, N and verdict."""
    return f"{run.experiment.name} on {run.label}: {_result(run)}, {verdict(run)}"


def _result(run: RunRecord) -> str:
    """Return quantiles, maximum and N; of several channels the ranges of theirs."""
    kind = kinds.of_run(run)
    if text := kind.headline():
        return text
    if not run.stats:
        return "no latency"
    hz, number = run.tick_hz, sum(stats.n for stats in run.stats)
    parts = [f"{len(run.stats)} channels"] if len(run.stats) > 1 else []
    sampled = () if wording.grid(run) else ((0.5, "p50"), (0.99, "p99"))
    for p, name in sampled:
        values = [wording.exact(run, stats, p) for stats in run.stats]
        present = [value for value in values if value is not None]
        if len(present) == len(values):
            low, high = min(present), max(present)
            text = "" if low == high else f"{wording.plain(low, hz)} to "
            parts.append(f"{name} {text}{wording.plain(high, hz)}")
    parts.append(f"max {wording.longest(run.stats, hz)}")
    return f"{', '.join(parts)} (N = {number})"


def table(run: RunRecord) -> list[Row]:
    """All rows, top to bottom."""
    kind, of_others = kinds.of_run(run), run.experiment.of_others
    rows = [Row("source", (run.label,)), Row("case", (kind.case(),))]
    if (stack := run.stack) and not of_others:  # folders of older versions do not tell
        text = f"{stack.name} {stack.version}; {stack.configuration}"
        rows.append(Row("stack", (text,)))
    if any(line.interrupt == OWN_INTERRUPT for line in run.experiment.lines) and run.identity:
        rows.append(Row("lines", (lines(run),)))
    if run.readback and not of_others:
        rows.append(Row("readback", (readback(run),)))
    rows += kind.rows()
    if stm := run.stm:
        rows.append(Row("by STM", (by_stm(stm),)))
        rows.append(Row("STM counters", (stm_counters(stm.counters),)))
    if calibration := run.any_calibration:
        rows.append(Row("calibration", (calibration_text.sentence(calibration, run.tick_hz),)))
    if run.counters:
        rows.append(Row("counters", tuple(_counters(counters) for counters in run.counters)))
        if run.capture is None:
            rows.append(Row("records", (records(run),)))
    if run.gateware_errors is not None:
        rows.append(Row("gateware", (gateware(run.gateware_errors),)))
    if run.counters and not of_others:
        rows.append(Row("cores", (cores(run),)))
    if run.notes:
        rows.append(Row("notes", ("; ".join(run.notes),)))
    rows.append(Row("verdict", (verdict(run),)))
    return rows


def lines(run: RunRecord) -> str:
    """Describes the interrupt of each line that has its own."""
    ids = run.identified.machine.interrupts.shared.ids
    return "; ".join(
        f"line {line.index} raises {name_of(run.identified.machine, ids[line.index])} "
        f"at priority {own_priority(run.experiment, line)}"
        for line in run.experiment.lines
        if line.interrupt == OWN_INTERRUPT
    )


def readback(run: RunRecord) -> str:
    """Placement, pages, cores and background interrupts, as read back from the hardware."""
    values, background = run.readback, run.experiment.background
    assert values is not None  # called only if one exists
    machine = run.identified.machine
    place = values.placement.name.lower()
    text = f"handler in {next(p.title for p in machine.placements if p.name == place)}"
    if len(machine.has.pages) > 1:  # one size: nothing is translated
        # A run whose pages are other ones has ended.
        text += f", {run.experiment.pages or machine.usual_pages} pages"
    if run.experiment.memory != "cacheable":
        text += f", memory {run.experiment.memory}"
    if values.cores:
        text += f", cores running {_listed([core.core for core in values.cores])}"
    if background and background.program is not None:
        configuration = run.stack.configuration if run.stack is not None else ""
        command = under_linux.programs(configuration)[background.program]
        text += f"; program {background.program} in the background: {command}"
    elif background:
        kinds = _kinds(values.background, machine)
        text += f"; {len(values.background)} background interrupts, {kinds}"
        if background.period:
            text += f", raised by core {values.raising_core} every {background.period}"
        else:
            text += ", enabled and never raised"
    return text


def cores(run: RunRecord) -> str:
    """Describes each core: handled interrupts and shares, accesses, background interrupts."""
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
    texts = (f"{name} after {number}" for name, number in errors.items())
    return f"errors, by batches: {', '.join(texts)}" if errors else "no error after any batch"


def records(run: RunRecord) -> str:
    """Counters of the records, in words."""
    r = run.records
    return f"{r.stamped} stamped = {r.delivered} delivered + {r.lost} lost"


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
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


def _counters(b: ChannelCounters) -> str:
    return (
        f"{b.starts} starts = {b.served} served + {b.coalesced} coalesced + "
        f"{b.timed_out} timed out + {b.pending} pending"
        f"{f' + {b.unanswerable} at the end of a batch' if b.unanswerable else ''}; "
        f"{b.stops} stops = {b.served} served + {b.unmatched} unmatched; "
        f"{b.implausible} implausible"
    )
