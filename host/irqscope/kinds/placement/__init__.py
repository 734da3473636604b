"""Latencies by where the interrupt met the code under test."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind
from irqscope.experiment.model import Experiment
from irqscope.kinds.placement.record import Placements
from irqscope.kinds.placement.schema import problems_of_code_under_test
from irqscope.machines.cases import CASES


def _fits(experiment: Experiment) -> bool:
    of_program = experiment.of_program and experiment.code_under_test is not None
    return CASES[experiment.case].code_under_test or of_program


KIND = Kind(
    "placement",
    fits=_fits,
    problems=problems_of_code_under_test,
    grid="the stimuli are a grid of placements and no sample of a distribution",
    parts={"placements": Placements},
)
