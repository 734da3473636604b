"""Experiment files: what to measure, independent of the target."""

from __future__ import annotations

from importlib import import_module

from irqscope.experiment.load import load
from irqscope.experiment.model import Experiment
from irqscope.experiment.tables import Channel, Line
from irqscope.experiment.values import Samples

__all__ = ["Channel", "Experiment", "Line", "Samples", "load"]

# They register themselves, and are above: by name, as a command finds the window.
import_module("irqscope.kinds")
