"""``irqscope gate``."""

from __future__ import annotations

import shlex
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import click

from irqscope.campaign.gate import load, outputs, run_gate
from irqscope.campaign.gate.measuring import Sides
from irqscope.campaign.gate.record import FILE, GateRecord
from irqscope.campaign.gate.run import exit_code
from irqscope.campaign.gate.statement import PASS
from irqscope.cli import defaults, options, show
from irqscope.cli.bars import Bar
from irqscope.cli.signals import orderly_stop
from irqscope.errors import ExperimentError, IrqscopeError, TargetError
from irqscope.files import require_folder_of, require_replaceable
from irqscope.kinds.capture.live import PREFIX
from irqscope.kinds.capture.recipe import Recipe
from irqscope.results.folder import new_folder


def _file(name: str, description: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The option that writes a file for another program."""
    kind = click.Path(path_type=Path, dir_okay=False)
    return click.option(f"--{name}", type=kind, metavar="FILE", help=f"Write {description}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="GATE.toml")
@options.TARGET
@click.option(
    "--against",
    metavar="TARGET",
    help="Compare the target with this one, run by run, in place of the baselines.",
)
@click.option(
    "--load",
    "load_command",
    metavar="COMMAND",
    help="Run before each run on --target: loads the firmware of a board.",
)
@click.option("--load-against", metavar="COMMAND", help="The same before each run on --against.")
@click.option(
    "--from",
    "recorded",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Judge the run folders in DIR, and measure nothing.",
)
@click.option("--accept", is_flag=True, help="Write new baselines, and tell what changed.")
@click.option("--mixed", is_flag=True, help="Compare sides of different things all the same.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the gate's runs, new or empty.  [default: runs/NAME-TIME]",
)
@_file("junit", "JUnit XML, which CI services show as tests")
@_file("recording", "CSV of the quantiles, as Zephyr's test runner records them")
@_file("bencher", "JSON of the quantiles, in Bencher's metric format")
@options.JSON
@options.QUIET
def gate(
    file: Path,
    target: str,
    against: str | None,
    load_command: str | None,
    load_against: str | None,
    recorded: Path | None,
    accept: bool,
    mixed: bool,
    out: Path | None,
    as_json: bool,
    **files: Path | None,
) -> int:
    """Compare experiments with baselines and limits: pass, fail, or too few samples.

    On a twin any changed tick is a change; on a board quantiles are tested. Exit code 0, 7 or 8.
    """
    if accept and against is not None:
        raise ExperimentError("--accept measures one side; leave --against out")
    if recorded is not None and against is not None:
        raise ExperimentError("--from measures nothing; leave --against out")
    if load_against is not None and against is None:
        raise ExperimentError("--load-against loads what --against names; name it, or leave it out")
    before, before_against = _loading("load", load_command), _loading("load-against", load_against)
    loaded = load(file)
    for name, path in files.items():
        if path is not None:
            require_replaceable(path, outputs.KINDS[name])
            if path.parent != out:  # that folder will be there
                require_folder_of(path)
    folder = out or new_folder(loaded.gate.name, defaults.runs())
    sides = Sides(target, against, before, before_against, recorded)
    try:
        read = all(isinstance(entry.experiment, Recipe) for entry in loaded.entries)
        read = read and not target.startswith(PREFIX)
        with orderly_stop() as stop, Bar("bytes" if read else "stimuli") as bar:
            record = run_gate(
                loaded, sides, folder, accept=accept, mixed=mixed, progress=bar, stop=stop
            )
    except IrqscopeError as error:
        if (junit := files["junit"]) is not None:
            outputs.junit_of_error(loaded.gate.name, str(error), junit)
        raise
    for name, path in files.items():
        if path is not None:
            outputs.WRITERS[name](record, path)
    if as_json:
        show.print_json(record.as_dict())
    else:
        _print(record)
    show.err.print(f"gate: {folder / FILE}", soft_wrap=True)
    return exit_code(record)


def _loading(option: str, command: str | None) -> Callable[[], None]:
    """Calls a command, whose failure is the target's: that raises TargetError.

    Raises ExperimentError if the text is not a command.
    """
    if command is None:
        return lambda: None
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ExperimentError(f"--{option}: {command}: {error}; close the quotes") from error
    if not words:
        raise ExperimentError(f"--{option}: no command; name one, or leave it out")

    def call() -> None:
        try:
            process = subprocess.run(words, capture_output=True, text=True, check=False)
        except OSError as error:
            raise TargetError(f"cannot run {command} ({error.strerror})") from error
        if process.returncode:
            last = (process.stderr.strip() or process.stdout.strip()).splitlines()[-1:]
            raise TargetError(
                f"{command} ended with exit code {process.returncode}: {''.join(last)}"
            )

    return call


def _print(record: GateRecord) -> None:
    begin = f"{record.gate} on {record.label}"
    if record.accepted:
        show.print_headline(f"{begin}: {len(record.accepted)} baselines written")
        for name, changes in record.accepted.items():
            for change in changes:
                show.print_line(f"{name}: {change}")
        return
    states = Counter(one.state for one in record.statements)
    summary = ", ".join(f"{number} {state}" for state, number in states.most_common())
    show.print_headline(f"{begin}: {record.state.upper()} ({summary})")
    for one in record.statements:
        style = None if one.state == PASS else "bold red"
        show.print_line(f"{one.state}: {one.item}: {one.name}: {one.text}", style=style)
        for line in one.details:
            show.print_line(f"  {line}")
    show.print_line(record.state.upper())
