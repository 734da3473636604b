"""Origin of a run that another instrument measured, as stored in ``run.json``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from irqscope.units import NS_PER_S, Natural, Strict

#: A nanosecond, in the units that labels have.
_UNITS = (("s", NS_PER_S), ("ms", 1_000_000), ("us", 1_000), ("ns", 1))


class CapturedFile(Strict):
    """A file that was read."""

    name: str
    bytes: Natural
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Captured(Strict):
    """Measuring instrument and its resolution.

    Attributes:
        what: Edges of signals, a list of latencies, or a histogram.
        tool: Program or instrument that wrote the files.
        form: Their format.
        tick_hz: Rate of the run's ticks.
        sampled: A tick is one sample of the analyser.
        basis: How the rate is known.
        resolution_ticks: Each latency may be less or more by so much.
        bin_ticks: Width of the histogram's widest closed bin; None for single latencies.
        first_tick: Time stamp of the files at which the run's time begins.
        sections: Parts that a gap separates.
    """

    what: Literal["edges", "latencies", "histogram"]
    tool: str
    form: str
    files: tuple[CapturedFile, ...]
    tick_hz: Annotated[int, Field(gt=0, le=10**15)]
    sampled: bool
    basis: str
    resolution_ticks: Natural
    bin_ticks: Natural | None = None
    first_tick: int | None = None
    sections: Natural = 1

    @property
    def resolution(self) -> str:
        """Resolution of latencies in words: 42 ns, 1 us."""
        ticks = self.bin_ticks if self.bin_ticks is not None else self.resolution_ticks
        return span(ticks, self.tick_hz)

    @property
    def named_by_end(self) -> bool:
        """Whether the tool names a bin by its greatest latency, and not by its least."""
        return self.tool in ("oslat", "HdrHistogram")

    @property
    def label(self) -> str:
        """Where the numbers come from; is on every plot."""
        if self.what == "histogram":
            how = f"histogram of {self.tool}, bins of {self.resolution}, software's own stamps"
        elif self.what == "latencies":
            how = f"latencies by {self.tool}, in steps of {self.resolution}"
        elif self.sampled:
            how = f"capture by {self.tool}, {frequency(self.tick_hz)}"
        else:
            how = f"capture by {self.tool}, time stamps of {self.resolution}"
        return how if self.tool.startswith("irqscope, ") else f"{how}; not measured by irqscope"


def span(ticks: int, tick_hz: int) -> str:
    """A short time in words, at most three digits, rounded up: no claim is finer than it is."""
    for name, ns in _UNITS:
        value = ticks * (NS_PER_S // ns) / tick_hz
        if value >= 1 or name == "ns":
            return f"{value:.3g} {name}" if value < 10 else f"{_up(value)} {name}"
    raise AssertionError


def _up(value: float) -> int:
    """The value, rounded up, except for a double's excess over a whole number."""
    return round(value) if abs(value - round(value)) < 1e-6 else int(value) + 1


def frequency(hz: int) -> str:
    """A sample rate in words: 24 MHz."""
    for size, name in ((10**9, "GHz"), (10**6, "MHz"), (10**3, "kHz")):
        if hz >= size:
            return f"{hz / size:.6g} {name}"
    return f"{hz} Hz"
