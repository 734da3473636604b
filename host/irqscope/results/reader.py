"""Reads a run folder, also one that was cut short."""

from __future__ import annotations

import hashlib
import os
from collections import ChainMap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from irqscope.analysis.stats import OPEN, Distribution, of_samples
from irqscope.errors import Remedy, StorageError
from irqscope.files import read_bytes, require_regular
from irqscope.results.record import RunRecord, loads
from irqscope.results.recount import differences
from irqscope.results.sums import FILE as SUMS
from irqscope.results.sums import read_sums, unchanged
from irqscope.results.tables import (
    FLUSH,
    HISTOGRAM,
    HISTOGRAM_FILE,
    LONGEST,
    PARTS,
    PROGRAM_FILE,
    histogram_file,
)
from irqscope.results.timeline import Timeline

_REST = "the rest of the folder may be whole, and `irqscope export --salvage` writes what is"


@dataclass(frozen=True)
class Run:
    """A run folder in the state of its last flush.

    ``changed``: names of files that are not as they were written. ``doubts``: why the folder is
    not what was measured; ``run`` is not valid then, and gives them as reasons.
    """

    path: Path
    run: RunRecord
    changed: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    def require_unchanged(self) -> None:
        """Raises StorageError if the folder has changed since it was written."""
        if self.doubts:
            raise StorageError(
                f"{self.path}: {'; '.join(self.doubts)}; take a copy that is as it was written; "
                "`irqscope export --salvage` writes the samples whose sums hold"
            )

    def require_record(self) -> None:
        """Raises StorageError if ``run.json``, which describes the other files, was changed."""
        for name in (SUMS, "run.json"):
            if name in self.changed:
                raise StorageError(
                    f"{self.path}: {'; '.join(self.doubts)}; nothing can be salvaged, for {name} "
                    "tells of the other files what they are"
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
        """Table of all rows that ``run.json`` lists, in the order of time."""
        tables = list(self.parts())
        return pa.concat_tables(tables) if tables else PARTS["samples"].empty_table()

    def sample_rows(self) -> int:
        """Number of rows of :meth:`samples`."""
        return sum(_rows(path) for path in self.part_paths())

    def parts(
        self, columns: list[str] | None = None, damaged: list[StorageError] | None = None
    ) -> Iterator[Any]:
        """Tables of the rows of :meth:`samples`, one part after the other; of them some columns.

        ``damaged``: receives the faults of unreadable parts, which are left out; if None, the first
        one raises StorageError.
        """
        return _tables(self.part_paths(damaged=damaged), columns, damaged)

    def part_paths(self, skip: int = 0, damaged: list[StorageError] | None = None) -> list[Path]:
        """Files of the parts that ``run.json`` lists, without the first ``skip``.

        ``damaged``: as in :meth:`parts`.
        """
        parts = self._known("samples", skip, damaged)
        # Each flush writes the whole tail.
        return parts[-1:] if self.run.experiment.samples.which == "tail" else parts

    def stm(self) -> Any:
        """Table of the STM's stamps, in the order of time; empty without the STM's markers."""
        return self._rows_of("stm")

    def places(self) -> Any:
        """Table of the placements, in their order. Without a row elsewhere."""
        return self._rows_of("places")

    def drift(self) -> Any:
        """Returns the figures of each batch in order of time; empty if all samples are kept."""
        return self._rows_of("drift")

    def _rows_of(self, kind: str, damaged: list[StorageError] | None = None) -> Any:
        tables = list(_tables(self._known(kind, 0, damaged), None, damaged))
        return pa.concat_tables(tables) if tables else PARTS[kind].empty_table()

    def _known(
        self, kind: str, skip: int = 0, damaged: list[StorageError] | None = None
    ) -> list[Path]:
        """Files of a kind that ``run.json`` lists, without the first ``skip``."""
        parts = []
        for path in sorted((self.path / kind).glob("part-*.parquet"))[skip:]:
            with left_out(damaged):
                self._require_sum(f"{kind}/{path.name}")
                if _flush(_schema(path)) < self.run.flushes:
                    parts.append(path)
        return parts

    def _require_sum(self, name: str) -> None:
        if name in self.changed:
            raise StorageError(
                f"{self.path / name} was changed since it was written, by its sum; {_REST}"
            )

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
            self.run.resolution_ticks,
        )

    def distribution(self, channel: int) -> Distribution:
        """All latencies of a channel in ticks, those that were not answered included."""
        (counters,) = (counters for counters in self.run.counters if counters.channel == channel)
        (selected,) = (c for c in self.run.experiment.channels if c.index == channel)
        timeout = selected.timeout.ticks(self.run.tick_hz)
        return self.answered(channel).censored(timeout, counters.timed_out, counters.coalesced)

    def answered(self, channel: int) -> Distribution:
        """Return the latencies of a channel's answered stimuli, in ticks.

        They are those of the histogram, or of the samples where some are beyond the histogram and
        all samples are stored.
        """
        bins = self.known(channel)
        if self.run.experiment.samples.which != "all" or not (bins.upper == OPEN).any():
            return bins
        latencies = [np.empty(0, np.int64)]
        for part in self.parts(["channel", "latency_ticks"], damaged=[]):
            of_it = part.filter(pc.equal(part["channel"], channel))["latency_ticks"]
            latencies.append(of_it.drop_null().to_numpy().astype(np.int64))
        served = np.concatenate(latencies)
        if len(served) != bins.n:
            return bins
        return replace(of_samples(served), resolution=bins.resolution)

    def batches(self, damaged: list[StorageError] | None = None) -> Any:
        """Table of all batches that ``run.json`` lists. ``damaged``: as in :meth:`parts`."""
        return self._rows_of("batches", damaged)

    def begins(
        self, skip: int = 0, damaged: list[StorageError] | None = None
    ) -> list[dict[int, int]]:
        """Returns the ticks from the run's start to that of each batch, by its number.

        A table for each file of batches but the first ``skip``. ``damaged``: as in :meth:`parts`.
        """
        columns = ["batch", "since_ticks"]  # the others are what was sent, a thousand times as much
        return [
            dict(zip(*(part[name].to_pylist() for name in columns), strict=True))
            for part in _tables(self._known("batches", skip, damaged), columns, damaged)
        ]

    def timeline(self, damaged: list[StorageError] | None = None) -> Timeline:
        """Positions of the batches in time. ``damaged``: as in :meth:`parts`."""
        return Timeline(dict(ChainMap(*self.begins(damaged=damaged))))

    def histogram(self) -> Any:
        """Table of the bins that counted something."""
        newest = self.path / histogram_file(self.run.flushes - 1)
        for name in (newest.name, HISTOGRAM_FILE):
            self._require_sum(name)
            if not (path := self.path / name).exists():
                continue
            try:
                return read_part(path)
            except StorageError:  # of a run that goes on it may have its last name by now
                if path.exists():
                    raise
        return HISTOGRAM.empty_table()


