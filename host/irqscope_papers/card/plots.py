"""The figures of a card: those of the papers, redrawn from the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from irqscope.report.figure import COLOURS, Array, Drawing, figure, logarithmic
from irqscope.results.curves import LEAST_COUNT

#: Edge and face colour of each stack. Custom stacks use the last pair.
_STACKS = {
    "baremetal": (COLOURS[0], "#cfe3f2"),
    "standalone": (COLOURS[2], "#cdeadd"),
    "freertos": (COLOURS[3], "#f3dcea"),
}
_OWN = (COLOURS[4], "#f8e7c4")
#: Inches: height of one row, of a letter's width, and least left margin.
_ROW, _LETTER, _LEFT = 0.34, 0.08, 2.3


def boxes(
    rows: Sequence[tuple[str, str, dict[str, Any], float | None]],
    label: str,
    linear_ns: float | None,
) -> Drawing:
    """SVG of latencies as in figure 4.

    ``rows``: (name with N, stack, box in ns, printed average in ns if any), top to bottom.
    ``linear_ns``: end of the linear zone of a symlog axis, or None for a linear axis.
    """

    def draw(axes: Axes) -> None:
        boxes = axes.bxp(
            [
                {
                    "label": name,
                    "whislo": box["low"],
                    "q1": box["q1"],
                    "med": box["median"],
                    "q3": box["q3"],
                    "whishi": box["high"],
                    "fliers": box["outliers"],
                }
                for name, _, box, _ in rows
            ],
            orientation="horizontal",
            widths=0.55,
            patch_artist=True,
            medianprops={"color": COLOURS[1], "linewidth": 1.8},
            flierprops={"marker": ".", "markersize": 3},
        )
        for patch, (_, stack, _, _) in zip(boxes["boxes"], rows, strict=True):
            edge, face = _STACKS.get(stack, _OWN)
            patch.set(edgecolor=edge, facecolor=face)
        for dots, (_, stack, _, _) in zip(boxes["fliers"], rows, strict=True):
            dots.set(markeredgecolor=_STACKS.get(stack, _OWN)[0])
        for place, (_, _, _, average) in enumerate(rows, 1):
            if average is not None:
                axes.plot(average, place - 0.42, "v", color=COLOURS[2], markersize=6)
        axes.invert_yaxis()
        low = min(min((box["low"], *box["outliers"])) for _, _, box, _ in rows)
        high = max(max((box["high"], *box["outliers"])) for _, _, box, _ in rows)
        if linear_ns is None:
            lack = max(0.0, 80 - (high - low)) / 2
            axes.set_xlim(low - lack - 0.03 * (high - low), high + lack + 0.03 * (high - low))
        else:
            _symlog(axes, linear_ns, 0.0, max(high, linear_ns) * 1.1)
        axes.set_xlabel("latency, ns")
        _key(axes, [stack for _, stack, _, _ in rows])

    return figure(draw, label, height=1.0 + _ROW * len(rows), left=_left(rows))


def medians(rows: Sequence[tuple[str, str, float]], label: str) -> Drawing:
    """SVG of throughput as in figure 5 a. ``rows``: (name with N, stack, median in Hz)."""

    def draw(axes: Axes) -> None:
        places = np.arange(len(rows))
        colours = [_STACKS.get(stack, _OWN)[0] for _, stack, _ in rows]
        bars = axes.barh(places, [hz for _, _, hz in rows], height=0.6, color=colours)
        axes.bar_label(bars, [f"{hz:,.0f}" for _, _, hz in rows], padding=3, fontsize=9)
        axes.set_yticks(places, [name for name, _, _ in rows])
        axes.invert_yaxis()
        axes.margins(x=0.15)
        _key(axes, [stack for _, stack, _ in rows])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda hz, _: f"{hz / 1e6:g}"))
        axes.set_xlabel("throughput, million interrupts a second (bars: median in Hz)")

    return figure(draw, label, height=1.0 + _ROW * len(rows), left=_left(rows))


def ranges(
    rows: Sequence[tuple[str, str, Sequence[float], float]],
    label: str,
    linear_hz: float,
    width_hz: float,
) -> Drawing:
    """SVG of throughput as in figure 5 b: every phase minus the median of its case.

    ``rows``: (name with N, stack, Hz of each phase, median in Hz). ``width_hz``: least width of the
    axis.
    """

    def draw(axes: Axes) -> None:
        widest = width_hz / 2
        for place, (_, stack, phases, median) in enumerate(rows):
            colour = _STACKS.get(stack, _OWN)[0]
            offsets = np.array(phases) - median
            widest = max(widest, float(np.abs(offsets).max()))
            axes.plot([offsets.min(), offsets.max()], [place, place], color=colour, linewidth=1.5)
            axes.plot(offsets, np.full(len(offsets), place), ".", color=colour, markersize=5)
            axes.plot(0, place, "|", color=COLOURS[1], markersize=14, markeredgewidth=2)
        axes.set_yticks(range(len(rows)), [name for name, _, _, _ in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.invert_yaxis()
        _symlog(axes, linear_hz, -widest, widest)
        _key(axes, [stack for _, stack, _, _ in rows])
        axes.set_xlabel("throughput of a phase less the median of its case, Hz")

    return figure(draw, label, height=1.0 + _ROW * len(rows), left=_left(rows))


def _left(rows: Sequence[tuple[Any, ...]]) -> float:
    """Left margin, inches, that fits the names, the first item of each row."""
    return max(_LEFT, _LETTER * (2 + max(len(row[0]) for row in rows)))


def _key(axes: Axes, stacks: Sequence[str]) -> None:
    """Adds a legend of the stacks' colours, if there are several stacks."""
    names = sorted(set(stacks))
    if len(names) > 1:
        patches = [Patch(color=_STACKS.get(name, _OWN)[0], label=name) for name in names]
        axes.legend(handles=patches, frameon=False, loc="best")


