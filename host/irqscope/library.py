"""irqscope for programs: open a target, measure on it, look at what came out (docs/library.md).

Everything raises :class:`irqscope.errors.IrqscopeError` with one line that says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc

from irqscope.acquire.collect import Collection
from irqscope.acquire.measure import measure
from irqscope.acquire.plan import BATCH_S
from irqscope.acquire.session import Session
from irqscope.errors import ExperimentError, IrqscopeError
from irqscope.experiment import Experiment, load
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.report import compare as comparing
from irqscope.report.compare import Comparison
from irqscope.results import export
from irqscope.results.reader import Run, read_unchanged
from irqscope.results.record import RunRecord
from irqscope.targets import Target, open_target
from irqscope.targets.process import Say, unsaid
from irqscope.units import ticks_to_ns

if TYPE_CHECKING:  # installed by users who need it
    import pandas as pd

__all__ = ["Connection", "Experiment", "Measured", "Sample", "compare", "connect", "load", "opened"]


class Sample(NamedTuple):
    """One stimulus as it comes. Times in ns; ``latency_ns`` is None without an answer.

    ``edge_ns``: from the start of its batch. ``state``: "served", "timed_out" or "coalesced".
    """

    channel: int
    batch: int
    edge_ns: int
    latency_ns: int | None
    state: str


#: Told the samples of each batch when it is over. True ends the run in good order.
Rows = Callable[[list[Sample]], bool | None]


@dataclass(frozen=True)
class Measured:
    """A run. ``folder``: where it is kept; ``error``: why it ended early, None if it did not."""

    folder: Path
    error: IrqscopeError | None = None

    @property
    def run(self) -> Run:
        """Reads the run folder from disk and checks its sums. Raises StorageError."""
        return read_unchanged(self.folder)

    @property
    def record(self) -> RunRecord:
        """Returns run.json: the experiment, the identity of the target, counters, statistics."""
        return self.run.run

    @property
    def valid(self) -> bool:
        """Whether all counters agree and every stimulus was accounted for."""
        return self.record.valid

    @property
    def label(self) -> str:
        """Source of the numbers, as reported by the target itself."""
        return self.record.label

    def samples(self) -> pa.Table:
        """A table, a row a stimulus in the order of time: ticks and ns, start and stop.

        Metadata ``irqscope.source``, ``irqscope.tick_hz``. polars.from_arrow takes it.
        """
        return export.samples(self.run)

    def to_pandas(self) -> pd.DataFrame:
        """The same for pandas. Raises ExperimentError if pandas is not installed."""
        try:
            return self.samples().to_pandas()
        except ImportError:
            raise ExperimentError(
                "pandas is not installed; install it, or take samples()"
            ) from None

    def quantile_ns(self, p: float, channel: int = 0) -> int | None:
        """Returns a quantile of run.json, or None if it is not known to the tick.

        It is None if N is too small, or if only its bin is known: ``record.stats`` has that as
        ``sample_ticks``, its first and last tick.

        Raises KeyError for another p.
        """
        for stats in self.record.stats:
            for quantile in stats.quantiles if stats.channel == channel else ():
                if quantile.p == p:
                    ticks = None if quantile.note else quantile.value_ticks
                    return None if ticks is None else ticks_to_ns(ticks, self.record.tick_hz)
        raise KeyError(f"no quantile {p} of channel {channel}")

    def longest(self, n: int = 16) -> pa.Table:
        """The ``n`` longest of :meth:`samples`, longest first; those without an answer left out."""
        table = self.samples()
        answered = table.filter(pc.is_valid(table["latency_ticks"]))
        return answered.take(pc.sort_indices(answered, [("latency_ticks", "descending")])[:n])

    def plot(self, file: Path | str, which: str = "histogram") -> Path:
        """Writes a plot of the report, PNG or SVG; ``which``: how its title begins."""
        from irqscope.report.picture import save_picture  # here: it loads the plotting library

        save_picture(self.run, Path(file), which)
        return Path(file)


class Connection:
    """An open target; a context manager. Runs follow each other on it, one at a time.

    ``name``: by which it was opened; ``label``: its own identification.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self.name = target.name
        session = Session(target.link, target.deviation)
        self.label: str = session.identity.label
        self.stack: str = session.stack.name

    def measure(
        self,
        experiment: Experiment,
        folder: Path | str,
        *,
        rows: Rows | None = None,
        batch_s: float = BATCH_S,
    ) -> Measured:
        """Carries an experiment out and writes a run folder, new or empty.

        ``rows``: receives the samples of each batch; ``batch_s``: target time of one, short for
        live use. An invalid run does not raise; check ``valid``. Raises TargetError, LinkError,
        StorageError, ExperimentError.
        """
        asked_to_end = False

        def look(record: RunRecord, collection: Collection, table: pa.Table) -> None:
            nonlocal asked_to_end
            if rows is not None and rows(_samples(table, record.tick_hz)):
                asked_to_end = True

        result = measure(
            experiment,
            self.name,
            Path(folder),
            opened=self._target,
            watch=look,
            stop=lambda: "ended by the program" if asked_to_end else False,
            batch_s=batch_s,
        )
        if result.error is not None and not asked_to_end:
            raise result.error
        return Measured(Path(folder), result.error)

    def close(self) -> None:
        """Ends the link in good order. May be called twice."""
        self._target.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        self._target.__exit__(kind, error, trace)
        return False


def connect(target: str = "twin", *, stack: str = DEFAULT_STACK, say: Say = unsaid) -> Connection:
    """Opens a target as ``--target`` names it. ``stack``: that a simulation shall run.

    ``say`` receives each step if a simulation must be compiled first. Raises TargetError,
    LinkError.
    """
    opened_target = open_target(target, stack=stack, say=say)
    try:
        return Connection(opened_target)
    except BaseException:
        opened_target.abandon()
        raise


def opened(folder: Path | str) -> Measured:
    """A run folder that is there already. Raises StorageError."""
    read_unchanged(Path(folder))
    return Measured(Path(folder))


def compare(*runs: Measured, mixed: bool = False) -> Comparison:
    """Differences of runs from the first: quantiles with joint intervals, and settings.

    Raises ExperimentError for a twin with a board, unless ``mixed``; else as
    :func:`irqscope.report.compare.compare`.
    """
    records = [one.run for one in runs]
    if len(kinds := comparing.kinds(records)) > 1 and not mixed:
        raise ExperimentError(f"these runs come from {' and '.join(sorted(kinds))}; say mixed=True")
    return comparing.compare(records)


def _samples(table: pa.Table, hz: int) -> list[Sample]:
    columns = [table[n].to_pylist() for n in ("channel", "batch", "edge_ticks", "latency_ticks")]
    return [
        Sample(
            channel,
            batch,
            ticks_to_ns(edge, hz),
            None if latency is None else ticks_to_ns(latency, hz),
            state,
        )
        for channel, batch, edge, latency, state in zip(
            *columns, table["state"].to_pylist(), strict=True
        )
    ]
