"""A machine as a program in on-chip memory meets it: without DDR (fw/memory/ocm.ld)."""

from __future__ import annotations

from functools import cache

from irqscope.machines.generated import MACHINES
from irqscope.machines.model import Machine

NAME = "ocm"
WHY = "the firmware stands in on-chip memory and uses no DDR; load the one in DDR"
#: Its translation has one page for each 4 KB of on-chip memory.
_PAGES = "4 KB"
#: What keeps its notes in DDR.
_CASE = "placement"


@cache
def on_chip(number: int) -> Machine:
    """The machine of that number, without DDR. Raises LookupError if it has no such program."""
    for machine in MACHINES:
        placements = tuple(place for place in machine.placements if place.name == NAME)
        if machine.number == number and placements:
            return _without_ddr(machine).model_copy(update={"placements": placements})
    raise LookupError(number)


def _without_ddr(machine: Machine) -> Machine:
    has = machine.has
    left_out: dict[str, list[str]] = {
        "placement": [place.name for place in machine.placements if place.name != NAME],
        "pages": [size for size in has.pages if size != _PAGES],
        "case": [_CASE],
    }
    reasons = {key: {name: WHY for name in names} for key, names in left_out.items()}
    return machine.model_copy(
        update={
            "has": has.model_copy(
                update={"pages": (_PAGES,), "case": tuple(c for c in has.case if c != _CASE)}
            ),
            "memory": machine.memory.model_copy(update={"arrays_kib": 0}),
            "unsupported": {
                key: {**machine.unsupported.get(key, {}), **reasons.get(key, {})}
                for key in {**machine.unsupported, **reasons}
            },
        }
    )