def tails(curves: dict[str, tuple[Array, Array, int]], label: str) -> Drawing:
    """SVG of the share of stimuli that took at least as long; by name: (cycles, stimuli, N)."""

    def draw(axes: Axes) -> None:
        styles = ("-", "--", "-.", ":")
        for place, (name, (cycles, longer, n)) in enumerate(curves.items()):
            axes.step(
                cycles,
                np.maximum(longer, LEAST_COUNT) / n,
                where="pre",
                color=COLOURS[place % len(COLOURS)],
                linestyle=styles[place % len(styles)],
                label=f"{name}, N = {n}",
            )
        logarithmic(axes, "y")
        axes.set_ylim(bottom=LEAST_COUNT / max(n for _, _, n in curves.values()))
        axes.set_xlim(left=0)
        axes.set_xlabel("latency, CPU cycles")
        axes.set_ylabel("share that took at least as long")

    return figure(draw, label, legend=True, height=4.2)


def shares(curves: dict[str, tuple[Array, Array]], width: float, label: str) -> Drawing:
    """SVG of distributions; by name: (cycles, stimuli). ``width``: width of a bin."""

    def draw(axes: Axes) -> None:
        for place, (name, (cycles, counts)) in enumerate(curves.items()):
            first, last = np.floor(cycles.min() / width), np.floor(cycles.max() / width) + 1
            edges = np.arange(first, last + 1) * width
            weights, _ = np.histogram(cycles, edges, weights=counts)
            axes.stairs(
                100 * weights / counts.sum(),
                edges,
                color=COLOURS[place % len(COLOURS)],
                linewidth=1.4,
                label=f"{name}, N = {counts.sum():.0f}",
            )
        axes.set_xlim(left=0)
        axes.set_xlabel(f"latency, CPU cycles (bins of {width:.0f})")
        axes.set_ylabel("share of interrupts, %")

    return figure(draw, label, legend=True, height=4.2)


def waterfall(rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], label: str) -> Drawing:
    """SVG of the stages of the latency.

    ``rows``: (name with N, stages in order as (name, median ns since the edge)).
    """

    def draw(axes: Axes) -> None:
        named: set[str] = set()
        for place, (_, stages) in enumerate(rows):
            before = 0.0
            for (stage, end), colour in zip(stages, COLOURS, strict=False):
                axes.barh(
                    place,
                    end - before,
                    left=before,
                    height=0.55,
                    color=colour,
                    label=None if stage in named else f"to {stage}",
                )
                named.add(stage)
                before = end
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.invert_yaxis()
        axes.set_xlim(left=0)
        axes.set_xlabel("median of the time since the edge, ns")

    return figure(draw, label, legend=True, height=1.6 + _ROW * len(rows), left=_left(rows))


def _symlog(axes: Axes, linear: float, low: float, high: float) -> None:
    """A symlog axis with few, round ticks, whose linear zone is shaded."""
    axes.set_xscale("symlog", linthresh=linear, linscale=1.0)
    axes.set_xlim(low, high)
    axes.axvspan(max(low, -linear), min(high, linear), color="#f3f3f3", zorder=0)
    decades = 10.0 ** np.arange(np.floor(np.log10(linear)), np.ceil(np.log10(high)) + 1)
    beyond = decades
    if high < 100 * linear:  # so few decades that their parts are needed, too
        beyond = np.outer(decades, (1, 2, 5)).ravel()
    beyond = beyond[(beyond > 1.3 * linear) & (beyond <= high)]
    if low < 0:
        beyond = beyond[::-2][::-1]  # room for both signs
        ticks = [*-beyond[::-1], -linear, 0.0, linear, *beyond]
    else:
        ticks = [0.0, linear / 2, linear, *beyond]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
