"""Samples of a run folder in the formats of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from irqscope.errors import ExperimentError, StorageError, one_line
from irqscope.files import replace, require_replaceable
from irqscope.results.nanoseconds import with_ns
from irqscope.results.perfetto import ENDING, write_perfetto
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord
from irqscope.results.samples import INDEXED, Samples
from irqscope.results.tables import HISTOGRAM_FILE, PARTS, PROGRAM_FILE
from irqscope.results.vcd import write_vcd

#: Endings that :func:`export` knows.
ENDINGS = (".csv", ".parquet", ".vcd", ENDING)
#: How files with these endings begin: no file that begins otherwise is replaced.
KINDS = {
    ".csv": rb'"?index"?,"?time_ticks"?,',
    ".parquet": rb"PAR1",
    ".vcd": rb"\$",
    ENDING: rb"\x0a",
    ".png": rb"\x89PNG",
    ".svg": rb"\s*<(\?xml|svg)",
}
#: A text that many rows have.
_NAME: Any = pa.dictionary(pa.int32(), pa.string())
#: Those of plots, which :func:`irqscope.report.picture.save_picture` writes.
PICTURES = (".png", ".svg")


def export(
    run: Run,
    path: Path,
    window: range | None = None,
    damaged: list[StorageError] | None = None,
) -> int:
    """Writes samples into one file, in the format that its ending names; returns how many.

    A trace of Perfetto also holds batches, ticks and loads.

    ``window``: selected indices, as in INDEXED, or None for all. Columns as in :func:`told`.
    ``damaged``: as of :class:`Samples`. Never holds more than a part of the folder. Raises
    ExperimentError for another ending and for an empty window, StorageError.
    """
    if path.suffix not in ENDINGS:
        *others, last = (*ENDINGS, *PICTURES)
        raise ExperimentError(f"{path}: unknown ending; end it in {', '.join(others)} or {last}")
    _spare_records(path)
    require_replaceable(path, KINDS[path.suffix])
    _require_identified(run)
    stored = Samples(run.path, damaged)
    stored.update()
    if window is not None and not any(len(table) for table in stored.tables(window)):
        raise ExperimentError(
            f"{run.path} has no sample {window.start} to {window.stop - 1}; it has {len(stored)}"
        )
    written = 0

    def write(file: IO[bytes]) -> None:
        nonlocal written
        if path.suffix == ENDING:
            written = write_perfetto([(run, stored)], file, window, damaged)
            return
        tables = stored.tables(window)
        written = _WRITERS[path.suffix](run.run, tables, one_line(run.run.label), file)

    replace(path, write)
    return written


def export_suite(runs: Sequence[Run], path: Path) -> int:
    """Writes all runs into one trace of Perfetto, next to each other; returns how many samples.

    Raises ExperimentError for another ending, StorageError.
    """
    if path.suffix != ENDING:
        raise ExperimentError(
            f"{path}: a suite is exported as a trace; end it in {ENDING}, or name one of its runs"
        )
    require_replaceable(path, KINDS[ENDING])
    several = [(run, Samples(run.path)) for run in runs]
    for _, samples in several:
        samples.update()
    written = 0

    def write(file: IO[bytes]) -> None:
        nonlocal written
        written = write_perfetto(several, file)

    replace(path, write)
    return written


def _require_identified(run: Run) -> None:
    """Raises ExperimentError for a run that ended before a target answered."""
    if not run.run.has_clock:
        raise ExperimentError(
            f"{run.path} has no samples: the run ended before its target answered; measure again"
        )


def _spare_records(path: Path) -> None:
    """Raises ExperimentError where the file is part of a run folder's record."""
    place = path.resolve()
    alone = place.name in (HISTOGRAM_FILE, PROGRAM_FILE)
    inside = place.name if alone else f"{place.parent.name}/{place.name}"
    folder = place.parents[inside.count("/")]
    if (folder / "run.json").exists() and inside.split("/")[0] in (
        HISTOGRAM_FILE,
        PROGRAM_FILE,
        *PARTS,
    ):
        raise ExperimentError(f"{path} is part of the record in {folder}; name another file")


def told(run: RunRecord, table: Any) -> Any:
    """Returns a table of samples for other programs.

    It has ns next to ticks, and start and stop of its channel as in experiments. Its metadata are
    ``irqscope.source`` and ``irqscope.tick_hz``.
    """
    table = with_ns(table, run.tick_hz)
    channels = run.experiment.channels
    places = pc.index_in(table["channel"], pa.array([c.index for c in channels], pa.uint8()))
    if places.null_count:
        strange = table["channel"].filter(pc.is_null(places))[0].as_py()
        raise StorageError(f"samples of channel {strange}, which the experiment does not have")
    places = pa.array(places.to_numpy(), pa.int32())
    for name in ("start", "stop"):
        texts = pa.array([str(getattr(channel, name)) for channel in channels], pa.string())
        named = pa.DictionaryArray.from_arrays(places, texts)
        table = table.append_column(pa.field(name, _NAME, nullable=False), named)
    told_of = {"irqscope.source": one_line(run.label), "irqscope.tick_hz": str(run.tick_hz)}
    return table.replace_schema_metadata(told_of)


def samples(run: Run) -> Any:
    """All samples of a run as one pyarrow table, as in :func:`told`. Raises StorageError."""
    _require_identified(run)
    stored = Samples(run.path)
    stored.update()
    return pa.concat_tables(
        [told(run.run, INDEXED.empty_table()), *(told(run.run, part) for part in stored.tables())]
    ).unify_dictionaries()


def _write_csv(run: RunRecord, tables: Iterable[Any], label: str, file: IO[bytes]) -> int:
    # A CSV file has no other place than its rows for where the numbers come from.
    first = told(run, INDEXED.empty_table()).schema
    schema = first.append(pa.field("tick_hz", pa.int64())).append(pa.field("source", _NAME))
    rows = 0
    with pyarrow.csv.CSVWriter(file, schema) as writer:
        for table in tables:
            whole, n = told(run, table), table.num_rows
            whole = whole.append_column("tick_hz", pa.array([int(run.tick_hz)] * n, pa.int64()))
            whole = whole.append_column("source", pa.array([label] * n, pa.string()).cast(_NAME))
            writer.write_table(whole.cast(schema))
            rows += n
    return rows


def _write_parquet(run: RunRecord, tables: Iterable[Any], label: str, file: IO[bytes]) -> int:
    schema = told(run, INDEXED.empty_table()).schema
    rows = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(told(run, table).cast(schema))
            rows += table.num_rows
    return rows


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet, ".vcd": write_vcd}
