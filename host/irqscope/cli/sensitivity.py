"""``irqscope sensitivity``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from irqscope import experiment as experiments
from irqscope.campaign import sensitivity as sensitivities
from irqscope.cli import defaults, options, show
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment
from irqscope.report.sensitivity_text import joint_words
from irqscope.results import assumptions
from irqscope.results.folder import new_folder
from irqscope.results.sensitivity_record import Failed, Row, Swept
from irqscope.units import shown_ns

DRAWS, MOST_DRAWS = 200, 100_000
#: Of the design of the draws: the same ones every time.
_SEED = 1


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
    callback=options.tell_default,
    show_default=True,
    metavar="twin:PROFILE",
    help="Twin whose timing profile is varied.",
)
@options.COUNT
@click.option(
    "--draws",
    type=options.Whole(0, MOST_DRAWS),
    default=DRAWS,
    show_default=True,
    metavar="N",
    help="Joint draws over all constants and layouts.",
)
@click.option(
    "--stack",
    "stacks",
    multiple=True,
    metavar="NAME",
    help="Software stack, in place of the file's; for several, each experiment is taken on each.",
)
@click.option(
    "--vary",
    multiple=True,
    metavar="PARAM",
    help="Varies this one alone, or layout; * for anything.",
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
    draws: int,
    stacks: tuple[str, ...],
    vary: tuple[str, ...],
    out: Path | None,
    keep: Path | None,
    as_json: bool,
) -> int:
    """Vary all assumptions of a timing profile over their ranges, jointly and one at a time.

    Draws every parameter that no source gives, and the layout of the firmware, from a Latin
    hypercube, and runs each experiment at each draw; then at both ends of each parameter and in
    each layout alone, sorted by what that does to the median. Runs of the same case on the same
    twin print the joint range from then on. Exit code 4 if one run is not valid.
    """
    if keep is not None and (vary or not draws):
        raise ExperimentError(
            "--keep stores the joint range over all assumptions; leave --vary and --draws 0 out"
        )
    options = {} if count is None else {"count": count}
    chosen_experiments = [one for file in files for one in _on_stacks(file, stacks, options)]
    varied = sensitivities.assumptions(target, vary)
    sensitivities.check(chosen_experiments, target)
    plan = sensitivities.planned(
        chosen_experiments, target, varied, draws=draws, seed=_SEED, only=vary
    )
    if not vary and (unplaced := sensitivities.unplaced(plan, target)):
        remedy = (
            "the layout of the code is not varied: run `" + "` and `".join(unplaced) + "` before"
        )
        if keep is not None:
            raise ExperimentError(remedy)
        show.err.print(remedy, soft_wrap=True, markup=False)
    folder = out or new_folder("sensitivity", defaults.runs())
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
        task = bar.add_task("runs", total=sum(len(one.points) for one in plan))
        record = sensitivities.run(
            plan, target, folder, seed=_SEED, done=lambda: bar.advance(task), stop=stop
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
            _print(experiment)
    for text in refused:
        show.err.print(text, soft_wrap=True, markup=False)
    show.err.print(f"sensitivity: {page}", soft_wrap=True)
    return record.exit_code


def _on_stacks(
    file: Path, stacks: tuple[str, ...], changes: dict[str, int]
) -> Iterator[Experiment]:
    """The experiment, or it on each of the stacks, whose name then follows its own."""
    own = experiments.load(file, **changes)
    if not stacks:
        yield own
    for stack in stacks:
        named = own.name if stack == own.stack else f"{own.name}-{stack}"
        yield experiments.load(file, **changes, stack=stack, name=named)


def _print(experiment: Swept) -> None:
    base = experiment.base
    text = (
        base.failed
        if isinstance(base, Failed)
        else f"median {shown_ns(base.median_ns)}, max {shown_ns(base.max_ns)}, N = {base.n}"
    )
    show.print_headline(f"{experiment.name}: {text}")
    for line in joint_words(experiment):
        show.print_line(line)
    rows = []
    for row in experiment.rows:
        low, high = row.low, row.high
        cells = ["failed", "", ""]
        if isinstance(low, Failed) or isinstance(high, Failed):
            failed = low.failed or high.failed
            show.err.print(f"{row.name}: {failed}", soft_wrap=True, markup=False)
        else:
            cells = [
                f"{low.median_ns} .. {high.median_ns}",
                f"{low.max_ns} .. {high.max_ns}",
                "" if row.effect_ns is None else str(row.effect_ns),
            ]
        rows.append([row.name, _range(row), row.mark, *cells])
    heads = ("parameter", "range", "mark", "median, ns", "max, ns", "effect, ns")
    show.print_table(heads, rows)


def _range(row: Row) -> str:
    return f"{row.range[0]} to {row.range[1]} {row.unit}"
