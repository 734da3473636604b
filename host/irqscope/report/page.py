"""Makes the report from a run folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from irqscope.files import replace
from irqscope.report import calibration_text, kinds, lost_text, plots, summary, tail_text, wording
from irqscope.report.figure import Drawing
from irqscope.report.tail import of_run
from irqscope.report.template import template
from irqscope.results import note, stages
from irqscope.results.lost import lost_between_lines
from irqscope.results.reader import Run, read_unchanged
from irqscope.results.record import RunRecord


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
    values, kind, calibration = run.run, kinds.of_run(run.run), run.run.any_calibration
    return template("page.html.j2").render(
        run=values,
        origin=values.origin,
        label=values.label,
        ending=run.ending,
        title=kind.title,
        span=kind.span(),
        warning=kind.warning(),
        sentence=kind.sentence(),
        pattern=_pattern(run, embedded),
        marks=[wording.moment(mark) for mark in note.read(run.path).marks],
        rows=summary.table(values),
        grid=wording.grid(values),
        lost=[lost_text.sentence(lost, values.tick_hz) for lost in lost_between_lines(run)],
        verdict=summary.verdict(values),
        calibration=calibration_text.rows(calibration, values.tick_hz) if calibration else [],
        phases=[(s.channel, s.phases) for s in values.stats],
        stages=_stage_rows(values),
        repeat=values.model_dump(mode="json", include=_REPEAT),
        tail=_tail(run),
        tables=kind.tables(),
        shares=_shares(values),
        plots=[(title, text, embedded(drawing)) for title, text, drawing in kind.plots(run)],
    )


def _pattern(run: Run, embedded: Callable[[Drawing], str]) -> str:
    """The stimulus as a drawing; empty without a line."""
    if not run.run.experiment.lines or not run.run.has_clock:
        return ""
    return embedded(plots.pattern(run.run.experiment, run.run.tick_hz, run.run.label))


def _tail(run: Run) -> dict[str, Any] | None:
    """The page on the tail, where the run has what it takes."""
    prediction = of_run(run)
    if isinstance(prediction, str):
        return None
    hz = run.run.tick_hz
    return {
        "title": tail_text.title(prediction),
        "header": tail_text.header(hz),
        "rows": [tail_text.cells(row, hz) for row in prediction.rows],
        "notes": list(tail_text.notes(prediction, hz)),
    }


def _shares(run: RunRecord) -> list[tuple[int, int, float]]:
    """(core, measured interrupts that it handled, its share) where several cores handle them."""
    handled = run.firmware.handled
    whole = sum(handled)
    cores = [core.core for core in run.readback.cores if core.handles] if run.readback else []
    if len(cores) < 2 or not whole:
        return []
    return [(core, handled[core], handled[core] / whole) for core in cores]


def _stage_rows(run: RunRecord) -> list[dict[str, Any]]:
    """Rows of the table of stages: when each was reached since the edge, the first one first."""
    reached = run.stats[0].stages if run.stats else ()
    return [
        {
            "name": stages.title(run, stage.stage),
            "n": stage.n,
            "min": wording.plain(stage.min_ticks, run.tick_hz),
            "p50": wording.plain(stage.p50_ticks, run.tick_hz),
            "max": wording.plain(stage.max_ticks, run.tick_hz),
        }
        for stage in sorted(reached, key=lambda stage: stage.p50_ticks)
    ]
