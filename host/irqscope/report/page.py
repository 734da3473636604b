"""Makes the report from a run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from irqscope.analysis.stats import OPEN
from irqscope.files import replace
from irqscope.report import calibration_text, placed, plots, summary, tail_text, wording
from irqscope.report.figure import Array, Drawing
from irqscope.report.tail import of_run
from irqscope.report.template import template
from irqscope.results import curves, note, phase
from irqscope.results.reader import Run, read_unchanged
from irqscope.results.record import RunRecord
from irqscope.results.tables import STAGES


def write_report(folder: Path) -> Path:
    """Writes ``report.html`` into a run folder and returns its path. Raises StorageError."""
    html = render(read_unchanged(folder))
    path = folder / "report.html"
    replace(path, lambda file: file.write(html.encode()))
    return path


#: Keys of run.json that a run is repeated by.
_REPEAT = {"experiment", "identity", "readback", "link", "program", "host"}


def render(run: Run, embedded: Callable[[Drawing], str] = str) -> str:
    """The page. ``embedded``: HTML of a plot; unless it is given, the plot's own SVG."""
    values, calibration = run.run, list[calibration_text.Line]()
    if values.calibration is not None:
        calibration = calibration_text.path_rows(values.calibration, values.tick_hz)
    elif values.pins is not None:
        calibration = calibration_text.pin_rows(values.pins, values.tick_hz)
    return template("page.html.j2").render(
        run=values,
        simulated=bool(values.source and values.source.profile),
        label=values.label,
        ending=run.ending,
        title=summary.title(values),
        sentence=summary.sentence(values),
        pattern=_pattern(run, embedded),
        marks=[wording.moment(mark) for mark in note.read(run.path).marks],
        rows=summary.table(values),
        grid=wording.grid(values),
        verdict=summary.verdict(values),
        calibration=calibration,
        phases=[(s.channel, s.phases) for s in values.stats],
        stages=_stage_rows(values),
        throughput=[
            (summary.handler_of(values, entry), entry, wording.repeats(values, entry))
            for entry in values.throughput
        ],
        repeats=wording.REPEATS,
        repeat=values.model_dump(mode="json", include=_REPEAT),
        tail=_tail(run),
        placements=placed.table(values),
        shares=_shares(values),
        plots=[(title, text, embedded(drawing)) for title, text, drawing in plots_of(run)],
    )


def plots_of(run: Run) -> list[tuple[str, str, Drawing]]:
    """(title, what it shows, plot) of each plot that the data allow. Raises StorageError."""
    label = run.run.label
    if run.run.loss is not None:
        text = (
            "Pairs of pulses: how long each is, and how far apart. The number is the share of "
            "pulses that were served, in percent; white: the pulses would merge."
        )
        return [("Loss map", text, plots.loss(run.run.loss, run.run.tick_hz, label))]
    if not run.run.stats:
        return []
    bars, unit = _bars(run), wording.unit(run.run.tick_hz)
    found: list[tuple[str, str, Drawing]] = []
    if bars:
        text = "Every stimulus, counted by the gateware, on a logarithmic axis."
        found.append(("Histogram", text, plots.histogram(bars, unit, label)))
    if run.run.placements is not None and placed.least_ticks(run.run.placements) is not None:
        found.insert(0, _placements(run, label))
    trace = _trace(run)
    if trace:
        text = f"It shows {_kept(run)}, in the order in which they came."
        drawn = plots.trace(trace, unit, label, note.read(run.path).marks)
        found.append(("Time trace", text, drawn))
    if bars and not wording.grid(run.run):
        text = (
            "Share of stimuli that took at least as long, on logarithmic axes. Below the dotted "
            "line, one stimulus of N, nothing is known."
        )
        found.append(("Tail (CCDF)", text, plots.ccdf(_ccdf(run), unit, label)))
    boxes = _boxes(run)
    if len(boxes) > 1:
        text = "Where the time went: each marker's stamp, seen from the edge."
        found.append(("Stages", text, plots.stages(boxes, unit, label)))
    found.extend(_phases(run, label))
    if run.run.throughput:
        text = (
            "Markers of the handler between two rises of the line, by the length of a high phase."
        )
        found.append(("Throughput", text, plots.rates(_rates(run.run), label)))
    return found


def _pattern(run: Run, embedded: Callable[[Drawing], str]) -> str:
    """What was done to the target, drawn; empty where no line was."""
    if not run.run.experiment.lines or run.run.identity is None:
        return ""
    return embedded(plots.pattern(run.run.experiment, run.run.tick_hz, run.run.label))


def _tail(run: Run) -> dict[str, Any] | None:
    """The page on the tail, where the run has what it takes."""
    found = of_run(run)
    if isinstance(found, str):
        return None
    hz = run.run.tick_hz
    return {
        "title": tail_text.title(found),
        "header": tail_text.header(hz),
        "rows": [tail_text.cells(row, hz) for row in found.rows],
        "notes": list(tail_text.notes(found, hz)),
    }


