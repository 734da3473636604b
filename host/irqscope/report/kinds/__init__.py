"""What a run says, by the kind of its measurement: one class a kind, one module a class."""

from __future__ import annotations

from irqscope.experiment.kinds import kind_of
from irqscope.report.kinds.external import External
from irqscope.report.kinds.latency import Latency, Row
from irqscope.report.kinds.loss import Loss
from irqscope.report.kinds.placement import Placement
from irqscope.report.kinds.program import Program
from irqscope.report.kinds.throughput import Throughput
from irqscope.results.record import RunRecord

__all__ = ["Row", "of_run"]

_KINDS: dict[str, type[Latency]] = {
    "external": External,
    "latency": Latency,
    "loss": Loss,
    "placement": Placement,
    "program": Program,
    "throughput": Throughput,
}


def of_run(run: RunRecord) -> Latency:
    """What tells of this run."""
    return _KINDS[kind_of(run.experiment).name](run)
