"""Reads a run folder, also one that was cut short."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from irqscope.errors import StorageError
from irqscope.results.folder import FORMAT
from irqscope.results.tables import FLUSH, HISTOGRAM, SAMPLES


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
        last = self._last_flush()
        tables = [
            table
            for path in sorted((self.path / "samples").glob("part-*.parquet"))
            if _flush(table := _read(path)) <= last
        ]
        if self.run["experiment"]["samples"].startswith("tail"):
            tables = tables[-1:]  # each flush writes the whole tail
        return pa.concat_tables(tables) if tables else SAMPLES.empty_table()

    def histogram(self) -> Any:
        """Table of the bins that counted something."""
        path = self.path / "histogram.parquet"
        return _read(path) if path.exists() else HISTOGRAM.empty_table()

    def _last_flush(self) -> int:
        path = self.path / "histogram.parquet"
        return _flush(_read(path)) if path.exists() else -1


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


def _read(path: Path) -> Any:
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(
            f"{path} is damaged ({error}); the rest of the folder may be whole"
        ) from error


def _flush(table: Any) -> int:
    return int((table.schema.metadata or {}).get(FLUSH, b"-1"))
