"""Loss maps: which pulses of a grid of widths and spacings are served."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind
from irqscope.kinds.loss.record import LossMap
from irqscope.kinds.loss.schema import Loss, problems_of_loss

KIND = Kind(
    "loss",
    fits=lambda experiment: experiment.part(Loss) is not None,
    problems=problems_of_loss,
    grid="the stimuli are a grid of widths and spacings and no sample of a distribution",
    tables={"loss": Loss},
    parts={"loss": LossMap},
    own_batches=True,
    further_lines=1,  # which makes the second pulse of each pair
)
