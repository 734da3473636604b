"""Absolute limits: a share of stimuli that may take longer than a time.

``p99.9 <= 2 us`` and ``longer than 2 us <= 0.1 %`` say the same. A maximum is not a limit: it grows
with the number of stimuli, and a share does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from irqscope.analysis import exceedance
from irqscope.analysis.stats import OPEN, Distribution, share_longer
from irqscope.campaign.gate.statement import (
    FAIL,
    NOT_RESOLVED,
    PASS,
    TOO_FEW,
    State,
    Verdict,
)
from irqscope.report.wording import plain
from irqscope.units import Duration

_QUANTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,10})?) *<= *(.+)")
_SHARE = re.compile(r"longer than (.+?) *<= *([0-9]{1,2}(?:\.[0-9]{1,12})?) *%")


@dataclass(frozen=True)
class Limit:
    """At most ``share`` of the stimuli take longer than ``bound``. ``text``: as the file has it."""

    text: str
    share: Fraction
    bound: Duration

    @classmethod
    def parse(cls, value: object) -> Limit:
        """A limit from ``"p99.9 <= 2 us"`` or ``"longer than 2 us <= 0.1 %"``; else ValueError."""
        text = value if isinstance(value, str) else ""
        if match := _QUANTILE.fullmatch(text):
            bound, share = match[2], 1 - Fraction(match[1]) / 100
        elif match := _SHARE.fullmatch(text):
            bound, share = match[1], Fraction(match[2]) / 100
        elif re.match(r"max", text):
            raise ValueError(
                "a maximum cannot be a limit, because it grows with the number of stimuli; give a "
                'share, as in "longer than 2 us <= 0.01 %"'
            )
        else:
            raise ValueError('give "p99.9 <= 2 us" or "longer than 2 us <= 0.1 %"')
        if not 0 < share < 1:
            raise ValueError(f'"{text}" bounds no share between 0 and 100 %')
        return cls(text, share, Duration.parse(bound))

    def __str__(self) -> str:
        return self.text

    def judge(self, distribution: Distribution, tick_hz: int, level: float) -> Verdict:
        """Judges by bounds of the share that is longer; each is wrong with chance ``level``."""
        ticks = self.bound.ticks(tick_hz)
        longer, unknown = distribution.longer_than(ticks), distribution.perhaps_longer_than(ticks)
        state = self._state(distribution.n, longer, unknown, level)
        low, high = share_longer(distribution.n, longer, unknown, 1 - level)
        wording = (
            f"{longer} of {distribution.n} took longer than {plain(ticks, tick_hz)}"
            + (f", unknown for {unknown}" if unknown else "")
            + f": {100 * low:.3g} to {100 * high:.3g} % do, allowed {100 * float(self.share):.4g} %"
        )
        if state != TOO_FEW:
            return Verdict(state, wording)
        shares = longer / distribution.n, unknown / distribution.n

        def decided(n: int) -> bool:
            long, open_ended = (round(share * n) for share in shares)
            return self._state(n, long, open_ended, level) != TOO_FEW

        needed = exceedance.smallest(decided, distribution.n)
        wide = distribution.widened()
        around = (wide.lower <= ticks) & (wide.upper > ticks) & (wide.upper != OPEN)
        if needed is None and distribution.counts[around].any():
            wording += "; the limit is nearer to these latencies than they are known"
            return Verdict(NOT_RESOLVED, wording)
        return Verdict(TOO_FEW, wording, needed)

    def _state(self, n: int, longer: int, unknown: int, level: float) -> State:
        low, high = share_longer(n, longer, unknown, 1 - level)
        if low > self.share:
            return FAIL
        return PASS if high <= self.share else TOO_FEW
