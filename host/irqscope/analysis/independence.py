"""Whether latencies look alike and independent, as intervals and bounds assume.

Four questions are asked of the ranks of the latencies in the order of their stimuli:

- trend: do they grow or fall over the run? Spearman's correlation with the stimulus number.
- serial: does one resemble earlier ones? Squared autocorrelations over all lags up to a quarter of
  the run, as Ljung and Box sum them; that of lag h counts 1 / sqrt(h), for memories are short.
- periodic: do they rise and fall? The strongest wave of the periodogram (Fisher), from two stimuli
  long to twice the run: a beat of two periods, or a part of the run that differs from the rest.
- first of batch: do first stimuli of a batch, which come after talking on the link, differ from
  the rest? Mann and Whitney's statistic.

Each is answered by shuffling: were all latencies alike and independent, every order of them would
be equally likely. That holds for any ties and for a few rare values among thousands, where the
usual approximations, SciPy's among them, do not: latencies have three or four distinct values.
Where even the worst order of these latencies would hardly fail a test, the test tells nothing.
In a long run the tests look at blocks spread evenly over it, and at first stimuli of batches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: Chance that one of the four tests fails though latencies are alike and independent.
LEVEL = 0.01
TREND, SERIAL, PERIODIC, FIRST = TESTS = ("trend", "serial", "periodic", "first of batch")
#: Orders that are tried; the same ones every time, so that a run is judged alike by everybody.
ORDERS = 999
_AT_ONCE = 111
#: Fewer samples could miss a correlation of one half.
LEAST = 60
#: If there are more, the tests look at so many in blocks, and at first ones of batches.
MOST = 8_000
_CODE_UNDER_TESTES, _FIRSTS = 4, 1_000
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

    ``effect``: correlation with the stimulus number, with the latency ``at`` stimuli before, or
    with a wave ``at`` stimuli long; for the first of a batch, the chance that one is longer than
    one of the rest, less the chance that it is shorter. ``p``: chance of one as far from 0.
    ``shows``: the effect that is found with a chance of 80 %, about; of serial that at lag 1 alone.
    ``untestable``: why it tells nothing that the test does not fail; None: it tells, or fails.
    """

    test: str
    effect: float
    at: float | None
    p: float
    shows: float
    untestable: str | None

    @property
    def fails(self) -> bool:
        """Latencies do not look so, at LEVEL for the four tests together."""
        return _fails(self.p)


def examine(latencies: Numbers, starts: Flags) -> list[Answer]:
    """The four answers; none with fewer than LEAST latencies.

    ``latencies``: shape (n,), ticks, in the order of the stimuli; one that timed out is as the
    longest. ``starts``: shape (n,), whether each is that of the first stimulus of its batch.
    """
    if len(latencies) < LEAST:
        return []
    chosen, stretches = _chosen(starts)
    values, first = latencies[chosen], starts[chosen]
    look = _Look(values, first, chosen, stretches)
    orders, seen = look.orders(), look.statistics(look.ranks[None])[0]
    limit = seen * (1 - _ROUNDING)
    chances = (1 + (orders >= limit).sum(0)) / (ORDERS + 1)
    critical = np.sort(orders, 0)[-int(LEVEL / len(TESTS) * (ORDERS + 1))]
    untestable = _untestable(values, first, look.statistics(look.grown())[0], critical)
    effects, shows = look.effects(), look.shows(orders, critical)
    return [
        Answer(
            test,
            float(np.clip(effect, -1, 1)),
            at,
            float(chance),
            float(min(most, 1)),
            None if _fails(chance) else why,
        )
        for test, (effect, at), chance, most, why in zip(
            TESTS, effects, chances, shows, untestable, strict=True
        )
    ]


