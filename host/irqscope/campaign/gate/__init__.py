"""Gates: experiments compared with a baseline and with limits; one of three verdicts."""

from __future__ import annotations

from irqscope.campaign.gate.load import Loaded, load
from irqscope.campaign.gate.run import run_gate

__all__ = ["Loaded", "load", "run_gate"]
