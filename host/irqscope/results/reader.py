"""Reads a run folder, also one that was cut short."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from irqscope.errors import StorageError
from irqscope.results.folder import FORMAT
from irqscope.results.tables import FLUSH, HISTOGRAM, SAMPLES
from irqscope.stats import OPEN, Distribution
from irqscope.units import Duration


@dataclass(frozen=True)
class Run:
    """A run folder as it was at its last flush."""

    path: Path
    run: dict[str, Any]

    @property
    def cut_short(self) -> bool:
        """The program ended without closing the run: it was killed, or the machine stopped."""
        return self.run["ended"] is None

    @property
    def ending(self) -> str:
        """Why the run ended, in words."""
        if self.cut_short:
            return (
                "cut short: irqscope was killed or the machine stopped; "
                f"complete up to flush {self.run['flushes']}"
            )
        ended = self.run["ended"]
        return f"{ended['reason']}: {ended['message']}" if ended["message"] else ended["reason"]

    def samples(self) -> Any:
        """Table of all rows that the histogram knows of, in the order of time."""
        tables = list(self.parts())
        return pa.concat_tables(tables) if tables else SAMPLES.empty_table()

    def parts(
        self, columns: list[str] | None = None, damaged: list[StorageError] | None = None
    ) -> Iterator[Any]:
        """The same rows as :meth:`samples`, one part after the other; of them some columns.

        ``damaged``: takes what is wrong with parts that cannot be read, which are left out; None:
        the first one raises.
        """
        for path in self.part_paths(damaged=damaged):
            part = None
            with left_out(damaged):
                part = read_part(path, columns)
            if part is not None:
                yield part

    def part_paths(self, skip: int = 0, damaged: list[StorageError] | None = None) -> list[Path]:
        """Files of the parts that the histogram knows of, without the first ``skip``.

        ``damaged``: as in :meth:`parts`.
        """
        last, known = self._last_flush(), []
        for path in sorted((self.path / "samples").glob("part-*.parquet"))[skip:]:
            with left_out(damaged):
                if _flush(_schema(path)) <= last:
                    known.append(path)
        # Each flush writes the whole tail.
        return known[-1:] if self.run["experiment"]["samples"].startswith("tail") else known

    def distribution(self, channel: int) -> Distribution:
        """Latencies of a channel by its histogram, in ticks, with those that were not answered."""
        rows = self.histogram()
        rows = rows.filter(pc.equal(rows["channel"], channel))
        # First tick above a bin, hence one less; the overflow bin has no upper end.
        upper = pc.fill_null(pc.subtract(rows["upper_ticks"].cast(pa.int64()), 1), OPEN)
        known = Distribution(
            rows["lower_ticks"].to_numpy().astype(np.int64),
            upper.to_numpy().astype(np.int64),
            rows["count"].to_numpy().astype(np.int64),
        )
        (books,) = (books for books in self.run["books"] if books["channel"] == channel)
        (asked,) = (c for c in self.run["experiment"]["channels"] if c["index"] == channel)
        timeout = Duration.parse(asked["timeout"]).ticks(self.run["identity"]["tick_hz"])
        return known.censored(timeout, books["timed_out"]).censored(0, books["coalesced"])

    def histogram(self) -> Any:
        """Table of the bins that counted something."""
        path = self.path / "histogram.parquet"
        return read_part(path) if path.exists() else HISTOGRAM.empty_table()

    def _last_flush(self) -> int:
        path = self.path / "histogram.parquet"
        return _flush(_schema(path)) if path.exists() else -1


def read(path: Path) -> Run:
    """Opens a run folder. Raises StorageError if it is none, or of a newer format."""
    try:
        run = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(
            f"{path} is no run folder (run.json: {error.strerror}); "
            "name one that `irqscope run` wrote"
        ) from error
    except ValueError as error:
        raise StorageError(
            f"{path}/run.json is damaged ({error}); it was not written by irqscope"
        ) from error
    if not isinstance(run, dict) or run.get("format") != FORMAT:
        found = run.get("format") if isinstance(run, dict) else None
        raise StorageError(
            f"{path}: format {found}, this irqscope reads {FORMAT}; use its own version"
        )
    return Run(path, run)


def read_part(path: Path, columns: list[str] | None = None) -> Any:
    """Table of one Parquet file; of ``columns`` those that it has. Raises StorageError."""
    with _whole(path), pq.ParquetFile(path) as file:
        if columns is not None:
            columns = [name for name in columns if name in file.schema_arrow.names]
        return file.read(columns)


def _schema(path: Path) -> Any:
    with _whole(path):
        return pq.read_schema(path)


def _flush(schema: Any) -> int:
    return int((schema.metadata or {}).get(FLUSH, b"-1"))


@contextmanager
def left_out(damaged: list[StorageError] | None) -> Iterator[None]:
    """Keeps an error in the list, if there is one."""
    try:
        yield
    except StorageError as error:
        if damaged is None:
            raise
        damaged.append(error)


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turns what is said of a file that cannot be read into a StorageError."""
    try:
        yield
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(
            f"{path} is damaged ({error}); the rest of the folder may be whole, and "
            "`irqscope export --salvage` writes what is"
        ) from error
