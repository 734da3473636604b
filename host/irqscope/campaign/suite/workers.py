"""Runs of a suite side by side, each in a process of its own with a twin of its own.

A worker that dies takes one run with it, which another one repeats.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Any

from irqscope.acquire.callbacks import Progress, Stop
from irqscope.campaign.suite.carry_out import Outcome, Report, carry_out
from irqscope.campaign.suite.load import Entry
from irqscope.errors import Interrupted, StorageError

#: Time between two looks at whether an end was asked for, s.
_LOOK_S = 0.2
#: A worker that was told to end closes its folder and its twin in this time.
_END_S = 20.0
#: A run that takes so many workers with it is at fault itself.
_DEATHS = 2

_CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Work:
    """One run for a worker."""

    entry: Entry
    target: str
    folder: Path
    report: Report


#: Carries works out: who begins and ends a run, whose worker died, and whether to stop.
Spread = Callable[
    [
        Sequence[Work],
        Callable[[Entry], Progress],
        Callable[[Entry, Outcome], None],
        Callable[[Entry, str], None],
        Stop,
    ],
    None,
]


class _Told:
    """Passes progress on to the parent process."""

    def __init__(self, link: Connection) -> None:
        self._link = link

    def step(self, text: str) -> None:
        self._link.send(("step", text))

    def advance(self, completed: int, of: int) -> None:
        self._link.send(("advance", completed, of))


class Worker:
    """A process that carries out one run after the other."""

    def __init__(self, number: int) -> None:
        self.link, remote = _CONTEXT.Pipe()
        self._stop = _CONTEXT.Event()
        self.process = _CONTEXT.Process(
            target=_serve, args=(remote, self._stop), name=f"worker {number}"
        )
        self.process.start()
        remote.close()
        self.work: Work | None = None
        self.progress: Progress | None = None

    def ask(self, work: Work, progress: Progress) -> None:
        """Has the worker begin a run."""
        self.work, self.progress = work, progress
        with contextlib.suppress(OSError):  # its death is seen where its answers are read
            self.link.send(work)

    def stop(self) -> None:
        """Asks for an end after the batch under way."""
        self._stop.set()

    def answer(self) -> Outcome | None:
        """Reads what it says: the outcome of its run, or progress. Raises EOFError if it died."""
        try:
            kind, *values = self.link.recv()
        except OSError as error:
            raise EOFError from error
        if kind == "done":
            self.work = None
            outcome: Outcome = values[0]
            return outcome
        assert self.progress is not None  # it works
        getattr(self.progress, kind)(*values)
        return None

    def death(self) -> str:
        """Describes the end of the worker's process."""
        self.link.close()
        self.process.join()
        code = self.process.exitcode or 0
        how = f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.Signals(-code).name}"
        return f"{self.process.name} (process {self.process.pid}) died ({how})"

    def close(self) -> None:
        """Ends the worker's process: at once, but in order."""
        self.link.close()
        if self.work is not None and self.process.is_alive():
            self.process.terminate()
        self.process.join(_END_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def run_side_by_side(
    works: Sequence[Work],
    begin: Callable[[Entry], Progress],
    done: Callable[[Entry, Outcome], None],
    died: Callable[[Entry, str], None],
    stop: Stop,
    jobs: int,
) -> None:
    """Carries all out, ``jobs`` at a time.

    ``died``: called with a worker that did not complete a run.

    Raises the errors of ``done``, and Interrupted after a request to end, both when the runs under
    way have ended.
    """
    waiting, deaths = deque(works), Counter[str]()
    numbers = itertools.count(1)
    workers: list[Worker] = []
    error: Interrupted | StorageError | None = None
    try:
        while True:
            if error is None and (request := stop()):
                cause = request if isinstance(request, str) else "interrupted by Ctrl-C"
                error = Interrupted(f"{cause} with {len(waiting)} runs to begin; run again")
            if error is not None:
                waiting.clear()
                for worker in workers:
                    worker.stop()
            idle = [worker for worker in workers if worker.work is None]
            while waiting and (idle or len(workers) < jobs):
                if not idle:
                    workers.append(Worker(next(numbers)))
                    idle.append(workers[-1])
                work = waiting.popleft()
                idle.pop().ask(work, begin(work.entry))
            busy: dict[Any, Worker] = {w.link: w for w in workers if w.work is not None}
            if not busy:
                break
            for link in wait(list(busy), _LOOK_S):
                entry = _entry(busy[link])
                try:
                    outcome = busy[link].answer()
                except EOFError:
                    how = busy[link].death()
                    workers.remove(busy[link])
                    deaths[entry.name] += 1
                    if deaths[entry.name] < _DEATHS and error is None:
                        died(entry, f"{how}; it is run again")
                        waiting.appendleft(next(w for w in works if w.entry is entry))
                        continue
                    outcome = Outcome("failed", (how,), 0.0)
                if outcome is None:
                    continue
                try:
                    done(entry, outcome)
                except (Interrupted, StorageError) as caught:
                    error = error or caught
    finally:
        for worker in workers:
            worker.close()
    if error is not None:
        raise error


def _entry(worker: Worker) -> Entry:
    """The run of the suite that a worker is at."""
    assert worker.work is not None  # one that is idle says nothing
    return worker.work.entry


def _serve(link: Connection, stop: Any) -> None:
    """The worker: until the other end closes. Ctrl-C is for the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    parent = os.getppid()

    def asked() -> bool | str:
        if os.getppid() != parent:
            return "the suite's process ended"
        return bool(stop.is_set())

    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            work: Work = link.recv()
            outcome = carry_out(
                work.entry.experiment, work.target, work.folder, _Told(link), asked, work.report
            )
            link.send(("done", outcome))


def _end(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
