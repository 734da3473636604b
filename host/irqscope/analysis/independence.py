"""Whether latencies look alike and independent, as intervals and bounds assume.

Six tests use the ranks of the latencies in the order of their stimuli:

- trend: do they grow or fall over the run? Spearman's correlation with the stimulus number.
- serial: does one resemble earlier ones? Squared autocorrelations over all lags up to a quarter of
  the run, as Ljung and Box sum them; that of lag h counts 1 / sqrt(h), for memories are short.
- echo: does one repeat an earlier one? The strongest autocorrelation, up to three quarters.
- spread: does their spread change? The serial question of squared ranks, as McLeod and Li ask it.
- periodic: do they rise and fall? The strongest wave of the periodogram (Fisher), from two stimuli
  long to twice the run: a beat of two periods, or a part of the run that differs from the rest.
- first of batch: do first stimuli of a batch, which come after an exchange on the link, differ from
the others? Mann and Whitney's statistic.

And two of the longest alone, which are few and move no rank of the others:

- clusters: do they come in groups? :mod:`.clusters`.
- interference: do they come again after a period of time? :mod:`.folding`.

The six and the clusters are answered by shuffling: were all latencies alike and independent, every
order of them would be equally likely. That holds for any ties and for a few rare values among
thousands, where the usual approximations, SciPy's among them, do not: latencies have three or four
distinct values. If even the worst order of these latencies would hardly fail a test, passing it
shows nothing. In a long run the tests of ranks look at blocks spread evenly over it, and at first
stimuli of batches.

Markers move on a sampling grid of their own, so a latency depends on the phase of its edge, which a
line with a fixed period meets in turn. That is the instrument's, and is taken out first: latencies
are ranked among those of their phase, and shuffled among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.analysis.clusters import clustering
from irqscope.analysis.folding import Period, periods

#: Chance that one of the tests fails though latencies are alike and independent.
LEVEL = 0.01
#: Tests of ranks, then those of the longest.
RANKED = ("trend", "serial", "periodic", "first of batch", "echo", "spread")
TESTS = (*RANKED, "clusters", "interference")
TREND, SERIAL, PERIODIC, FIRST, ECHO, SPREAD, CLUSTERS, INTERFERENCE = TESTS
#: Orders that are tried; the same ones every time, so that a run is judged alike by everybody.
ORDERS = 999
_AT_ONCE = 111
#: Fewer samples could miss a correlation of one half.
LEAST = 60
#: If there are more, the tests look at so many in blocks, and at first ones of batches.
MOST = 8_000
_BLOCKS, _FIRSTS = 4, 1_000
#: First ones of fewer batches show hardly anything.
_FEW = 5
#: Normal quantile of a chance of 80 %.
_MOSTLY = 0.842
#: Statistics that differ by no more, as a share, are equal.
_ROUNDING = 1e-9

Numbers = npt.NDArray[np.int64]
Ranks = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """Answer of one test.

    ``effect``: correlation with the stimulus number, with the latency ``at`` stimuli before (of the
    squares for spread), or with a wave ``at`` stimuli long; for the first of a batch, the chance
    that one is longer than one of the rest, less the chance that it is shorter; for clusters, 1
    less the extremal index, ``at`` the mean size of a cluster; for interference, the power of the
    strongest of ``periods``, ``at`` its length in stimuli. ``p``: chance of one as far from 0.
    ``longest``: how many of the longest the test looked at, where it looks at those. ``shows``:
    roughly the effect that is found with a chance of 80 %; for serial that at lag 1 only; None if
    unknown. ``untestable``: why passing the test shows nothing, or None if it shows something or
    the test fails.
    """

    test: str
    effect: float
    at: float | None
    p: float
    shows: float | None
    untestable: str | None
    longest: int | None = None
    periods: tuple[Period, ...] = ()

    @property
    def fails(self) -> bool:
        """Latencies do not look so, at LEVEL for the tests together."""
        return _fails(self.p)


def examine(
    latencies: Numbers,
    starts: Flags,
    phases: Numbers | None = None,
    times: Numbers | None = None,
) -> list[Answer]:
    """Return the answers of TESTS, in their order; none with fewer than LEAST latencies.

    Args:
        latencies: Shape (n,), ticks, in the order of the stimuli; one that timed out is as the
            longest.
        starts: Shape (n,), whether each is that of the first stimulus of its batch.
        phases: Shape (n,), phase of each edge against the sampling grid of markers, or None without
            such a grid.
        times: Shape (n,), ascending times of the edges, ticks, or None to count stimuli.
    """
    if len(latencies) < LEAST:
        return []
    strata = np.zeros(len(latencies), np.int64) if phases is None else phases
    flat = _without_grid(latencies, strata)
    blocks, stretches = _chosen(starts)
    values, first = latencies[blocks], starts[blocks]
    look = _Look(values, first, blocks, stretches, strata[blocks])
    orders, observed = look.orders(), look.statistics(look.ranks[None])[0]
    limit = observed * (1 - _ROUNDING)
    chances = (1 + (orders >= limit).sum(0)) / (ORDERS + 1)
    critical = np.sort(orders, 0)[-int(LEVEL / len(TESTS) * (ORDERS + 1))]
    untestable = _untestable(values, first, look.statistics(look.grown())[0], critical)
    effects, shows = look.effects(), look.shows(orders, critical)
    ranked = [
        Answer(
            test,
            float(np.clip(effect, -1, 1)),
            at,
            float(chance),
            None if greatest is None else float(min(greatest, 1)),
            None if _fails(chance) else why,
        )
        for test, (effect, at), chance, greatest, why in zip(
            RANKED, effects, chances, shows, untestable, strict=True
        )
    ]
    when = np.arange(len(flat)) if times is None else times
    return [*ranked, _of_clusters(flat), examine_interference(flat, when)]


def failing(
    latencies: Numbers,
    starts: Flags,
    phases: Numbers | None = None,
    times: Numbers | None = None,
) -> list[str]:
    """Return the tests that fail in :func:`examine`, which takes the same, in less time.

    A test of ranks fails only if no order reaches what was seen, so the first that does decides.
    """
    if len(latencies) < LEAST:
        return []
    strata = np.zeros(len(latencies), np.int64) if phases is None else phases
    blocks, stretches = _chosen(starts)
    look = _Look(latencies[blocks], starts[blocks], blocks, stretches, strata[blocks])
    limit = look.statistics(look.ranks[None])[0] * (1 - _ROUNDING)
    allowed = int(LEVEL / len(TESTS) * (ORDERS + 1)) - 1
    reached = np.zeros(len(RANKED), np.int64)
    for orders in look.some_orders():
        reached += (orders >= limit).sum(0)
        if (reached > allowed).all():
            break
    failed = [test for test, count in zip(RANKED, reached, strict=True) if count <= allowed]
    flat = _without_grid(latencies, strata)
    when = np.arange(len(flat)) if times is None else times
    longest = (_of_clusters(flat), examine_interference(flat, when))
    return [*failed, *(answer.test for answer in longest if answer.fails)]


def _of_clusters(latencies: Numbers) -> Answer:
    clusters = clustering(latencies, ORDERS)
    if clusters is None:
        return Answer(CLUSTERS, 0.0, None, 1.0, None, _few_long(latencies))
    effect = 1 - 1 / clusters.size
    return Answer(CLUSTERS, effect, clusters.size, clusters.p, None, None, clusters.longest)


def examine_interference(latencies: Numbers, times: Numbers) -> Answer:
    """Return the answer of the test of periods alone, of latencies without a sampling grid."""
    detected = periods(latencies, times, LEVEL / len(TESTS))
    if not detected:
        return Answer(INTERFERENCE, 0.0, None, 1.0, None, _few_long(latencies))
    one = detected[0]
    each = float(np.median(np.diff(times)))
    at = max(1.0, one.length / each)
    named = tuple(detected) if _fails(one.p) else ()
    return Answer(INTERFERENCE, one.power, at, one.p, None, None, one.longest, named)


def _few_long(latencies: Numbers) -> str:
    """Returns why a set has no rare long ones."""
    if (latencies == latencies[0]).all():
        return "all are equal"
    return "too few long ones, or too many that are equally long"


def _without_grid(latencies: Numbers, strata: Numbers) -> Numbers:
    """Latencies less the median of those of their phase."""
    flat = latencies.copy()
    for phase in np.unique(strata):
        of_it = strata == phase
        flat[of_it] -= int(np.median(latencies[of_it]))
    return flat


def lags(n: int) -> int:
    """The longest lag that is looked at in ``n`` latencies, stimuli."""
    return (n if n <= MOST else MOST // _BLOCKS) // 4


def _fails(p: float) -> bool:
    return p <= LEVEL / len(TESTS)


def _chosen(starts: Flags) -> tuple[Numbers, int]:
    """The latencies to examine: those of blocks, their number, and single ones."""
    n = len(starts)
    if n <= MOST:
        return np.arange(n), 1
    length = MOST // _BLOCKS
    begins = np.linspace(0, n - length, _BLOCKS).astype(np.int64)
    near = (begins[:, None] + np.arange(length)).ravel()
    first = np.flatnonzero(starts)
    some = np.linspace(0, len(first) - 1, min(len(first), _FIRSTS)).astype(np.int64)
    return np.concatenate([near, np.setdiff1d(first[some], near)]), _BLOCKS


def _untestable(
    values: Numbers, first: Flags, greatest: Ranks, critical: Ranks
) -> list[str | None]:
    """Returns for each test why it shows nothing, or None if it shows something.

    ``greatest``: statistics of the worst order.
    """
    n, batches = len(values), int(first.sum())
    other = n - int(np.unique(values, return_counts=True)[1].max())
    if not other:
        return ["all are equal"] * len(RANKED)
    attained = greatest > critical * (1 + _ROUNDING)
    reasons = [None if yes else f"all but {other} are equal" for yes in attained]
    batch = "one batch" if batches == 1 else f"{batches} batches, {n} stimuli"
    reasons[RANKED.index(FIRST)] = None if _FEW <= batches <= n - _FEW else batch
    return reasons


class _Look:
    """The statistics of the tests, of latencies in any order: rows of n ranks, of norm 1."""

    def __init__(
        self, values: Numbers, first: Flags, numbers: Numbers, stretches: int, strata: Numbers
    ) -> None:
        """Takes latencies in the order of the run, with their places in batches.

        ``values``, ``first``, ``numbers``: shape (n,), latencies, whether each is the first of its
        batch, and its number in the run. ``stretches`` of neighbours are first. ``strata``: shape
        (n,), phases within which latencies are ranked and shuffled.
        """
        from scipy import fft  # here: it takes as long to load as all else

        self._strata = [np.flatnonzero(strata == phase) for phase in np.unique(strata)]
        ranks = np.empty(len(values))
        for of_it in self._strata:
            ranks[of_it] = _centred_ranks(values[of_it]) * (len(values) / len(of_it))
        norm = float(np.linalg.norm(ranks)) or 1.0
        self.ranks, self.first, self.numbers, self.fft = ranks / norm, first, numbers, fft
        self.time = numbers - numbers.mean()
        self.time /= np.linalg.norm(self.time)
        self.shape = stretches, min(len(values), MOST) // stretches
        self.padded = 2 * fft.next_fast_len(self.shape[1], real=True)
        self.lags = np.arange(1, self.shape[1] * 3 // 4 + 1)
        self.near = self.shape[1] // 4
        self.pairs = stretches * (self.shape[1] - self.lags)
        k, rest = int(first.sum()), int((~first).sum())
        self.told = 2 * norm / (k * rest) if k and rest else 0.0  # a sum of ranks as a chance

    def statistics(self, rows: Ranks) -> Ranks:
        """Returns the statistics that are compared with other orders, shape (rows, tests)."""
        auto, waves = self.spectra(rows)
        strength = np.abs(auto) * np.sqrt(self.pairs)
        return np.stack(
            [
                np.abs(rows @ self.time),
                self._sum(auto),
                waves.max(1),
                np.abs(rows[:, self.first].sum(1)) * self.told,
                strength.max(1),
                self._sum(self._correlations(self._squares(rows))[0]),
            ],
            axis=1,
        )

    def _sum(self, auto: Ranks) -> Ranks:
        """Squares of the correlations up to a quarter, each by the root of its lag."""
        near = slice(self.near)
        return np.asarray(
            (auto[:, near] ** 2 * self.pairs[near]) @ self.lags[near] ** -0.5, np.float64
        )

    def _squares(self, rows: Ranks) -> Ranks:
        """Squares of the ranks, of mean 0 and norm 1."""
        squares = rows * rows
        squares -= squares.mean(1, keepdims=True)
        norm = np.linalg.norm(squares, axis=1, keepdims=True)
        return np.asarray(squares / np.where(norm < _ROUNDING, 1, norm), np.float64)

    def _correlations(self, rows: Ranks) -> tuple[Ranks, Ranks]:
        """Correlations with earlier ones, shape (rows, lags), and powers of waves."""
        near = rows[:, : np.prod(self.shape)].reshape(-1, *self.shape)
        lines = self.fft.rfft(near, self.padded)
        power = (lines.real**2 + lines.imag**2).sum(1)
        auto = self.fft.irfft(power, self.padded)[:, self.lags] * (rows.shape[1] / self.pairs)
        return auto, power

    def spectra(self, rows: Ranks) -> tuple[Ranks, Ranks]:
        """Returns correlations with earlier values and with waves, for each row.

        Shapes are (rows, lags), and (rows, padded / 2) for waves of i + 1 periods in ``padded``
        stimuli.
        """
        auto, power = self._correlations(rows)
        power[:, -1] /= 2  # two stimuli long: a cosine and no sine
        return auto, np.sqrt(power[:, 1:] * (2 / self.shape[1]))

    def orders(self) -> Ranks:
        """Statistics of orders by chance, shape (ORDERS, tests)."""
        return np.vstack(list(self.some_orders()))

    def some_orders(self) -> Iterator[Ranks]:
        """Statistics of orders by chance, some at a time."""
        generator = np.random.default_rng(0)
        rows = np.tile(self.ranks, (_AT_ONCE, 1))
        for _ in range(ORDERS // _AT_ONCE):
            for of_it in self._strata:
                rows[:, of_it] = generator.permuted(rows[:, of_it], axis=1)
            yield self.statistics(rows)

    def grown(self) -> Ranks:
        """The order from the shortest to the longest, which fails what any order fails."""
        row = np.empty((1, len(self.ranks)))
        row[0, np.argsort(self.numbers)] = np.sort(self.ranks)
        return row

    def effects(self) -> list[tuple[float, float | None]]:
        """Effect of each test, and the lag or length of wave of the greatest, stimuli."""
        auto, waves = (rows[0] for rows in self.spectra(self.ranks[None]))
        squares = self._correlations(self._squares(self.ranks[None]))[0][0]
        strength, of_squares = (np.abs(one) * np.sqrt(self.pairs) for one in (auto, squares))
        lag, far = np.argmax(strength[: self.near]), np.argmax(strength)
        spread, wave = np.argmax(of_squares[: self.near]), np.argmax(waves)
        return [
            (self.ranks @ self.time, None),
            (auto[lag], float(self.lags[lag])),
            (waves[wave], float(self.padded / (wave + 1))),
            (self.told * self.ranks[self.first].sum(), None),
            (auto[far], float(self.lags[far])),
            (squares[spread], float(self.lags[spread])),
        ]

    def shows(self, orders: Ranks, critical: Ranks) -> list[float | None]:
        """Effects that fail a test with a chance of 80 %, about."""
        n = len(self.ranks)
        more = _MOSTLY / np.sqrt(n)
        neighbours = np.sqrt(max(0.0, critical[1] - orders[:, 1].mean()) / n)
        first = critical[3] + _MOSTLY * orders[:, 3].std()
        return [critical[0] + more, neighbours + more, critical[2] + more, first, None, None]


def _centred_ranks(values: Numbers) -> Ranks:
    """Ranks of mean 0; equal values share the middle of theirs.

    As ``scipy.stats.rankdata``, whose module takes two seconds to load.
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middles[place] - (len(values) + 1) / 2, np.float64)
