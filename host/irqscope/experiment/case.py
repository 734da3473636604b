"""The cases, each in one descriptor: what it asks for, and what the host makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from irqscope.link.messages import CaseId
from irqscope.machines.names import CaseName, InterruptKind

_ANY = range(1, 1020)  # as many as the machine has
_EITHER = ("latency", "throughput")


@dataclass(frozen=True)
class Case:
    """A case. None and empty: the key does not belong to it, or is free."""

    wire: CaseId
    caches: str | None = None
    cores: tuple[int, ...] = (1,)
    interrupts: tuple[InterruptKind | Literal["none"], ...] = ("shared", "private")
    background: range | None = None
    raised: bool = False  #: background interrupts must be raised, not only enabled
    load: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("latency",)
    tasks: bool = False  #: between tasks of a kernel
    combines: bool = False  #: two at least of T4, T6 and T7
    held: bool = False  #: by a level that each core answers
    #: Who loads memory: all cores, those that neither answer nor raise, or the measured one.
    loaders: Literal["all", "rest", "measured"] | None = None
    chance: bool = False  #: which core answers is chance
    idles: bool = True  #: the measured core waits in between
    prepares: bool = False  #: it acts right before the wait
    code_under_test: bool = False  #: code under test is interrupted wherever the line is placed
    keys: tuple[str, ...] = ()  #: of the experiment, that no other case has


_OF_LOAD = ("array", "data_accesses", "instruction_accesses", "aim", "budget")
_ALONE: tuple[InterruptKind, ...] = ("shared", "private", "software")
_OF_PRIVATE: tuple[InterruptKind, ...] = ("private",)
_SEVERAL = (2, 3, 4)
CASES: dict[CaseName, Case] = {
    "t1": Case(CaseId.T1, caches="off", interrupts=_ALONE, measures=_EITHER),
    "t2": Case(CaseId.T1, caches="on", interrupts=_ALONE, measures=_EITHER),
    "t3": Case(CaseId.T3, caches="on", interrupts=_ALONE),
    "t4": Case(CaseId.T4, background=_ANY),
    "t5": Case(CaseId.T5, background=range(14, 15), raised=True),
    "t6": Case(
        CaseId.T6, cores=_SEVERAL, interrupts=_OF_PRIVATE, measures=_EITHER, held=True
    ),
    "t6-spi": Case(
        CaseId.T6, cores=_SEVERAL, interrupts=("shared",), measures=_EITHER, chance=True
    ),
    "t7": Case(CaseId.T7, load=("array",), loaders="all", idles=False),
    "b-lmin": Case(CaseId.T1, caches="on"),
    "b-lmax": Case(
        CaseId.B_LMAX, caches="off", cores=(1, *_SEVERAL), background=_ANY, load=("array",),
        combines=True, loaders="rest",
    ),
    "b-tmax": Case(
        CaseId.T6, caches="on", cores=_SEVERAL, interrupts=_OF_PRIVATE, measures=("throughput",),
        held=True,
    ),
    "cache-state": Case(
        CaseId.CACHE_STATE, interrupts=_ALONE, prepares=True, keys=("state",)
    ),
    "random-load": Case(
        CaseId.RANDOM_LOAD, interrupts=_ALONE, load=_OF_LOAD, loaders="measured", prepares=True,
        keys=("warm", "lockdown"),
    ),
    "placement": Case(
        CaseId.PLACEMENT, interrupts=("shared", "private"), idles=False, code_under_test=True
    ),
    "external": Case(CaseId.EXTERNAL, interrupts=("shared",)),
    "switch-yield": Case(CaseId.SWITCH_YIELD, interrupts=("none",), tasks=True),
    "switch-notification": Case(CaseId.SWITCH_NOTIFICATION, interrupts=("none",), tasks=True),
}  # fmt: skip


def that(**wanted: object) -> str:
    """Names of the cases whose descriptor has all this, for a sentence."""
    names = [
        f'"{name}"'
        for name, case in CASES.items()
        if all(getattr(case, key) == value for key, value in wanted.items())
    ]
    return " or ".join(names)
