"""``irqscope run``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope import experiment as experiments
from irqscope.cli import options, show
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExitCode, IrqscopeError, StorageError
from irqscope.experiment import Experiment
from irqscope.measure import Result, measure
from irqscope.plan import BATCH_S
from irqscope.results.folder import new_folder


@click.command()
@options.EXPERIMENT
@options.TARGET
@options.COUNT
@options.SEED
@options.OUT
@options.JSON
@click.option(
    "--batch",
    "batch_s",
    type=click.FloatRange(min=0, min_open=True),
    default=BATCH_S,
    show_default=True,
    metavar="SECONDS",
    help="Target time between two talks on the link.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the bytes of the link, for --target replay:FILE.",
)
def run(
    experiment: Path,
    target: str,
    count: int | None,
    seed: int | None,
    out: Path | None,
    as_json: bool,
    batch_s: float,
    record: Path | None,
) -> int:
    """Measure what EXPERIMENT.toml describes.

    Shows one table and writes a run folder with its report. Exit code 0 only if the run is valid.
    """
    given = {"count": count, "seed": seed}
    wanted = experiments.load(experiment, **{k: v for k, v in given.items() if v is not None})
    base = out or new_folder(wanted.name)
    worst = ExitCode.VALID
    for repeat in range(wanted.repeats):
        # A repeat is a run of its own, with the next seed.
        one = wanted.model_copy(update={"seed": wanted.seed + repeat})
        path = base if wanted.repeats == 1 else base / str(repeat + 1)
        result = _one(one, target, path, record, as_json, batch_s)
        worst = max(worst, result.exit_code)
        if result.error is not None:
            break
    return worst


def _one(
    experiment: Experiment,
    target: str,
    path: Path,
    record: Path | None,
    as_json: bool,
    batch_s: float,
) -> Result:
    with orderly_stop() as stop, show.Bar() as bar:
        result = measure(
            experiment, target, path, progress=bar, stop=stop, record=record, batch_s=batch_s
        )
        report = None
        if result.run["stats"] and not isinstance(result.error, StorageError):
            bar.step("report")
            report = _report(path)
    if as_json:
        show.print_json(result.run)
    else:
        show.print_run(result.run)
    show.err.print(f"run folder: {path}", soft_wrap=True)
    if report is not None:
        show.err.print(f"report: {report}", soft_wrap=True)
    if result.error is not None:
        show.err.print(f"irqscope: {result.error}", soft_wrap=True, markup=False)
    return result


def _report(path: Path) -> Path | None:
    """The report is made from the folder; a folder without it is still whole."""
    from irqscope.report import write_report  # here: its plotting library takes a second to load

    try:
        return write_report(path)
    except IrqscopeError as error:
        show.err.print(f"irqscope: no report: {error}", soft_wrap=True, markup=False)
        return None
