"""``irqscope doctor``."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import click
from rich.markup import escape

from irqscope.cli import options, show
from irqscope.cli.bars import Bar
from irqscope.cli.signals import orderly_stop
from irqscope.doctor.examine import Examination, examine, new_folder
from irqscope.doctor.step import Result, State
from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment, load
from irqscope.targets import open_target, playing

_STYLES = {State.PASSED: "green", State.FAILED: "bold red", State.LEFT_OUT: "yellow"}


@click.command()
@options.TARGET
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the report and the run of the last step, in a new or empty folder.",
)
@click.option(
    "--device",
    type=click.Path(path_type=Path),
    metavar="EXPERIMENT.toml",
    help="An experiment with an external device: look at its wires, too.",
)
@options.JSON
def doctor(target: str, out: Path | None, device: Path | None, as_json: bool) -> int:
    """Check a board, or a twin, from its UART to one run of T2.

    Checks in order everything that has to work, and reports the observations of each step and,
    after a failure, what to check. A failure stops only what depends on it. Exit code 6 unless all
    steps passed.
    """
    experiment = _of_a_device(device)
    with ExitStack() as stack:
        on = target if experiment is None else playing(target, experiment)
        folder = new_folder(out or Path(stack.enter_context(tempfile.TemporaryDirectory())))
        opened = stack.enter_context(open_target(on))
        stop = stack.enter_context(orderly_stop("this step"))
        bar = stack.enter_context(Bar("steps"))
        number = 0

        def told(result: Result, of: int) -> None:
            nonlocal number
            number += 1
            bar.advance(number, of)
            if not as_json:
                _print(result)

        examination = examine(
            opened, target, folder, told=told, step=bar.step, stop=stop, device=experiment
        )
    if as_json:
        show.print_json(examination.report().model_dump(mode="json"))
    else:
        _conclude(examination)
    if out is not None:
        show.err.print(f"report: {out / 'doctor.json'}", soft_wrap=True)
    return examination.exit_code


def _of_a_device(path: Path | None) -> Experiment | None:
    """The experiment of ``--device``; None without it. Raises ExperimentError."""
    if path is None:
        return None
    experiment = load(path)
    if not experiment.external:
        raise ExperimentError(f"{path}: it measures no device at the pins; --device takes one")
    return experiment


def _print(result: Result) -> None:
    state, style = result.state, _STYLES[result.state]
    show.out.print(
        f"[{style}]{state.value:<8}[/]  [bold]{result.step.name:<9}[/]  {result.step.does}",
        soft_wrap=True,
    )
    for line in result.notes.seen:
        show.out.print(f"          {escape(line)}", soft_wrap=True, style="dim")
    for finding in result.notes.findings:
        show.out.print(f"          [bold red]found[/]: {escape(finding.what)}", soft_wrap=True)
        show.out.print(f"          [bold]check[/]: {escape(finding.check)}", soft_wrap=True)
    if missing := result.notes.missing:
        show.out.print(f"          needs {escape('; '.join(missing))}", soft_wrap=True)


def _conclude(examination: Examination) -> None:
    counts = {state: sum(r.state is state for r in examination.results) for state in State}
    summary = ", ".join(f"{count} {state.value}" for state, count in counts.items() if count)
    style = "green" if examination.sound else "bold red"
    show.out.print(f"[{style}]{escape(examination.label)}: {summary}[/]", soft_wrap=True)
