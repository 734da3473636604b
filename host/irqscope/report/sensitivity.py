"""The page of a sensitivity: for each experiment its joint draws, a tornado plot and its table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from irqscope.files import replace
from irqscope.report.figure import COLOURS, figure
from irqscope.report.sensitivity_text import joint_words
from irqscope.report.template import template
from irqscope.results.sensitivity_record import Joint, Outcome, SensitivityRecord, Swept

#: Parameters that the plot shows; the table has them all.
_SHOWN = 20


def write_sensitivity(folder: Path, record: SensitivityRecord) -> Path:
    """Writes ``sensitivity.html`` from what sensitivity.json holds. Raises StorageError."""
    html = template("sensitivity.html.j2").render(
        record=record,
        origin="simulation",
        words={swept.name: joint_words(swept) for swept in record.experiments},
        draws={
            swept.name: _draws(swept.joint, swept.base, swept.name)
            for swept in record.experiments
            if isinstance(swept.base, Outcome) and swept.joint is not None and swept.joint.outcomes
        },
        plots={
            swept.name: _plot(swept, swept.base)
            for swept in record.experiments
            if isinstance(swept.base, Outcome)
        },
    )
    path = folder / "sensitivity.html"
    replace(path, lambda file: file.write(html.encode()))
    return path


def _plot(swept: Swept, base: Outcome) -> str:
    ends = [
        (
            f"{row.name}, {row.range[0]} to {row.range[1]} {row.unit}",
            row.low.median_ns,
            row.high.median_ns,
        )
        for row in swept.rows
        if isinstance(row.low, Outcome) and isinstance(row.high, Outcome)
    ]
    axis = f"median latency of {swept.name}, ns (N = {base.n} each)"
    return tornado(ends[:_SHOWN], base.median_ns, axis, base.label)


def _draws(joint: Joint, base: Outcome, name: str) -> str:
    """SVG: how often the joint draws came to each median."""
    medians = np.array([end.median_ns for end in joint.outcomes])

    def draw(axes: Axes) -> None:
        axes.hist(medians, bins=min(40, len(np.unique(medians))), color=COLOURS[1], alpha=0.85)
        axes.axvline(base.median_ns, color="#444444", linewidth=1)
        axes.set_xlabel(f"median latency of {name}, ns ({len(medians)} joint draws)")
        axes.set_ylabel("draws")

    return figure(draw, base.label, height=2.4)


def tornado(rows: Sequence[tuple[str, float, float]], base_ns: float, axis: str, label: str) -> str:
    """SVG: for each parameter the result at both ends of its range, against the base.

    ``rows``: (name, ns at the low end, ns at the high end), top to bottom.
    """

    def draw(axes: Axes) -> None:
        places = np.arange(len(rows))
        ends = [low for _, low, _ in rows], [high for _, _, high in rows]
        for end, colour in zip(ends, (COLOURS[5], COLOURS[1]), strict=True):
            widths = np.array(end) - base_ns
            axes.barh(places, widths, left=base_ns, height=0.6, color=colour, alpha=0.85)
        axes.axvline(base_ns, color="#444444", linewidth=1)
        axes.set_yticks(places, [name for name, _, _ in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.invert_yaxis()
        reach = 1.1 * max(4.0, float(np.abs(np.array(ends) - base_ns).max(initial=0)))
        axes.set_xlim(base_ns - reach, base_ns + reach)
        axes.set_xlabel(axis)
        names = zip(("at the low end", "at the high end"), (COLOURS[5], COLOURS[1]), strict=True)
        axes.legend(
            handles=[Patch(color=colour, label=name) for name, colour in names],
            frameon=False,
            loc="lower right",
        )

    return figure(draw, label, height=1.4 + 0.3 * len(rows), left=3.4)
