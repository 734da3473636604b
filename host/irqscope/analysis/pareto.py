"""A tail as extreme values: a generalised Pareto distribution, and whether it is refused.

Excesses over a threshold are taken for generalised Pareto, as they are in the limit for nearly
every distribution (Balkema and de Haan 1974, Pickands 1975). Latencies are whole ticks, so an
excess of e ticks counts as one between e - 1 and e, both in the likelihood and in draws from the
fit. Draws from the fit, always with the same numbers, show how far it can be trusted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.analysis.stats import CONFIDENCE, of_samples

#: The fit is to latencies above this quantile of the first; and once more above the second.
THRESHOLD, HIGHER = 0.95, 0.99
#: With fewer latencies above a threshold, or fewer different ones, the tail cannot be fitted.
LEAST_ABOVE, LEAST_DISTINCT = 100, 10
#: How many samples are drawn from a fit.
DRAWS = 400
#: Chance to refuse a fit that is right, in each of the two tests.
LEVEL = 0.01
#: Beyond this shape the likelihood has no maximum that means anything.
_STEEPEST = 2.0
#: Beyond this logarithm of the scale the step was too long.
_FARTHEST = 100.0
#: Newton's method: most steps, the decrement at which it has converged, and the shape below which
#: the derivatives are those of a series.
_STEPS, _CLOSE, _NO_SHAPE = 50, 1e-12, 1e-5

Numbers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """Generalised Pareto above ``threshold`` ticks.

    ``scale`` in ticks; ``share``: of the first that are above.
    """

    threshold: int
    above: int
    share: float
    scale: float
    shape: float

    @property
    def end(self) -> float | None:
        """Upper bound of the latency in ticks, or None if it is unbounded."""
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
class Fitted:
    """``fit``: to the tail, or None if the tail is empty.

    ``draws``: fits to draws from it. ``refused``: reasons not to trust it, a line each, or empty.
    """

    fit: Fit | None
    draws: tuple[Fit, ...]
    refused: tuple[str, ...]

    def latency(self, share: float) -> tuple[int, int, int] | None:
        """Latency that ``share`` of the stimuli exceed, and the ends of its interval, ticks.

        None without a fit, or if the share is not in its tail. The interval is of CONFIDENCE: the
        fit may be off the truth by as large a factor as a draw's excess is off its fit's.
        """
        if self.fit is None or share >= self.fit.share:
            return None
        ends = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
        threshold = self.fit.threshold
        value = self.fit.quantile(share)
        excess = value - threshold
        quantiles = [max(1, one.quantile(share) - threshold) for one in self.draws]
        low, high = np.quantile(quantiles, ends)
        return (
            value,
            threshold + math.floor(excess * excess / high),
            threshold + math.ceil(excess * excess / low),
        )


def fitted(latencies: Numbers) -> Fitted:
    """The fit to the tail of latencies; shape (n,), whole ticks, in any order."""
    fit, refused = _fit(latencies)
    if fit is None:
        return Fitted(None, (), refused)
    draws, doubts = _drawn(latencies, fit)
    return Fitted(fit, draws, (*refused, *doubts))


def _fit(latencies: Numbers) -> tuple[Fit | None, tuple[str, ...]]:
    """Returns the fit, or None if the tail is empty, and reasons why the data is insufficient."""
    threshold = int(of_samples(latencies).quantile(THRESHOLD).value[0])
    excesses = latencies[latencies > threshold] - threshold
    distinct = len(np.unique(excesses))
    reasons = []
    if len(excesses) < LEAST_ABOVE:
        reasons.append(
            f"{len(excesses)} of {len(latencies)} lie above p{100 * THRESHOLD:g}; "
            f"{LEAST_ABOVE} are the least"
        )
    if distinct < LEAST_DISTINCT:
        reasons.append(
            f"latencies above p{100 * THRESHOLD:g} have {distinct} different values: steps, and no "
            "continuous tail"
        )
    if distinct < 2:
        return None, tuple(reasons)
    scale, shape = _likeliest(excesses)
    share = len(excesses) / len(latencies)
    return Fit(threshold, len(excesses), share, scale, shape), tuple(reasons)


def _likeliest(excesses: Numbers) -> tuple[float, float]:
    """Scale (ticks) and shape of the greatest likelihood; ``excesses``: shape (n,), from 1 on."""
    values, counts = np.unique(excesses, return_counts=True)
    ends = values.astype(np.float64)
    mean = float(counts @ (values - 0.5)) / counts.sum()
    start = np.array([math.log(mean), 0.05])
    optimum = by_newton(ends, counts, start)
    if optimum is None:
        optimum = by_simplex(ends, counts, start)
    return math.exp(optimum[0]), float(optimum[1])


def by_newton(ends: Reals, counts: Numbers, start: Reals) -> Reals | None:
    """Return (log of the scale, shape) by Newton's method, or None if it does not converge.

    It does not where the likelihood has a kink: the last excess is at the end of the fit.
    """
    here = start
    value = unlikely(ends, counts, here)
    for _ in range(_STEPS):
        slope, bend = _derivatives(ends, counts, here)
        if not bend[0, 0] * bend[1, 1] - bend[0, 1] ** 2 > 0 < bend[0, 0]:
            return None
        step = -np.linalg.solve(bend, slope)
        if -slope @ step < _CLOSE:
            return here + step
        while not (after := unlikely(ends, counts, here + step)) < value:
            step = step / 2
            if np.abs(step).max() < _CLOSE:
                return None
        here, value = here + step, after
    return None


def by_simplex(ends: Reals, counts: Numbers, start: Reals) -> Reals:
    """Return the parameters by Nelder and Mead's method: slow, and without derivatives."""
    from scipy.optimize import minimize  # here: it takes a second to load

    optimum = minimize(
        lambda parameters: unlikely(ends, counts, parameters),
        start,
        method="Nelder-Mead",
        tol=1e-5,
    )
    return np.asarray(optimum.x)


