"""The plots of a run's report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.ticker import MaxNLocator, NullFormatter

from irqscope.analysis.stats import Distribution
from irqscope.experiment import Experiment
from irqscope.report import wording
from irqscope.report.figure import COLOURS, Array, Drawing, figure, logarithmic
from irqscope.results.curves import LEAST_COUNT
from irqscope.results.note import Mark
from irqscope.results.phase import Folded
from irqscope.units import NS_PER_S

#: Points beyond which a time trace is drawn as dots in a picture instead of vectors.
MOST_POINTS = 5_000
#: Latency axes span this at least, ns or cycles.
_NARROWEST = 80.0
#: The share of a map's height that is left free above and below.
_MARGIN = 0.05
#: Units of a pattern's time, and how many of each a second has.
_TIMES = ((1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"))
#: Periods below this are drawn in ns.
_SHORT_NS = 10_000


def histogram(channels: dict[int, tuple[Array, Array, int]], unit: str, label: str) -> Drawing:
    """SVG of histograms with a logarithmic count axis.

    ``channels``: for each, edges of its bars in ``unit``, shape (n + 1,), their counts, shape
    (n,), and how many stimuli took longer than all bars.
    """

    def draw(axes: Axes) -> None:
        for (index, (edges, counts, longer)), colour in zip(
            channels.items(), COLOURS, strict=False
        ):
            axes.stairs(
                counts,
                edges,
                fill=True,
                color=colour,
                alpha=1.0 if len(channels) == 1 else 0.6,
                label=f"channel {index}",
            )
            if longer:
                at = (edges[-1], max(counts[-1], 1))
                axes.annotate(f"{longer} longer", at, fontsize=8, ha="right", va="bottom")
        axes.set_xlim(*_wide(axes.get_xlim()))
        logarithmic(axes, "y")
        axes.set_ylim(bottom=LEAST_COUNT)
        axes.set_xlabel(f"latency, {unit}")
        axes.set_ylabel("stimuli in a bin")

    return figure(draw, label, legend=len(channels) > 1)


def trace(
    channels: dict[int, tuple[Array, Array]],
    unit: str,
    label: str,
    marks: Sequence[Mark] = (),
    *,
    timed: bool = True,
) -> Drawing:
    """SVG of latency over time.

    ``channels``: (time in s, latency in ``unit``), each of shape (n,); ``marks``: notes at a time.
    ``timed``: whether times are known; if not, stimuli are numbered.
    """

    def draw(axes: Axes) -> None:
        for (index, (time, latency)), colour in zip(channels.items(), COLOURS, strict=False):
            axes.plot(
                time,
                latency,
                ".",
                markersize=2.5,
                color=colour,
                rasterized=len(time) > MOST_POINTS,
                label=f"channel {index}",
            )
        for number, mark in enumerate(marks, 1):
            axes.axvspan(mark.begin_s, mark.end_s, color="#d55e00", alpha=0.3)
            axes.annotate(str(number), (mark.begin_s, 1.0), xycoords=("data", "axes fraction"))
        axes.set_ylim(*_wide(axes.get_ylim()))
        axes.set_xlabel(
            "time since the first batch began, talks on the link left out, s"
            if timed
            else "number of the stimulus"
        )
        axes.set_ylabel(f"latency, {unit}")

    return figure(draw, label, legend=len(channels) > 1)


def drift(time: Array, figures: dict[str, Array], unit: str, label: str) -> Drawing:
    """SVG of figures of batches over time.

    Args:
        time: Begin of each, s, shape (n,).
        figures: By name, latencies in ``unit``, each of shape (n,).
        unit: Unit of the latencies.
        label: Where the numbers come from.
    """

    def draw(axes: Axes) -> None:
        for (name, latency), colour in zip(figures.items(), COLOURS, strict=False):
            axes.plot(time, latency, ".-", markersize=2.5, linewidth=0.8, color=colour, label=name)
        axes.set_ylim(*_wide(axes.get_ylim()))
        axes.set_xlabel("begin of each, since that of the first one, s")
        axes.set_ylabel(f"latency, {unit}")

    return figure(draw, label, legend=True)


def pattern(experiment: Experiment, hz: int, label: str) -> Drawing:
    """SVG of the stimulus: two periods of the slowest line, without its dither."""
    lines = experiment.lines
    phases = {
        line.index: [part.ticks(hz) / hz for part in (line.start_delay, line.high, line.low)]
        for line in lines
    }
    end = max(delay + 2 * (high + low) for delay, high, low in phases.values())
    factor, unit = next((f, u) for f, u in _TIMES if end * f >= 1 or u == "ns")

    def draw(axes: Axes) -> None:
        for row, line in enumerate(reversed(lines)):
            delay, high, low = phases[line.index]
            rises = np.arange(delay, end, high + low)
            edges = np.column_stack((rises, rises + high)).ravel().clip(max=end)
            at = np.concatenate(([0.0], np.repeat(edges, 2), [end])) * factor
            level = np.concatenate(([0.0], np.tile([0.0, 0.8, 0.8, 0.0], len(rises)), [0.0]))
            axes.plot(at, level + row, color=COLOURS[line.index % len(COLOURS)])
        axes.set_yticks(range(len(lines)), [f"line {line.index}" for line in reversed(lines)])
        axes.set_xlabel(f"time, {unit}")
        axes.grid(visible=False)

    return figure(draw, label, height=0.9 + 0.35 * len(lines))


def ccdf(channels: dict[int, tuple[Array, Array, int]], unit: str, label: str) -> Drawing:
    """SVG of the share of stimuli that took at least a latency, on logarithmic axes.

    ``channels``: (latency in ``unit``, stimuli that took at least that, all stimuli).
    """

    def draw(axes: Axes) -> None:
        for (index, (latency, longer, n)), colour in zip(channels.items(), COLOURS, strict=False):
            counts = np.maximum(longer, LEAST_COUNT)  # none: down to the floor, which is no share
            axes.step(latency, counts / n, where="pre", color=colour, label=f"channel {index}")
            axes.axhline(1 / n, color=colour, linewidth=0.8, linestyle=":")
            axes.annotate(
                f"1 of N = {n}",
                (0, 1 / n),  # at the left, where the curve is at the top
                xytext=(4, 0),
                textcoords="offset points",
                xycoords=("axes fraction", "data"),
                fontsize=8,
                va="bottom",
            )
        logarithmic(axes, "x")
        # Not from the limits so far: their margin may lie below zero, where no logarithm is.
        ends = [end for latency, _, _ in channels.values() for end in (latency[0], latency[-1])]
        axes.set_xlim(*_wide((max(0.95 * min(ends), 1.0), 1.05 * max(ends))))
        logarithmic(axes, "y")
        axes.set_ylim(bottom=LEAST_COUNT / max(n for _, _, n in channels.values()))
        low, high = axes.get_xlim()
        if high < 10 * low:  # less than a decade has too few powers of ten to read it by
            axes.xaxis.set_major_locator(MaxNLocator(8))
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_xlabel(f"latency, {unit}")
        axes.set_ylabel("share that took at least as long")

    return figure(draw, label, legend=len(channels) > 1)


def stages(boxes: dict[str, Distribution], tick_hz: int, label: str) -> Drawing:
    """SVG of where the time went: each stage's time since the edge, ticks."""
    unit = wording.unit(tick_hz)

    def box(name: str, found: Distribution) -> dict[str, Any]:
        ends = {"whislo": found.lower.min(), "whishi": found.upper.max()}
        quartiles = {"q1": 0.25, "med": 0.5, "q3": 0.75}
        ends |= {key: found.quantile(p).value[0] for key, p in quartiles.items()}
        per_tick = wording.per_tick(tick_hz)
        return {"label": name} | {key: float(ticks) * per_tick for key, ticks in ends.items()}

    def draw(axes: Axes) -> None:
        axes.bxp(
            [box(name, boxes[name]) for name in reversed(boxes)],
            orientation="horizontal",
            showfliers=False,
            medianprops={"color": COLOURS[1]},
        )
        axes.set_xlabel(
            f"time since the edge, {unit} (box: quartiles; whiskers: least and greatest)"
        )
        axes.xaxis.set_major_locator(MaxNLocator(8))

    return figure(draw, label, height=2.6)


