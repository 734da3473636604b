"""Statistics of the latencies, in ``run.json``."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from irqscope.units import Channel, Core, Natural, Strict, Sum

#: A share, from 0 to 1.
Share = Annotated[float, Field(ge=0, le=1)]


class Throughput(Strict):
    """Handlers of one channel while the line was high. ``core`` is None for any core."""

    channel: Channel
    core: Core | None
    high_ticks: Annotated[int, Field(gt=0, lt=1 << 63)]
    stops: Annotated[tuple[Natural, ...], Field(min_length=1)]
    median_hz: float
    min_hz: float
    max_hz: float


class QuantileStats(Strict):
    """One quantile with its interval.

    ``value_ticks`` is None if N is too small, or a bin too wide.
    """

    p: Share
    value_ticks: Natural | None
    lower_ticks: Natural | None
    upper_ticks: Natural | None
    sample_ticks: tuple[Natural, Natural | None]
    note: str | None


class StageStats(Strict):
    """A stage of the samples, ticks since the edge."""

    stage: Literal["vector", "handler", "done", "task"]
    n: Natural
    min_ticks: int
    p50_ticks: int
    max_ticks: int


class Longer(Strict):
    """Share of stimuli that take longer than ``ticks``: each bound holds with the confidence."""

    ticks: Natural
    at_least: Share
    at_most: Share


class PeriodStats(Strict):
    """A period in which the longest latencies come again.

    As :class:`irqscope.analysis.folding.Period` has it.
    """

    length_ticks: Annotated[float, Field(gt=0)]
    phase: Share
    width: Share
    longest: Natural
    power: Annotated[float, Field(ge=0, le=1.000001)]
    p: Share
    alias: bool


class Answer(Strict):
    """Answer of one test of independence, as :class:`irqscope.analysis.independence.Answer` has it.

    ``p``, ``shows`` are None if unknown.
    """

    test: Literal[
        "trend",
        "serial",
        "periodic",
        "first of batch",
        "echo",
        "spread",
        "clusters",
        "interference",
    ]
    effect: Annotated[float, Field(ge=-1, le=1)]
    at: Annotated[float, Field(ge=1)] | None
    p: Share | None
    shows: Share | None
    untestable: str | None
    fails: bool
    longest: Natural | None = None
    periods: tuple[PeriodStats, ...] = ()


class Independence(Strict):
    """Whether latencies look alike and independent, by ``n`` samples.

    ``level``: of a false alarm in any of the answers; ``lags``: the longest tested one;
    ``untested``: why answers are missing, or None.
    """

    n: Natural
    level: Share
    lags: Natural
    answers: tuple[Answer, ...]
    untested: str | None


class Stats(Strict):
    """Statistics of one channel.

    ``n``: all stimuli; least, greatest and sum are of the served. ``doubtful``: served ones that
    may have the late answer of an earlier stimulus.

    ``deviation_ticks``: standard, of all stimuli, or None if one was not answered or is not known
    to the tick. ``rate_hz``: of their edges in target time, from the first sampled stimulus on, or
    None without samples. ``independence`` is None if untested, because the run did not end.
    """

    channel: Channel
    n: Natural
    served: Natural
    timed_out: Natural
    coalesced: Natural
    doubtful: Natural = 0
    timeout_ticks: Natural
    min_ticks: Natural | None
    max_ticks: Natural | None
    sum_ticks: Sum
    deviation_ticks: Annotated[float, Field(ge=0)] | None
    rate_hz: Annotated[float, Field(gt=0)] | None
    confidence: Share
    quantiles: tuple[QuantileStats, ...]
    longer: Longer | None
    independence: Independence | None = None
    phases: Annotated[tuple[Natural, ...], Field(min_length=1)]  #: by ticks modulo their number
    stages: tuple[StageStats, ...]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Checks that who served something has a least and a greatest. Raises ValueError."""
        shortest, longest = self.min_ticks, self.max_ticks
        if {shortest is None, longest is None} != {not self.served}:
            raise ValueError(f"{self.served} served, least {shortest} and greatest {longest} ticks")
        if shortest is not None and longest is not None and shortest > longest:
            raise ValueError(f"the least, {shortest} ticks, is above the greatest, {longest}")
        return self
