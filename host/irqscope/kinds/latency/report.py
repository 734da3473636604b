"""Latencies that are a sample of a distribution, in words."""

from __future__ import annotations

from irqscope.report import wording
from irqscope.report.telling import Report, Row
from irqscope.results.statistics import QuantileStats, Stats

_HALF = 0.5
#: Quantiles that the table shows; run.json has more.
SHOWN = (0.5, 0.99, 0.999)


class Latency(Report):
    """What quantiles say."""

    #: Whether latencies have a mean and a rate that say something.
    averaged = True

    def _carried(self, stats: Stats) -> list[str]:
        supported = [q for q in stats.quantiles if not q.note]
        return [f"{p} {_took(q, self.run.tick_hz)}" for p, q in _named(supported)]

    def _of_a_sample(self) -> list[Row]:
        run, hz = self.run, self.run.tick_hz
        rows = [
            Row(f"p{100 * p:.6g}", tuple(wording.quantile(run, stats, p) for stats in run.stats))
            for p in SHOWN
        ]
        rows.append(Row("max", self._each(lambda s: wording.greatest(s, hz))))
        if self.averaged:
            rows.append(Row("mean", self._each(lambda s: wording.mean(s, hz))))
            rows.append(Row("rate", self._each(wording.rate)))
        rows.append(Row("independence", self._each(lambda s: wording.independence(s, hz))))
        return rows


def _named(supported: list[QuantileStats]) -> list[tuple[str, QuantileStats]]:
    """The median and the highest quantile that N carries, in words."""
    ends = supported[:1] + supported[-1:] if len(supported) > 1 else supported
    return [("half" if q.p == _HALF else f"{100 * q.p:.6g} %", q) for q in ends]


def _took(quantile: QuantileStats, hz: int) -> str:
    low, high = quantile.sample_ticks
    return f"took at most {wording.plain(low if high is None else high, hz)}"
