"""Whether the firmware put in force what was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import CORES
from irqscope.errors import TargetError
from irqscope.plan import Plan, Values
from irqscope.protocol.messages import Caches
from irqscope.results.in_force import CoreState, InForce

#: What must be in force exactly as asked.
_ASKED = (
    "case_id", "markers", "idle", "trigger", "dispatcher", "core", "interrupt", "placement",
    "pages", "memory", "aimed", "divisor", "tick_period",
)  # fmt: skip


def compare(plan: Plan, asked: Values, in_force: InForce) -> None:
    """Raises TargetError where something else is in force.

    ``asked``: values of the CASE message; ``in_force``: as it stands in run.json.
    """
    for difference in _differences(plan, asked, in_force):
        raise TargetError(f"{difference}; reset the target and run again")


def _differences(plan: Plan, asked: Values, in_force: InForce) -> Iterator[str]:
    for name in _ASKED:
        if name == "trigger" and plan.experiment.kind == "none":
            continue  # there is no interrupt: the controller's only sense is as good as any
        if asked[name] != (found := getattr(in_force, name)):
            yield f"asked for {name} = {asked[name]}, in force is {found}"
    yield from _caches("", asked, in_force.caches)
    if plan.raises and not in_force.raising_core:
        yield "no core raises the further interrupts"
    if further := plan.experiment.further:
        enabled = sum(bool(entry.enabled) for entry in in_force.further)
        if enabled != further.interrupts:
            yield f"asked for {further.interrupts} further interrupts, enabled are {enabled}"
    if plan.working.bit_count() > 1:
        yield from _cores(plan, asked, {entry.core: entry for entry in in_force.cores})


def _cores(plan: Plan, asked: Values, found: dict[int, CoreState]) -> Iterator[str]:
    for core in range(CORES):
        if not plan.working >> core & 1:
            continue
        if core not in found or not found[core].running:
            yield f"core {core} does not run"
            continue
        yield from _caches(f" of core {core}", asked, found[core].caches)
        if plan.handlers >> core & 1 and not found[core].handles:
            yield f"the interrupt is not enabled for core {core}"


def _caches(whose: str, asked: Values, on: int) -> Iterator[str]:
    if on != (Caches.DATA | Caches.INSTRUCTION if asked["caches"] else 0):
        told = [cache.name.lower() for cache in Caches if cache & on and cache.name]
        yield (
            f"asked for caches {'on' if asked['caches'] else 'off'}, on{whose} are "
            f"{' and '.join(told) or 'none'}"
        )
