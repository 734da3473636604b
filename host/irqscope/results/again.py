"""The experiment that a run folder was measured by, to be measured again."""

from __future__ import annotations

from typing import Any

import pydantic

from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment
from irqscope.experiment.checks import problems_anywhere
from irqscope.experiment.load import with_count
from irqscope.experiment.problem import Problem
from irqscope.experiment.tomlfile import problems_of, said
from irqscope.results.record import RunRecord


def experiment_of(run: RunRecord, **changes: Any) -> Experiment:
    """The experiment of a run.json, with keys changed.

    Raises ExperimentError if it cannot be run now.
    """
    try:
        values = with_count(run.experiment.model_dump(mode="json") | changes, changes)
    except pydantic.ValidationError as error:
        raise _error(next(problems_of(error, Experiment)), run, changes) from error
    for problem in problems_anywhere(values):
        raise _error(problem, run, changes)
    return values


def _error(problem: Problem, run: RunRecord, changes: dict[str, Any]) -> ExperimentError:
    """A change is at fault before what was measured is."""
    if problem.path and problem.path[0] in changes:
        return ExperimentError(f"--{problem.path[0]}: {said(problem)}")
    return ExperimentError(
        f"run.json: its experiment cannot be run by this irqscope: {said(problem)}; use the "
        f"irqscope that measured it, {run.program.version}"
    )
