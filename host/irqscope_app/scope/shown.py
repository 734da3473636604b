"""What the Scope screen shows: one immutable object, from which all of a frame is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irqscope.analysis.stats import Distribution
from irqscope_app.control.feed import Picture
from irqscope_app.control.state import State
from irqscope_app.plots.reference import Reference
from irqscope_app.widgets.units import Unit


@dataclass(frozen=True)
class Shown:
    """A frame.

    Attributes:
        view: number of the view. Each run and folder begins another one, a segment does not.
        state: state of target and run.
        opened: whether the run was read from a folder.
        picture: the run up to one moment, if any; all numbers are of it.
        before: earlier segments in the same view.
        held: whether the view is paused, so that no later data are drawn.
        unit: unit of latencies.
        channel: channel of the statistics, or None if the run has none.
        bound: ticks subtracted for the way of a marker; 0: raw values.
        limit: threshold, ticks, or None.
        reference: overlaid run, or None.
        sight: latest time in view, s; infinite while the view follows.
    """

    view: int
    state: State
    opened: bool = False
    picture: Picture | None = None
    before: tuple[Picture, ...] = ()
    held: bool = False
    unit: Unit = Unit("ns", 1, 1.0)
    channel: int | None = None
    bound: int = 0
    limit: int | None = None
    reference: Reference | None = None
    sight: float = np.inf

    @property
    def until(self) -> float:
        """Time up to which data are drawn, s; infinite while the view follows."""
        return self.picture.end if self.held and self.picture is not None else np.inf

    @property
    def measured(self) -> Picture | None:
        """The picture if the run has a clock, and so may have latencies."""
        return self.picture if self.picture is not None and self.picture.run.has_clock else None

    @property
    def labels(self) -> list[str]:
        """Sources of the run and, if it has another one, of the reference."""
        if self.picture is None:
            return []
        own = [self.picture.run.label]
        other = [] if self.reference is None else [self.reference.label]
        return list(dict.fromkeys(own + other))

    @property
    def numbered(self) -> bool:
        """Whether stimuli have no times, such as those of a list of latencies."""
        run = None if self.picture is None else self.picture.run
        return (
            run is not None
            and run.capture is not None
            and not any(one.rate_hz is not None for one in run.stats)
        )

    def place(self, time: float) -> str:
        """A place on the axis of the trace in words: its time, or the number of the stimulus."""
        if self.numbered and self.picture is not None:
            return f"stimulus {time * self.picture.tick_hz:.0f}"
        return f"{time:.6f} s"

    @property
    def segment(self) -> Picture | None:
        """The latest segment in view, whose histogram and tail are drawn."""
        visible = (one for one in self.before if one.begin < self.sight)
        if self.measured is None or self.measured.begin < self.sight:
            return self.measured
        return max(visible, key=lambda one: one.begin, default=self.measured)

    @property
    def which(self) -> str:
        """Number of the segment whose histogram and tail are drawn; empty for a single one."""
        if not self.before or self.segment is None:
            return ""
        segments = (*self.before, self.measured)
        return f": segment {1 + segments.index(self.segment)} of {len(segments)}"

    def series_at(self, time: float | None) -> dict[str, tuple[Distribution, Unit]]:
        """Returns the distributions of the segment at a time, s, or in view, by channel.

        The reference's are next to them.
        """
        of = self.segment
        if of is None or self.measured is None:
            return {}
        if time is not None:
            started = [one for one in self.before if one.begin <= time]
            of = self.measured if time >= self.measured.begin else started[-1]
        distributions = of.distributions
        by_name = {f"channel {index}": (distributions[index], self.unit) for index in distributions}
        if self.reference is not None and of is self.segment:
            own = Unit.of(self.unit.name, self.reference.run)
            by_name[self.reference.name] = (self.reference.distribution, own)
        return by_name


def sealed(held: Picture, known: tuple[Picture, ...]) -> Picture:
    """The final picture of a run if it has ended since; otherwise the given one."""
    final = (one for one in known if one.over or one.run.ended is not None)
    return next((one for one in final if one.same_run(held)), held)