def unlikely(ends: Reals, counts: Numbers, parameters: Reals) -> float:
    """Negative logarithm of the likelihood of excesses between ``ends`` - 1 and ``ends``."""
    if abs(parameters[0]) > _FARTHEST or abs(parameters[1]) > _STEEPEST:
        return math.inf
    scale, shape = math.exp(parameters[0]), float(parameters[1])
    chance = _longer(ends - 1, scale, shape) - _longer(ends, scale, shape)
    if (chance <= 0).any():
        return math.inf
    return float(-counts @ np.log(chance))


def _derivatives(ends: Reals, counts: Numbers, parameters: Reals) -> tuple[Reals, Reals]:
    """Return the gradient and the Hessian of :func:`unlikely`."""
    longer, *changes = (
        low - high
        for low, high in zip(
            _longer_changes(ends - 1, parameters), _longer_changes(ends, parameters), strict=True
        )
    )
    by_scale, by_shape, twice_scale, mixed, twice_shape = (change / longer for change in changes)
    slope = -np.array([counts @ by_scale, counts @ by_shape])
    between = counts @ (by_scale * by_shape - mixed)
    bend = np.array(
        [
            [counts @ (by_scale**2 - twice_scale), between],
            [between, counts @ (by_shape**2 - twice_shape)],
        ]
    )
    return slope, bend


def _longer_changes(excess: Reals, parameters: Reals) -> tuple[Reals, ...]:
    """Return :func:`_longer` and its derivatives.

    By the scale's logarithm, by the shape, then the second ones: twice by the first, by both, twice
    by the second.
    """
    scale, shape = math.exp(parameters[0]), float(parameters[1])
    y = excess / scale
    inside = 1 + shape * y > 0
    y = np.where(inside, y, 0.0)
    z = 1 + shape * y
    by_scale = y / z
    if abs(shape) < _NO_SHAPE:  # the terms of the other form cancel
        by_shape = y**2 / 2 - shape * 2 * y**3 / 3
        second_derivative = -2 * y**3 / 3 + shape * 3 * y**4 / 2
    else:
        log = np.log1p(shape * y)
        by_shape = log / shape**2 - by_scale / shape
        second_derivative = -2 * log / shape**3 + 2 * by_scale / shape**2 + by_scale**2 / shape
    longer = np.where(inside, _longer(excess, scale, shape), 0.0)
    return (
        longer,
        longer * by_scale,
        longer * by_shape,
        longer * (by_scale**2 - by_scale / z),
        longer * (by_scale * by_shape - by_scale**2),
        longer * (by_shape**2 + second_derivative),
    )


def _longer(excess: Reals, scale: float, shape: float) -> Reals:
    """Returns the chance that a latency above the threshold exceeds it by ``excess`` ticks."""
    if abs(shape) < 1e-9:
        return np.exp(-excess / scale)
    return np.asarray(np.maximum(0.0, 1 + shape * excess / scale) ** (-1 / shape))


def _drawn(latencies: Numbers, fit: Fit) -> tuple[tuple[Fit, ...], tuple[str, ...]]:
    """Returns fits to draws from a fit, and reasons to refuse it.

    These are the distance of data and fit, and the shape above a higher threshold.
    """
    generator = np.random.default_rng(0)  # the same ones every time: judged alike by everybody
    excesses = latencies[latencies > fit.threshold] - fit.threshold
    higher = int(of_samples(latencies).quantile(HIGHER).value[0]) - fit.threshold
    fits, distances, shapes = [], [], []
    for _ in range(DRAWS):
        above = max(2, int(generator.binomial(len(latencies), fit.share)))
        drawn_excesses = _excesses(generator, fit, above)
        scale, shape = (
            _likeliest(drawn_excesses)
            if len(np.unique(drawn_excesses)) > 1
            else (fit.scale, fit.shape)
        )
        fits.append(Fit(fit.threshold, above, above / len(latencies), scale, shape))
        distances.append(_distance(drawn_excesses, scale, shape))
        shapes.append(_shape_above(drawn_excesses, higher))
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
    return tuple(fits), tuple(refused)


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
    distances = np.abs(longer - _longer(values.astype(np.float64), scale, shape))
    return float(distances.max() * math.sqrt(counts.sum()))


def _shape_above(excesses: Numbers, higher: int) -> float:
    """Returns the shape of the excesses above a higher threshold, or 0 if they are too few."""
    rest = excesses[excesses > higher] - higher
    return _likeliest(rest)[1] if len(np.unique(rest)) > 2 else 0.0
