"""The kinds of measurement, and what an experiment of each must say.

A kind has a module of its name in acquire.kinds, which carries it out, and in report.kinds, which
tells of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from irqscope.experiment.code_under_test import problems_of_code_under_test
from irqscope.experiment.external import problems_of_external
from irqscope.experiment.loss import problems_of_loss
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.program import problems_of_program
from irqscope.machines.cases import CASES
from irqscope.machines.model import Machine


def _none(experiment: Experiment, machine: Machine, tick_hz: int) -> Iterator[Problem]:
    return iter(())


@dataclass(frozen=True)
class Kind:
    """A kind of measurement.

    ``fits``: whether an experiment is one; ``problems``: what is wrong with its keys, also in an
    experiment of another kind. ``grid``: why its latencies are no sample of a distribution; empty
    where they may be one: others have no quantiles, no mean and no share that is longer, and there
    is nothing whose independence could be tested.
    """

    name: str
    fits: Callable[[Experiment], bool]
    problems: Callable[[Experiment, Machine, int], Iterator[Problem]] = _none
    grid: str = ""


#: The first that fits is the experiment's.
KINDS = (
    Kind(
        "loss",
        lambda experiment: experiment.loss is not None,
        problems_of_loss,
        grid="the stimuli are a grid of widths and spacings and no sample of a distribution",
    ),
    Kind("external", lambda experiment: experiment.external, problems_of_external),
    Kind(
        "placement",
        lambda experiment: (
            CASES[experiment.case].code_under_test
            or (experiment.of_program and experiment.code_under_test is not None)
        ),
        problems_of_code_under_test,
        grid="the stimuli are a grid of placements and no sample of a distribution",
    ),
    Kind("program", lambda experiment: experiment.of_program, problems_of_program),
    Kind("throughput", lambda experiment: experiment.measure == "throughput"),
    Kind("latency", lambda experiment: True),
)


def kind_of(experiment: Experiment) -> Kind:
    """The kind of its measurement."""
    return next(kind for kind in KINDS if kind.fits(experiment))


def answering(experiment: Experiment) -> Kind:
    """The kind that it is apart from its grid: who answers."""
    return next(kind for kind in KINDS if not kind.grid and kind.fits(experiment))
