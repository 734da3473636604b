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
        for channel in plan.experiment.channels:
            self.require_timeout(channel.index, channel.timeout, plan.tick_hz)

    def require_timeout(self, channel: int, timeout: Duration, hz: int) -> None:
        """Raises ExperimentError if a channel's timeout would hide a latency that is too long."""
        if self.longest is not None and timeout.ticks(hz) < self.longest.ticks(hz):
            raise ExperimentError(
                f"--break-above {self.longest}: channel {channel} waits no longer than "
                f"{timeout}; give less than its timeout"
            )

    def check(self, collection: Collection) -> None:
        """Raises LongerLatency if a stimulus so far took longer than the limit."""
        hz, when = collection.plan.tick_hz, f"in batch {collection.batches - 1} after at most"
        for channel in collection.channels:
            counted = channel.counters
            longest = counted.max_ticks
            error = self.longer(counted.channel, hz, counted["timed_out"], longest,
                                f"{when} {collection.stimuli}")  # fmt: skip
            if error is not None:
                raise error

    def longer(
        self, channel: int, hz: int, late: int, longest: int | None, when: str
    ) -> LongerLatency | None:
        """Returns the error that ends a run, or None while no latency exceeds the limit.

        Args:
            channel: Index of the channel.
            hz: Rate of its ticks, Hz.
            late: Stimuli that timed out.
            longest: Greatest latency so far, ticks, or None without any.
            when: Number of stimuli so far, with what stands before it.
        """
        if self.longest is None:
            return None
        if not late and (longest is None or longest <= self.longest.ticks(hz)):
            return None
        reason = "a stimulus timed out" if late else f"a latency was {longest} ticks"
        return LongerLatency(
            f"channel {channel}: {reason}, longer than {self.longest}, {when} stimuli; "
            "`irqscope worst` lists it"
        )


def parse_span(text: str) -> float:
    """Returns the seconds of a text such as "24h", "90 min" or "10s". Raises ExperimentError."""
    match = re.fullmatch(r" *([0-9]+(?:\.[0-9]+)?) *(s|min|m|h|d) *", text)
    if match is None or not float(match[1]) or len(match[1]) > 12:
        raise ExperimentError(f'--duration "{text}": write s, min, h or d, as in "24h"')
    return float(match[1]) * _SECONDS[match[2]]
