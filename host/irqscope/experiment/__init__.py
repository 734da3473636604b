"""Experiment files: what to measure, independent of the target."""

from __future__ import annotations

from irqscope.experiment.load import load
from irqscope.experiment.model import Channel, Experiment, Line, Samples

__all__ = ["Channel", "Experiment", "Line", "Samples", "load"]
