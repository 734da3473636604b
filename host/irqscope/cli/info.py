"""``irqscope info``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

import irqscope
from irqscope.cli import defaults, options, show
from irqscope.cli.options import DEFAULT_TARGET
from irqscope.report import wording
from irqscope.resources import compiled, resource
from irqscope.results.drift import drifts, piece
from irqscope.results.lost import lost_between_lines
from irqscope.results.reader import read


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
@options.JSON
def info(folder: Path | None, as_json: bool) -> None:
    """Show what a run folder holds, and how the run ended.

    Without DIR: which irqscope this is, and the defaults (irqscope.toml).
    """
    if folder is None:
        _of_irqscope(as_json)
        return
    run = read(folder)
    if as_json:
        run.require_unchanged()
        rows = run.sample_rows()
        lost = [asdict(one) for one in lost_between_lines(run)]
        drift = [
            {"channel": one.channel, "batches": len(one.begins), "ranges_ticks": one.ranges()}
            for one in drifts(run)
        ]
        background = {
            "cut_short": run.cut_short,
            "sample_rows": rows,
            "drift": drift,
            "lost_between_lines": lost,
        }
        show.print_json(run.run.model_dump(mode="json") | background)
        return
    show.print_run(run.run)
    run.require_unchanged()
    show.print_lost(run)
    show.out.print(f"samples: {run.sample_rows()} rows", soft_wrap=True)
    for one in drifts(run):
        hz = run.run.tick_hz
        told = ", ".join(
            f"{name} {wording.plain(low, hz)} to {wording.plain(high, hz)}"
            for name, (low, high) in one.ranges().items()
        )
        number = f"{len(one.begins)} {piece(run.run)}"
        text = f"drift: channel {one.channel}, {number}: {told or 'no answer'}"
        show.out.print(text, soft_wrap=True)
    show.out.print(f"ended: {run.ending}", soft_wrap=True, markup=False)


def _of_irqscope(as_json: bool) -> None:
    found = defaults.find()
    usual = {"target": DEFAULT_TARGET, "out": "runs", "jobs": 1}
    rows = {
        "version": irqscope.__version__,
        "resources": str(resource("")),
        "compiled": str(compiled("")),
        "defaults from": [str(path) for path in found.files],
        **usual,
        **found.values,
    }
    if as_json:
        show.print_json(rows)
        return
    rows["defaults from"] = ", ".join(rows["defaults from"]) or "no irqscope.toml"
    for name, value in rows.items():
        show.out.print(f"{name}: {value}", soft_wrap=True, markup=False)
