"""Finds what carries a plan out: the acquisition of its kind of measurement."""

from __future__ import annotations

from irqscope.acquire.measurement import Measurement
from irqscope.acquire.plan import Plan
from irqscope.experiment.kinds import answering, kind_of
from irqscope.targets import Target


def of_plan(plan: Plan, target: Target) -> Measurement:
    """Returns the measurement that carries out this plan on an open target.

    Raises TargetError, ExperimentError.
    """
    kind, answers = kind_of(plan.experiment), answering(plan.experiment)
    answer: Measurement = answers.of("acquisition")(plan, target)
    return kind.of("acquisition")(plan, target, answer) if kind.grid else answer