def phases(folded: Folded, tick_hz: int, label: str) -> Drawing:
    """SVG of a 2-D histogram: latency against the phase in something that repeats."""
    counts, across, up = folded.map()
    ns, unit = NS_PER_S / tick_hz, wording.unit(tick_hz)
    short = folded.period_ticks * ns < _SHORT_NS
    latency = up * wording.per_tick(tick_hz)

    def draw(axes: Axes) -> None:
        mesh = axes.pcolormesh(
            across * (ns if short else ns / 1000),
            latency,
            np.ma.masked_equal(counts.T, 0),
            norm=LogNorm(1, max(2.0, float(counts.max()))),
            cmap="cividis_r",
            rasterized=True,
        )
        bar = axes.figure.colorbar(mesh, ax=axes, label="stimuli", pad=0.02)
        bar.ax.yaxis.set_major_formatter("{x:.0f}")
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
        low, high = latency[0], latency[-1]
        edge = _MARGIN * (high - low)
        bottom, top = _wide((low - edge, high + edge))
        axes.set_ylim(bottom, top)
        if lost := int(folded.unanswered.sum()):
            # Along the upper end, where a latency without an end would be.
            at = folded.unanswered_at * (ns if short else ns / 1000)
            axes.plot(
                at,
                np.full(len(at), top),
                linestyle="none",
                marker="x",
                color=COLOURS[1],
                clip_on=False,
                label=f"no answer: {lost} stimuli",
            )
            axes.legend(frameon=False, loc="upper right")
        axes.set_xlabel(f"edge in {folded.of}, {'ns' if short else 'µs'}")
        axes.set_ylabel(f"latency, {unit}")

    return figure(draw, label)


def _wide(limits: tuple[float, float]) -> tuple[float, float]:
    """Limits at least as far apart as lets a few ticks look like few."""
    low, high = limits
    lack = max(0.0, _NARROWEST - (high - low)) / 2
    return max(low - lack, 0.5 * low), high + lack
