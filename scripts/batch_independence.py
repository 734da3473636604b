"""Shows whether fetching changes what is measured: each experiment in batches of several lengths.

    python scripts/batch_independence.py FILE ... [--target twin:a53] [--count N] [--batch S ...]

prints a line an experiment: the sequence of latencies is the same for every length of batch, or how
many stimuli differ and how far each histogram is from that of the longest batches. Exit code 1 if
any differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.experiment import Experiment
from irqscope.results.reader import Run, read

BATCHES = (2.0, 0.1, 0.02)
UNANSWERED = -1


@dataclass(frozen=True)
class Found:
    """One length of batch against the longest."""

    batch_s: float
    batches: int
    stimuli: int  #: that differ; -1: their number does
    firsts: int  #: of them, firsts of their batch
    distance: float  #: largest difference of the cumulated histograms, as a share of N
    maxima: tuple[int, int]  #: ticks: of the longest batches, of these

    @property
    def same(self) -> bool:
        """Nothing differs."""
        return self.stimuli == 0 and self.distance == 0

    def __str__(self) -> str:
        if self.same:
            return f"{self.batch_s:g} s ({self.batches}): the same"
        return (
            f"{self.batch_s:g} s ({self.batches}): {self.stimuli} differ, {self.firsts} of them "
            f"first of a batch; distributions {self.distance:.4f} apart, "
            f"maxima {self.maxima[0]} and {self.maxima[1]} ticks"
        )


def independence(
    experiment: Experiment, target: str, batches: Sequence[float], folder: Path
) -> list[Found]:
    """Runs it once for each length; the others are compared with the first."""
    runs = []
    for batch_s in batches:
        result = measure(experiment, target, folder / f"{batch_s:g}", batch_s=batch_s)
        if result.state != "valid":
            raise SystemExit(f"{experiment.name}: {result.state}: {result.run.reasons}")
        runs.append(read(result.folder))
    return [_against(runs[0], run, s) for run, s in zip(runs[1:], batches[1:], strict=True)]


def _against(one: Run, other: Run, batch_s: float) -> Found:
    a, b = _sequence(one), _sequence(other)
    batches = other.batches()
    stimuli = firsts = 0
    if len(a) != len(b):
        stimuli = -1
    elif differ := np.flatnonzero(a != b).tolist():
        begin = set(batches["first"].to_pylist())
        stimuli, firsts = len(differ), sum(place in begin for place in differ)
    throughput = (one.run.throughput, other.run.throughput)
    if throughput[0] != throughput[1]:
        stimuli = stimuli or -1
    maxima = tuple(max((s.max_ticks or 0) for s in run.run.stats) for run in (one, other))
    return Found(
        batch_s, len(batches), stimuli, firsts, _distance(one, other), (maxima[0], maxima[1])
    )


def _sequence(run: Run) -> np.ndarray:
    """Latencies in the order of time, channel by channel; of no samples nothing."""
    samples = run.samples()
    columns = [samples[name].to_numpy() for name in ("channel", "batch", "edge_ticks")]
    order = np.lexsort(columns[::-1])
    return np.asarray(
        pc.fill_null(samples["latency_ticks"].cast("int64"), UNANSWERED).to_numpy()[order]
    )


def _distance(one: Run, other: Run) -> float:
    """Kolmogorov's, of the first channel's histograms."""
    tables = [run.histogram() for run in (one, other)]
    counts: dict[int, list[int]] = {}
    for place, table in enumerate(tables):
        for row in table.to_pylist():
            if row["channel"] == 0:
                counts.setdefault(row["lower_ticks"], [0, 0])[place] = row["count"]
    if not counts:
        return 0.0
    shares = np.array([counts[key] for key in sorted(counts)], np.float64)
    cumulated = shares.cumsum(axis=0)
    return float(
        np.abs(cumulated[:, 0] / cumulated[-1, 0] - cumulated[:, 1] / cumulated[-1, 1]).max()
    )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--target", default="twin:a53")
    parser.add_argument("--count", type=int, help="stimuli, instead of the file's")
    parser.add_argument("--stack", help="instead of the file's")
    parser.add_argument("--batch", type=float, nargs="+", default=list(BATCHES), metavar="S")
    parser.add_argument("--samples", help='instead of the file\'s, such as "all"')
    options = parser.parse_args()
    changes = {k: getattr(options, k) for k in ("count", "stack", "samples") if getattr(options, k)}
    same = True
    for path in options.files:
        experiment = experiments.load(path, **changes)
        with tempfile.TemporaryDirectory() as folder:
            result = independence(experiment, options.target, options.batch, Path(folder))
        print(
            f"{path.parent.name}/{path.stem} N {experiment.count}:", *result, sep="  ", flush=True
        )
        same = same and all(each.same for each in result)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