def _tables(
    paths: list[Path], columns: list[str] | None, damaged: list[StorageError] | None
) -> Iterator[Any]:
    """Tables in files of parts, as :meth:`Run.parts` gives them."""
    for path in paths:
        part = None
        with left_out(damaged):
            part = read_part(path, columns)
        if part is not None:
            yield part


def read_unchanged(path: Path) -> Run:
    """Reads a run folder as :func:`read` does.

    Also raises StorageError if it has changed since it was written.
    """
    run = read(path)
    run.require_unchanged()
    return run


def read(path: Path) -> Run:
    """Opens a run folder.

    Raises StorageError if it is not a run folder, damaged, or of another format.

    A folder that has changed since it was written is shown, and is invalid.
    """
    record = _read(path)
    if record.changed and record.run.ended is None:
        record = _read(path)  # it may have been closed between two files
    return record


def later(before: Run) -> Run:
    """Reads the folder of a run again. Raises StorageError.

    While it goes on, only run.json is read: a reader that looks every two seconds for hours must
    not read each file of the run. Sums are looked at when it has ended.
    """
    if before.cut_short:
        run = loads(_text(before.path), before.path / "run.json")
        if run.ended is None:
            return Run(before.path, run)
    return read(before.path)


def _read(folder: Path) -> Run:
    text = _text(folder)
    run = loads(text, folder / "run.json")
    # Sums are read last: that of a file is there before the file is.
    present = {str(part.relative_to(folder)) for part in folder.glob("*/part-*.parquet")}
    sums = read_sums(folder)
    changed: tuple[str, ...]
    doubts: tuple[str, ...]
    if sums is None:
        changed = (SUMS,)
        doubts = (f"{SUMS} is missing: nothing shows that the files are as they were written",)
    elif changed := tuple(_changed(folder, run, text, present, sums)):
        doubts = (f"changed since it was written: {', '.join(changed)}",)
    else:
        doubts = tuple(_doubts(Run(folder, run)))
    if doubts:
        run = run.model_copy(update={"valid": False, "reasons": (*run.reasons, *doubts)})
    return Run(folder, run, changed, doubts)


