"""``irqscope sensitivity``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from irqscope import assumptions
from irqscope import experiment as experiments
from irqscope import sensitivity as sensitivities
from irqscope.cli import options, show
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExperimentError
from irqscope.results.folder import new_folder
from irqscope.sensitivity.record import Failed, Row, Swept


@click.command()
@click.argument(
    "files",
    type=click.Path(path_type=Path),
    metavar="EXPERIMENT.toml ...",
    nargs=-1,
    required=True,
)
@click.option(
    "--target",
    default="twin:a53",
    show_default=True,
    metavar="twin:PROFILE",
    help="Twin whose timing profile is varied.",
)
@options.COUNT
@click.option(
    "--vary", multiple=True, metavar="PARAM", help="Varies this one alone; * for anything."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder to write, new or empty.  [default: runs/sensitivity-TIME]",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also store here what runs on this twin are to print; those beside --out find it anyway.",
)
@options.JSON
def sensitivity(
    files: tuple[Path, ...],
    target: str,
    count: int | None,
    vary: tuple[str, ...],
    out: Path | None,
    keep: Path | None,
    as_json: bool,
) -> int:
    """Vary each assumption of a timing profile over its range, one at a time.

    Runs every experiment at both ends of every parameter that no source gives, and shows what it
    does to median and maximum, sorted by effect. Runs of the same case on the same twin print the
    range from then on. Exit code 4 if one run is not valid.
    """
    if keep is not None and vary:
        raise ExperimentError("--keep stores the range over all assumptions; leave --vary out")
    given = {} if count is None else {"count": count}
    wanted = [experiments.load(file, **given) for file in files]
    varied = sensitivities.assumptions(target, vary)
    sensitivities.check(wanted, target)
    planned = sensitivities.variations(wanted, varied)
    folder = out or new_folder("sensitivity")
    with (
        orderly_stop() as stop,
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=show.err,
            transient=show.err.is_terminal,
            speed_estimate_period=600.0,
        ) as bar,
    ):
        task = bar.add_task("runs", total=len(planned))
        record = sensitivities.run(
            planned, target, folder, done=lambda variation: bar.advance(task), stop=stop
        )
    from irqscope.report.sensitivity import write_sensitivity  # here: loads the plotting library

    page = write_sensitivity(folder, record)
    refused: list[str] = []
    if not vary:  # a range over some of them is none over what the model assumes
        places = [folder / assumptions.FOLDER, *([] if keep is None else [keep])]
        refused = sensitivities.keep(record, places)
    if as_json:
        show.print_json(record.model_dump(mode="json"))
    else:
        for experiment in record.experiments:
            show.out.print(_table(experiment))
    for text in refused:
        show.err.print(text, soft_wrap=True, markup=False)
    show.err.print(f"sensitivity: {page}", soft_wrap=True)
    return record.exit_code


def _table(experiment: Swept) -> Table:
    base = experiment.base
    said = (
        base.failed
        if isinstance(base, Failed)
        else f"median {base.median_ns} ns, max {base.max_ns} ns, N = {base.n}"
    )
    table = Table(title=f"{experiment.name}: {said}", title_justify="left")
    table.add_column("parameter", no_wrap=True)
    for name in ("range", "mark", "median, ns", "max, ns", "effect, ns"):
        table.add_column(name, justify="right" if "ns" in name else "left")
    for row in experiment.rows:
        low, high = row.low, row.high
        if isinstance(low, Failed) or isinstance(high, Failed):
            failed = low.failed or high.failed
            table.add_row(row.name, _range(row), row.mark, "failed", "", "", style="red")
            show.err.print(f"{row.name}: {failed}", soft_wrap=True, markup=False)
            continue
        table.add_row(
            row.name,
            _range(row),
            row.mark,
            f"{low.median_ns} .. {high.median_ns}",
            f"{low.max_ns} .. {high.max_ns}",
            "" if row.effect_ns is None else str(row.effect_ns),
        )
    return table


def _range(row: Row) -> str:
    return f"{row.range[0]} to {row.range[1]} {row.unit}"
