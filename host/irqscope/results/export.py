"""Samples of a run folder in the formats of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from irqscope.errors import ExperimentError, StorageError, one_line
from irqscope.files import replace
from irqscope.results.perfetto import ENDING, write_perfetto
from irqscope.results.reader import HISTOGRAM_FILE, Run
from irqscope.results.record import RunRecord
from irqscope.results.samples import INDEXED, Samples
from irqscope.results.tables import PARTS
from irqscope.results.vcd import write_vcd

#: Endings that :func:`export` knows.
ENDINGS = (".csv", ".parquet", ".vcd", ENDING)
#: Those of plots, which :func:`irqscope.report.picture.save_picture` writes.
PICTURES = (".png", ".svg")


def export(
    run: Run,
    path: Path,
    window: range | None = None,
    damaged: list[StorageError] | None = None,
) -> int:
    """Writes samples into one file, in the format that its ending names; returns how many.

    A trace of Perfetto holds batches, ticks and loads besides.

    ``window``: indices of those wanted, counted from 0 in the order of time; None: all. Columns as
    INDEXED. ``damaged``: as of :class:`Samples`. Never holds more than a part of the folder. Raises
    ExperimentError for another ending and for a window in which there is nothing, StorageError.
    """
    if path.suffix not in ENDINGS:
        *most, last = (*ENDINGS, *PICTURES)
        raise ExperimentError(f"{path}: unknown ending; end it in {', '.join(most)} or {last}")
    _spare_records(path)
    samples = Samples(run.path, damaged)
    samples.update()
    if window is not None and (window.start >= len(samples) or window.stop <= 0):
        raise ExperimentError(
            f"{run.path} has no sample {window.start} to {window.stop - 1}; it has {len(samples)}"
        )
    written = 0

    def write(file: IO[bytes]) -> None:
        nonlocal written
        if path.suffix == ENDING:
            written = write_perfetto([(run, samples)], file, window, damaged)
            return
        tables = samples.tables(window)
        written = _WRITERS[path.suffix](run.run, tables, one_line(run.run.label), file)

    replace(path, write)
    return written


def export_suite(runs: Sequence[Run], path: Path) -> int:
    """Writes all runs into one trace of Perfetto, beside each other; returns how many samples.

    Raises ExperimentError for another ending, StorageError.
    """
    if path.suffix != ENDING:
        raise ExperimentError(
            f"{path}: a suite is exported as a trace; end it in {ENDING}, or name one of its runs"
        )
    several = [(run, Samples(run.path)) for run in runs]
    for _, samples in several:
        samples.update()
    written = 0

    def write(file: IO[bytes]) -> None:
        nonlocal written
        written = write_perfetto(several, file)

    replace(path, write)
    return written


def _spare_records(path: Path) -> None:
    """Raises ExperimentError where the file is part of a run folder's record."""
    place = path.resolve()
    inside = place.name if place.name == HISTOGRAM_FILE else f"{place.parent.name}/{place.name}"
    folder = place.parents[inside.count("/")]
    if (folder / "run.json").exists() and inside.split("/")[0] in (HISTOGRAM_FILE, *PARTS):
        raise ExperimentError(f"{path} is part of the record in {folder}; name another file")


def _write_csv(run: RunRecord, tables: Iterable[Any], label: str, file: IO[bytes]) -> int:
    # Where the numbers come from goes with every row: a CSV file has no other place for it.
    schema = INDEXED.append(pa.field("source", pa.dictionary(pa.int8(), pa.string())))
    rows = 0
    with pc.CSVWriter(file, schema) as writer:
        for table in tables:
            source = pa.array([label] * table.num_rows).dictionary_encode()
            named = table.append_column("source", source.cast(schema.field("source").type))
            writer.write_table(named)
            rows += table.num_rows
    return rows


def _write_parquet(run: RunRecord, tables: Iterable[Any], label: str, file: IO[bytes]) -> int:
    schema = INDEXED.with_metadata({b"irqscope.source": label.encode()})
    rows = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table.cast(schema))
            rows += table.num_rows
    return rows


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet, ".vcd": write_vcd}
