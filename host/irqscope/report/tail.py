"""The tail of a run compared with predictions from its first stimuli, in two ways.

One is a fit of extreme values (:mod:`.pareto`). The other assumes nothing about the distribution:
order statistics bound a quantile from above only where N carries it. A fit that is refused is shown
all the same: this is where such predictions are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope.analysis import independence, pareto
from irqscope.analysis.pareto import Fit, Numbers
from irqscope.analysis.stats import OPEN, Distribution, Quantile, of_samples, share_longer
from irqscope.report import wording
from irqscope.results.reader import Run

#: Stimuli from which the rest is foretold.
FIRST = 10_000
#: A run with fewer times as many would have nothing to compare the prediction with.
TIMES = 10


@dataclass(frozen=True)
class Row:
    """Latencies that ``share`` of the stimuli exceed, ticks.

    ``fitted``: by the fit, with the ends of its interval, or None without a fit or if the share is
    not in its tail. ``bound``: ends of the interval by order statistics of the first ones, None if
    open. ``seen``: in all.
    """

    share: float
    fitted: tuple[int, int, int] | None
    bound: tuple[int | None, int | None]
    seen: Quantile

    @property
    def verdict(self) -> str:
        """Verdict on the fit, against the observed tail; empty if undecided."""
        if self.fitted is None:
            return ""
        _, low, high = self.fitted
        shortest, greatest = self.seen.lower, self.seen.upper
        if shortest is not None and high < shortest:
            return "too short"
        if greatest is not None and low > greatest:
            return "too long"
        return "holds" if shortest is not None and greatest is not None else "not decided"


@dataclass(frozen=True)
class Tail:
    """``refused``: reasons not to trust the fit, from the first ones alone, or empty.

    ``longest``: of the first, ticks; ``longest_seen``: of all, None where one was not answered.
    ``at_most``: bound of the share that is longer than ``longest``, by the first; ``longer``: how
    many of all are known to be.
    """

    first: int
    n: int
    fit: Fit | None
    refused: tuple[str, ...]
    longest: int
    longest_seen: int | None
    at_most: float
    longer: int
    rows: tuple[Row, ...]


def of_run(run: Run) -> Tail | str:
    """Tail of the first channel of a run, or a text that explains why it has none.

    Raises StorageError.
    """
    if not run.run.stats:
        return "no batch ended"
    if grid := wording.grid(run.run):
        return grid
    channel = run.run.stats[0].channel
    n = run.run.stats[0].n
    if run.run.capture is not None and run.run.capture.what == "histogram":
        return "a histogram has no single stimuli"
    if run.run.experiment.samples.which not in ("all", "first"):
        return f'its first stimuli are not kept; write samples = "first {FIRST}"'
    if n < TIMES * FIRST:
        return f"{n} stimuli; from {TIMES * FIRST} on the first {FIRST} are compared with them"
    tables, rows = [], 0
    for part in run.parts(["channel", "place", "latency_ticks"]):
        table = part.filter(pc.equal(part["channel"], channel)).slice(0, FIRST - rows)
        tables.append(table)
        rows += table.num_rows
        if rows == FIRST:
            break
    if rows < FIRST:
        return f"{rows} of its first stimuli are kept; {FIRST} are wanted"
    first = pa.concat_tables(tables)
    if first["latency_ticks"].null_count:
        return f"{first['latency_ticks'].null_count} of its first {FIRST} were not answered"
    starts = pc.fill_null(pc.equal(first["place"], 0), False).to_numpy()
    latencies = first["latency_ticks"].to_numpy().astype(np.int64)
    return foretell(latencies, np.asarray(starts, np.bool_), run.distribution(channel))


def foretell(latencies: Numbers, starts: npt.NDArray[np.bool_], whole: Distribution) -> Tail:
    """Predicts the longest latencies from the first ones.

    ``latencies``: of the first stimuli in their order, shape (n,), ticks; ``starts``: shape (n,),
    whether each is the first of its batch; ``whole``: all latencies, the first among them.
    """
    distribution = of_samples(latencies)
    fitted = pareto.fitted(latencies)
    rows = []
    for share in _shares(whole.n):
        bound = distribution.quantile(1 - share)
        ends = bound.lower, bound.upper
        rows.append(Row(share, fitted.latency(share), ends, whole.quantile(1 - share)))
    longest, longest_seen = int(latencies.max()), whole.greatest_of_rank(whole.n)
    return Tail(
        first=len(latencies),
        n=whole.n,
        fit=fitted.fit,
        refused=(*_not_alike(latencies, starts), *fitted.refused),
        longest=longest,
        longest_seen=None if longest_seen == OPEN else longest_seen,
        at_most=share_longer(len(latencies))[1],
        longer=whole.longer_than(longest),
        rows=tuple(rows),
    )


def _shares(n: int) -> Iterator[float]:
    """One in a thousand, and so on down to one in ``n``."""
    for power in range(3, 13):
        if 10**power > n:
            return
        yield 10.0**-power


def _not_alike(latencies: Numbers, starts: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    failing = [a.test for a in independence.examine(latencies, starts) if a.fails]
    if not failing:
        return ()
    return (f"the first are not alike and independent ({', '.join(failing)})",)
