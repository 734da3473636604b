"""``irqscope suite``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import click
from click.core import ParameterSource

from irqscope.campaign.suite import COUNTS, load, run_suite
from irqscope.campaign.suite.cluster import Cluster
from irqscope.campaign.suite.run import SuiteResult
from irqscope.cli import complete, defaults, options, show
from irqscope.cli.bars import TotalBar
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExperimentError, IrqscopeError, StorageError
from irqscope.report import table as tables
from irqscope.results.folder import new_folder


@click.command()
@click.argument(
    "suite",
    type=click.Path(path_type=Path),
    metavar="SUITE",
    shell_complete=complete.suites,
)
@options.TARGET
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the suite; what it holds already is not run again.  [default: runs/NAME-TIME]",
)
@click.option(
    "--counts",
    type=click.Choice(COUNTS),
    help="Preset of counts.  [default: quick on a twin, paper on a board]",
)
@click.option("--shuffle", type=options.Whole(0), metavar="SEED", help="Run in a random order.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this run; * for anything.")
@click.option(
    "--jobs",
    type=options.Whole(1, 256),
    default=1,
    callback=options.tell_default,
    show_default=True,
    metavar="N",
    help="Twins at a time on this machine.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the workers of this Dask scheduler; --target board:NAME asks for one's board.",
)
@click.option("--no-card", is_flag=True, help="Make no benchmark card.")
@options.JSON
@options.QUIET
def suite(
    suite: Path,
    target: str,
    out: Path | None,
    counts: str | None,
    shuffle: int | None,
    only: tuple[str, ...],
    jobs: int,
    scheduler: str | None,
    no_card: bool,
    as_json: bool,
) -> int:
    """Run the experiments of a suite and make its benchmark card.

    SUITE is its file or folder, or the name of one that `irqscope experiments` lists.

    Resumes: a run that DIR holds complete and valid, of the same experiment on the same target, is
    not run again. Goes on after a failure; exit code 4 if one run is not valid.
    """
    twin = target.partition(":")[0] == "twin"
    origin = click.get_current_context().get_parameter_source("jobs")
    if not twin and origin is ParameterSource.DEFAULT_MAP:
        jobs = 1  # a user's default is for where it can be
    if jobs > 1 and not twin:
        raise ExperimentError(
            f"--jobs: {target} is not a twin and has one run at a time; leave it out"
        )
    loaded = load(suite, counts or ("quick" if twin else "paper"), only)
    folder = out or new_folder(loaded.suite.name, defaults.runs())
    if scheduler is not None and jobs > 1:
        raise ExperimentError(
            "--jobs: the scheduler decides how many workers there are; leave it out"
        )
    with (
        Cluster(scheduler, target) if scheduler is not None else nullcontext() as cluster,
        orderly_stop() as stop,
        TotalBar() as bar,
    ):
        result = run_suite(
            loaded,
            target,
            folder,
            bar,
            shuffle=shuffle,
            stop=stop,
            report=_report,
            jobs=jobs,
            cluster=cluster,
        )
        card = None
        if not no_card and not isinstance(result.error, StorageError):
            bar.step("card")
            card = _card(folder)
    if as_json:
        show.print_json(result.record.model_dump(mode="json"))
    else:
        _print(result, folder)
    show.err.print(f"suite folder: {folder}", soft_wrap=True)
    if card is not None:
        show.err.print(f"card: {card}", soft_wrap=True)
    if result.error is not None:
        show.failure(result.error)
    return result.exit_code


def _report(folder: Path) -> None:
    from irqscope.report.page import (
        write_report,  # here: its plotting library takes a second to load
    )

    _made(write_report, folder, "report")


def _card(folder: Path) -> Path | None:
    from irqscope_papers.card import write_card  # here: its plotting library takes a second

    return _made(write_card, folder, "card")


def _made(write: Callable[[Path], Path], folder: Path, product: str) -> Path | None:
    """A page is made from its folder; a folder without it is still whole."""
    try:
        return write(folder)
    except IrqscopeError as error:
        show.err.print(f"irqscope: no {product} of {folder}: {error}", soft_wrap=True, markup=False)
        return None


def _print(result: SuiteResult, folder: Path) -> None:
    record = result.record
    states = Counter(item.state for item in record.items.values() if item.state != "left out")
    summary = ", ".join(f"{number} {state}" for state, number in states.most_common())
    show.print_headline(
        f"{record.suite} on {record.label}, {record.counts} counts: {summary or 'no run'}"
    )
    heads = {"N": "n", "p50, ns": "p50_ns", "p99.9, ns": "p999_ns", "max, ns": "max_ns"}
    latencies = {}
    for row in reversed(tables.table(folder).to_pylist()):
        latencies[row["folder"]] = row  # of several channels the first
    rows = []
    for name in record.order:
        item = record.items[name]
        if item.state == "left out":
            continue
        seconds = "" if item.seconds is None else f"{item.seconds:.0f} s"
        state = "valid, kept" if item.kept else item.state
        row = latencies.get(name, {})
        figures = ("" if row.get(key) is None else str(row[key]) for key in heads.values())
        rows.append([name, state, seconds, *figures])
    show.print_table(["run", "state", "time", *heads], rows)
