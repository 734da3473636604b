"""``irqscope compare``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.errors import ExperimentError
from irqscope.report import compare as comparing
from irqscope.report import summary
from irqscope.results.reader import read_unchanged


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="DIR DIR...")
@click.option("--mixed", is_flag=True, help="Compare runs of different sources all the same.")
@click.option(
    "--channel",
    type=options.Whole(0),
    metavar="N",
    help="The channel of each run that is compared; if left out each run's first one.",
)
@options.JSON
def compare(folders: tuple[Path, ...], mixed: bool, channel: int | None, as_json: bool) -> None:
    """Compare run folders with the first one: differences of quantiles, and what else differs."""
    runs = [read_unchanged(folder) for folder in folders]
    comparison = comparing.compare(runs, channel)
    targets = comparing.kinds(runs)
    if len(targets) > 1 and not mixed:
        raise ExperimentError(
            f"these runs come from {' and '.join(sorted(targets))}, and a twin does not predict a "
            "board, nor does either replace a capture; compare them all the same with --mixed"
        )
    if as_json:
        show.print_json(comparison.as_dict())
        return
    for place, run in enumerate(runs, 1):
        show.print_headline(f"{place}: {summary.headline(run.run)}; {run.path}")
    _print("quantiles against the first run", comparison.names, comparison.quantiles)
    for remark in comparison.remarks:
        show.print_line(remark)
    if comparison.differs:
        _print("what else differs", comparison.names, comparison.differs)
    else:
        show.print_line("nothing else differs")


def _print(title: str, names: tuple[str, ...], rows: Mapping[str, tuple[object, ...]]) -> None:
    cells = [[name, *map(str, row)] for name, row in rows.items()]
    show.print_table(["", *names], cells, title)
