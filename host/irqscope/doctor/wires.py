"""Diagnoses a pin's wire from the pin's edges. No IO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irqscope.units import NS_PER_S

#: A contact that bounces is at rest again before long; answers of a device come further apart.
BOUNCE_NS = 5_000
#: Half periods of mains, and how far from them an edge may be.
_MAINS_HZ = (50, 60)
_MAINS_SHARE = 0.02


@dataclass(frozen=True)
class Seen:
    """A pin over some stimuli. Ticks of ``tick_hz``; ``edges`` of either direction, in order.

    ``at_rest``: its level before, after the filter; ``rise``, ``fall``: edges that the experiment
    takes for markers.
    """

    at_rest: bool
    edges: Sequence[int]
    stimuli: Sequence[int]
    tick_hz: int
    rise: bool = True
    fall: bool = False

    @property
    def rises(self) -> list[int]:
        """Ticks of the rises, which alternate with the falls."""
        return list(self.edges[1::2] if self.at_rest else self.edges[::2])

    @property
    def falls(self) -> list[int]:
        """Ticks of the falls, which alternate with the rises."""
        return list(self.edges[::2] if self.at_rest else self.edges[1::2])


@dataclass(frozen=True)
class Diagnosis:
    """``what`` is wrong, and what to ``check``."""

    what: str
    check: str


def diagnose(signal: Seen) -> Diagnosis | None:
    """Returns the wire's fault by the strongest sign, or None without a known one."""
    return _no_edge(signal) or _hum(signal) or _bounce(signal) or _inverted(signal)


def _no_edge(signal: Seen) -> Diagnosis | None:
    if len(signal.edges):
        return None
    level = "high" if signal.at_rest else "low"
    return Diagnosis(
        f"no edge: {len(signal.stimuli)} stimuli, and the pin stayed {level}",
        "ground between device and board; the wire and its pin; that the device runs, and that its "
        "input is the pin that the line's copy goes to",
    )


def _hum(signal: Seen) -> Diagnosis | None:
    """Edges at half periods of mains, that come whether a stimulus does or not."""
    if len(signal.edges) < 4:
        return None
    halves = np.diff(np.asarray(signal.edges, np.float64)) / signal.tick_hz
    for hz in _MAINS_HZ:
        half = 1 / (2 * hz)
        near = np.abs(halves - half) < _MAINS_SHARE * half
        if near.mean() > 0.9:
            return Diagnosis(
                f"hum: edges every {1000 * np.median(halves):.2f} ms, half a period of {hz} Hz",
                "the pin is open or its ground is: connect ground of device and board first, keep "
                "the wire away from mains, and see that the device drives it",
            )
    return None


def _bounce(signal: Seen) -> Diagnosis | None:
    """Edges so near each other that no answer follows another so soon, more than one a stimulus."""
    gaps = np.diff(np.asarray(signal.edges, np.int64)) * NS_PER_S // signal.tick_hz
    near = gaps < BOUNCE_NS
    expected = len(signal.stimuli)
    if len(signal.rises) <= expected or not near.any() or np.count_nonzero(near) < expected:
        return None
    longest = int(gaps[near].max())
    ticks = -(-longest * signal.tick_hz // NS_PER_S)
    return Diagnosis(
        f"bounce: {len(signal.rises)} rises for {expected} stimuli, {longest} ns apart at most",
        f"the contact, or a wire that rings; a filter of {ticks} ticks would swallow it, and delay "
        "each marker by as much",
    )


def _inverted(signal: Seen) -> Diagnosis | None:
    """The fault of a pin that rests high and answers by the edge that the experiment leaves out."""
    if signal.rise == signal.fall or signal.at_rest != signal.rise:
        return None
    expected, other = ("rise", "fall") if signal.rise else ("fall", "rise")
    level = "high" if signal.at_rest else "low"
    return Diagnosis(
        f"inverted: the pin rests {level} and answers with a {other}, the experiment takes each "
        f"{expected}",
        f'write edge = "{other}", or have the device drive the pin the other way; an inverting '
        "level shifter does so, too",
    )
