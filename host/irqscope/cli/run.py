"""``irqscope run``."""

from __future__ import annotations

import re
from pathlib import Path

import click

from irqscope.acquire.measure import Result, measure, repeats
from irqscope.acquire.plan import BATCH_S
from irqscope.acquire.until import Until, parse_span
from irqscope.cli import complete, defaults, options, show
from irqscope.cli.bars import Bar
from irqscope.cli.importing import run_live
from irqscope.cli.signals import orderly_stop
from irqscope.cli.split import run_split
from irqscope.errors import ExitCode, ExperimentError, StorageError
from irqscope.experiment import Experiment, load
from irqscope.files import require_folder_of, require_replaceable
from irqscope.machines.model import Machine
from irqscope.report import kinds
from irqscope.results.again import experiment_of
from irqscope.results.folder import new_folder
from irqscope.results.functions import BEGIN, answers
from irqscope.results.reader import read, read_unchanged
from irqscope.units import Duration


@click.command()
@click.argument(
    "experiment",
    type=click.Path(path_type=Path),
    metavar="EXPERIMENT|DIR",
    shell_complete=complete.experiments,
)
@options.TARGET
@click.option(
    "--elf",
    metavar="FILE",
    help="What the target runs, as :elf=FILE after it: for the runner of cargo.",
)
@options.COUNT
@options.SEED
@options.OUT
@options.JSON
@options.QUIET
@options.BATCH
@click.option(
    "--duration",
    metavar="TIME",
    help='Target time, as "24h", in place of a count: the count that fits is stored.',
)
@click.option(
    "--break-above",
    metavar="TIME",
    help='End after the batch with the first latency above this, as "200 us"; exit code 9.',
)
@click.option(
    "--split",
    "parts",
    type=options.Whole(2, 1000),
    metavar="K",
    help="Divide the count over K twins with seeds of their own, and merge them.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the bytes of the link, for --target replay:FILE.",
)
@click.option(
    "--functions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep what a foreign program executes for each stimulus, by function, as CSV.",
)
def run(
    experiment: Path,
    target: str,
    elf: str | None,
    count: int | None,
    seed: int | None,
    out: Path | None,
    as_json: bool,
    batch_s: float | None,
    record: Path | None,
    parts: int | None,
    functions: Path | None,
    duration: str | None,
    break_above: str | None,
) -> int:
    """Measure what EXPERIMENT describes, or what the run folder DIR was measured by, again.

    EXPERIMENT is a TOML file, or the name of one that `irqscope experiments` lists.

    Shows one table and writes a run folder with its report. Exit code 0 only if the run is valid.
    With --functions, a second table compares the longest answer with a typical one.
    """
    if elf is not None:
        target = f"{target}:elf={elf}"
    if parts is not None and (record, batch_s) != (None, None):
        raise ExperimentError("--split runs many twins; leave --record and --batch out")
    if duration is not None and count is not None:
        raise ExperimentError("--duration stands in place of --count; give one of them")
    until = _until(duration, break_above)
    if target.startswith("sigrok:"):
        others = (seed, record, batch_s, parts, functions, elf)
        if any(one is not None for one in others):
            raise ExperimentError(
                f"{target} is measured with --count, --duration, --break-above, --out and --json "
                "alone"
            )
        return run_live(experiment, target, count, out, as_json, until)
    options = {"count": count, "seed": seed}
    changes = {key: value for key, value in options.items() if value is not None}
    if experiment.is_dir():
        before = read_unchanged(experiment).run
        chosen_experiment, batch_s = experiment_of(before, **changes), batch_s or before.batch_s
        machine = before.identity.machine if before.identity else None
    else:
        chosen_experiment, machine = load(experiment, **changes), None
    if functions is not None and not chosen_experiment.of_program:
        raise ExperimentError('--functions: it is told of a program, machine = "program"')
    if functions is not None and (parts is not None or chosen_experiment.repeats > 1):
        raise ExperimentError("--functions is the file of one run; leave --split and repeats out")
    if functions is not None:
        require_replaceable(functions, re.escape(BEGIN))
        require_folder_of(functions)
    if until != Until() and parts is not None:
        raise ExperimentError("--split runs to the count; leave --duration and --break-above out")
    folder = out or new_folder(chosen_experiment.name, defaults.runs())
    if parts is not None:
        return run_split(chosen_experiment, parts, target, folder, as_json)
    worst = ExitCode.VALID
    for one, path in repeats(chosen_experiment, folder):
        result = _one(
            one, target, path, record, as_json, batch_s or BATCH_S, machine, functions, until
        )
        worst = max(worst, result.exit_code)
        if result.error is not None:
            break
    return worst


def _until(duration: str | None, break_above: str | None) -> Until:
    """Returns when a run ends before its count. Raises ExperimentError."""
    seconds = None if duration is None else parse_span(duration)
    try:
        longest = None if break_above is None else Duration.parse(break_above)
    except ValueError as error:
        raise ExperimentError(f"--break-above: {error}") from error
    return Until(seconds, longest)


def _one(
    experiment: Experiment,
    target: str,
    path: Path,
    record: Path | None,
    as_json: bool,
    batch_s: float,
    machine: Machine | None,
    functions: Path | None,
    until: Until,
) -> Result:
    with orderly_stop() as stop, Bar() as bar:
        result = measure(
            experiment,
            target,
            path,
            progress=bar,
            stop=stop,
            record=record,
            batch_s=batch_s,
            machine=machine,
            functions=functions,
            until=until,
        )
        report = None
        if kinds.of_run(result.run).measured and not isinstance(result.error, StorageError):
            bar.step("report")
            report = show.made_report(path)
    if not result.opened:
        raise result.error or AssertionError("a target that was not opened has an error")
    if as_json:
        show.print_json(result.run.model_dump(mode="json"))
    else:
        show.print_run(result.run)
        if result.error is None:
            show.print_lost(read(path))
        if functions is not None and result.error is None:
            show.print_functions(result.run, answers(functions))
    show.err.print(f"run folder: {path}", soft_wrap=True)
    if report is not None:
        show.err.print(f"report: {report}", soft_wrap=True)
    # The table says it, where one sees that.
    if result.error is not None and (as_json or show.out.quiet or not show.out.is_terminal):
        show.failure(result.error)
    return result
