"""Results do not depend on the length of batches: each latency is equal, not only the average."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from irqscope import experiment as experiments

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "batch_independence.py"))
LENGTHS = (2.0, 0.05, 0.02)


# Whether accesses of two cores that meet begin in a refresh is not exact.
NO_REFRESH = "twin:a53:ddr.refresh=0"


@pytest.mark.parametrize(
    ("name", "target", "changes"),
    [
        # Without caches, TLBs and predictors T1, T2 and T3 are alike.
        *((name, "twin:functional", {}) for name in ("t2", "t6-2")),
        *((name, "twin:a53", {}) for name in ("t1", "t2", "t2-ppi", "t3")),
        ("t2", "twin:a53", {"stack": "standalone"}),
        ("t2", "twin:a53", {"stack": "standalone", "markers": "paper+stm"}),
        ("t6-2", NO_REFRESH, {}),
    ],
)
def test_each_latency_is_the_same_for_every_length_of_batch(name, target, changes, tmp_path):
    path = ROOT / "experiments" / "horst2020" / f"{name}.toml"
    expected = experiments.load(path, count=24).model_copy(update=changes)
    actual = SCRIPT["independence"](expected, target, LENGTHS, tmp_path)
    assert [each.batches for each in actual] == [3, 6] or name == "t2-ppi"
    assert all(each.same for each in actual), [str(each) for each in actual]


def test_without_a_warm_up_the_first_of_a_batch_is_cold(tmp_path):
    expected = experiments.load(ROOT / "experiments" / "horst2020" / "t2.toml", count=24)
    cold = expected.model_copy(update={"warm_up": 0})
    actual = SCRIPT["independence"](cold, "twin:a53", (2.0, 0.02), tmp_path)
    assert actual[0].stimuli >= actual[0].firsts >= 5
