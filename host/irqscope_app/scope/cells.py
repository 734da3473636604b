"""Cells of the statistics table, of a whole run and of a part of one."""

from __future__ import annotations

from irqscope.analysis import stats
from irqscope.report import wording
from irqscope.results.statistics import QuantileStats
from irqscope.units import NS_PER_S
from irqscope_app.control.feed import Picture
from irqscope_app.widgets.units import Unit

#: Names of the rows, top to bottom.
_QUANTILES = tuple(f"p{100 * p:.6g}" for p in stats.QUANTILES)
_RATES = {"median, 1/s": "median_hz", "least, 1/s": "min_hz", "greatest, 1/s": "max_hz"}
#: Figures of the raw latencies, and the number of stimuli per second of target time.
_PLAIN = ("mean", "deviation", "range", "rate, 1/s")
ROWS = (
    "phases", *_RATES, "N", "no answer", "min", *_QUANTILES, "max", "longer", "beyond", *_PLAIN,
)  # fmt: skip
#: Rows that are hidden while nothing is in them.
SOMETIMES = ("phases", *_RATES, "no answer", *_QUANTILES[2:], "beyond", *_PLAIN)

Cells = dict[str, str]


def cells_of_run(
    picture: Picture,
    index: int,
    unit: Unit,
    bound: int,
    limit: int | None,
    seconds: float = 0.0,
) -> Cells:
    """Cells of the whole run. ``bound``: ticks that the way of a marker may take, 0: raw.

    ``seconds``: target time of the run, or 0 if not known.
    """
    (channel_stats,) = (s for s in picture.run.stats if s.channel == index)
    distribution = picture.distributions[index]
    cells = {"N": str(channel_stats.n)}
    trusted = not wording.failing(channel_stats)
    for rates in picture.run.throughput:
        if rates.channel == index:
            cells["phases"] = str(len(rates.stops))
            cells |= {name: f"{getattr(rates, key):.0f}" for name, key in _RATES.items()}
    if channel_stats.served < channel_stats.n:
        cells["no answer"] = str(channel_stats.n - channel_stats.served)
    if channel_stats.min_ticks is not None and channel_stats.max_ticks is not None:
        cells["min"] = _value(channel_stats.min_ticks, unit, bound)
        cells["max"] = _value(channel_stats.max_ticks, unit, bound)
        if channel_stats.coalesced:  # their statistics are unknown
            cells |= {name: f"{cells[name]} of served" for name in ("min", "max")}
        if channel_stats.timed_out:
            cells["max"] = f"> {unit.text(max(0, channel_stats.timeout_ticks - bound))}"
    if limit is not None:
        at_least, more = distribution.longer_than(limit), distribution.perhaps_longer_than(limit)
        cells["beyond"] = f"{at_least} to {at_least + more}" if more else str(at_least)
    if wording.grid(picture.run):
        return cells
    if channel_stats.longer is not None:
        cells["longer"] = _shares(
            (channel_stats.longer.at_least, channel_stats.longer.at_most), trusted
        )
    for quantile in channel_stats.quantiles:
        name = f"p{100 * quantile.p:.6g}"
        cells[name] = _quantile(quantile, unit, bound, trusted)
    if channel_stats.served == channel_stats.n and not picture.run.throughput:
        rate = channel_stats.rate_hz
        if rate is None and picture.run.experiment.samples.which == "all":
            rate = _rate(distribution, seconds)  # written by an older version
        cells |= _plain(distribution, unit, bound, rate)
    return cells


def cells_of_kept(known: stats.Distribution, unit: Unit, bound: int) -> Cells:
    """Cells of a run that kept only the longest latencies: their number and the greatest."""
    greatest = {"max": _value(int(known.lower[-1]), unit, bound)} if known.n else {}
    return {"N": f"{known.n} kept"} | greatest


