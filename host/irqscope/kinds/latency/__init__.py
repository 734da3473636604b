"""Latencies of the instrument's own software: what an experiment is of that is of no other kind."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind

KIND = Kind("latency", lambda experiment: True)
