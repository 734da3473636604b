"""Gates: experiments held against a baseline, and against limits, with a verdict of three."""

from __future__ import annotations

from irqscope.gate.load import Loaded, load
from irqscope.gate.run import run_gate

__all__ = ["Loaded", "load", "run_gate"]
