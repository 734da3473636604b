"""Reads a run folder, also one that was cut short."""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from irqscope.errors import Remedy, StorageError
from irqscope.results.record import FORMAT, RunRecord, loads
from irqscope.results.sums import FILE as SUMS
from irqscope.results.sums import read_sums, unchanged
from irqscope.results.tables import BATCHES, FLUSH, HISTOGRAM, PLACES, SAMPLES, STM
from irqscope.results.timeline import Timeline
from irqscope.results.upgrade import COLUMNS_BEFORE
from irqscope.stats import OPEN, Distribution

HISTOGRAM_FILE = "histogram.parquet"
#: Folders that hold the parts of a run, one for each kind of row.
KINDS = ("samples", "batches", "stm", "places")


@dataclass(frozen=True)
class Run:
    """A run folder as it was at its last flush.

    ``changed``: names of files that are not as they were written; ``run`` is not valid then.
    """

    path: Path
    run: RunRecord
    changed: tuple[str, ...] = ()

    def require_unchanged(self) -> None:
        """Raises StorageError if a file of the folder is not as it was written."""
        if self.changed:
            raise StorageError(
                f"{self.path} was changed since it was written: {', '.join(self.changed)}; "
                "take a copy that was not; `irqscope export --salvage` writes what can be read"
            )

    @property
    def cut_short(self) -> bool:
        """The program ended without closing the run: it was killed, or the machine stopped."""
        return self.run.ended is None

    @property
    def ending(self) -> str:
        """Why the run ended, in words."""
        ended = self.run.ended
        if ended is None:
            return (
                "cut short: irqscope was killed or the machine stopped; "
                f"complete up to flush {self.run.flushes}"
            )
        return f"{ended.reason}: {ended.message}" if ended.message else ended.reason

    def samples(self) -> Any:
        """Table of all rows that the histogram knows of, in the order of time."""
        tables = list(self.parts())
        return pa.concat_tables(tables) if tables else SAMPLES.empty_table()

    def parts(
        self, columns: list[str] | None = None, damaged: list[StorageError] | None = None
    ) -> Iterator[Any]:
        """Tables of the rows of :meth:`samples`, one part after the other; of them some columns.

        ``damaged``: takes what is wrong with parts that cannot be read, which are left out; None:
        the first one raises StorageError.
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
        known = self._known("samples", skip, damaged)
        # Each flush writes the whole tail.
        return known[-1:] if self.run.experiment.samples.which == "tail" else known

    def stm(self) -> Any:
        """Table of what the STM stamped, in the order of time: columns of irqscope.stm.results.STM.

        Without a row where the run's markers were not the STM's.
        """
        return self._rows_of("stm", STM)

    def places(self) -> Any:
        """Table of the placements, in their order: columns of PLACES. Without a row elsewhere."""
        return self._rows_of("places", PLACES)

    def _rows_of(self, kind: str, schema: Any) -> Any:
        tables = [read_part(path) for path in self._known(kind)]
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def _known(
        self, kind: str, skip: int = 0, damaged: list[StorageError] | None = None
    ) -> list[Path]:
        """Files of a kind that the histogram knows of, without the first ``skip``."""
        last, known = self._last_flush(), []
        for path in sorted((self.path / kind).glob("part-*.parquet"))[skip:]:
            with left_out(damaged):
                if _flush(_schema(path)) <= last:
                    known.append(path)
        return known

    def known(self, channel: int) -> Distribution:
        """Latencies of a channel by its histogram, in ticks: of those that were answered."""
        rows = self.histogram()
        rows = rows.filter(pc.equal(rows["channel"], channel))
        # First tick above a bin, hence one less; the overflow bin has no upper end.
        upper = pc.fill_null(pc.subtract(rows["upper_ticks"].cast(pa.int64()), 1), OPEN)
        return Distribution(
            rows["lower_ticks"].to_numpy().astype(np.int64),
            upper.to_numpy().astype(np.int64),
            rows["count"].to_numpy().astype(np.int64),
        )

    def distribution(self, channel: int) -> Distribution:
        """All latencies of a channel in ticks, those that were not answered included."""
        (books,) = (books for books in self.run.books if books.channel == channel)
        (asked,) = (c for c in self.run.experiment.channels if c.index == channel)
        timeout = asked.timeout.ticks(self.run.tick_hz)
        return self.known(channel).censored(timeout, books.timed_out, books.coalesced)

    def batches(self) -> Any:
        """Table of all batches that the histogram knows of; None in a folder without one."""
        if not (self.path / "batches").is_dir():
            return None
        return self._rows_of("batches", BATCHES)

    def begins(self, skip: int = 0) -> list[dict[int, int]] | None:
        """Ticks from the run's start to that of each batch, by its number: a table for each file of
        batches but the first ``skip``. None in a folder without such files.
        """
        if not (self.path / "batches").is_dir():
            return None
        columns = ["batch", "since_ticks"]  # the others are what was sent, a thousand times as much
        parts = (read_part(path, columns) for path in self._known("batches", skip))
        return [
            dict(zip(*(part[name].to_pylist() for name in columns), strict=True)) for part in parts
        ]

    def timeline(self) -> Timeline:
        """Where the batches lie in time."""
        begins = self.begins()
        return Timeline(None if begins is None else dict(ChainMap(*begins)))

    def histogram(self) -> Any:
        """Table of the bins that counted something."""
        path = self.path / HISTOGRAM_FILE
        return read_part(path) if path.exists() else HISTOGRAM.empty_table()

    def _last_flush(self) -> int:
        path = self.path / HISTOGRAM_FILE
        return _flush(_schema(path)) if path.exists() else -1


def read_unchanged(path: Path) -> Run:
    """Reads a run folder as :func:`read` does. Raises StorageError also if a file is not as it was
    written.
    """
    run = read(path)
    run.require_unchanged()
    return run


def read(path: Path) -> Run:
    """Opens a run folder. Raises StorageError if it is none, damaged, or of a newer format.

    A folder that was changed since it was written is shown, and is not valid any more.
    """
    run, changed = _read(path)
    if changed and run.ended is None:
        run, changed = _read(path)  # it may have been closed between two files
    if changed:
        text = f"changed since it was written: {', '.join(changed)}"
        run = run.model_copy(update={"valid": False, "reasons": (*run.reasons, text)})
    return Run(path, run, changed)


def later(before: Run) -> Run:
    """The folder of a run as it is now. Raises StorageError.

    While it goes on only run.json is read: who looks every two seconds for hours must not look at
    each file that was ever written. Sums are looked at when it has ended.
    """
    if before.cut_short:
        run, _ = loads(_text(before.path), before.path / "run.json")
        if run.ended is None:
            return Run(before.path, run)
    return read(before.path)


def _read(folder: Path) -> tuple[RunRecord, tuple[str, ...]]:
    """The record, and names of the files that are not as they were written."""
    text = _text(folder)
    run, found = loads(text, folder / "run.json")
    # Sums are read last: that of a file is there before the file is.
    there = {str(part.relative_to(folder)) for part in folder.glob("*/part-*.parquet")}
    sums = read_sums(folder)
    if sums is None:
        return run, (SUMS,) if found == FORMAT else ()
    return run, tuple(_changed(folder, run, text, there, sums))


def _text(folder: Path) -> bytes:
    """The text of run.json."""
    try:
        return (folder / "run.json").read_bytes()
    except OSError as error:
        raise StorageError(
            f"{folder} is not a run folder (run.json: {error.strerror}); {Remedy.NAME_A_RUN}"
        ) from error


def _changed(
    folder: Path, run: RunRecord, text: bytes, there: set[str], sums: dict[str, set[str]]
) -> Iterator[str]:
    """``there``: names of the parts that the folder has."""
    if hashlib.sha256(text).hexdigest() not in sums.get("run.json", ()):
        yield "run.json"
    if run.flushes and not unchanged(folder / HISTOGRAM_FILE, sums.get(HISTOGRAM_FILE, set())):
        yield HISTOGRAM_FILE
    for kind in KINDS:
        # The part of a flush that was cut short may not be there.
        last = f"{kind}/part-{run.flushes:05}"
        flushed = sorted(name for name in sums if name.startswith(f"{kind}/") and name < last)
        if kind == "samples" and run.experiment.samples.which == "tail":
            flushed = flushed[-1:]  # it is written anew each time
        known = {name for name in there if name.startswith(f"{kind}/")}
        for name in sorted(known | set(flushed)):
            if not unchanged(folder / name, sums.get(name, set())):
                yield name


def read_part(path: Path, columns: list[str] | None = None) -> Any:
    """Table of one Parquet file; of ``columns`` those that it has. Raises StorageError.

    Columns have the names of today, whichever version wrote the file.
    """
    with _whole(path), pq.ParquetFile(path) as file:
        there = {COLUMNS_BEFORE.get(name, name): name for name in file.schema_arrow.names}
        table = file.read([there[name] for name in columns or there if name in there])
    return table.rename_columns([COLUMNS_BEFORE.get(name, name) for name in table.column_names])


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
