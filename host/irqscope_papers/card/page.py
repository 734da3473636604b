"""Makes a card from the folder of a suite."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from irqscope.files import replace
from irqscope.report import wording
from irqscope.report.figure import Array, Drawing
from irqscope.report.template import template
from irqscope.results import curves
from irqscope.results.reader import read
from irqscope_papers.a9 import printed as a9
from irqscope_papers.a9.states import KINDS
from irqscope_papers.card import plots
from irqscope_papers.card.data import card
from irqscope_papers.card.run import answered
from irqscope_papers.cv32rt import benchmark as cv32rt
from irqscope_papers.horst2020 import deciding
from irqscope_papers.horst2020 import printed as horst
from irqscope_papers.printed import NOT_PRINTED
from irqscope_papers.tickless import printed as tickless

#: (title, caption, plot)
Plot = tuple[str, str, Drawing]


def write_card(folder: Path) -> Path:
    """Writes ``card.json`` and ``card.html`` into a suite's folder; returns the path of the page.

    Raises StorageError.
    """
    values = card(folder)
    text = json.dumps(values, indent=2, allow_nan=False) + "\n"
    replace(folder / "card.json", lambda file: file.write(text.encode()))
    html = render(folder, values)
    page = folder / "card.html"
    replace(page, lambda file: file.write(html.encode()))
    return page


def render(folder: Path, values: dict[str, Any], embedded: Callable[[Drawing], str] = str) -> str:
    """Renders the page. ``values``: content of card.json; curves are read from the folder.

    ``embedded``: returns the HTML of a plot; by default the plot's SVG.
    """
    kind = values["card"]
    plots = {
        "horst2020": _horst,
        "distributions": _distributions,
        "lockdown": _lockdown,
        "stages": _stages,
    }
    return template("card.html.j2", "irqscope_papers", "card").render(
        card=values,
        label=values["label"],
        origin="simulation" if values["label"].startswith(("twin", "RTL simulation")) else "board",
        plots=[
            (title, text, embedded(drawing))
            for title, text, drawing in (plots[kind](folder, values) if kind in plots else ())
        ],
        horst=horst,
        a9=a9,
        tickless=tickless,
        not_printed=NOT_PRINTED,
        cv32rt=cv32rt,
        kinds=KINDS,
        thresholds=deciding.THRESHOLDS,
        repeats=wording.REPEATS,
        one_way=sorted({r["latency"]["one_way_bound_ns"] for r in _latencies(values)}),
    )


def _latencies(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [run for run in values["runs"] if run["latency"]]


def _side_by_side(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs in their order, but with the stacks of a case side by side."""
    case = {run["name"]: run["name"].removesuffix(f"-{run['stack']}") for run in runs}
    order = list(dict.fromkeys(case.values()))
    return sorted(runs, key=lambda run: (order.index(case[run["name"]]), run["stack"]))


def _named(run: dict[str, Any], n: int) -> str:
    lacking = run["latency"]["unanswered"] if run["latency"] else ""
    return f"{run['name']}  (N = {n}{', ' if lacking else ''}{lacking})"


