"""Throughput: how often a line that stays up is answered."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind

KIND = Kind("throughput", lambda experiment: experiment.measure == "throughput")
