"""Periods in which the longest latencies come again, by the times of their edges.

A periodogram of point events: the times of the longest latencies are folded by each candidate
period, and their phases tested for uniformity. The reference is the times of all stimuli, not a
uniform phase, so that a period of the instrument's own, such as that of its line, stands out in
neither. Powers of several harmonics are added, for disturbances are shorter than their periods. The
same test of random stimuli gives the chance of the greatest power; the tail of these maxima is that
of an extreme value distribution.

References: Lord Rayleigh, On the problem of random vibrations, Phil. Mag. 37 (1919): the test of
    phases. R. Buccheri et al., Search for pulsed gamma-ray emission, Astron. Astrophys. 128 (1983):
    sums of harmonics. O. C. de Jager et al., A powerful test for weak periodic signals, Astron.
    Astrophys. 221 (1989): also searches the number of harmonics. M. Suveges, Extreme-value
    modelling for the significance assessment of periodogram peaks, Mon. Not. R. Astron. Soc. 440
    (2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.analysis.longones import draws, sets_of

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Stimuli that are looked at: those of the beginning of a longer run.
MOST = 32_768
#: Fewer long ones than this show no period.
FEWEST = 6
#: Periods that are named at most.
_PERIODS = 3
_HARMONICS = (1, 2, 4, 8)
#: Harmonics reach so many times as far as the frequencies of periods do.
_REACH = 4
#: A period is a multiple of the detected one, up to this factor, if no other phase has long ones.
_MULTIPLES = 16
#: The share of the period in which long ones then come is less.
_NARROW = 0.1
#: A mirrored frequency has to be so many times as strong to be preferred.
_STRONGER = 1.25
#: Draws by chance, whose greatest powers tell what is usual.
_DRAWS = 49
#: Below this determinant of the covariance of cosine and sine (1/4 if phases are uniform), a
#: frequency is one of the instrument's own.
_OWN = 0.02
#: Bins of time in a period of the highest frequency.
_BINS = 8
_LONGEST_TRANSFORM = 1 << 20
#: A set of stimuli is irregular if the middle 90 % of its gaps spread by more than this share.
_IRREGULAR = 0.25
_EULER = 0.5772156649


@dataclass(frozen=True)
class Period:
    """A period in which the longest latencies come again.

    Attributes:
        length: The period, in the unit of the times.
        phase: Middle of the window in which they come, from 0 to 1, since the first stimulus.
        width: Length of the window that holds eight of ten, as a share of the period.
        longest: Number of latencies in the set.
        power: Mean resultant length of their phases, from 0 (uniform) to 1 (equal).
        p: Chance of such a power if long ones come at any stimulus.
        alias: Whether a shorter period would look alike, because stimuli come regularly.
    """

    length: float
    phase: float
    width: float
    longest: int
    power: float
    p: float
    alias: bool


def periods(latencies: Numbers, times: Numbers, level: float) -> list[Period] | None:
    """Return the periods of the longest latencies, the strongest first, or None if too few.

    Args:
        latencies: Shape (n,), ticks, in the order of the stimuli.
        times: Shape (n,), ascending times of their edges.
        level: Chance up to which a period is named; the strongest is returned in any case.
    """
    latencies, times = latencies[:MOST], times[:MOST]
    sets = sets_of(latencies, FEWEST)
    if not sets or times[-1] <= times[0]:
        return None
    spectrum = _Spectrum(times.astype(np.float64))
    detected: list[Period] = []
    while sets and len(detected) < _PERIODS:
        period, inside = spectrum.strongest(sets)
        if detected and period.p > level:
            break
        detected.append(period)
        if period.p > level or period.length >= float(times[-1] - times[0]):
            break
        sets = [rest for one in sets if len(rest := one[~inside[one]]) >= FEWEST]
        sets = [one for k, one in enumerate(sets) if k == 0 or len(one) > len(sets[k - 1])]
    return detected


class _Spectrum:
    """Powers of sets of stimuli at many frequencies, against those of all stimuli."""

    def __init__(self, times: Floats) -> None:
        from scipy import fft  # here: it takes as long to load as all else

        self._fft, self._times = fft, times - times[0]
        gaps = np.diff(times)
        self._usual = float(np.median(gaps))
        low, high = np.quantile(gaps, (0.05, 0.95))
        self._regular = bool(high - low <= _IRREGULAR * self._usual)
        self._span = float(self._times[-1])
        highest = (0.5 if self._regular else 2.0) / self._usual
        bins = 1 / (_BINS * _REACH * highest)
        length = min(2 * math.ceil(self._span / bins), _LONGEST_TRANSFORM)
        self._length = fft.next_fast_len(max(length, 64), real=True)
        bins = max(bins, 2 * self._span / self._length)
        self._step = 1 / (self._length * bins)
        self._places = (self._times / bins).astype(np.int64)
        self._number = min(int(highest / self._step), self._length // (4 * _REACH))
        self._covariance(np.arange(len(times)))

    def _lines(self, rows: Numbers) -> npt.NDArray[np.complex128]:
        """Sums of exp(-i w t), shape (rows, frequencies from 0 on)."""
        counts = np.zeros((len(rows), self._length))
        np.add.at(counts, (np.arange(len(rows))[:, None], self._places[rows]), 1)
        return np.asarray(self._fft.rfft(counts, axis=1), np.complex128)

    def _covariance(self, every: Numbers) -> None:
        """Mean and covariance of cosine and sine of all stimuli, at each frequency."""
        lines = self._lines(every[None])[0] / len(every)
        k = np.arange(1, _REACH * self._number + 1)
        mean, twice = lines[k], lines[2 * k]
        xx = (1 + twice.real) / 2 - mean.real**2
        yy = (1 - twice.real) / 2 - mean.imag**2
        xy = twice.imag / 2 - mean.real * mean.imag
        determinant = xx * yy - xy * xy
        self._usable = determinant > _OWN
        self._mean, self._n = mean, len(every)
        safe = np.where(self._usable, determinant, 1)
        self._inverse = yy / safe, xx / safe, -xy / safe
        self._trials = len(_HARMONICS) * int(self._usable[: self._number].sum())

    def _scores(self, rows: Numbers) -> Floats:
        """-log of the chance of each frequency's power, shape (rows, harmonics, frequencies)."""
        size = rows.shape[1]
        off = self._lines(rows)[:, 1 : len(self._mean) + 1] - size * self._mean
        ixx, iyy, ixy = self._inverse
        power = ixx * off.real**2 + iyy * off.imag**2 + 2 * ixy * off.real * off.imag
        power *= self._usable / (2 * size * (1 - size / self._n))
        scores = np.zeros((len(rows), len(_HARMONICS), self._number))
        total, count = np.zeros((len(rows), self._number)), np.zeros(self._number)
        for h in range(1, _HARMONICS[-1] + 1):
            reach = min(self._number, len(self._mean) // h)
            total[:, :reach] += power[:, h - 1 : h * reach : h]
            count[:reach] += self._usable[h - 1 : h * reach : h]
            if h in _HARMONICS:
                place = _HARMONICS.index(h)
                scores[:, place, :reach] = _surprise(count[:reach], total[:, :reach])
        scores *= self._usable[: self._number]
        return scores

    def strongest(self, sets: list[Numbers]) -> tuple[Period, npt.NDArray[np.bool_]]:
        """The strongest period of the sets, and which stimuli lie in its window."""
        best, place = -1.0, (0, 0, 0)
        for number, one in enumerate(sets):
            scores = self._scores(one[None])[0]
            harmonic, k = np.unravel_index(np.argmax(scores), scores.shape)
            if scores[harmonic, k] > best:
                best, place = float(scores[harmonic, k]), (number, int(harmonic), int(k))
        p = min(1.0, max(1, self._trials) * len(sets) * math.exp(-min(best, 700)))
        if p < 0.1:  # a chi-squared tail is too light for few events: look how far chance gets
            p = max(p, self._chance(best, [len(one) for one in sets]))
        long = self._times[sets[place[0]]]
        return self._named(long, (place[2] + 1) * self._step, _HARMONICS[place[1]], p)

    def _chance(self, best: float, sizes: list[int]) -> float:
        """Chance of a greatest score of ``best``, by an extreme value distribution."""
        greatest = np.zeros(_DRAWS)
        for rows in draws(self._n, sizes, _DRAWS):
            for first in range(0, _DRAWS, 7):
                part = self._scores(rows[first : first + 7])
                slot = greatest[first : first + 7]
                np.maximum(slot, part.max((1, 2)), out=slot)
        if best <= greatest.max():
            return float((1 + (greatest >= best).sum()) / (_DRAWS + 1))
        scale = max(1.0, float(greatest.std()) * math.sqrt(6) / math.pi)
        centre = float(greatest.mean()) - _EULER * scale
        return -math.expm1(-math.exp(-(best - centre) / scale))

    def _named(
        self, long: Floats, frequency: float, harmonics: int, p: float
    ) -> tuple[Period, npt.NDArray[np.bool_]]:
        """The period at a frequency, or at one that the regular stimuli mirror there."""
        candidate, power = self._refined(long, frequency, harmonics)
        alias = self._regular
        # Not of less than two periods in all: next to it is the frequency of the stimuli
        # themselves, at which all of them are in phase.
        if self._regular and candidate > 2 / self._span:
            for j in range(1, _HARMONICS[-1] + 1):
                for other in (j / self._usual - candidate, j / self._usual + candidate):
                    mirrored, strength = self._refined(long, other, harmonics)
                    if strength > power * _STRONGER:
                        candidate, power, alias = mirrored, strength, False
        candidate = max(
            candidate, 1 / self._span
        )  # what comes once is told as the length of the run
        begin, width = _window(long * candidate % 1)
        for multiple in range(_MULTIPLES if width < _NARROW else 1, 1, -1):
            if candidate / multiple < 1 / self._span:
                continue
            first, share = _window(long * candidate / multiple % 1)
            if share * multiple <= max(1.2 * width, 0.01):
                candidate, begin, width = candidate / multiple, first, share
                break
        middle = (begin + width / 2) % 1
        first, core = _window(long * candidate % 1, 0.5)
        away = np.abs((self._times * candidate - first - core / 2 + 0.5) % 1 - 0.5)
        resultant = abs(np.exp(2j * np.pi * candidate * long).mean())
        period = Period(1 / candidate, middle, width, len(long), float(resultant), p, alias)
        return period, away <= max(1.5 * core, 0.01)

    def _refined(self, long: Floats, frequency: float, harmonics: int) -> tuple[float, float]:
        """The frequency near by with the greatest power, and that, from 0 to 1."""
        best, power = frequency, 0.0
        for reach in (1 / self._span, 1 / (40 * self._span)):
            near = best + np.linspace(-reach, reach, 81)
            near = near[near > 0.4 / self._span]
            if not len(near):
                break
            powers = np.zeros(len(near))
            for h in range(1, harmonics + 1):
                powers += np.abs(np.exp(2j * np.pi * h * np.outer(near, long)).mean(1)) ** 2
            place = int(np.argmax(powers))
            best, power = float(near[place]), float(powers[place] / harmonics)
        return best, power


def _window(phases: Floats, share: float = 0.8) -> tuple[float, float]:
    """Begin and length of the shortest window, on the circle, that holds a share of the phases."""
    phases = np.sort(phases)
    keep = math.ceil(share * len(phases))
    around = np.concatenate([phases, phases + 1])
    widths = around[keep - 1 : keep - 1 + len(phases)] - phases
    begin = int(np.argmin(widths))
    return float(phases[begin]), float(widths[begin])


def _surprise(half: Floats, power: Floats) -> Floats:
    """-log of the chance that chi-squared of 2 ``half`` degrees is at least 2 ``power``."""
    from scipy.special import gammaincc, gammaln  # here: it takes as long to load as all else

    half = np.maximum(half, 1e-9)
    tail = -np.log(np.maximum(gammaincc(half, power), 1e-300))
    safe = np.maximum(power, 1.0)
    far = safe - (half - 1) * np.log(safe) + gammaln(np.maximum(half, 1.0))
    return np.asarray(np.where(power > 500, far, tail), np.float64)
