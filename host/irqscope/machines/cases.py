"""The cases, each in one descriptor: needs of the machine, settings, and results on the host."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from irqscope.machines.names import InterruptKind, Need


class CaseId(enum.IntEnum):
    """Activity of the measured core while a batch runs."""

    T1 = 1  #: wait for the interrupt, handle it; T2 is T1 with caches on
    T3 = 3  #: as T1; the handler, its marker made, invalidates the caches
    T4 = 4  #: background interrupts of lowest priority on the measured core
    T5 = 5  #: 14 background interrupts, priorities ascending below the measured one
    T6 = 6  #: several cores handle the same line
    T7 = 7  #: all cores write to random places of an array
    B_LMAX = 8  #: T4, T6 and T7 together, any of them
    CACHE_STATE = 9  #: caches, TLB and branch predictor are put into a state before each interrupt
    RANDOM_LOAD = 10  #: random accesses before each interrupt
    SWITCH_YIELD = 11  #: a task yields to another one: marker start in the one, task in the other
    SWITCH_NOTIFICATION = 12  #: the same, but it notifies a task that is more urgent
    EXTERNAL = 13  #: nothing: a device at the pins answers; markers come from pins
    PLACEMENT = 14  #: runs code under test after a marker start, over and over (CODE_UNDER_TEST)
    CAL_LOOPBACK = 16  #: PL loop-back; the core only waits
    CAL_PROBE = 17  #: pairs of markers probe_first, probe_second back to back
    CAL_PENDING = 18  #: marker start, then interrupts unmasked with the line already pending
    CAL_ONE_WAY_STORE = 19  #: marker store and barrier, timed by the cycle counter
    CAL_ONE_WAY_ECHO = 20  #: marker store until its echo is read back, timed likewise
    CAL_STACK = 21  #: software raises the measured interrupt and the end of a batch once each
    CAL_PINS = 22  #: PL loop-back through pin 0 and its filter; the core only waits


_ANY = range(1, 1020)  # as many as the machine has
_EITHER = ("latency", "throughput")


@dataclass(frozen=True)
class Case:
    """A case. None and empty: the key does not belong to it, or is free.

    ``wire``: activity of the measured core; ``needs``: of the machine.
    """

    wire: CaseId
    needs: tuple[Need, ...] = ()
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
_CACHES: tuple[Need, ...] = ("caches",)
_CORES: tuple[Need, ...] = ("second core",)
CASES: dict[str, Case] = {
    "t1": Case(CaseId.T1, caches="off", interrupts=_ALONE, measures=_EITHER),
    "t2": Case(CaseId.T1, _CACHES, caches="on", interrupts=_ALONE, measures=_EITHER),
    "t3": Case(CaseId.T3, _CACHES, caches="on", interrupts=_ALONE),
    "t4": Case(CaseId.T4, _CORES, background=_ANY),
    "t5": Case(CaseId.T5, _CORES, background=range(14, 15), raised=True),
    "t6": Case(
        CaseId.T6, _CORES, cores=_SEVERAL, interrupts=_OF_PRIVATE, measures=_EITHER, held=True
    ),
    "t6-spi": Case(
        CaseId.T6, _CORES, cores=_SEVERAL, interrupts=("shared",), measures=_EITHER, chance=True
    ),
    "t7": Case(CaseId.T7, _CORES, load=("array",), loaders="all", idles=False),
    "b-lmin": Case(CaseId.T1, _CACHES, caches="on"),
    "b-lmax": Case(
        CaseId.B_LMAX, _CORES, caches="off", cores=(1, *_SEVERAL), background=_ANY, load=("array",),
        combines=True, loaders="rest",
    ),
    "b-tmax": Case(
        CaseId.T6, _CORES, caches="on", cores=_SEVERAL, interrupts=_OF_PRIVATE,
        measures=("throughput",), held=True,
    ),
    "cache-state": Case(
        CaseId.CACHE_STATE, _CACHES, interrupts=_ALONE, prepares=True, keys=("state",)
    ),
    "random-load": Case(
        CaseId.RANDOM_LOAD, ("memory latency",), interrupts=_ALONE, load=_OF_LOAD,
        loaders="measured", prepares=True, keys=("warm", "lockdown"),
    ),
    "placement": Case(
        CaseId.PLACEMENT, interrupts=("shared", "private"), idles=False, code_under_test=True
    ),
    "external": Case(CaseId.EXTERNAL, ("pins",), interrupts=("shared",)),
    # As with a device, the instrument's own core only waits for the end.
    "program": Case(CaseId.EXTERNAL, ("program's core",), interrupts=("shared",)),
    "switch-yield": Case(CaseId.SWITCH_YIELD, interrupts=("none",), tasks=True),
    "switch-notification": Case(CaseId.SWITCH_NOTIFICATION, interrupts=("none",), tasks=True),
}  # fmt: skip

if TYPE_CHECKING:
    CaseName = str
else:
    CaseName = Literal[tuple(CASES)]


def that(**wanted: object) -> str:
    """Names of the cases whose descriptor has all this, for a sentence."""
    names = [
        f'"{name}"'
        for name, case in CASES.items()
        if all(getattr(case, key) == value for key, value in wanted.items())
    ]
    return " or ".join(names)
