"""Many runs as one table for programs: a row for each channel of each run, numbers as numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from irqscope.errors import printable
from irqscope.report import summary, wording
from irqscope.report.folders import Entry, entries
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Stats
from irqscope.results.suite_record import FILE as SUITE
from irqscope.results.suite_record import read as read_suite
from irqscope.units import ticks_to_ns

#: What :func:`written` can make of a table.
FORMATS = ("csv", "parquet", "json", "md")
#: How they begin: no file that begins otherwise is replaced.
KINDS = {
    "csv": rb'"?folder"?',
    "parquet": rb"PAR1",
    "json": rb'\[(\]|\s*\{\s*"folder")',
    "md": rb"\| folder \|",
}
#: Quantiles that have columns.
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}


@dataclass(frozen=True)
class Column:
    """One column. Null where a run has no such value; the unit is in the name."""

    name: str
    type: Any
    meaning: str


_OF_A_QUANTILE = (
    "a sample's value, of a foreign histogram the begin of its bin; null: N too small",
    "lower end of its interval, where every latency was answered and the run's samples look "
    "independent",
    "upper end; null with a lower end: open",
)


def _columns_of_quantiles() -> Iterator[Column]:
    """Yields three columns for each quantile, described at the first one."""
    for name, p in QUANTILES.items():
        as_first = ("as of p50",) * 3
        value, low, high = _OF_A_QUANTILE if name == "p50" else as_first
        yield Column(f"{name}_ns", pa.int64(), f"quantile {p}: {value}")
        yield Column(f"{name}_low_ns", pa.int64(), low)
        yield Column(f"{name}_high_ns", pa.int64(), high)


COLUMNS = (
    Column("folder", pa.string(), "of the run, below the folder that was asked for"),
    Column("name", pa.string(), "of the run: the user's, followed by the experiment's"),
    Column("started", pa.string(), "UTC, ISO 8601"),
    Column("source", pa.string(), "where the numbers come from: the label of the target"),
    Column("machine", pa.string(), "that was measured"),
    Column("case", pa.string(), "case of the experiment"),
    Column("stack", pa.string(), "software stack of the experiment"),
    Column("channel", pa.uint8(), "number of the latency channel"),
    Column("start", pa.string(), "what begins its stimuli"),
    Column("stop", pa.string(), "marker that answers them"),
    Column("tick_hz", pa.int64(), "rate of the clock that the run's ticks are of"),
    Column("n", pa.int64(), "stimuli, those without an answer included"),
    Column("timed_out", pa.int64(), "stimuli that were not answered in time"),
    Column("coalesced", pa.int64(), "stimuli that came while one was open"),
    Column("min_ns", pa.int64(), "least latency"),
    *_columns_of_quantiles(),
    Column("max_ns", pa.int64(), "greatest latency; null where a stimulus has no answer"),
    Column("confidence", pa.float64(), "of the intervals"),
    Column("throughput_hz", pa.float64(), "median over the phases, of a run that counts handlers"),
    Column("verdict", pa.string(), "`valid`, or why not"),
    Column(
        "independence",
        pa.string(),
        "`passed`, `passed in part` (some tests could show nothing), `failed`, `not testable` or "
        "`not looked at`",
    ),
    Column("tags", pa.string(), "of the run, with blanks between them"),
    Column("note", pa.string(), "of the run"),
)
#: In front of the name of a column that has a value of the suite's matrix.
GRID = "grid."


def table(folder: Path) -> Any:
    """The runs of a suite in its order, or all run folders below ``folder``, the latest first.

    A pyarrow table with COLUMNS, after ``name`` one column for each key of a suite's matrix, whose
    type is that of its values. A folder that cannot be read is a row with the reason as verdict.
    Raises StorageError for a damaged suite.
    """
    grid: dict[str, dict[str, Any]] = {}
    listed = entries(folder)
    if (folder / SUITE).exists():
        record = read_suite(folder)
        order = {name: place for place, name in enumerate(record.order)}
        listed.sort(key=lambda entry: order.get(_name(folder, entry), len(order)))
        grid = {name: item.cell for name, item in record.items.items()}
    rows = [
        row | {GRID + key: value for key, value in grid.get(_name(folder, entry), {}).items()}
        for entry in listed
        for row in _rows(folder, entry)
    ]
    keys = dict.fromkeys(key for cell in grid.values() for key in cell)
    schema = [pa.field(column.name, column.type) for column in COLUMNS]
    schema[2:2] = [_grid_field(GRID + key, rows) for key in keys]
    for row in rows:
        for key in keys:
            if isinstance(row.get(GRID + key), list):
                row[GRID + key] = json.dumps(row[GRID + key])
    for row in rows:
        row.update({k: printable(v) for k, v in row.items() if isinstance(v, str)})
    return pa.Table.from_pylist(rows, schema=pa.schema(schema))


def written(content: Any, how: str) -> bytes:
    """A table as one of FORMATS: JSON is a list of objects, Markdown leaves null empty."""
    if how == "parquet":
        whole = io.BytesIO()
        pq.write_table(content, whole)
        return whole.getvalue()
    if how == "csv":
        whole = io.BytesIO()
        pyarrow.csv.write_csv(content, whole)
        return whole.getvalue()
    if how == "json":
        return (json.dumps(content.to_pylist(), indent=2) + "\n").encode()
    lines = [content.column_names, ["---"] * content.num_columns]
    lines += [["" if v is None else _cell(v) for v in row.values()] for row in content.to_pylist()]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode()


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())


def _name(folder: Path, entry: Entry) -> str:
    return str(entry.path.relative_to(folder))


def _grid_field(name: str, rows: Sequence[dict[str, Any]]) -> Any:
    """A column whose type holds all values of a key; texts where they are of several kinds."""
    values = [row[name] for row in rows if name in row]
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return pa.field(name, pa.bool_())
    if kinds == {int}:
        return pa.field(name, pa.int64())
    if kinds <= {int, float}:
        return pa.field(name, pa.float64())
    for row in rows:
        if name in row and not isinstance(row[name], list):
            row[name] = str(row[name])
    return pa.field(name, pa.string())


def _rows(folder: Path, entry: Entry) -> Iterator[dict[str, Any]]:
    run = entry.run
    whole: dict[str, Any] = {"folder": _name(folder, entry), "name": entry.name}
    if run is None:
        yield whole | {"verdict": entry.error}
        return
    whole |= {
        "started": run.started,
        "source": run.label,
        "machine": _machine(run),
        "case": run.capture.what if run.capture else run.experiment.case,
        "stack": None if run.capture else run.experiment.stack,
        "tick_hz": run.tick_hz if run.has_clock else None,
        "verdict": summary.verdict(run),
        "tags": " ".join(entry.note.tags),
        "note": entry.note.note,
    }
    stats = {one.channel: one for one in run.stats}
    rates = {one.channel: one.median_hz for one in run.throughput}
    for channel in run.experiment.channels:
        row = {"channel": channel.index, "start": str(channel.start), "stop": str(channel.stop)}
        if channel.index in stats:
            row |= _latencies(run, stats[channel.index])
        yield whole | row | {"throughput_hz": rates.get(channel.index)}
    if not run.experiment.channels:  # a loss map, which has none
        yield whole


def binned(run: RunRecord) -> bool:
    """Whether a foreign histogram is all that is known."""
    return run.capture is not None and run.capture.what == "histogram"


def _machine(run: RunRecord) -> str | None:
    """Name of the machine that was measured; of a capture only the tool that measured is known."""
    if run.identity is not None:
        return run.identity.machine.name
    return run.capture.tool if run.capture else None


def _latencies(run: RunRecord, stats: Stats) -> dict[str, Any]:
    def ns(ticks: int | None) -> int | None:
        return None if ticks is None else ticks_to_ns(ticks, run.tick_hz)

    row: dict[str, Any] = {
        "n": stats.n,
        "timed_out": stats.timed_out,
        "coalesced": stats.coalesced,
        "min_ns": ns(stats.min_ticks),
        "max_ns": None if stats.timed_out or stats.coalesced else ns(stats.max_ticks),
        "confidence": stats.confidence,
        "independence": _independence(stats),
    }
    sampled = () if wording.grid(run) else stats.quantiles
    intervals = wording.intervals(run, stats)
    for name, p in QUANTILES.items():
        for quantile in (q for q in sampled if q.p == p and not q.note):
            # Tools that count in bins name a latency by the begin of its bin.
            value = quantile.sample_ticks[0] if binned(run) else quantile.value_ticks
            row[f"{name}_ns"] = ns(value)
        for quantile in (q for q in intervals if q.p == p):
            row[f"{name}_low_ns"] = ns(quantile.lower_ticks)
            row[f"{name}_high_ns"] = ns(quantile.upper_ticks)
    return row


def _independence(stats: Stats) -> str:
    independence = stats.independence
    if independence is None:
        return "not looked at"
    if wording.failing(stats):
        return "failed"
    untestable = sum(answer.untestable is not None for answer in independence.answers)
    if independence.untested or untestable == len(independence.answers):
        return "not testable"
    return "passed in part" if untestable else "passed"
