"""Latencies of a device at the pins."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind
from irqscope.kinds.external.schema import problems_of_external

KIND = Kind("external", lambda experiment: experiment.external, problems_of_external, at_pins=True)
