"""Writes a run folder, flush by flush."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from irqscope.errors import ExperimentError, StorageError
from irqscope.files import storage
from irqscope.results.record import Ended, RunRecord, dumps
from irqscope.results.sums import Sums
from irqscope.results.tables import FLUSH, HISTOGRAM_FILE, PROGRAM_FILE, histogram_file

#: Kept free by a file, so that a full disk still takes the last run.json.
_RESERVE_BYTES = 1 << 16


def now() -> str:
    """The time, UTC, to a second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_folder(name: str, below: Path = Path("runs"), occupied: Collection[Path] = ()) -> Path:
    """A folder for results that is not there yet, nor ``occupied``, named by content and time."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    ends = itertools.chain([""], (f"-{n}" for n in itertools.count(2)))
    paths = (below / f"{name}-{stamp}{end}" for end in ends)
    return next(path for path in paths if path not in occupied and not path.exists())


class RunFolder:
    """A folder being written. Raises ExperimentError if it exists and is not empty, StorageError.

    ``run``: contents of ``run.json`` to be; the caller changes it, :meth:`flush` writes it.
    """

    def __init__(self, path: Path, run: RunRecord) -> None:
        self.path = path
        self.run = run
        self._rows: list[Any] = []
        self._stm: list[Any] = []
        self._places: list[Any] = []
        self._drift: list[Any] = []
        self._batches: list[Any] = []
        self._supersede = False
        self._flushes = 0
        self._sums = Sums(path)
        with storage(path):
            self._made = [each for each in (path, *path.parents) if not each.exists()]
            occupied = path.exists() and (not path.is_dir() or any(path.iterdir()))
        if occupied:
            raise ExperimentError(f"{path} is there already; name a new folder with --out")
        try:
            with storage(path):
                for name in ("samples", "batches"):
                    (path / name).mkdir(parents=True, exist_ok=True)
                self._reserve()
            self._write_run()
        except StorageError:
            shutil.rmtree(path, ignore_errors=True)  # it was empty: the name is free again
            raise

    def discard(self) -> None:
        """Removes it, and folders above it that were made for it and hold nothing else."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.path)
            if self.path not in self._made:
                self.path.mkdir()  # it was there before, and empty
            for folder in self._made[1:]:
                folder.rmdir()

    def log(self, text: str) -> None:
        """One line with the time. A log that cannot be written ends nothing: results come first."""
        try:
            with (self.path / "log.txt").open("a", encoding="utf-8") as file:
                print(now(), text, file=file)
        except OSError as error:
            self.run.log_lost = self.run.log_lost or str(error)

    def keep_program(self, data: bytes) -> None:
        """Writes the foreign program that is measured, byte by byte. Raises StorageError."""
        self._sums.write(PROGRAM_FILE, lambda file: file.write(data))

    def add_samples(self, table: Any) -> None:
        """Keeps rows for the next flush."""
        self._rows.append(table)

    def add_stm(self, table: Any) -> None:
        """Stores rows of the STM's stamps for the next flush."""
        self._stm.append(table)

    def add_places(self, table: Any) -> None:
        """Keeps rows of placements for the next flush."""
        self._places.append(table)

    def add_drift(self, table: Any) -> None:
        """Stores rows of figures of a batch for the next flush."""
        self._drift.append(table)

    def set_samples(self, table: Any) -> None:
        """Keeps rows for the next flush that replace all rows so far, flushed or not."""
        self._rows = [table]
        self._supersede = True

    def add_batch(self, table: Any) -> None:
        """Keeps rows of the table of batches for the next flush."""
        self._batches.append(table)

    def flush(self, histogram: Any, run: RunRecord | None = None) -> None:
        """Writes the rows kept, the histogram so far, and ``run.json``.

        ``run``: its contents from now on, or None to leave them. The new contents take effect once
        the files next to it hold their data, and not before. Until then the histogram has a name
        of its own, so that a run which is killed has that of its last ``run.json``.
        """
        number = self._flushes
        older = list((self.path / "samples").glob("part-*.parquet")) if self._supersede else []
        if self._rows:
            table = pa.concat_tables(self._rows)
            part = f"samples/part-{number:05}.parquet"
            self._sums.write(part, lambda file: _write_parquet(table, number, file))
            self._rows.clear()
        further = {"stm": self._stm, "places": self._places, "drift": self._drift}
        for kind, tables in further.items():
            if not tables:
                continue
            rows = pa.concat_tables(tables)
            part = f"{kind}/part-{number:05}.parquet"
            with storage(self.path):
                (self.path / kind).mkdir(exist_ok=True)
            self._write(part, rows, number)
            tables.clear()
        if self._batches:
            batches = pa.concat_tables(self._batches)
            part = f"batches/part-{number:05}.parquet"
            self._sums.write(part, lambda file: _write_parquet(batches, number, file))
            self._batches.clear()
        newest = histogram_file(number)
        self._sums.write(newest, lambda file: _write_parquet(histogram, number, file))
        self._flushes += 1
        self.run = run or self.run
        self.run.flushes = self._flushes
        self._write_run()
        self._sums.rename(newest, HISTOGRAM_FILE)
        for path in older:
            self._sums.remove(f"samples/{path.name}")

    def keep(self) -> None:
        """Writes ``run.json`` in its current state, of a run that keeps no rows."""
        self._write_run()

    def end(self, reason: str, message: str) -> None:
        """Writes how the run ended. Unflushed data is lost: the caller flushes before."""
        self.run.ended = Ended(reason=reason, message=message, time=now())
        with contextlib.suppress(OSError):  # the next write refers to it
            (self.path / ".reserve").unlink(missing_ok=True)
        self.log(f"ended: {reason}: {message}")
        self._write_run()
        self._sums.close()

    def _write(self, part: str, rows: Any, number: int) -> None:
        self._sums.write(part, lambda file: _write_parquet(rows, number, file))

    def _write_run(self) -> None:
        text = dumps(self.run)
        self._sums.write("run.json", lambda file: file.write(text))

    def _reserve(self) -> None:
        with (self.path / ".reserve").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)


def _write_parquet(table: Any, flush: int, file: IO[bytes]) -> None:
    metadata = {FLUSH: str(flush).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")
