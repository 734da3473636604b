"""How each kind of measurement is carried out: one class a kind, one module a class."""

from __future__ import annotations

from irqscope.acquire.kinds.external import External
from irqscope.acquire.kinds.latency import Latency
from irqscope.acquire.kinds.loss import Loss
from irqscope.acquire.kinds.placement import Placement
from irqscope.acquire.kinds.program import Program
from irqscope.acquire.plan import Plan
from irqscope.experiment.kinds import kind_of
from irqscope.targets import Target

_KINDS: dict[str, type[Latency]] = {
    "external": External,
    "latency": Latency,
    "loss": Loss,
    "placement": Placement,
    "program": Program,
    "throughput": Latency,
}


def of_plan(plan: Plan, target: Target) -> Latency:
    """What carries this plan out on an open target. Raises TargetError, ExperimentError."""
    return _KINDS[kind_of(plan.experiment).name](plan, target)
