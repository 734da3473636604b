"""The tail of a run compared with what its first stimuli had foretold, in two ways.

One is a fit of extreme values: the excesses over a threshold are taken for generalised Pareto, as
they are in the limit for nearly every distribution (Balkema and de Haan 1974, Pickands 1975). The
other assumes nothing about the distribution: order statistics bound a quantile from above only
where N carries it.

Latencies are whole ticks, so an excess of e ticks counts as one between e - 1 and e, in the
likelihood as in what is drawn from the fit. How far a prediction can be trusted is asked by drawing
from the fit itself, always the same numbers. A fit that is refused is shown all the same: this is
where such predictions are tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from irqscope import independence, wording
from irqscope.results.reader import Run
from irqscope.stats import CONFIDENCE, OPEN, Distribution, Quantile, of_samples, share_longer

#: Stimuli from which the rest is foretold.
FIRST = 10_000
#: A run with fewer times as many would have nothing to compare the prediction with.
TIMES = 10
#: The fit is to latencies above this quantile of the first; and once more above the second.
THRESHOLD, HIGHER = 0.95, 0.99
#: Fewer latencies above a threshold, or fewer different ones, are no tail that can be fitted.
LEAST_ABOVE, LEAST_DISTINCT = 100, 10
#: How many samples are drawn from a fit.
DRAWS = 400
#: Chance to refuse a fit that is right, in each of the two tests.
LEVEL = 0.01
#: Beyond this shape the likelihood has no maximum that means anything.
_STEEPEST = 2.0

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Fit:
    """Generalised Pareto above ``threshold`` ticks. ``scale`` in ticks; ``share``: of the first
    that are above.
    """

    threshold: int
    above: int
    share: float
    scale: float
    shape: float

    @property
    def end(self) -> float | None:
        """Latency that nothing exceeds, ticks; None: there is none."""
        return self.threshold - self.scale / self.shape if self.shape < 0 else None

    def quantile(self, share: float) -> int:
        """Latency that ``share`` of the stimuli exceed, whole ticks upwards."""
        ratio = share / self.share
        if abs(self.shape) < 1e-9:
            excess = -self.scale * math.log(ratio)
        else:
            excess = self.scale / self.shape * (ratio**-self.shape - 1)
        return self.threshold + max(0, math.ceil(excess - 1e-9))


@dataclass(frozen=True)
class Row:
    """Latencies that ``share`` of the stimuli exceed, ticks.

    ``fitted``: by the fit, with the ends of its interval; None: there is no fit, or the share is
    not in its tail. ``bound``: ends of the interval by order statistics of the first, None: open.
    ``seen``: in all.
    """

    share: float
    fitted: tuple[int, int, int] | None
    bound: tuple[int | None, int | None]
    seen: Quantile

    @property
    def verdict(self) -> str:
        """Verdict on the fit, against what was seen; empty where it cannot be told."""
        if self.fitted is None:
            return ""
        _, low, high = self.fitted
        least, greatest = self.seen.lower, self.seen.upper
        if least is not None and high < least:
            return "too short"
        if greatest is not None and low > greatest:
            return "too long"
        return "holds" if least is not None and greatest is not None else "not decided"


@dataclass(frozen=True)
class Tail:
    """``refused``: why the fit is not to be trusted, by the first alone; empty: it is not refused.

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
    """Tail of the first channel of a run; a text says why there is none. Raises StorageError."""
    if not run.run.stats:
        return "no batch ended"
    if grid := wording.grid(run.run):
        return grid
    channel = run.run.stats[0].channel
    n = run.run.stats[0].n
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
    """``latencies``: of the first stimuli in their order, shape (n,), ticks; ``starts``: shape
    (n,), whether each is the first of its batch; ``whole``: all latencies, the first among them.
    """
    known = of_samples(latencies)
    fit, refused = _fitted(latencies, THRESHOLD)
    drawn = None
    if fit is not None:
        drawn = _draw(latencies, fit)
        refused += drawn.refused
    refused = (*_not_alike(latencies, starts), *refused)
    rows = []
    for share in _shares(whole.n):
        bound = known.quantile(1 - share)
        fitted = None
        if fit is not None and drawn is not None and share < fit.share:
            fitted = fit.quantile(share), *drawn.interval(share)
        rows.append(Row(share, fitted, (bound.lower, bound.upper), whole.quantile(1 - share)))
    longest, longest_seen = int(latencies.max()), whole.greatest_of_rank(whole.n)
    return Tail(
        first=len(latencies),
        n=whole.n,
        fit=fit,
        refused=refused,
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


def _fitted(latencies: Numbers, p: float) -> tuple[Fit | None, tuple[str, ...]]:
    """The fit above quantile ``p``, and why it is refused; None: there is nothing to fit."""
    threshold = int(of_samples(latencies).quantile(p).value[0])
    excesses = latencies[latencies > threshold] - threshold
    distinct = len(np.unique(excesses))
    reasons = []
    if len(excesses) < LEAST_ABOVE:
        reasons.append(
            f"{len(excesses)} of {len(latencies)} lie above p{100 * p:g}; {LEAST_ABOVE} are the "
            "least"
        )
    if distinct < LEAST_DISTINCT:
        reasons.append(
            f"latencies above p{100 * p:g} have {distinct} different values: steps, and no "
            "continuous tail"
        )
    if distinct < 2:
        return None, tuple(reasons)
    scale, shape = _likeliest(excesses)
    share = len(excesses) / len(latencies)
    return Fit(threshold, len(excesses), share, scale, shape), tuple(reasons)


def _likeliest(excesses: Numbers) -> tuple[float, float]:
    """Scale (ticks) and shape of the greatest likelihood; ``excesses``: shape (n,), from 1 on."""
    from scipy.optimize import minimize  # here: it takes a second to load

    values, counts = np.unique(excesses, return_counts=True)
    ends = values.astype(np.float64)

    def unlikely(parameters: npt.NDArray[np.float64]) -> float:
        scale, shape = math.exp(parameters[0]), parameters[1]
        if abs(shape) > _STEEPEST:
            return math.inf
        chance = _longer(ends - 1, scale, shape) - _longer(ends, scale, shape)
        if (chance <= 0).any():
            return math.inf
        return float(-counts @ np.log(chance))

    mean = float(counts @ (values - 0.5)) / counts.sum()
    found = minimize(unlikely, (math.log(mean), 0.05), method="Nelder-Mead", tol=1e-5)
    return math.exp(found.x[0]), float(found.x[1])


def _longer(excess: npt.NDArray[np.float64], scale: float, shape: float) -> npt.NDArray[np.float64]:
    """The chance that a latency exceeds the threshold by more than ``excess``, ticks, if it exceeds
    it at all."""
    if abs(shape) < 1e-9:
        return np.exp(-excess / scale)
    return np.asarray(np.maximum(0.0, 1 + shape * excess / scale) ** (-1 / shape))


@dataclass(frozen=True)
class _Drawn:
    """What the same fit makes of latencies that it is right of. ``refused``: what is not so."""

    fit: Fit
    fits: tuple[Fit, ...]
    refused: tuple[str, ...]

    def interval(self, share: float) -> tuple[int, int]:
        """Interval of the latency that ``share`` exceed, with CONFIDENCE, ticks.

        The fit may be off the truth by as large a factor as a draw's excess is off its fit's.
        """
        ends = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
        threshold = self.fit.threshold
        excess = self.fit.quantile(share) - threshold
        drawn = [max(1, one.quantile(share) - threshold) for one in self.fits]
        low, high = np.quantile(drawn, ends)
        return (
            threshold + math.floor(excess * excess / high),
            threshold + math.ceil(excess * excess / low),
        )


def _draw(latencies: Numbers, fit: Fit) -> _Drawn:
    """Draws from a fit, fits each draw, and holds the distance of data and fit, and the shape above
    a higher threshold, against those of the draws.
    """
    generator = np.random.default_rng(0)  # the same ones every time: judged alike by everybody
    excesses = latencies[latencies > fit.threshold] - fit.threshold
    higher = int(of_samples(latencies).quantile(HIGHER).value[0]) - fit.threshold
    fits, distances, shapes = [], [], []
    for _ in range(DRAWS):
        above = max(2, int(generator.binomial(len(latencies), fit.share)))
        drawn = _excesses(generator, fit, above)
        scale, shape = _likeliest(drawn) if len(np.unique(drawn)) > 1 else (fit.scale, fit.shape)
        fits.append(Fit(fit.threshold, above, above / len(latencies), scale, shape))
        distances.append(_distance(drawn, scale, shape))
        shapes.append(_shape_above(drawn, higher))
    refused = []
    farther = np.mean(np.array(distances) >= _distance(excesses, fit.scale, fit.shape) - 1e-12)
    if farther < LEVEL:
        refused.append(
            f"the fit is farther from the first than {100 * (1 - farther):.3g} % of what is drawn "
            "from it"
        )
    here = _shape_above(excesses, higher)
    low, high = np.quantile(shapes, (LEVEL / 2, 1 - LEVEL / 2))
    if not low <= here <= high:
        refused.append(
            f"its shape depends on the threshold: {fit.shape:.2f} above p{100 * THRESHOLD:g}, "
            f"{here:.2f} above p{100 * HIGHER:g}, where {low:.2f} to {high:.2f} would be chance"
        )
    return _Drawn(fit, tuple(fits), tuple(refused))


def _excesses(generator: np.random.Generator, fit: Fit, count: int) -> Numbers:
    """``count`` excesses drawn from a fit, whole ticks from 1 on."""
    chance = 1 - generator.random(count)  # in (0, 1]
    if abs(fit.shape) < 1e-9:
        exact = -fit.scale * np.log(chance)
    else:
        exact = fit.scale / fit.shape * (chance**-fit.shape - 1)
    return np.maximum(1, np.ceil(np.minimum(exact, 2.0**40))).astype(np.int64)


def _distance(excesses: Numbers, scale: float, shape: float) -> float:
    """Greatest between the shares that are longer, of data and fit, in standard deviations."""
    values, counts = np.unique(excesses, return_counts=True)
    longer = 1 - np.cumsum(counts) / counts.sum()
    apart = np.abs(longer - _longer(values.astype(np.float64), scale, shape))
    return float(apart.max() * math.sqrt(counts.sum()))


def _shape_above(excesses: Numbers, higher: int) -> float:
    """Shape of what is left above a higher threshold; 0 where it is too little."""
    rest = excesses[excesses > higher] - higher
    return _likeliest(rest)[1] if len(np.unique(rest)) > 2 else 0.0
