"""Claims of docs/a9.md about the load under which an article measured lockdown on this chip."""

import a9_lockdown
import pytest

from irqscope_papers.a9.printed import LOCKDOWN, LOCKED

#: Enough that every line of the path may be lost; 400 interrupts of the 2 million.
MEAN, ROUNDS = 128, 400


@pytest.fixture(scope="module")
def found():
    return {locked: a9_lockdown.find(locked, MEAN, ROUNDS) for locked in LOCKED}


def test_what_is_locked_helps_in_the_articles_order(found):
    averages, greatest = ([found[locked].figures[n] for locked in LOCKED] for n in (1, 2))
    assert averages == sorted(averages, reverse=True)
    assert greatest == sorted(greatest, reverse=True)
    # Locking L2 does more than locking the TLB, to averages and maxima, there and here.
    for n in (1, 2):
        here = [found[locked].figures[n] for locked in LOCKED]
        existing = [LOCKDOWN[name][n] for name in LOCKED.values()]
        for none, tlb, both in (here, existing):
            assert none - tlb < tlb - both


def test_without_a_lock_the_distribution_is_broad(found):
    low, median, high = (found[None].quantile(p) for p in a9_lockdown.QUANTILES)
    minimum, _, greatest = found[None].figures
    assert minimum + 400 < median < greatest - 400
    assert high - low > 800
    assert sum(count > 0 for count in found[None].bins) > 40


def test_the_greatest_come_out_as_the_manual_says(found):
    off = {locked: found[locked].figures[2] / LOCKDOWN[LOCKED[locked]][2] - 1 for locked in LOCKED}
    assert abs(off[None]) < 0.15 and abs(off["tlb"]) < 0.15
    assert -0.45 < off["tlb+l2"] < -0.3
