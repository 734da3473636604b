"""Latencies in the unit that the user looks at. Stored values stay integers in ticks."""

from __future__ import annotations

from dataclasses import dataclass

from irqscope.link.identity import Identity
from irqscope.units import NS_PER_S, ticks_to_ns

NAMES = ("ns", "ticks", "cycles")


@dataclass(frozen=True)
class Unit:
    """``name``: one of NAMES. ``per_tick``: of them one tick has so many."""

    name: str
    tick_hz: int
    per_tick: float

    @classmethod
    def of(cls, name: str, identity: Identity) -> Unit:
        """``identity``: of run.json. A nominal clock's time is nobody's: it has cycles, not ns."""
        hz = identity.tick_hz
        if name == "ns" and identity.is_rtl:
            name = "cycles"
        per_tick = {"ns": NS_PER_S / hz, "ticks": 1.0, "cycles": identity.cpu_hz / hz}
        return cls(name, hz, per_tick[name])

    def text(self, ticks: int) -> str:
        """A whole number without its unit."""
        if self.name == "ns":
            return str(ticks_to_ns(ticks, self.tick_hz))
        return str(round(ticks * self.per_tick))

    def ticks(self, value: float) -> int:
        """The tick nearest to a value in this unit; 0 for a negative one."""
        return max(0, round(value / self.per_tick))


def duration(seconds: float) -> str:
    """A time on the clock on the wall, roughly."""
    if seconds >= 90:
        return f"{round(seconds / 60)} min"
    return f"{max(1, round(seconds))} s"
