"""Latency against placement, drawn."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from irqscope.report.figure import COLOURS, Array, Drawing, figure


def placements(
    groups: dict[str, tuple[Array, Array]], unit: str, title: str, label: str
) -> Drawing:
    """SVG of latency against placement.

    ``groups``: of the placements that were taken somewhere, delay after the marker and latency,
    each of shape (n,), in ``unit``. ``title``: scope of the least and the greatest.
    """

    def draw(axes: Axes) -> None:
        for (name, (delay, latency)), colour in zip(groups.items(), COLOURS, strict=False):
            axes.plot(delay, latency, ".", markersize=4, color=colour, label=name)
        latencies = np.concatenate([latency for _, latency in groups.values()])
        for value, where in ((latencies.min(), "top"), (latencies.max(), "bottom")):
            axes.axhline(value, color="#888888", linewidth=0.8, linestyle=":")
            axes.annotate(
                f"{value:g} {unit}",
                (1, value),
                xycoords=("axes fraction", "data"),
                fontsize=8,
                ha="right",
                va=where,
            )
        axes.margins(y=0.15)
        axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.set_xlabel(f"rise of the line after the marker, {unit}")
        axes.set_ylabel(f"latency, {unit} ({title})")

    return figure(draw, label, legend=len(groups) > 1)
