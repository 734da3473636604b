"""Latencies in the selected unit. Stored values stay integers in ticks."""

from __future__ import annotations

from dataclasses import dataclass

from irqscope.results.record import RunRecord
from irqscope.units import NS_PER_S, NominalHz, ticks_to_ns

NAMES = ("ns", "ticks", "cycles")


def names(run: RunRecord) -> tuple[str, ...]:
    """Units of a run: a nominal clock has no ns, a capture no CPU whose cycles are known."""
    without = {"ns"} if isinstance(run.tick_hz, NominalHz) else set()
    without |= {"cycles"} if run.identity is None else set()
    return tuple(name for name in NAMES if name not in without)


@dataclass(frozen=True)
class Unit:
    """A unit. ``name``: one of NAMES; ``per_tick``: units for each tick."""

    name: str
    tick_hz: int
    per_tick: float

    @classmethod
    def of(cls, name: str, run: RunRecord) -> Unit:
        """Returns the unit for a run.

        A run with a nominal clock has cycles but no ns; a capture, whose CPU is not known, has no
        cycles.
        """
        hz = run.tick_hz
        if name == "ns" and isinstance(hz, NominalHz):
            name = "cycles"
        elif name == "cycles" and run.identity is None:
            name = "ns"
        cpu_hz = hz if run.identity is None else run.identity.cpu_hz
        per_tick = {"ns": NS_PER_S / hz, "ticks": 1.0, "cycles": cpu_hz / hz}
        return cls(name, hz, per_tick[name])

    def text(self, ticks: int) -> str:
        """Formats an integer without its unit."""
        if self.name == "ns":
            return str(ticks_to_ns(ticks, self.tick_hz))
        return str(round(ticks * self.per_tick))

    def ticks(self, value: float) -> int:
        """The tick nearest to a value in this unit; 0 for a negative one."""
        return max(0, round(value / self.per_tick))


def duration(seconds: float) -> str:
    """Formats a wall-clock time, rounded."""
    if seconds >= 90:
        return f"{round(seconds / 60)} min"
    return f"{max(1, round(seconds))} s"
