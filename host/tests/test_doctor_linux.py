"""The doctor's findings about a kernel's configuration."""

from __future__ import annotations

import pytest

from irqscope.doctor.linux.kernel import Facts, advice

pytestmark = pytest.mark.quick

GOOD = (
    "6.12.0-rt aarch64, #1 SMP PREEMPT_RT; PREEMPT_RT yes; governor performance; isolated 2-3; "
    "thread SCHED_FIFO 80, on CPU 3; IRQ affinity 3; command line isolcpus=2-3 rcu_nocbs=2-3"
)


def found(configuration: str) -> list[str]:
    return [one.found for one in advice(Facts.of(configuration))]


def test_a_kernel_that_is_set_up_for_latency_needs_no_advice():
    assert found(GOOD) == []


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("PREEMPT_RT yes", "PREEMPT_RT no", ["PREEMPT_RT no", "threadirqs missing"]),
        ("SCHED_FIFO 80", "SCHED_OTHER 0", ["thread SCHED_OTHER 0, on CPU 3"]),
        ("on CPU 3", "on any of 4 CPUs", ["thread on no CPU of its own"]),
        ("isolated 2-3", "isolated none", ["isolated CPUs none"]),
        ("isolated 2-3", "isolated 1-2", ["thread on CPU 3, isolated 1-2"]),
        ("performance", "schedutil", ["governor schedutil"]),
        (" rcu_nocbs=2-3", "", ["rcu_nocbs missing"]),
        ("affinity 3", "affinity 0-3", ["IRQ affinity 0-3"]),
    ],
)
def test_each_missing_setting_is_named_with_its_cost_and_source(good, bad, said):
    assert good in GOOD
    assert found(GOOD.replace(good, bad)) == said
    for one in advice(Facts.of(GOOD.replace(good, bad))):
        assert len(one.cost) > 30 and (
            "kernel" in one.source or one.source.endswith("(2)") or one.source.endswith("(7)")
        )


def test_a_parameter_is_not_found_inside_another():
    text = "x; PREEMPT_RT no; thread SCHED_FIFO 80, on CPU 1; command line nothreadirqs rcu_nocbs"
    assert not Facts.of(text).has("threadirqs") and Facts.of(text).has("rcu_nocbs")
