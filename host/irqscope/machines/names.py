"""Words of experiment files that a machine has or unsupported."""

from __future__ import annotations

from typing import Literal, get_args

CaseName = Literal[
    "t1", "t2", "t3", "t4", "t5", "t6", "t6-spi", "t7", "b-lmin", "b-lmax", "b-tmax",
    "cache-state", "random-load", "switch-yield", "switch-notification",
    "placement",
    "external",
]  # fmt: skip
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

#: By key of a description's tables [has] and [unsupported].
WORDS: dict[str, tuple[str, ...]] = {
    "case": get_args(CaseName),
    "placement": get_args(PlacementName),
    "pages": get_args(PageSize),
    "memory": get_args(MemoryName),
    "state": get_args(StateName),
    "lockdown": get_args(LockdownName),
    "idle": get_args(IdleName),
    "markers": get_args(MarkerSet),
    "interrupt": get_args(InterruptKind),
    "clock_divisor": ("more than 1",),
}