def _horst(folder: Path, values: dict[str, Any]) -> Iterator[Plot]:
    """Figures 4 and 5: the stacks of each case one below the other."""
    label = values["label"]
    rows = {
        run["name"]: (
            _named(run, run["latency"]["n"]),
            run["stack"],
            run["latency"]["box"],
            run["printed"]["value"] if run["printed"] else None,
        )
        for run in _side_by_side(_latencies(values))
    }
    box = (
        "Box: quartiles; line: median; whiskers: the last latency within 1.5 interquartile ranges; "
        "dots: every latency beyond, where a stimulus that timed out is at the timeout; "
        "triangle: the average in print, where there is one. "
    )
    minimal = [row for name, row in rows.items() if name.startswith("b-lmin")]
    greatest = [row for name, row in rows.items() if name.startswith("b-lmax")]
    if cases := [row for row in rows.values() if row not in minimal + greatest]:
        text = "Shaded: the linear zone of the axis, to 2496 ns as in the paper."
        yield (
            "Latency of the cases (figure 4 a)",
            box + text,
            plots.boxes(cases, label, horst.LINEAR_NS),
        )
    if minimal:
        text = "Shaded: the linear zone of the axis, to 240 ns as in the paper."
        svg = plots.boxes(minimal, label, horst.LINEAR_LMIN_NS)
        yield "Least latency, B-Lmin (figure 4 b)", box + text, svg
    if greatest:
        svg = plots.boxes(greatest, label, None)
        yield "Greatest latency, B-Lmax (figure 4 c)", box + "A linear axis as in the paper.", svg
    through = [
        (_named(r, r["throughput"]["n"]), r["stack"], r["throughput"])
        for r in _side_by_side([r for r in values["runs"] if r["throughput"]])
    ]
    if through:
        text = "Median over the phases (N) of the interrupts that all cores handled in a second."
        svg = plots.medians([(name, stack, t["median_hz"]) for name, stack, t in through], label)
        yield "Throughput, medians (figure 5 a)", text, svg
        text = (
            "Each phase less the median of its case. Shaded: the linear zone, to 1 Hz; the axis "
            "spans 500 kHz, or more where a phase needs it."
        )
        svg = plots.ranges(
            [(name, stack, t["phases_hz"], t["median_hz"]) for name, stack, t in through],
            label,
            horst.LINEAR_HZ,
            horst.RANGE_HZ,
        )
        yield "Throughput, ranges (figure 5 b)", text, svg


def _distributions(folder: Path, values: dict[str, Any]) -> Iterator[Plot]:
    """Tails of all runs in one plot."""
    per_tick = values["cpu_hz"] / values["tick_hz"]
    curves = {
        run["name"]: _tail(folder / run["name"], run["latency"]["channel"], per_tick)
        for run in _latencies(values)
    }
    if curves:
        text = (
            "Share of interrupts that took at least as long, counted by the gateware, every "
            "interrupt. Below one of N nothing is known."
        )
        yield "Tails (CCDF)", text, plots.tails(curves, values["label"])


def _lockdown(folder: Path, values: dict[str, Any]) -> Iterator[Plot]:
    """The article's figures combined: the distributions, then their tails."""
    per_tick = values["cpu_hz"] / values["tick_hz"]
    curves, width = {}, 0.0
    for run in _latencies(values):
        folder_read = read(folder / run["name"])
        width = folder_read.run.identified.machine.sampling_grid.phases * per_tick
        distribution = answered(folder_read, run["latency"]["channel"])
        middle = (distribution.lower + distribution.upper) / 2 * per_tick
        curves[run["name"]] = (middle, distribution.counts.astype(np.float64))
    if curves:
        text = (
            "Share of interrupts by latency, every interrupt that was served. A bin is the time "
            "after which ticks and the sampling grid of markers meet again."
        )
        yield "Distributions", text, plots.shares(curves, width, values["label"])
    yield from _distributions(folder, values)


def _tail(folder: Path, channel: int, per_tick: float) -> tuple[Array, Array, int]:
    """Tail of a channel: latencies, the number that are at least as long, and N.

    Stimuli that timed out count as longer than all drawn latencies; coalesced ones count only in N.
    """
    run = read(folder)
    distribution = run.distribution(channel)
    ticks, at_least = curves.tail(distribution)
    return ticks * per_tick, at_least, distribution.n


def _stages(folder: Path, values: dict[str, Any]) -> Iterator[Plot]:
    """Plots of the stages of the latency, one for each idle mode."""
    rows = [
        (
            _named(run, run["stages"][0]["n"]),
            [(stage["stage"], stage["median_ns"]) for stage in run["stages"]],
        )
        for run in values["runs"]
        if run["stages"]
    ]
    if rows:
        text = (
            "From the edge to each stage's marker, by the medians since the edge. A marker is a "
            "store on the measured path and lengthens what follows."
        )
        yield "Where the time goes", text, plots.waterfall(rows, values["label"])
