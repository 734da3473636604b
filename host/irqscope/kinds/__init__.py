"""The kinds of measurement: a folder each, with all that is its own (docs/architecture.md).

``schema`` has its table in an experiment file and its checks, ``acquisition`` measures, ``record``
is its part of ``run.json``, ``report`` describes it. A new kind is a folder and its name
in the list below.
"""

from __future__ import annotations

from irqscope.experiment.kinds import KINDS
from irqscope.experiment.model import Experiment
from irqscope.kinds import capture, external, latency, loss, placement, program, throughput

#: The first that fits an experiment is its kind.
KINDS += (
    loss.KIND,
    capture.KIND,
    external.KIND,
    placement.KIND,
    program.KIND,
    throughput.KIND,
    latency.KIND,
)
for kind in KINDS:
    Experiment.add(kind.tables)
