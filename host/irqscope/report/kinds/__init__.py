"""What a run says, by the kind of its measurement: one class a kind, one module a class."""

from __future__ import annotations

from irqscope.experiment.kinds import answering, kind_of
from irqscope.report.kinds.external import External
from irqscope.report.kinds.grid import Grid
from irqscope.report.kinds.latency import Latency, Row
from irqscope.report.kinds.loss import Loss
from irqscope.report.kinds.placement import Placement
from irqscope.report.kinds.program import Program
from irqscope.report.kinds.throughput import Throughput
from irqscope.results.record import RunRecord

__all__ = ["Row", "of_run"]

_ANSWERING: dict[str, type[Latency]] = {
    "external": External,
    "latency": Latency,
    "program": Program,
    "throughput": Throughput,
}
_GRIDS: dict[str, type[Grid]] = {"loss": Loss, "placement": Placement}


def of_run(run: RunRecord) -> Latency:
    """What tells of this run."""
    kind = kind_of(run.experiment)
    answers = _ANSWERING[answering(run.experiment).name](run)
    return _GRIDS[kind.name](run, answers) if kind.grid else answers