def _doubts(folder: Run) -> Iterator[str]:
    """Yields claims of a valid run that its histogram does not support."""
    if not folder.run.valid:
        return
    try:
        doubts = list(differences(folder.run, folder.known))
    except StorageError as error:
        doubts = [str(error)]
    if doubts:
        more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
        yield f"its files contradict each other: {doubts[0]}{more}"


def _text(folder: Path) -> bytes:
    """The text of run.json."""
    try:
        return read_bytes(folder / "run.json")
    except OSError as error:
        raise StorageError(
            f"{folder} is not a run folder (run.json: {error.strerror}); {Remedy.NAME_A_RUN}"
        ) from error


def _changed(
    folder: Path, run: RunRecord, text: bytes, present: set[str], sums: dict[str, set[str]]
) -> Iterator[str]:
    """``present``: names of the parts that the folder has."""
    if hashlib.sha256(text).hexdigest() not in sums.get("run.json", ()):
        yield "run.json"
    newest = histogram_file(run.flushes - 1)
    histogram = newest if (folder / newest).exists() else HISTOGRAM_FILE
    if run.flushes and not unchanged(folder / histogram, sums.get(histogram, set())):
        yield histogram
    if PROGRAM_FILE in sums and not unchanged(folder / PROGRAM_FILE, sums[PROGRAM_FILE]):
        yield PROGRAM_FILE
    for kind in PARTS:
        # The part of a flush that was cut short may not be there.
        last = f"{kind}/part-{run.flushes:05}"
        flushed = sorted(name for name in sums if name.startswith(f"{kind}/") and name < last)
        if kind == "samples" and run.experiment.samples.which == "tail":
            flushed = flushed[-1:]  # it is written again each time
        parts = {name for name in present if name.startswith(f"{kind}/")}
        for name in sorted(parts | set(flushed)):
            if not unchanged(folder / name, sums.get(name, set())):
                yield name


def read_part(path: Path, columns: list[str] | None = None) -> Any:
    """Table of one Parquet file; of ``columns`` those that it has. Raises StorageError.

    ``columns``: None for all.
    """
    of_bins = path.name.startswith(Path(HISTOGRAM_FILE).stem)
    schema = HISTOGRAM if of_bins else PARTS[path.parent.name]
    with _whole(path):
        require_regular(path)
        # Not a file of Python's: a thread of Arrow's releases it, maybe as the interpreter ends.
        with pa.OSFile(os.fsencode(path)) as source, pq.ParquetFile(source) as file:
            if not file.schema_arrow.equals(schema):
                raise pa.ArrowInvalid("its columns are not those of such a file")
            table = file.read(columns)
        for field in table.schema:
            if not field.nullable and table[field.name].null_count:
                raise pa.ArrowInvalid(f"{field.name}: a row has none")
            if field.type == pa.int64() or (schema is HISTOGRAM and field.type == pa.uint64()):
                ends = pc.min_max(table[field.name]).as_py()
                if max(-(ends["min"] or 0), ends["max"] or 0) >= LONGEST:
                    raise pa.ArrowInvalid(f"{field.name}: {ends['max']} is longer than any run")
    return table


def _schema(path: Path) -> Any:
    with _whole(path):
        require_regular(path)
        return pq.read_schema(path)


def _rows(path: Path) -> int:
    with _whole(path):
        require_regular(path)
        return int(pq.read_metadata(path).num_rows)


def _flush(schema: Any) -> int:
    number = (schema.metadata or {}).get(FLUSH, b"")
    return int(number) if number.isdigit() else -1


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
    """Turns errors of an unreadable file into a StorageError."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        cause = " ".join(str(error).split())
        raise StorageError(f"{path} is damaged ({cause}); {_REST}") from error
