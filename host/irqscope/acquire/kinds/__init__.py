"""How each kind of measurement is carried out: one class a kind, one module a class."""

from __future__ import annotations

from irqscope.acquire.kinds.external import External
from irqscope.acquire.kinds.grid import Grid
from irqscope.acquire.kinds.latency import Latency
from irqscope.acquire.kinds.loss import Loss
from irqscope.acquire.kinds.placement import Placement
from irqscope.acquire.kinds.program import Program
from irqscope.acquire.plan import Plan
from irqscope.experiment.kinds import answering, kind_of
from irqscope.targets import Target

_ANSWERING: dict[str, type[Latency]] = {
    "external": External,
    "latency": Latency,
    "program": Program,
    "throughput": Latency,
}
_GRIDS: dict[str, type[Grid]] = {"loss": Loss, "placement": Placement}


def of_plan(plan: Plan, target: Target) -> Latency:
    """What carries this plan out on an open target. Raises TargetError, ExperimentError."""
    kind = kind_of(plan.experiment)
    answers = _ANSWERING[answering(plan.experiment).name](plan, target)
    return _GRIDS[kind.name](plan, target, answers) if kind.grid else answers
