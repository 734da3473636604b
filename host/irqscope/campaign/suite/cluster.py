"""Runs of a suite on the workers of a Dask scheduler, on this machine or on others.

A worker measures into its own folder and sends it back whole, so no file system is shared. A twin
is
any worker's; a board is a resource of the workers that have it.
"""

from __future__ import annotations

import importlib
import io
import logging
import os
import tempfile
import uuid
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import irqscope
from irqscope.acquire.callbacks import Progress, Stop, Untold
from irqscope.campaign.suite.carry_out import Outcome, carry_out
from irqscope.campaign.suite.load import Entry
from irqscope.campaign.suite.workers import Work
from irqscope.errors import Interrupted, StorageError, TargetError
from irqscope.files import storage
from irqscope.resources import extra, remedy

#: Time until a scheduler that is there has answered, s.
ANSWER_S = 10.0
#: Time between two checks of the running tasks, s.
_LOOK_S = 0.5
_SCHEME = "board"


@dataclass(frozen=True)
class _Sent:
    """A worker's result of a run. ``folder``: its contents as a zip archive, None without one."""

    outcome: Outcome
    folder: bytes | None


class Cluster:
    """A scheduler with its workers; a context manager. Raises TargetError if none answers.

    ``target``: a twin, or ``board:NAME``: then runs go to workers with the resource NAME, whose
    environment has the board's port as IRQSCOPE_NAME.
    """

    def __init__(self, address: str, target: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            to_do = remedy(
                ".venv/bin/uv pip install --require-hashes -r locks/test.txt", extra("dask")
            )
            raise TargetError(
                f"--scheduler needs Dask ({error.name} is missing); {to_do}"
            ) from error
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._distributed = distributed
        self._address = address
        scheme, _, board = target.partition(":")
        self._options: dict[str, Any] = {"pure": False}
        if scheme == _SCHEME:
            self._options["resources"] = {board: 1}
        try:
            distributed.comm.resolve_address(address)  # an unknown scheme is told before a client
            self._client: Any = distributed.Client(address, timeout=ANSWER_S)
        except (OSError, ValueError) as error:
            raise TargetError(
                f"no scheduler answers at {address}; start one with `dask scheduler`"
            ) from error
        except TypeError as error:  # what Dask raises where it has no certificate
            raise TargetError(
                f"Dask has no certificate and key for {address}; give them to it (docs/suites.md)"
            ) from error
        try:
            self._check(board if scheme == _SCHEME else None)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exit_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the scheduler; it forgets our remaining work."""
        self._client.close()

    def ask(self, question: Callable[..., Any], target: str, *values: Any) -> Any:
        """Has a worker answer a question. Raises what the question raises."""
        return self._client.submit(_asked, question, target, *values, **self._options).result()

    def spread(
        self,
        works: Sequence[Work],
        begin: Callable[[Entry], Progress],
        done: Callable[[Entry, Outcome], None],
        died: Callable[[Entry, str], None],
        stop: Stop,
    ) -> None:
        """Carries runs out on as many workers as there are.

        It behaves as :func:`.workers.run_side_by_side`.
        """
        client = self._client
        name = f"irqscope-{uuid.uuid4().hex}"
        event = self._distributed.Event(name, client=client)
        runs = {
            client.submit(_carried_out, work, irqscope.__version__, name, **self._options): work
            for work in works
        }
        keys = {future.key: work.entry for future, work in runs.items()}
        at: dict[str, str] = {}  # by key, the worker that it is on
        error: Interrupted | StorageError | None = None
        while runs:
            if error is None and (request := stop()):
                cause = request if isinstance(request, str) else "interrupted by Ctrl-C"
                error = Interrupted(f"{cause} with {len(runs)} runs to end; run again")
            workers = client.scheduler_info()["workers"]
            processing = _where(client.processing(), workers)
            if error is not None:
                event.set()
                # A run that has not begun never will. One that was told to have begun ends by the
                # event.
                started = processing.keys() | at.keys()
                unbegun = [f for f in runs if f.key not in started and not f.done()]
                client.cancel(unbegun)
                for future in unbegun:
                    del runs[future]
            for key, worker in list(at.items()):
                if worker not in workers and key in {future.key for future in runs}:
                    died(keys[key], f"worker {worker} is gone; it is run again")
                    del at[key]
            for key, worker in processing.items():
                if key in keys and key not in at:
                    at[key] = worker
                    begin(keys[key]).step(f"on {worker}")
            ended = [future for future in runs if future.done()]
            for future in ended:
                work = runs.pop(future)
                if future.key not in at:  # it was quicker than a look
                    at[future.key] = ""
                    begin(work.entry)
                try:
                    done(work.entry, _taken(future, work))
                except (Interrupted, StorageError) as caught:
                    error = error or caught
            if not ended:
                _pause(self._distributed, list(runs))
        if error is not None:
            raise error

    def _check(self, board: str | None) -> None:
        """Raises TargetError where no worker can do it, or one is of another version."""
        workers = self._client.scheduler_info()["workers"]
        if not workers:
            raise TargetError(
                f"the scheduler at {self._address} has no worker; start some with `dask worker`"
            )
        if board is not None and not any(board in w["resources"] for w in workers.values()):
            raise TargetError(
                f'no worker has the board {board}; start one with --resources "{board}=1"'
            )
        for worker, version in self._client.run(_version).items():
            if version != irqscope.__version__:
                raise TargetError(
                    f"worker {worker} has irqscope {version}, here is {irqscope.__version__}; "
                    "install the same"
                )


def _where(processing: dict[str, Sequence[str]], workers: dict[str, Any]) -> dict[str, str]:
    """Worker that is at each key: it has so many at a time, and others wait there."""
    return {
        key: worker
        for worker, keys in processing.items()
        if worker in workers
        for key in keys[: workers[worker]["nthreads"]]
    }


def _pause(distributed: Any, futures: list[Any]) -> None:
    if futures:
        try:
            distributed.wait(futures, timeout=_LOOK_S, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return


def _taken(future: Any, work: Work) -> Outcome:
    """Extracts a worker's result as the run's folder. Raises StorageError."""
    if future.status != "finished":
        cause = future.exception() if future.status == "error" else future.status
        return Outcome("failed", (" ".join(f"{cause}".split()),), 0.0)
    sent: _Sent = future.result()
    if sent.folder is not None:
        with storage(work.folder):
            aside = Path(tempfile.mkdtemp(prefix=".", suffix=".new", dir=work.folder.parent))
            with zipfile.ZipFile(io.BytesIO(sent.folder)) as archive:
                archive.extractall(aside)
            (aside / work.folder.name).rename(work.folder)
            aside.rmdir()
    return sent.outcome


# ---- on a worker -----------------------------------------------------------------------------


def _version() -> str:
    return irqscope.__version__


def _target(target: str) -> str:
    """The target; for a board, the port that the environment names. Raises TargetError."""
    scheme, _, board = target.partition(":")
    if scheme != _SCHEME:
        return target
    variable = f"IRQSCOPE_{board.upper()}"
    if variable not in os.environ:
        raise TargetError(f"a worker with the board {board} does not name its port in {variable}")
    return os.environ[variable]


def _asked(question: Callable[..., Any], target: str, *values: Any) -> Any:
    return question(_target(target), *values)


def _carried_out(work: Work, version: str, stopping: str) -> _Sent:
    distributed: Any = importlib.import_module("distributed")
    if irqscope.__version__ != version:
        why = f"the worker has irqscope {irqscope.__version__}, the suite {version}"
        return _Sent(Outcome("failed", (why,), 0.0), None)
    event = distributed.Event(stopping, client=distributed.get_client())
    with tempfile.TemporaryDirectory(prefix="irqscope-") as place:
        folder = Path(place, work.folder.name)
        outcome = carry_out(
            work.entry.experiment,
            _target(work.target),
            folder,
            Untold(),
            lambda: bool(event.is_set()),
            work.report,
        )
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, mode="w") as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(place))
        return _Sent(outcome, packed.getvalue())
