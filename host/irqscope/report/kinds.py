"""Finds the report of a run, by its kind of measurement."""

from __future__ import annotations

from irqscope.experiment.kinds import answering, kind_of
from irqscope.report.telling import Report
from irqscope.results.record import RunRecord


def of_run(run: RunRecord) -> Report:
    """Returns the report of this run."""
    kind, answers = kind_of(run.experiment), answering(run.experiment)
    answer: Report = answers.of("report")(run)
    return kind.of("report")(run, answer) if kind.grid else answer
