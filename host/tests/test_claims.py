"""Claims of the paper: three verdicts, and where each turns into the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.acquire.plan import Plan
from irqscope.campaign.suite.load import load as load_suite
from irqscope.experiment import load
from irqscope.machines.generated import ZYNQMP
from irqscope_papers.horst2020 import claims, deciding
from irqscope_papers.horst2020.deciding import Figures, Interval, Verdict

pytestmark = pytest.mark.quick

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN


def interval(low: float, high: float) -> Interval:
    return Interval(low, (low + high) / 2, high)


def figures(median: float, spread: float = 1.0, **changes: float) -> Figures:
    values = {"n": 240, "least": median, "greatest": median, "uncertainty": 1.0} | changes
    return Figures(median=interval(median - spread, median + spread), **values)


@pytest.mark.parametrize(
    ("a", "b", "above", "within", "differs"),
    [
        ((100, 101), (100, 101), OPEN, HOLDS, FAILS),
        ((105, 106), (100, 101), HOLDS, HOLDS, FAILS),
        ((100, 101), (105, 106), FAILS, HOLDS, FAILS),
        ((108, 114), (100, 101), HOLDS, OPEN, OPEN),
        ((112, 114), (100, 101), HOLDS, FAILS, HOLDS),
        ((100, 101), (112, 114), FAILS, FAILS, HOLDS),
        ((80, 140), (100, 101), OPEN, OPEN, OPEN),
    ],
)
def test_two_medians(a, b, above, within, differs):
    a, b = interval(*a), interval(*b)
    assert deciding.above(a, b) == above
    assert deciding.within(a, b) == deciding.within(b, a) == within
    assert deciding.differs(a, b) == differs


positive = st.floats(1.0, 1e6)


@given(positive, positive, positive, positive)
def test_an_interval_that_grows_never_turns_a_verdict_round(a, b, grow_a, grow_b):
    def verdicts(by_a: float, by_b: float) -> list[Verdict]:
        one = Interval(max(0.0, a - by_a), a, a + by_a)
        other = Interval(max(0.0, b - by_b), b, b + by_b)
        return [
            deciding.above(one, other),
            deciding.within(one, other),
            deciding.differs(one, other),
        ]

    for exact, wide in zip(verdicts(0, 0), verdicts(grow_a, grow_b), strict=True):
        assert wide in (exact, OPEN)


@pytest.mark.parametrize(
    ("n", "outlying", "verdict"),
    [(2400, 0, HOLDS), (2400, 12, HOLDS), (2400, 24, OPEN), (2400, 48, FAILS), (24, 0, OPEN)],
)
def test_a_few_outliers(n, outlying, verdict):
    assert deciding.few(figures(100, n=n, outlying=outlying)) == verdict


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.02, HOLDS), (1.09, OPEN), (1.1, OPEN), (1.2, FAILS)]
)
def test_t4_differs_marginally_by_its_least_and_greatest_variant(factor, verdict):
    runs = {f"t4-{n}": figures(700, 5) for n in (1, 36, 72, 108, 144)}
    runs["t4-180"] = figures(700 * factor, 5)
    (claim,) = [c for c in claims.OF_EACH if c.text == "the T4 variants differ only marginally"]
    actual, why = claim.verdict(runs)
    assert actual == verdict
    assert "t4-180" in why and "t4-36 700 [695, 705]" in why


def test_all_three_components_are_asked_for_one_by_one():
    runs = {name: figures(600) for name in ("t1", "t4-180", "t5", "t6-4", "t7")}
    runs |= {"t2": figures(300), "t3": figures(590), "t6-4": figures(900)}
    by_key = {
        c.text.split(" ha")[0]: c.verdict(runs)[0]
        for c in claims.OF_EACH
        if "on the latency" in c.text
    }
    assert by_key["caches"] == HOLDS
    assert by_key["the interrupt controller"] == HOLDS  # T6-4 alone
    assert by_key["memory"] == FAILS
    assert by_key["each way of stressing the controller (T4 to T6)"] == FAILS


def test_combinations_of_the_greatest_latency():
    parts = ("t4-144-t6-3", "t4-36-t7", "t4-144-t7", "t4-36-t6-3-t7", "t4-144-t6-3-t7")
    names = ("b-lmax", *(f"b-lmax-{part}" for part in parts))
    runs = {name: figures(900 + place) for place, name in enumerate(names)}
    runs["b-lmax-t6-3-t7"] = figures(1200)
    by_key = {c.text: c.verdict(runs)[0] for c in claims.OF_EACH if set(c.names) <= runs.keys()}
    assert len(by_key) == 3
    assert set(by_key.values()) == {HOLDS}
    runs["b-lmax-t6-3-t7"] = figures(950)
    runs["b-lmax-t4-36-t7"] = figures(1100)
    by_key = {
        c.text[:12]: c.verdict(runs)[0] for c in claims.OF_EACH if set(c.names) <= runs.keys()
    }
    assert by_key == {"the combinat": FAILS, "T6 with T7 i": FAILS, "T4-36 with T": HOLDS}


HORST = Path(__file__).parents[2] / "experiments/horst2020"


def test_every_run_that_a_claim_names_is_in_the_suite():
    requested = {name for claim in claims.OF_EACH + claims.OF_BARE_METAL for name in claim.names}
    assert requested <= {path.stem for path in HORST.glob("*.toml")}


@pytest.mark.parametrize("stack", ["standalone", "freertos"])
def test_the_suite_can_decide_every_claim_about_a_stack(stack):
    runs = {entry.name for entry in load_suite(HORST, "quick").entries}
    stacks = {"baremetal", stack}
    requested = {name.split(",")[0] for claim in claims.claims(stacks) for name in claim.names}
    assert requested <= runs


@pytest.mark.parametrize(
    ("name", "handling", "writing", "busy"),
    [
        ("b-lmax", 0b0111, 0, 4),
        ("b-lmax-t4-144-t6-3", 0b0111, 0, 4),
        ("b-lmax-t4-36-t7", 0b0001, 0b1100, 4),
        ("b-lmax-t4-36-t6-3-t7", 0b0111, 0b1000, 4),
        ("b-lmax-t4-144-t7", 0b0001, 0b1100, 4),
        ("b-lmax-t4-144-t6-3-t7", 0b0111, 0b1000, 4),
        ("b-lmax-t6-3-t7", 0b0111, 0b1000, 4),
        ("t7", 0b0001, 0b1111, 4),
    ],
)
def test_the_cores_of_a_combination_are_known_before_it_runs(name, handling, writing, busy):
    plan = Plan(load(HORST / f"{name}.toml"), ZYNQMP, 250_000_000)
    assert (plan.handlers, plan.loaders, plan.busy) == (handling, writing, busy)
