"""The tail of a run in words, for the terminal and for the report alike."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.analysis.pareto import Fit
from irqscope.report.tail import Row, Tail
from irqscope.report.wording import number, plain, unit


def title(tail: Tail) -> str:
    """Title of the tail's table."""
    return f"fit and bounds by the first {tail.first:,} stimuli, seen in all {tail.n:,}"


def header(hz: int) -> tuple[str, ...]:
    """Heads of the columns of :func:`cells`."""
    latencies = (f"{name}, {unit(hz)}" for name in ("fit", "bounds", "seen"))
    return ("longer: 1 in", *latencies, "fit against seen")


def cells(row: Row, hz: int) -> tuple[str, ...]:
    """The cells of a row: a latency as the fit, the bounds and all stimuli have it."""
    fitted = "-"
    if row.fitted is not None:
        value, low, high = row.fitted
        fitted = f"{number(value, hz)} {_span(low, high, hz)}"
    shortest, greatest = row.seen.value
    sample = number(shortest, hz) if shortest == greatest else _span(shortest, greatest, hz)
    text = f"{sample} {_span(row.seen.lower, row.seen.upper, hz)}"
    return f"{round(1 / row.share):,}", fitted, _span(*row.bound, hz), text, row.verdict


def notes(tail: Tail, hz: int) -> Iterator[str]:
    """Yields the lines below the table."""
    if tail.fit is not None:
        yield _fit(tail, tail.fit, hz)
    yield from (f"the fit is refused: {reason}" for reason in tail.refused)
    longest = "unknown" if tail.longest_seen is None else plain(tail.longest_seen, hz)
    yield (
        f"longest: {plain(tail.longest, hz)} of the first {tail.first:,}, {longest} of all; by the "
        f"first at most {100 * tail.at_most:.2g} % are longer than theirs, of all "
        f"{100 * tail.longer / tail.n:.2g} % were ({tail.longer:,})"
    )


def _fit(tail: Tail, fit: Fit, hz: int) -> str:
    scale = fit.scale * number(10**6, hz) / 10**6
    text = (
        f"fit: generalised Pareto above {plain(fit.threshold, hz)}, where {fit.above} of the first "
        f"{tail.first:,} lie; scale {scale:.3g} {unit(hz)}, shape {fit.shape:.2f}"
    )
    return text if fit.end is None else f"{text}: none longer than {plain(round(fit.end), hz)}"


def _span(low: int | None, high: int | None, hz: int) -> str:
    """An interval; an end that is open is infinite."""
    ends = ("-∞" if low is None else number(low, hz), "∞" if high is None else number(high, hz))
    return f"[{ends[0]}, {ends[1]}]"
