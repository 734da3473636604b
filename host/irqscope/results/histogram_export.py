"""Histograms of a run in the formats of other programs. Bins are as wide as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from irqscope.analysis.stats import OPEN, Distribution
from irqscope.errors import ExperimentError, one_line
from irqscope.files import as_text, replace
from irqscope.results.reader import Run
from irqscope.units import NS_PER_S

#: Decimal places of a latency in µs.
_PLACES = 3


def export_histogram(run: Run, path: Path, channel: int | None = None) -> int:
    """Writes the histogram of a run into one file, by its ending; returns how many latencies.

    Args:
        run: A run, whichever samples it keeps.
        path: ``.hgrm`` (HdrHistogram's percentiles, in µs), ``.txt`` (rows as of cyclictest, in
            ns), ``.csv`` or ``.parquet`` (rows of ``histogram.parquet`` with ns).
        channel: The only one to write, or None for all, with ``.hgrm`` for the first.

    Raises:
        ExperimentError: Another ending, no such channel, or no latency.
        StorageError: A file cannot be read or written.
    """
    writer = _WRITERS.get(path.suffix)
    if writer is None:
        raise ExperimentError(
            f"{path}: unknown ending for --histogram; end it in {', '.join(_WRITERS)}"
        )
    channels = [counters.channel for counters in run.run.counters]
    if channel is not None and channel not in channels:
        raise ExperimentError(f"{run.path} has no channel {channel}; it has {channels}")
    distributions = {index: run.known(index) for index in channels if channel in (None, index)}
    if path.suffix == ".hgrm":
        distributions = dict(list(distributions.items())[:1])
    counted = sum(one.n for one in distributions.values())
    if not counted:
        raise ExperimentError(f"{run.path} holds no latency; name another run")
    kind = _KINDS[path.suffix]
    replace(path, lambda file: writer(run, distributions, file), kind=kind)
    return counted


def _hgrm(run: Run, distributions: dict[int, Distribution], file: IO[bytes]) -> None:
    ((index, distribution),) = distributions.items()
    order = np.argsort(distribution.lower)
    upper, counts = distribution.upper[order], distribution.counts[order]
    us = [_ns(run, int(end)) / 1000 for end in upper[upper != OPEN]]
    total, closed = int(counts.sum()), int(counts[upper != OPEN].sum())
    counted, stats = 0, next(one for one in run.run.stats if one.channel == index)
    with as_text(file) as text:
        text.write(
            f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}\n\n"
        )
        for value, count in zip(us, counts[upper != OPEN].tolist(), strict=True):
            counted += count
            share = counted / total
            last = f" {1 / (1 - share):14.2f}" if counted < total else ""
            text.write(f"{value:12.{_PLACES}f} {share:2.12f} {counted:10d}{last}\n")
        mean = _ns(run, stats.sum_ticks) / 1000 / max(1, stats.served)
        deviation = (stats.deviation_ticks or 0.0) * NS_PER_S / run.run.tick_hz / 1000
        greatest = _ns(run, stats.max_ticks or 0) / 1000
        text.write(f"#[Mean    = {mean:12.3f}, StdDeviation   = {deviation:12.3f}]\n")
        text.write(f"#[Max     = {greatest:12.3f}, Total count    = {closed:12d}]\n")
        text.write(f"#[unit = us, source = {one_line(run.run.label)}]\n")
        if total > closed:
            text.write(f"#[{total - closed} are above the last bin and have no value]\n")


def _text(run: Run, distributions: dict[int, Distribution], file: IO[bytes]) -> None:
    lowers = sorted({int(low) for one in distributions.values() for low in one.lower.tolist()})
    counts = {
        index: dict(zip(one.lower.tolist(), one.counts.tolist(), strict=True))
        for index, one in distributions.items()
    }
    stats = {one.channel: one for one in run.run.stats}
    with as_text(file) as text:
        text.write(
            f"# Histogram\n# source: {one_line(run.run.label)}\n# unit: ns, begin of a bin\n"
        )
        for low in lowers:
            row = "\t".join(f"{of.get(low, 0):06d}" for of in counts.values())
            text.write(f"{_ns(run, low):06d} {row}\n")
        for name, values in (
            ("Total", [one.n for one in distributions.values()]),
            ("Min Latencies", [_ns(run, stats[i].min_ticks or 0) for i in distributions]),
            ("Max Latencies", [_ns(run, stats[i].max_ticks or 0) for i in distributions]),
            (
                "Histogram Overflows",
                [int(o.counts[o.upper == OPEN].sum()) for o in distributions.values()],
            ),
        ):
            text.write(f"# {name}: {' '.join(f'{value:05d}' for value in values)}\n")


def _rows(run: Run, distributions: dict[int, Distribution]) -> Any:
    parts = []
    for index, one in distributions.items():
        open_ = one.upper == OPEN
        ends = np.where(open_, 0, one.upper) + 1
        columns = {
            "channel": pa.array(np.full(len(one.lower), index, np.uint8)),
            "lower_ticks": pa.array(one.lower),
            "upper_ticks": pa.array(ends, mask=open_),
            "lower_ns": pa.array([_ns(run, int(low)) for low in one.lower], pa.int64()),
            "upper_ns": pa.array(
                [None if o else _ns(run, int(e)) for o, e in zip(open_, ends, strict=True)],
                pa.int64(),
            ),
            "count": pa.array(one.counts),
            "source": pa.array([one_line(run.run.label)] * len(one.lower)),
        }
        parts.append(pa.table(columns))
    return pa.concat_tables(parts)


def _ns(run: Run, ticks: int) -> int:
    hz = int(run.run.tick_hz)
    return (2 * ticks * NS_PER_S + hz) // (2 * hz)


#: How a file of each kind begins: no other is overwritten.
_KINDS = {
    ".hgrm": rb"\s*Value\s+Percentile",
    ".txt": rb"# Histogram",
    ".csv": rb'"?channel"?,"?lower_ticks"?,',
    ".parquet": rb"PAR1",
}
_WRITERS: dict[str, Callable[[Run, dict[int, Distribution], IO[bytes]], object]] = {
    ".hgrm": _hgrm,
    ".txt": _text,
    ".csv": lambda run, known, file: pyarrow.csv.write_csv(_rows(run, known), file),
    ".parquet": lambda run, known, file: pq.write_table(_rows(run, known), file),
}
