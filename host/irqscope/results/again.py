"""The experiment that a run folder was measured by, to be measured again."""

from __future__ import annotations

from typing import Any

import pydantic

from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment
from irqscope.experiment.checks import problems
from irqscope.experiment.tomlfile import problems_of, said
from irqscope.results.record import RunRecord
from irqscope.units import NOMINAL_TICK_HZ


def experiment_of(run: RunRecord, **changes: Any) -> Experiment:
    """That of a run.json, with keys changed. Raises ExperimentError if it cannot be run now."""
    try:
        found = Experiment.model_validate(run.experiment.model_dump(mode="json") | changes)
    except pydantic.ValidationError as error:
        first = said(next(problems_of(error, Experiment)))
        raise ExperimentError(
            f"its experiment cannot be run by this irqscope: {first}; use the irqscope that "
            f"measured it, {run.program.version}"
        ) from error
    for problem in problems(found, NOMINAL_TICK_HZ):
        raise ExperimentError(said(problem))
    return found
