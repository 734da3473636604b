"""Verbal claims of Horst et al. 2020, each with the test that decides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from irqscope.experiment.stack import on_core
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.report.wording import REPEATS
from irqscope_papers.horst2020.deciding import (
    CONSIDERABLE,
    FAR,
    Figures,
    Verdict,
    above,
    alike,
    all_above,
    all_below,
    any_differs,
    differs,
    every,
    few,
    narrower,
    rising,
    smaller_minimum,
    some,
    within,
)

#: Suffix of a run's name for the figures of core 0 alone.
CORE_0 = ", core 0"


@dataclass(frozen=True)
class Claim:
    """One statement of the paper. ``names``: the runs whose Figures ``decide`` gets.

    ``together``: whether it concerns the throughput of several cores together, as in the paper.
    """

    text: str
    where: str
    names: tuple[str, ...]
    decide: Callable[..., Verdict]
    together: bool = False

    def verdict(self, figures: dict[str, Figures]) -> tuple[Verdict, str]:
        """Decides the claim by the runs, with the reason. ``figures``: by name of the run."""
        missing = [name for name in self.names if name not in figures]
        if missing:
            return Verdict.OPEN, "no valid run of " + ", ".join(missing)
        compared = [figures[name] for name in self.names]
        medians = (
            f"{name} {one.median.value:,.0f} [{one.median.low:,.0f}, {one.median.high:,.0f}], "
            + (REPEATS if one.repeats else f"{one.least:,.0f} to {one.greatest:,.0f}")
            for name, one in zip(self.names, compared, strict=True)
        )
        return self.decide(*compared), "; ".join(medians)

    def on(self, stack: str) -> tuple[Claim, ...]:
        """The claim about the runs on a stack.

        A claim about several cores is also tested for core 0 alone; only that test remains if the
        other cores run another stack.
        """
        names = self.names if stack == DEFAULT_STACK else _on(stack, self.names)
        if not self.together:
            text = self.text if stack == DEFAULT_STACK else f"{self.text} ({stack})"
            return (replace(self, text=text, names=names),)
        own = replace(self, names=tuple(name + CORE_0 for name in names))
        if on_core(stack, 1) == stack:
            return self, replace(own, text=f"{self.text} (core 0)")
        others = "the other cores run bare metal"
        return (replace(own, text=f"{self.text} ({stack}, core 0: {others})"),)


def _on(stack: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}-{stack}" for name in names)


_T4 = tuple(f"t4-{n}" for n in (180, 1, 36, 72, 108, 144))
_OFF = ("t1", "t4-180", "t5", "t6-4", "t7")
_GIC = ("t4-180", "t5", "t6-4")
_T6_THROUGHPUT = tuple(f"t6-{n}-throughput" for n in (2, 3, 4))
_COMBINED = (
    "b-lmax",
    "b-lmax-t4-144-t6-3",
    "b-lmax-t4-36-t7",
    "b-lmax-t4-144-t7",
    "b-lmax-t4-36-t6-3-t7",
    "b-lmax-t4-144-t6-3-t7",
)
_TMAX = ("b-tmax", "b-tmax-3", "b-tmax-4")
#: Claims about each stack.
OF_EACH = (
    Claim("the T4 variants differ only marginally", "4.1, T4", _T4, alike),
    Claim(
        "T4-180 provokes the highest latency of the T4 variants",
        "4.1, T4",
        _T4,
        lambda most, *others: all_above(most, others),
    ),
    Claim(
        "the more cores, the higher the latency of T6",
        "4.1, T6",
        ("t6-2", "t6-3", "t6-4"),
        rising,
    ),
    Claim(
        "the more cores, the lower the throughput of T6",
        "4.1, T6",
        _T6_THROUGHPUT[::-1],
        rising,
        together=True,
    ),
    Claim(
        "caches have a considerable effect on the latency (T2, T3 beside T1)",
        "4.2",
        ("t1", "t2", "t3"),
        any_differs,
    ),
    Claim(
        "the interrupt controller has a considerable effect on the latency "
        "(T4-180, T5, T6-4 beside T1)",
        "4.2",
        ("t1", *_GIC),
        any_differs,
    ),
    Claim(
        "memory has a considerable effect on the latency (T7 beside T1)",
        "4.2",
        ("t1", "t7"),
        any_differs,
    ),
    Claim(
        "caches have a considerable effect on the throughput (T2 beside T1)",
        "4.2",
        ("t1-throughput", "t2-throughput"),
        any_differs,
    ),
    Claim(
        "the interrupt controller has a considerable effect on the throughput (T6 beside T1)",
        "4.2",
        ("t1-throughput", *_T6_THROUGHPUT),
        any_differs,
        together=True,
    ),
    Claim(
        "latency with caches (T2, T3) and without (T1, T4 to T7) differs considerably",
        "4.2",
        ("t2", "t3", *_OFF),
        lambda t2, t3, *off: every(
            all_below(t2, off, CONSIDERABLE), all_below(t3, off, CONSIDERABLE)
        ),
    ),
    Claim(
        "throughput with caches (T2) and without (T1, T6) differs considerably",
        "4.2",
        ("t2-throughput", "t1-throughput", *_T6_THROUGHPUT),
        lambda t2, *off: every(*(differs(t2.median, other.median) for other in off)),
        together=True,
    ),
    Claim(
        "each way of stressing the controller (T4 to T6) has a noticeable effect on the latency",
        "4.2",
        ("t1", *_GIC),
        lambda t1, *others: every(*(differs(t1.median, other.median) for other in others)),
    ),
    Claim(
        "T2 has by far the shortest latency",
        "4.2",
        ("t2", "t3", *_OFF),
        lambda t2, *others: all_below(t2, others, FAR),
    ),
    Claim("T2 has only a few outliers", "4.2", ("t2",), few),
    Claim(
        "B-Lmax, T4-36 with T6-3, has the highest latency of all cases and combinations",
        "4.2",
        ("b-lmax", *_COMBINED[1:], "b-lmax-t6-3-t7", "t2", "t3", *_OFF),
        lambda most, *others: all_above(most, others),
    ),
    Claim(
        "the combinations of T4-36, T4-144, T6-3 and T7 differ only slightly, but for T6 with T7",
        "4.2",
        _COMBINED,
        alike,
    ),
    Claim(
        "T6 with T7 is not like the other combinations",
        "4.2",
        ("b-lmax-t6-3-t7", *_COMBINED),
        lambda one, *others: every(*(differs(one.median, other.median) for other in others)),
    ),
    Claim(
        "T4-36 with T6-3 and T7 is close to B-Lmax",
        "4.2",
        ("b-lmax-t4-36-t6-3-t7", "b-lmax"),
        alike,
    ),
    Claim(
        "with caches the throughput of T6 is similar for all numbers of cores",
        "4.2",
        ("t2-throughput", *_TMAX),
        alike,
        together=True,
    ),
    Claim(
        "B-Tmax, T6-2 with caches, has the highest throughput of T6 with caches",
        "4.2",
        _TMAX,
        lambda most, *others: all_above(most, others),
        together=True,
    ),
)

#: Claims about a stack without a kernel.
OF_BARE_METAL = (
    Claim(
        "B-Tmax lags a little behind T2 alone on bare metal",
        "4.2",
        ("b-tmax", "t2-throughput"),
        lambda both, alone: every(
            above(alone.median, both.median), within(alone.median, both.median)
        ),
        together=True,
    ),
)

KERNEL = "freertos"
OF_KERNEL = (
    Claim(
        "B-Tmax has by far a higher throughput than T2 alone on FreeRTOS",
        "4.2",
        ("b-tmax", "t2-throughput"),
        lambda both, alone: above(both.median, alone.median, FAR),
        together=True,
    ),
    Claim(
        "T4-144 with T6-3 is considerably more confined on FreeRTOS than the other ranges",
        "4.2",
        ("b-lmax-t4-144-t6-3", "b-lmax", *_COMBINED[2:]),
        lambda one, *others: every(*(narrower(one, other, CONSIDERABLE) for other in others)),
    ),
)


def _of_both(bare: str) -> tuple[Claim, ...]:
    """Claims that compare FreeRTOS with a stack without a kernel."""
    addition = "" if bare == DEFAULT_STACK else f", beside {bare}"

    def names(run: str) -> tuple[str, str]:
        return f"{run}-{KERNEL}", run if bare == DEFAULT_STACK else f"{run}-{bare}"

    latency = ("t2", "t6-4")
    return (
        *(
            Claim(
                f"{run.upper()}: the least latency is smaller on FreeRTOS{addition}",
                "4.2",
                names(run),
                smaller_minimum,
            )
            for run in latency
        ),
        *(
            Claim(
                f"{run.upper()}: the range of the latency is narrower on FreeRTOS{addition}",
                "4.2",
                names(run),
                narrower,
            )
            for run in latency
        ),
        Claim(
            f"T6-2: the range of the throughput of core 0 is narrower on FreeRTOS{addition}",
            "4.2",
            tuple(name + CORE_0 for name in names("t6-2-throughput")),
            narrower,
        ),
        Claim(
            f"software stacks have a considerable impact (T2, T6-4 on FreeRTOS{addition})",
            "4.2, 6",
            tuple(name for run in latency for name in names(run)),
            lambda t2, t2_bare, t6, t6_bare: some(
                differs(t2.median, t2_bare.median), differs(t6.median, t6_bare.median)
            ),
        ),
    )


def claims(stacks: set[str]) -> tuple[Claim, ...]:
    """All claims that runs on these stacks can decide, those of the default stack first."""
    ordered = sorted(stacks | {DEFAULT_STACK}, key=lambda name: (name != DEFAULT_STACK, name))
    bare = [name for name in ordered if name != KERNEL]
    decided = [one for name in ordered for claim in OF_EACH for one in claim.on(name)]
    decided += [one for name in bare for claim in OF_BARE_METAL for one in claim.on(name)]
    if KERNEL in stacks:
        decided += [one for claim in OF_KERNEL for one in claim.on(KERNEL)]
        decided += [claim for name in bare for claim in _of_both(name)]
    return tuple(decided)