def lags(n: int) -> int:
    """The longest lag that is looked at in ``n`` latencies, stimuli."""
    return (n if n <= MOST else MOST // _CODE_UNDER_TESTES) // 4


def _fails(p: float) -> bool:
    return p <= LEVEL / len(TESTS)


def _chosen(starts: Flags) -> tuple[Numbers, int]:
    """Which latencies are looked at: those of blocks, how many there are, and single ones."""
    n = len(starts)
    if n <= MOST:
        return np.arange(n), 1
    length = MOST // _CODE_UNDER_TESTES
    begins = np.linspace(0, n - length, _CODE_UNDER_TESTES).astype(np.int64)
    near = (begins[:, None] + np.arange(length)).ravel()
    first = np.flatnonzero(starts)
    some = np.linspace(0, len(first) - 1, min(len(first), _FIRSTS)).astype(np.int64)
    return np.concatenate([near, np.setdiff1d(first[some], near)]), _CODE_UNDER_TESTES


def _untestable(values: Numbers, first: Flags, most: Ranks, critical: Ranks) -> list[str | None]:
    """Why each test tells nothing; None: it does. ``most``: statistics of the worst order."""
    n, batches = len(values), int(first.sum())
    other = n - int(np.unique(values, return_counts=True)[1].max())
    if not other:
        return ["all are equal"] * len(TESTS)
    attained = most > critical * (1 + _ROUNDING)
    found = [None if yes else f"all but {other} are equal" for yes in attained[:-1]]
    batch = "one batch" if batches == 1 else f"{batches} batches, {n} stimuli"
    return [*found, None if _FEW <= batches <= n - _FEW else batch]


class _Look:
    """The statistics of the tests, of latencies in any order: rows of n ranks, of norm 1."""

    def __init__(self, values: Numbers, first: Flags, numbers: Numbers, stretches: int) -> None:
        """``values``, ``first``, ``numbers``: shape (n,), latencies, whether each is the first of
        its batch, and its number in the run. ``stretches`` of neighbours are first.
        """
        from scipy import fft  # here: it takes as long to load as all else

        ranks = _centred_ranks(values)
        norm = float(np.linalg.norm(ranks)) or 1.0
        self.ranks, self.first, self.numbers, self.fft = ranks / norm, first, numbers, fft
        self.time = numbers - numbers.mean()
        self.time /= np.linalg.norm(self.time)
        self.shape = stretches, min(len(values), MOST) // stretches
        self.padded = 2 * fft.next_fast_len(self.shape[1], real=True)
        self.lags = np.arange(1, self.shape[1] // 4 + 1)
        self.pairs = stretches * (self.shape[1] - self.lags)
        k, rest = int(first.sum()), int((~first).sum())
        self.told = 2 * norm / (k * rest) if k and rest else 0.0  # a sum of ranks as a chance

    def statistics(self, rows: Ranks) -> Ranks:
        """What is compared with other orders, shape (rows, tests)."""
        auto, waves = self.spectra(rows)
        return np.stack(
            [
                np.abs(rows @ self.time),
                (auto * auto * self.pairs) @ self.lags**-0.5,
                waves.max(1),
                np.abs(rows[:, self.first].sum(1)) * self.told,
            ],
            axis=1,
        )

    def spectra(self, rows: Ranks) -> tuple[Ranks, Ranks]:
        """Correlations with earlier ones, shape (rows, lags), and with waves of i + 1 periods in
        ``padded`` stimuli, shape (rows, padded / 2)."""
        near = rows[:, : np.prod(self.shape)].reshape(-1, *self.shape)
        lines = self.fft.rfft(near, self.padded)
        power = (lines.real**2 + lines.imag**2).sum(1)
        auto = self.fft.irfft(power, self.padded)[:, self.lags] * (rows.shape[1] / self.pairs)
        power[:, -1] /= 2  # two stimuli long: a cosine and no sine
        return auto, np.sqrt(power[:, 1:] * (2 / self.shape[1]))

    def orders(self) -> Ranks:
        """Statistics of orders by chance, shape (ORDERS, tests)."""
        generator = np.random.default_rng(0)
        rows = np.broadcast_to(self.ranks, (_AT_ONCE, len(self.ranks)))
        parts = range(ORDERS // _AT_ONCE)
        return np.vstack([self.statistics(generator.permuted(rows, axis=1)) for _ in parts])

    def grown(self) -> Ranks:
        """The order from the shortest to the longest, which fails what any order fails."""
        row = np.empty((1, len(self.ranks)))
        row[0, np.argsort(self.numbers)] = np.sort(self.ranks)
        return row

    def effects(self) -> list[tuple[float, float | None]]:
        """Effect of each test, and the lag or length of wave of the greatest, stimuli."""
        auto, waves = (rows[0] for rows in self.spectra(self.ranks[None]))
        lag, wave = np.argmax(np.abs(auto) * np.sqrt(self.pairs)), np.argmax(waves)
        return [
            (self.ranks @ self.time, None),
            (auto[lag], float(self.lags[lag])),
            (waves[wave], float(self.padded / (wave + 1))),
            (self.told * self.ranks[self.first].sum(), None),
        ]

    def shows(self, orders: Ranks, critical: Ranks) -> list[float]:
        """Effects that fail a test with a chance of 80 %, about."""
        n = len(self.ranks)
        more = _MOSTLY / np.sqrt(n)
        neighbours = np.sqrt(max(0.0, critical[1] - orders[:, 1].mean()) / n)
        first = critical[3] + _MOSTLY * orders[:, 3].std()
        return [critical[0] + more, neighbours + more, critical[2] + more, first]


def _centred_ranks(values: Numbers) -> Ranks:
    """Ranks of mean 0; equal values share the middle of theirs. As ``scipy.stats.rankdata``, whose
    module takes two seconds to load.
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middles[place] - (len(values) + 1) / 2, np.float64)
