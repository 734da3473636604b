"""Latencies of a run batch by batch, for runs that do not keep every stimulus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from irqscope.analysis.stats import Distribution
from irqscope.errors import ExperimentError
from irqscope.files import replace
from irqscope.results.nanoseconds import with_ns
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord
from irqscope.results.tables import DRIFT

#: Length of a part of a capture, which has no batches, s.
PART_S = 10
#: Figures of a batch, from the least latency to the greatest.
FIGURES = ("min", "p50", "p99", "max")
Ticks = npt.NDArray[np.int64]


def drift_row(
    channel: int,
    batch: int,
    span: tuple[int, int],
    counters: Mapping[str, int],
    all_: Distribution,
) -> dict[str, int | None]:
    """Returns a row of the table.

    Args:
        channel: Index of the channel.
        batch: Number of the batch.
        span: Ticks from the run's start to begin and end of the batch.
        counters: Counters of the batch, with its ``min_ticks`` and ``max_ticks``.
        all_: Latencies of the batch, unanswered stimuli included.
    """
    names = ("starts", "served", "coalesced", "timed_out", "unmatched")
    row: dict[str, int | None] = {name: counters[name] for name in names}
    for name in ("min_ticks", "max_ticks"):
        row[name] = counters[name] if counters["served"] else None
    for name, p in (("p50", 0.5), ("p99", 0.99)):
        ends = all_.value(p) if all_.n else (None, None)
        row[f"{name}_lower_ticks"], row[f"{name}_upper_ticks"] = ends
    where = {"channel": channel, "batch": batch, "since_ticks": span[0], "until_ticks": span[1]}
    return where | row


def piece(run: RunRecord, *, several: bool = True) -> str:
    """Returns the word for what a row of the table is of: batches, or parts of a capture."""
    word = f"part{'s' * several} of {PART_S} s"
    return word if run.capture is not None else f"batch{'es' * several}"


@dataclass(frozen=True)
class Drift:
    """Figures of one channel over a run.

    Attributes:
        channel: Index of the channel.
        begins: Ticks from the run's start to that of each batch, shape (n,).
        figures: Latency of each batch by FIGURES, ticks, the lower end of a bin; -1 where no
            stimulus was served. Shape (n,).
        unanswered: Batches with coalesced or timed-out stimuli.
    """

    channel: int
    begins: Ticks
    figures: dict[str, Ticks]
    unanswered: int

    def ranges(self) -> dict[str, tuple[int, int]]:
        """Returns the least and the greatest value of each figure over the batches, ticks.

        Empty if no batch served a stimulus.
        """
        served = {name: ticks[self.figures["max"] >= 0] for name, ticks in self.figures.items()}
        return {
            name: (int(ticks.min()), int(ticks.max()))
            for name, ticks in served.items()
            if len(ticks)
        }

    def grouped(self, most: int) -> tuple[Ticks, dict[str, Ticks], int]:
        """Returns begins and figures of groups of batches, and how many batches one has.

        A group has the least of the least, the greatest of the greatest, and medians of the
        others. Batches that served nothing are left out.

        Args:
            most: Groups to return at most.
        """
        there = self.figures["max"] >= 0
        size = -(-max(1, int(there.sum())) // most)
        cuts = np.arange(0, int(there.sum()), size)
        ways = {"min": np.min, "max": np.max}
        figures = {
            name: np.array(
                [ways.get(name, np.median)(values[there][cut : cut + size]) for cut in cuts]
            ).astype(np.int64)
            for name, values in self.figures.items()
        }
        return self.begins[there][cuts], figures, size


def drifts(run: Run) -> Iterator[Drift]:
    """Yields the figures of each channel that has several batches. Raises StorageError."""
    return (one for one in drifts_of(run.drift()) if len(one.begins) > 1)


def drifts_of(table: Any) -> Iterator[Drift]:
    """Yields the figures of each channel in rows of DRIFT."""
    for channel in sorted(pc.unique(table["channel"]).to_pylist()):
        rows = table.filter(pc.equal(table["channel"], channel))
        lacking = pc.greater(pc.add(rows["coalesced"], rows["timed_out"]), 0)
        columns = {"p50": "p50_lower_ticks", "p99": "p99_lower_ticks"}
        yield Drift(
            channel,
            rows["since_ticks"].to_numpy(),
            {
                name: pc.fill_null(rows[columns.get(name, f"{name}_ticks")], -1).to_numpy()
                for name in FIGURES
            },
            int(pc.sum(lacking).as_py() or 0),
        )


def export_drift(run: Run, path: Path) -> int:
    """Writes the table of batches into one file, by its ending; returns the number of rows.

    Args:
        run: A run that does not keep all samples.
        path: ``.csv`` or ``.parquet``; ns stand next to ticks.

    Raises:
        ExperimentError: Another ending, or the run has no such table.
        StorageError: A file cannot be read or written.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise ExperimentError(f"{path}: unknown ending for --drift; end it in .csv or .parquet")
    table = run.drift()
    if not len(table):
        raise ExperimentError(
            f"{run.path} has no figures of each batch; a run has them unless it keeps all samples"
        )
    table = with_ns(table, run.run.tick_hz)
    if path.suffix == ".csv":
        replace(path, lambda file: pyarrow.csv.write_csv(table, file), kind=rb'"?channel"?,')
    else:
        replace(path, lambda file: pq.write_table(table, file), kind=rb"PAR1")
    return len(table)


def table_of(rows: list[dict[str, int | None]]) -> Any:
    """Returns rows as a table of DRIFT."""
    return pa.Table.from_pylist(rows, schema=DRIFT)
