"""Ends a run before its count: after a time, or at the first latency that is too long."""

from __future__ import annotations

import re
from dataclasses import dataclass

from irqscope.acquire.collect import Collection
from irqscope.acquire.plan import Plan
from irqscope.errors import ExperimentError, LongerLatency
from irqscope.units import Duration

_SECONDS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Until:
    """Conditions that end a run early.

    Attributes:
        duration_s: Target time, turned into a count before the first batch, or None to use the
            count.
        longest: A longer latency ends the run after its batch; None for no limit.
    """

    duration_s: float | None = None
    longest: Duration | None = None

    def count(self, plan: Plan) -> int | None:
        """Returns the stimuli of the duration, or None without one."""
        if self.duration_s is None:
            return None
        dither = ((1 << line.dither) - 1 for line in plan.experiment.lines[:1])
        return max(1, int(self.duration_s * plan.tick_hz / (plan.stimulus_ticks + sum(dither) / 2)))

    def require(self, plan: Plan) -> None:
        """Raises ExperimentError if a timeout would hide a latency that is too long."""
        if self.longest is None:
            return
        limit = self.longest.ticks(plan.tick_hz)
        for channel in plan.experiment.channels:
            if channel.timeout.ticks(plan.tick_hz) < limit:
                raise ExperimentError(
                    f"--break-above {self.longest}: channel {channel.index} waits no longer than "
                    f"{channel.timeout}; give less than its timeout"
                )

    def check(self, collection: Collection) -> None:
        """Raises LongerLatency if a stimulus so far took longer than the limit."""
        if self.longest is None:
            return
        limit = self.longest.ticks(collection.plan.tick_hz)
        for channel in collection.channels:
            late, longest = channel.counters["timed_out"], channel.counters.max_ticks
            if late or (longest is not None and longest > limit):
                reason = "a stimulus timed out" if late else f"a latency was {longest} ticks"
                raise LongerLatency(
                    f"channel {channel.counters.channel}: {reason}, longer than {self.longest}, in "
                    f"batch {collection.batches - 1} after at most {collection.stimuli} stimuli; "
                    "`irqscope worst` lists it"
                )


def parse_span(text: str) -> float:
    """Returns the seconds of a text such as "24h", "90 min" or "10s". Raises ExperimentError."""
    match = re.fullmatch(r" *([0-9]+(?:\.[0-9]+)?) *(s|min|m|h|d) *", text)
    if match is None or not float(match[1]) or len(match[1]) > 12:
        raise ExperimentError(f'--duration "{text}": write s, min, h or d, as in "24h"')
    return float(match[1]) * _SECONDS[match[2]]
