"""Findings of a sensitivity, in words."""

from __future__ import annotations

from collections.abc import Sequence

from irqscope.results.sensitivity_record import Failed, Outcome, Swept
from irqscope.units import shown_ns


def joint_words(swept: Swept) -> list[str]:
    """Lines with the results of the joint draws, and of the layouts alone."""
    lines = []
    if swept.joint is not None:
        outcomes, failed = swept.joint.outcomes, _failed([d.end for d in swept.joint.draws])
        varied = f"{len(swept.joint.names)} constants"
        if swept.layouts:
            varied += f" and {len(swept.layouts) + 1} layouts"
        text = f"{len(outcomes)} joint draws of {varied}"
        if outcomes:
            text += (
                f": min {_span([d.min_ns for d in outcomes if d.min_ns is not None])}, "
                f"median {_span([d.median_ns for d in outcomes])}, "
                f"max {_span([d.max_ns for d in outcomes])}"
            )
        if by_stm := [d.stm[1] for d in outcomes if d.stm is not None]:
            text += f"; median by STM {_span(by_stm)}"
        lines.append(f"{text}{failed}")
    if swept.layouts:
        placed = [end for end in (swept.base, *swept.layouts) if isinstance(end, Outcome)]
        text = f"{len(swept.layouts) + 1} layouts alone"
        if placed:
            text += (
                f": median {_span([end.median_ns for end in placed])}, "
                f"max {_span([end.max_ns for end in placed])}"
            )
        lines.append(f"{text}{_failed(swept.layouts)}")
    return lines


def _failed(ends: Sequence[Outcome | Failed]) -> str:
    """Number of failed runs, and the reason of the first."""
    failed = [end.failed for end in ends if isinstance(end, Failed)]
    return f"; {len(failed)} failed: {failed[0]}" if failed else ""


def _span(values: Sequence[int]) -> str:
    """A range of times in ns, in the units that fit its ends."""
    low, high = shown_ns(min(values)), shown_ns(max(values))
    value, unit = low.split(" ")
    return f"{value if high.endswith(f' {unit}') else low} to {high}"
