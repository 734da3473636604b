"""Progress on stderr: bars on a terminal, elsewhere a line each ten seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.progress import (
    BarColumn,
    Progress,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from irqscope.cli.show import err
from irqscope.targets.process import TELL_S

#: Time between two lines of progress where there is no terminal, s.
LINE_S = 10.0


def _progress(**options: Any) -> Progress:
    """Columns of a bar on stderr: the current step, its progress, and the time left."""
    return Progress(
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[text]}"),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
        **options,
    )


class _Shown:
    """A progress that is shown while it is entered."""

    _progress: Progress
    _printed_at = float("-inf")
    _ended: threading.Event
    _printer: threading.Thread

    def _compiles(self, text: str) -> None:
        """Prints a step of a compilation where no bar is seen; not each, as there may be many."""
        now = time.monotonic()
        is_due = now - self._printed_at >= 0.9 * TELL_S
        if not err.is_terminal and text.startswith("compile ") and is_due:
            self._printed_at = now
            err.print(text, soft_wrap=True, markup=False)

    def __enter__(self) -> Self:
        self._progress.start()
        self._ended = threading.Event()
        # A thread: a long batch, or a compilation, tells nothing for minutes.
        self._printer = threading.Thread(target=self._print_lines, daemon=True)
        self._printer.start()
        return self

    def _print_lines(self) -> None:
        """Prints each task, until it is over."""
        while not err.is_terminal and not self._ended.wait(LINE_S):
            for task in self._progress.tasks:
                err.print(_line(task), soft_wrap=True, markup=False)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._printer.join()
        self._progress.stop()


def _line(task: Task) -> str:
    """Returns what is done, how much of it, and an estimate of the time left."""
    parts = [task.description, str(task.fields["text"])]
    if task.total:
        parts.append(f"{task.percentage:.0f} %")
    if task.elapsed is not None and not task.description.endswith("so far"):  # that of the step
        parts.append(f"{task.elapsed:.0f} s so far")
    if task.time_remaining is not None and not task.finished:
        parts.append(f"about {task.time_remaining:.0f} s left")
    return ", ".join(part for part in parts if part)


class Bar(_Shown):
    """Shows progress on stderr: the current step, and the stimuli or other units so far."""

    def __init__(self, unit: str = "stimuli", **options: Any) -> None:
        self._unit = unit
        self._progress = _progress(**options)
        self._run = self._progress.add_task("start", total=None, text="")

    def step(self, text: str) -> None:
        """Shows what is done now."""
        self._compiles(text)
        self._progress.update(self._run, description=text)

    def advance(self, completed: int, of: int) -> None:
        """Shows how many of how many are done."""
        text = f"{completed}/{of} {self._unit}"
        self._progress.update(self._run, completed=completed, total=of, text=text)


class TotalBar(_Shown):
    """Progress of many runs: a bar for each under way, below them all with the time left."""

    def __init__(self) -> None:
        # Runs differ: their speed is judged by many of them.
        self._progress = _progress(speed_estimate_period=600.0)
        self._total = self._progress.add_task("all", total=None, text="")
        self._efforts: dict[str, float] = {}
        self._runs: dict[str, RunBar] = {}
        self._over: set[str] = set()

    def plan(self, efforts: dict[str, float]) -> None:
        """Sets the runs to come; the bar's share of each is its effort in seconds."""
        self._efforts = efforts
        self._progress.update(self._total, total=sum(efforts.values()), completed=0)

    def begin(self, name: str) -> RunBar:
        """Adds a bar for a run that begins."""
        self._runs[name] = RunBar(self._progress, name, self.told, self._compiles)
        self.told()
        return self._runs[name]

    def finish(self, name: str) -> None:
        """Removes the bar of a run that has ended or will be repeated."""
        self._runs.pop(name).close()
        self._over.add(name)
        self.told()

    def say(self, text: str) -> None:
        """Prints one line above the bars."""
        self._progress.console.print(text, soft_wrap=True, markup=False)

    def step(self, text: str) -> None:
        """Shows what is done when all runs are over."""
        self._progress.update(self._total, description=text)

    def told(self) -> None:
        """Adds the shares of all runs up and shows the sum."""
        self._over -= self._runs.keys()
        effort = sum(self._efforts[name] for name in self._over)
        effort += sum(self._efforts[name] * bar.share for name, bar in self._runs.items())
        number = len(self._over) + len(self._runs)
        self._progress.update(
            self._total, completed=effort, text=f"run {number} of {len(self._efforts)}"
        )


class RunBar:
    """The bar of one run among many. ``share``: how much of its stimuli is done."""

    def __init__(
        self,
        progress: Progress,
        name: str,
        update: Callable[[], None],
        compiles: Callable[[str], None],
    ) -> None:
        self.share = 0.0
        self._compiles = compiles
        self._progress = progress
        self._told = update
        self._task = progress.add_task(name, total=None, text="")

    def step(self, text: str) -> None:
        """Shows what the run does now."""
        self._compiles(text)
        self._progress.update(self._task, text=text)

    def advance(self, completed: int, of: int) -> None:
        """Shows how many of the run's stimuli are done."""
        self.share = completed / of
        self._progress.update(
            self._task, completed=completed, total=of, text=f"{completed}/{of} stimuli"
        )
        self._told()

    def close(self) -> None:
        """Takes the bar away, as the run is over."""
        self._progress.remove_task(self._task)
