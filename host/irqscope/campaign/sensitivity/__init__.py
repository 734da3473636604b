"""Effects of a timing profile's assumptions on a result: jointly, and one at a time."""

from __future__ import annotations

from irqscope.campaign.sensitivity.keep import keep
from irqscope.campaign.sensitivity.plan import assumptions, check, planned, unplaced
from irqscope.campaign.sensitivity.run import run

__all__ = ["assumptions", "check", "keep", "planned", "run", "unplaced"]
