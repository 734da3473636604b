"""``irqscope experiments``."""

from __future__ import annotations

import click

from irqscope.cli import options, show
from irqscope.experiment import shipped
from irqscope.experiment.tomlfile import read


@click.command()
@options.JSON
def experiments(as_json: bool) -> None:
    """List the experiments and suites that come with irqscope: run and suite take their names."""
    kinds = {"experiment": shipped.experiments(), "suite": shipped.suites()}
    rows = [
        {"kind": kind, "name": name, "description": read(path)[1]["description"], "file": str(path)}
        for kind, names in kinds.items()
        for name, path in names.items()
    ]
    if as_json:
        show.print_json(rows)
        return
    heads = ("name", "kind", "description")
    show.print_table(heads, [[row[name] for name in heads] for row in rows])
