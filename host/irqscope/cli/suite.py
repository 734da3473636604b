"""``irqscope suite``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import click
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from irqscope.cli import options, show
from irqscope.cli.signals import orderly_stop
from irqscope.errors import IrqscopeError, StorageError
from irqscope.results.folder import new_folder
from irqscope.suite import COUNTS, load, run_suite
from irqscope.suite.run import SuiteResult


@click.command()
@click.argument("suite", type=click.Path(path_type=Path), metavar="DIR|FILE")
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
@click.option(
    "--shuffle", type=click.IntRange(min=0), metavar="SEED", help="Run in a random order."
)
@click.option("--only", multiple=True, metavar="NAME", help="Only this run; * for anything.")
@click.option("--no-card", is_flag=True, help="Make no benchmark card.")
@options.JSON
def suite(
    suite: Path,
    target: str,
    out: Path | None,
    counts: str | None,
    shuffle: int | None,
    only: tuple[str, ...],
    no_card: bool,
    as_json: bool,
) -> int:
    """Run the experiments of a suite and make its benchmark card.

    Resumes: a run that DIR holds complete and valid, of the same experiment on the same target, is
    not run again. Goes on after a failure; exit code 4 if one run is not valid.
    """
    twin = target.partition(":")[0] == "twin"
    loaded = load(suite, counts or ("quick" if twin else "paper"), only)
    folder = out or new_folder(loaded.suite.name)
    with orderly_stop() as stop, TotalBar() as bar:
        result = run_suite(loaded, target, folder, bar, shuffle=shuffle, stop=stop, report=_report)
        card = None
        if not no_card and not isinstance(result.error, StorageError):
            bar.step("card")
            card = _card(folder)
    if as_json:
        show.print_json(result.record)
    else:
        _print(result)
    show.err.print(f"suite folder: {folder}", soft_wrap=True)
    if card is not None:
        show.err.print(f"card: {card}", soft_wrap=True)
    if result.error is not None:
        show.err.print(f"irqscope: {result.error}", soft_wrap=True, markup=False)
    return result.exit_code


def _report(folder: Path) -> None:
    from irqscope.report import write_report  # here: its plotting library takes a second to load

    _made(write_report, folder, "report")


def _card(folder: Path) -> Path | None:
    from irqscope.card import write_card  # here: as above

    return _made(write_card, folder, "card")


def _made(write: Callable[[Path], Path], folder: Path, what: str) -> Path | None:
    """A page is made from its folder; a folder without it is still whole."""
    try:
        return write(folder)
    except IrqscopeError as error:
        show.err.print(f"irqscope: no {what} of {folder}: {error}", soft_wrap=True, markup=False)
        return None


def _print(result: SuiteResult) -> None:
    record = result.record
    show.out.print(
        f"{record['suite']} on {record['label']}, {record['counts']} counts", soft_wrap=True
    )
    table = Table("run", "state", "time")
    for name in record["order"]:
        item = record["items"][name]
        if item["state"] == "left out":
            continue
        seconds = "" if item["seconds"] is None else f"{item['seconds']:.0f} s"
        state = "valid, kept" if item["kept"] else item["state"]
        table.add_row(name, state, seconds, style=None if item["state"] == "valid" else "bold red")
    show.out.print(table)


class TotalBar:
    """Progress of a suite on stderr: all of it with the time left, and the run under way."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[text]}"),
            TimeRemainingColumn(),
            console=show.err,
            transient=show.err.is_terminal,
            speed_estimate_period=600.0,  # runs differ: judge by many of them
        )
        self._total = self._progress.add_task("suite", total=None, text="")
        self._run = self._progress.add_task("start", total=None, text="")
        self._efforts: dict[str, float] = {}
        self._begun = 0
        self._done_s = self._effort_s = 0.0

    def plan(self, efforts: dict[str, float]) -> None:
        """What will be run; the bar's share of each is its effort in seconds."""
        self._efforts = efforts
        self._progress.update(self._total, total=sum(efforts.values()), completed=0)

    def begin(self, name: str) -> None:
        """A run begins."""
        self._begun += 1
        self._effort_s = self._efforts[name]
        text = f"run {self._begun} of {len(self._efforts)}"
        self._progress.update(self._total, text=text)
        self._progress.reset(self._run, description=name, total=None, text="")

    def finish(self, name: str) -> None:
        """It is over."""
        self._done_s += self._effort_s
        self._progress.update(self._total, completed=self._done_s)

    def say(self, text: str) -> None:
        """One line above the bars."""
        self._progress.console.print(text, soft_wrap=True, markup=False)

    def step(self, text: str) -> None:
        """What is done now."""
        self._progress.update(self._run, text=text)

    def advance(self, done: int, of: int) -> None:
        """Stimuli so far."""
        self._progress.update(self._run, completed=done, total=of, text=f"{done}/{of} stimuli")
        self._progress.update(self._total, completed=self._done_s + self._effort_s * done / of)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()
