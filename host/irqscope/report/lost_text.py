"""Lost stimuli of one of several lines in words, for the terminal and for the report alike."""

from __future__ import annotations

from irqscope.report.wording import plain
from irqscope.results.lost import LostBetweenLines


def sentence(lost: LostBetweenLines, hz: int) -> str:
    """Return at which offsets from another line a line had no answer."""
    ends = dict.fromkeys(_offset(ticks, hz) for ticks in (lost.first_ticks, lost.last_ticks))
    span = f"{'from ' * (len(ends) - 1)}{' to '.join(ends)} line {lost.other}"
    return (
        f"line {lost.line} had no answer to {lost.unanswered} of {lost.n} rises, {span}; "
        f"{lost.answered_between} other rises in that span were answered"
    )


def _offset(ticks: int, hz: int) -> str:
    return f"{plain(abs(ticks), hz)} {'before' if ticks < 0 else 'after'}"
