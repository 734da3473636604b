"""Throughput, drawn."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from irqscope.report.figure import COLOURS, Array, Drawing, figure


def rates(channels: dict[int | None, Array], label: str) -> Drawing:
    """SVG of handled interrupts per second in each phase; ``channels``: by core, Hz, shape (n,)."""

    def draw(axes: Axes) -> None:
        for (core, hz), colour in zip(channels.items(), COLOURS, strict=False):
            name = "any core" if core is None else f"core {core}"
            axes.plot(np.arange(len(hz)), hz, "o-", color=colour, label=name)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("phase of the stimulus")
        axes.set_ylabel("handled a second of high phase")

    return figure(draw, label, legend=len(channels) > 1)
