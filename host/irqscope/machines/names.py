"""Values of experiment files that a machine may have, and the features that they need."""

from __future__ import annotations

from typing import Literal, get_args

PlacementName = Literal["ddr", "ocm"]
PageSize = Literal["1 GB", "16 MB", "2 MB", "1 MB", "4 KB"]
MemoryName = Literal["cacheable", "non-cacheable"]
StateName = Literal["tlb", "bp", "l1i", "l1d", "l2"]
LockdownName = Literal["tlb", "tlb+l2"]
IdleName = Literal["wfi", "spin"]
MarkerSet = Literal["paper", "stages", "paper+stm", "stm+paper"]
#: Kinds of interrupt: any core of several, each core by itself, raised by a core.
InterruptKind = Literal["shared", "private", "software"]
Sense = Literal["rising edge", "level"]

#: Features that a machine may lack (the table [without] of its description).
Need = Literal[
    "caches", "second core", "memory latency", "translation", "pins", "stm", "program's core",
    "line interrupts",
]  # fmt: skip

#: By key of a description's tables [has] and [unsupported]; cases have descriptors (:mod:`.cases`).
WORDS: dict[str, tuple[str, ...]] = {
    "placement": get_args(PlacementName),
    "pages": get_args(PageSize),
    "memory": get_args(MemoryName),
    "state": get_args(StateName),
    "lockdown": get_args(LockdownName),
    "idle": get_args(IdleName),
    "markers": get_args(MarkerSet),
    "interrupt": get_args(InterruptKind),
    "clock_divisor": ("more than 1",),
    "lines.interrupt": ("own",),
}

#: Features that a machine needs for a value, by key. Not for those that its own [has] lists all the
#: same.
NEEDS: dict[str, dict[str, Need]] = {
    "pages": dict.fromkeys(get_args(PageSize), "translation"),
    "memory": {"non-cacheable": "caches"},
    "state": {"tlb": "translation", "l1i": "caches", "l1d": "caches", "l2": "caches"},
    "lockdown": {"tlb": "translation", "tlb+l2": "caches"},
    "markers": {"paper+stm": "stm", "stm+paper": "stm"},
    "interrupt": {"private": "second core"},
    "lines.interrupt": {"own": "line interrupts"},
}
