"""Experiment files: what to measure, independent of the target."""

from __future__ import annotations

from irqscope.experiment.load import load
from irqscope.experiment.model import Experiment
from irqscope.experiment.tables import Channel, Line
from irqscope.experiment.values import Samples

__all__ = ["Channel", "Experiment", "Line", "Samples", "load"]
