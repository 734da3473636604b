"""Samples of a run folder in the formats of other programs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from irqscope.errors import ExperimentError
from irqscope.results.files import replace
from irqscope.results.reader import Run

#: Endings that :func:`export` knows.
ENDINGS = (".csv", ".parquet")


def export(run: Run, path: Path) -> int:
    """Writes all samples into one file, in the format that its ending names; returns how many.

    Raises ExperimentError for another ending, StorageError.
    """
    if path.suffix not in ENDINGS:
        raise ExperimentError(f"{path}: unknown ending; end it in {' or '.join(ENDINGS)}")
    samples = run.samples()
    label = str(run.run["source"]["label"]) if run.run["source"] else ""
    if path.suffix == ".csv":
        # Where the numbers come from goes with every row: a CSV file has no other place for it.
        source = pa.array([label] * samples.num_rows, pa.string()).dictionary_encode()
        named = samples.append_column("source", source)
        replace(path, lambda temporary: pc.write_csv(named, temporary))
    else:
        marked = samples.replace_schema_metadata({b"irqscope.source": label.encode()})
        replace(path, lambda temporary: pq.write_table(marked, temporary, compression="zstd"))
    return int(samples.num_rows)
