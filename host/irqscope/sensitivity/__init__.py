"""What each assumption of a timing profile does to a result: one at a time, at both ends."""

from __future__ import annotations

from irqscope.sensitivity.keep import keep
from irqscope.sensitivity.plan import Variation, assumptions, check, variations
from irqscope.sensitivity.run import run

__all__ = ["Variation", "assumptions", "check", "keep", "run", "variations"]