def cells_of_part(
    known: stats.Distribution,
    unit: Unit,
    bound: int,
    limit: int | None,
    seconds: float,
    *,
    every: bool,
    drawn: bool,
    trusted: bool,
) -> Cells:
    """Cells of some latencies, ``known`` one by one.

    ``seconds``: target time over which they came, 0: not known. ``every``: all stimuli of their
    runs were answered; else the latencies are not all that fell into the part, and what they
    cannot tell of all is left out. ``drawn``: their run is a sample of a distribution
    (:func:`wording.grid`); ``trusted``: they are such a sample themselves, alike and independent.
    """
    cells = {"N": str(known.n) if every else f"{known.n} served"}
    if not known.n:
        return cells
    cells["min"] = _value(int(known.lower[0]), unit, bound)
    cells["max"] = _value(int(known.lower[-1]), unit, bound)
    if limit is not None:
        cells["beyond"] = str(known.longer_than(limit))
    if not every or not drawn:
        return cells
    cells["longer"] = _shares(stats.share_longer(known.n), trusted)
    for p in stats.QUANTILES:
        quantile = known.quantile(p)
        quantiles = QuantileStats(
            p=p,
            value_ticks=quantile.exact,
            lower_ticks=quantile.lower,
            upper_ticks=quantile.upper,
            sample_ticks=quantile.value,
            note=stats.too_small(quantile, 0.0),
        )
        cells[quantile.name] = _quantile(quantiles, unit, bound, trusted)
    return cells | _plain(known, unit, bound, _rate(known, seconds))


def _rate(known: stats.Distribution, seconds: float) -> float | None:
    return stats.rate(known.n, round(seconds * NS_PER_S), NS_PER_S)


def _plain(known: stats.Distribution, unit: Unit, bound: int, rate: float | None) -> Cells:
    """Mean, deviation, range and rate, unless a bin is wider than a tick."""
    moments = stats.moments(known)
    if moments is None:
        return {}
    mean = f"{moments.mean * unit.per_tick:.1f}"
    ticks = known.lower[known.counts > 0]
    cells = {
        "mean": f"{max(0.0, moments.mean - bound) * unit.per_tick:.1f} to {mean}"
        if bound
        else mean,
        "deviation": f"{moments.deviation * unit.per_tick:.1f}",
        "range": unit.text(int(ticks.max() - ticks.min())),
    }
    if rate is not None:
        cells["rate, 1/s"] = f"{rate:.4g}"
    return cells


def _shares(bounds: tuple[float, float], trusted: bool) -> str:
    """Bounds of the share of longer ones, each at 95 %."""
    at_least, at_most = (f"{100 * bound:.2g} %" for bound in bounds)
    if not trusted:
        return "no bound"
    return f"{at_least} to {at_most}" if bounds[0] else f"≤ {at_most}"


def _value(ticks: int, unit: Unit, bound: int) -> str:
    if not bound:
        return unit.text(ticks)
    return f"{unit.text(max(0, ticks - bound))} to {unit.text(ticks)}"


def _quantile(quantile: QuantileStats, unit: Unit, bound: int, trusted: bool) -> str:
    """Value and interval of a quantile, or a bound if N is too small.

    ``trusted``: independent samples.
    """
    lower, upper = quantile.lower_ticks, quantile.upper_ticks
    if quantile.note and not trusted:
        return "N too small"
    if quantile.note:
        return f"≥ {unit.text(max(0, (lower or 0) - bound))}"
    low, high = quantile.sample_ticks
    if quantile.value_ticks is not None:
        text = _value(quantile.value_ticks, unit, bound)
    else:
        end = "open" if high is None else unit.text(high)
        text = f"{unit.text(max(0, low - bound))} to {end}"
    if bound or not trusted or (lower, upper) == (low, high):
        return text
    ends = "0" if lower is None else unit.text(lower), "open" if upper is None else unit.text(upper)
    return f"{text} [{ends[0]}, {ends[1]}]"
