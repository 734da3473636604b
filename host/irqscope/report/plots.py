"""The plots of the report. Every one bears the source of its numbers as a watermark."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("svg")
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

Array = npt.NDArray[np.float64]

#: Okabe and Ito's colours: told apart also by colour-blind readers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
#: Points beyond which a time trace is drawn as dots in a picture instead of vectors.
_VECTORS = 5_000
#: Latency axes span this at least.
_NARROWEST_NS = 80.0
#: Inches.
_WIDTH = 8.6
_STYLE: Any = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "svg.hashsalt": "irqscope",  # same data, same bytes
    "svg.fonttype": "none",  # text stays text: small, and found by a search in the page
}


def histogram(channels: dict[int, list[tuple[float, float | None, int]]], label: str) -> str:
    """SVG of histograms with a logarithmic count axis.

    ``channels``: for each, bins as (lower ns, upper ns or None for overflow, count).
    """

    def draw(axes: Axes) -> None:
        ends = [upper or lower for bins in channels.values() for lower, upper, _ in bins]
        start = min(lower for bins in channels.values() for lower, _, _ in bins)
        width = max((max(ends) - start) * 0.02, 1.0)
        for (index, bins), colour in zip(channels.items(), COLOURS, strict=False):
            lower = np.array([low for low, _, _ in bins])
            upper = np.array([low + width if up is None else up for low, up, _ in bins])
            counts = np.array([count for _, _, count in bins], float)
            axes.bar(
                lower,
                counts,
                upper - lower,
                align="edge",
                color=colour,
                alpha=1.0 if len(channels) == 1 else 0.6,
                label=f"channel {index}",
            )
            if bins[-1][1] is None:
                axes.annotate(
                    f"{bins[-1][2]} longer", (lower[-1], counts[-1]), fontsize=8, ha="right"
                )
        axes.set_xlim(*_wide(axes.get_xlim()))
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
        axes.set_xlabel("latency, ns")
        axes.set_ylabel("stimuli in a bin")

    return _figure(draw, label, legend=len(channels) > 1)


def trace(channels: dict[int, tuple[Array, Array]], label: str) -> str:
    """SVG of latency over time; ``channels``: (time in s, latency in ns), each of shape (n,)."""

    def draw(axes: Axes) -> None:
        for (index, (time, latency)), colour in zip(channels.items(), COLOURS, strict=False):
            axes.plot(
                time,
                latency,
                ".",
                markersize=2.5,
                color=colour,
                rasterized=len(time) > _VECTORS,
                label=f"channel {index}",
            )
        axes.set_ylim(*_wide(axes.get_ylim()))
        axes.set_xlabel("time since the first batch began, talks on the link left out, s")
        axes.set_ylabel("latency, ns")

    return _figure(draw, label, legend=len(channels) > 1)


def ccdf(channels: dict[int, tuple[Array, Array, int]], label: str) -> str:
    """SVG of the share of stimuli that took at least a latency, on logarithmic axes.

    ``channels``: (latency in ns, stimuli that took at least that, all stimuli).
    """

    def draw(axes: Axes) -> None:
        for (index, (latency, longer, n)), colour in zip(channels.items(), COLOURS, strict=False):
            share = np.maximum(longer, 0.5) / n  # none: down to the floor, which is no share
            axes.step(latency, share, where="pre", color=colour, label=f"channel {index}")
            axes.axhline(1 / n, color=colour, linewidth=0.8, linestyle=":")
            axes.annotate(
                f"1 of N = {n}",
                (1, 1 / n),
                xycoords=("axes fraction", "data"),
                fontsize=8,
                ha="right",
                va="bottom",
            )
        axes.set_xlim(*_wide(axes.get_xlim()))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.5 / max(n for _, _, n in channels.values()))
        low, high = axes.get_xlim()
        if high < 10 * low:  # less than a decade has too few powers of ten to read it by
            axes.xaxis.set_major_locator(MaxNLocator(8))
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_xlabel("latency, ns")
        axes.set_ylabel("share that took at least so long")

    return _figure(draw, label, legend=len(channels) > 1)


def stages(boxes: dict[str, Array], label: str) -> str:
    """SVG of where the time went: each stage's time since the edge; ``boxes``: ns, shape (n,)."""

    def draw(axes: Axes) -> None:
        names = list(boxes)[::-1]
        axes.boxplot(
            [boxes[name] for name in names],
            orientation="horizontal",
            tick_labels=names,
            whis=(0, 100),
            medianprops={"color": COLOURS[1]},
        )
        axes.set_xlabel("time since the edge, ns (box: quartiles; whiskers: least and greatest)")
        axes.xaxis.set_major_locator(MaxNLocator(8))

    return _figure(draw, label, height=2.6)


def _wide(limits: tuple[float, float]) -> tuple[float, float]:
    """Limits at least as far apart as lets a few ticks look like few."""
    low, high = limits
    lack = max(0.0, _NARROWEST_NS - (high - low)) / 2
    return max(low - lack, 0.5 * low), high + lack


def _figure(
    draw: Callable[[Axes], None], label: str, *, legend: bool = False, height: float = 3.6
) -> str:
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height))
        left, right, bottom, top = 0.85 / _WIDTH, 1 - 0.15 / _WIDTH, 0.6 / height, 1 - 0.15 / height
        figure.subplots_adjust(left, bottom, right, top)
        axes = figure.add_subplot()
        figure.text(
            0.5,
            0.55,
            label,
            fontsize=30,
            color="#808080",
            alpha=0.18,
            ha="center",
            va="center",
            rotation=18,
        )
        draw(axes)
        if legend:
            axes.legend(frameon=False)
        file = io.StringIO()
        figure.savefig(file, format="svg", dpi=150, metadata={"Date": None})
    return _inline(file.getvalue())


def _inline(svg: str) -> str:
    """The element alone, fit for a page: no XML head, and as wide as the page allows."""
    svg = svg[svg.index("<svg") :]
    return re.sub(
        r'(<svg[^>]*?) width="[^"]*"',
        r"\1",
        re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1),
        count=1,
    )