def _placements(run: Run, label: str) -> tuple[str, str, Drawing]:
    """The plot against placement, by where the interrupt was taken."""
    found, hz, points = run.run.placements, run.run.tick_hz, placed.points(run)
    assert found is not None  # who asks has looked
    delay, latency = _drawn(run, points.delay), _drawn(run, points.latency)
    groups = points.by_place(found.symbol).items()
    shown = {name: (delay[there], latency[there]) for name, there in groups if there.any()}
    text = f"{placed.sentence(run.run)}."
    said = placed.held(run.run)
    return "Placement", text, plots.placements(shown, wording.unit(hz), said, label)


def _drawn(run: Run, ticks: Any) -> Any:
    """Ticks in the unit that the report draws, :func:`wording.unit`."""
    return np.asarray(ticks, np.float64) * wording.per_tick(run.run.tick_hz)


def _bars(run: Run) -> dict[int, tuple[Array, Array, int]]:
    found = {}
    for counters in run.run.counters:
        known = run.known(counters.channel)
        if known.n:
            edges, counts = curves.steps(known)
            longer = int(known.counts[known.upper == OPEN].sum())
            found[counters.channel] = (_drawn(run, edges), counts, longer)
    return found


def _kept(run: Run) -> str:
    """Which stimuli a plot of samples shows."""
    samples, channels = run.run.experiment.samples, pc.unique(run.samples()["channel"])
    alone = len(channels) == 1 < len(run.run.counters)
    of_channel = f" of channel {channels[0]} alone" if alone else ""
    if samples.which == "first":
        return f"each of the first {samples.number} stimuli{of_channel}"
    if samples.which == "tail":
        return f"only the {samples.number} longest{of_channel}"
    return f"each stimulus{of_channel}"


def _trace(run: Run) -> dict[int, tuple[Array, Array]]:
    samples = run.samples()
    answered = pc.is_valid(samples["latency_ticks"]).to_numpy()
    if not answered.any():
        return {}
    edges = samples["edge_ticks"].to_numpy()
    time = run.timeline().elapsed(samples["batch"].to_numpy(), edges)
    served = samples.filter(answered)
    time = time[answered] / run.run.tick_hz
    latency = _drawn(run, served["latency_ticks"].to_numpy())
    channels = served["channel"].to_numpy()
    return {
        int(index): (time[channels == index], latency[channels == index])
        for index in np.unique(channels)
    }


def _ccdf(run: Run) -> dict[int, tuple[Array, Array, int]]:
    """The curve of each channel; timed-out stimuli are longer than all that is drawn."""
    found = {}
    for counters in run.run.counters:
        known = run.distribution(counters.channel)
        ticks, at_least = curves.tail(known)
        if len(ticks):
            found[counters.channel] = (_drawn(run, ticks), at_least, known.n)
    return found


def _phases(run: Run, label: str) -> Iterator[tuple[str, str, Drawing]]:
    """Plots against the phase in the sampling grid of markers and in the software's timer tick."""
    hz = run.run.tick_hz
    if (grid := phase.of_sampling_grid(run)) is not None:
        text = (
            f"Latency over the tick of the edge modulo {grid.parts}: after that many, ticks of the "
            "gateware and the sampling grid of markers meet again. "
            f"It shows {_kept(run)}. "
            f"{grid.coverage}"
        )
        yield "Phase of the sampling grid", text, plots.phases(grid, hz, label)
    if (timer_tick := phase.of_timer_tick(run)) is not None:
        us = timer_tick.period_ticks * 1e6 / hz
        text = (
            f"Latency over the time since the software's last timer tick, period {us:g} µs. "
            f"It shows {_kept(run)}. {timer_tick.coverage}"
        )
        yield "Phase of the timer tick", text, plots.phases(timer_tick, hz, label)


def _rates(run: RunRecord) -> dict[int | None, Array]:
    """Handled interrupts per second in each phase, by core."""
    hz = run.tick_hz
    return {
        entry.core: np.array(entry.stops, np.float64) * hz / entry.high_ticks
        for entry in run.throughput
    }


def _shares(run: RunRecord) -> list[tuple[int, int, float]]:
    """(core, measured interrupts that it handled, its share) where several cores handle them."""
    handled = run.firmware.handled
    whole = sum(handled)
    cores = [core.core for core in run.readback.cores if core.handles] if run.readback else []
    if len(cores) < 2 or not whole:
        return []
    return [(core, handled[core], handled[core] / whole) for core in cores]


def _boxes(run: Run) -> dict[str, Array]:
    """When each stage of the first channel was reached, in the unit that the report draws; shape
    (n,), ascending."""
    samples = run.samples()
    index = run.run.experiment.channels[0].index
    first = samples.filter(pc.equal(samples["channel"], index))
    found = {stage: first[f"{stage}_ticks"].drop_null().to_numpy() for stage in STAGES}
    return {stage: _drawn(run, np.sort(ticks)) for stage, ticks in found.items() if len(ticks)}


def _stage_rows(run: RunRecord) -> list[dict[str, Any]]:
    """Rows of the table of stages: when each was reached since the edge."""
    found = run.stats[0].stages if run.stats else ()
    return [
        {
            "name": stage.stage,
            "n": stage.n,
            "min": wording.plain(stage.min_ticks, run.tick_hz),
            "p50": wording.plain(stage.p50_ticks, run.tick_hz),
            "max": wording.plain(stage.max_ticks, run.tick_hz),
        }
        for stage in found
    ]
