"""Whether two builds differ by more than the placement of their code does."""

from __future__ import annotations

from irqscope.report import wording
from irqscope.results.assumptions import Range
from irqscope.results.record import RunRecord
from irqscope.units import ticks_to_ns

_MEDIAN = 0.5


def apart(one: RunRecord, other: RunRecord) -> str:
    """Returns the remark about the ratio of two medians from two builds of a twin.

    Empty for one build, and without known layouts: for a board, a soft core.
    """
    if not (wording.simulated(one) and wording.simulated(other)) or _build(one) == _build(other):
        return ""
    a, b = _median(one), _median(other)
    if not a or b is None:
        return ""
    text = f"medians of two builds, {a} and {b} ns, ratio {b / a:.2f}"
    first, second = _layout(one), _layout(other)
    if first is None or second is None:
        name = (one if first is None else other).experiment.name
        return f"{text}: what the layout of the code alone does to {name} is unknown"
    low, high = second.low_ns / first.high_ns, second.high_ns / first.low_ns
    exceeds = "does not exceed" if low <= 1 <= high else "exceeds"
    return (
        f"{text}: the layout of the code alone gives {wording.span(first)} and "
        f"{wording.span(second)}, ratio {low:.2f} to {high:.2f}; the difference {exceeds} that"
    )


def _build(run: RunRecord) -> tuple[int, str, str]:
    return (run.identified.firmware_hash, run.experiment.stack, run.identified.deviation)


def _layout(run: RunRecord) -> Range | None:
    return run.model.assumptions.layout if run.model and run.model.assumptions else None


def _median(run: RunRecord) -> int | None:
    medians = [q.value_ticks for q in run.stats[0].quantiles if q.p == _MEDIAN] if run.stats else []
    ticks = medians[0] if medians else None
    return None if ticks is None else ticks_to_ns(ticks, run.tick_hz)
