"""``irqscope import``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.acquire.measure import Result
from irqscope.acquire.until import Until
from irqscope.cli import defaults, options, show
from irqscope.cli.bars import Bar
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExperimentError
from irqscope.results.folder import new_folder


@click.command(name="import")
@click.argument(
    "files", type=click.Path(path_type=Path), metavar="FILE...", nargs=-1, required=True
)
@click.option("--start", metavar="EDGE", help='Edge that begins a stimulus, as "Channel 0 rise".')
@click.option(
    "--stop",
    "stops",
    metavar="EDGE",
    multiple=True,
    help='Edge that answers it, as "Channel 1 rise"; each further one is a channel of its own.',
)
@click.option(
    "--timeout",
    metavar="TIME",
    help="A stimulus without an answer by then has none.  [default: from the starts]",
)
@click.option("--sample-rate", metavar="RATE", help='Of the analyser, as "24 MHz".')
@click.option(
    "--unit",
    type=click.Choice(("s", "ms", "us", "ns", "ps")),
    help="Of times or latencies, where FILE does not state it.",
)
@click.option("--column", metavar="NAME", help="Column with the latencies.")
@click.option("--name", metavar="NAME", help="Name of the run.  [default: that of FILE]")
@options.OUT
@options.JSON
@options.QUIET
def import_files(
    files: tuple[Path, ...],
    start: str | None,
    stops: tuple[str, ...],
    timeout: str | None,
    sample_rate: str | None,
    unit: str | None,
    column: str | None,
    name: str | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Make a run of FILE, which another instrument measured.

    FILE is an edge list or capture of a logic analyser (Saleae Logic 2 CSV or binary export, sigrok
    .sr, VCD, CSV or Parquet of edges), a list of latencies (CSV or Parquet), a histogram
    (cyclictest, rtla, jitterdebugger, oslat, HdrHistogram .hgrm), or a TOML file that says the same
    as these options.

    Shows one table and writes a run folder with its report, as `irqscope run` does.
    """
    from irqscope.kinds.capture.importing import import_run
    from irqscope.kinds.capture.recipe import Pair, Recipe, name_of, of_file

    if files[0].suffix == ".toml" and len(files) == 1:
        options = (start, *stops, timeout, sample_rate, unit, column)
        if any(value is not None for value in options):
            raise ExperimentError(f"{files[0]} says it all; leave the options out")
        recipe = of_file(files[0])
    else:
        if bool(stops) != (start is not None):
            raise ExperimentError("--start and --stop belong together; give both or neither")
        pairs = [{"start": start, "stop": stop, "timeout": timeout} for stop in stops]
        recipe = Recipe(
            name=name_of(files[0]),
            files=tuple(map(str, files)),
            sample_rate=sample_rate,
            unit=unit,  # type: ignore[arg-type]
            column=column,
            channels=tuple(Pair(**pair) for pair in pairs),  # type: ignore[arg-type]
        )
    if name is not None:
        if name_of(Path(f"{name}.x")) != name:
            raise ExperimentError(f"--name {name}: use letters, digits, points and dashes")
        recipe = recipe.model_copy(update={"name": name})
    folder = out or new_folder(recipe.name, defaults.runs())
    with orderly_stop("this block") as stop, Bar("bytes") as bar:
        result = import_run(recipe, folder, bar, stop)
        bar.step("report")
        report = show.made_report(folder) if result.run.stats else None
    return _shown(result, folder, report, as_json)


def run_live(
    path: Path, target: str, count: int | None, out: Path | None, as_json: bool, until: Until
) -> int:
    """Measures what a TOML file with ``machine = "capture"`` says, with sigrok-cli.

    Returns the exit code. Raises IrqscopeError.
    """
    from irqscope.kinds.capture.importing import measure_live
    from irqscope.kinds.capture.recipe import load

    recipe = load(path)
    folder = out or new_folder(recipe.name, defaults.runs())
    with orderly_stop("this block") as stop, Bar() as bar:
        result = measure_live(recipe, target, count or recipe.count, folder, bar, stop, until=until)
        bar.step("report")
        report = show.made_report(folder) if result.run.stats else None
    return _shown(result, folder, report, as_json)


def _shown(result: Result, folder: Path, report: Path | None, as_json: bool) -> int:
    """Prints a run, and where it is; returns the exit code."""
    if as_json:
        show.print_json(result.run.model_dump(mode="json"))
    else:
        show.print_run(result.run)
    show.err.print(f"run folder: {folder}", soft_wrap=True)
    if report is not None:
        show.err.print(f"report: {report}", soft_wrap=True)
    if result.error is not None and (as_json or show.out.quiet or not show.out.is_terminal):
        show.failure(result.error)
    return result.exit_code
