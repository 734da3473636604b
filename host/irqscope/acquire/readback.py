"""Sets a case up, and compares the hardware's readback with the request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irqscope.acquire import encoding
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Session
from irqscope.constants import CORES
from irqscope.errors import TargetError
from irqscope.experiment.kinds import answering
from irqscope.link.codec import Reply, Values
from irqscope.link.messages import Caches
from irqscope.results.readback import BackgroundState, CoreState, Readback

#: What must read back exactly as asked.
_ASKED = (
    "case_id", "markers", "idle", "trigger", "dispatcher", "core", "interrupt", "placement",
    "pages", "memory", "aimed", "divisor", "timer_tick_period",
)  # fmt: skip


def prepare(session: Session, plan: Plan, case: Values) -> Reply:
    """Sets the case up, and the locks that hold during its batches."""
    reply = session.prepare(case)
    if which := encoding.lockdown(plan):
        locked = session.lock(which)
        reply = Reply(reply.values, np.concatenate((reply.tail, locked.tail)))
    return reply


def set_up(session: Session, plan: Plan, case: Values) -> Readback:
    """Sets the case up; the readback of the hardware."""
    readback = prepare(session, plan, case)
    cores = session.cores(readback.cores_running)
    interrupts = plan.experiment.background and not plan.program
    background = session.background() if interrupts else []
    return Readback.model_validate(
        _read_back(readback)
        | {"cores": tuple(CoreState.model_validate(_read_back(core)) for core in cores)}
        | {"background": tuple(map(BackgroundState.model_validate, background))}
    )


def compare(plan: Plan, requested: Values, readback: Readback) -> None:
    """Compares the request with the readback.

    ``requested``: values of the CASE message; ``readback``: as in run.json. Raises
    TargetError if they differ.
    """
    for difference in _differences(plan, requested, readback):
        raise TargetError(f"{difference}; reset the target and run again")


def _differences(plan: Plan, requested: Values, readback: Readback) -> Iterator[str]:
    at_pins = answering(plan.experiment).at_pins
    for name in _ASKED:
        if name == "trigger" and (plan.experiment.kind == "none" or at_pins):
            continue  # no interrupt of this machine: its controller's only sense is as good as any
        if requested[name] != (value := getattr(readback, name)):
            yield f"asked for {name} = {requested[name]}, the readback is {value}"
    if not at_pins:  # a device's latency is not this core's
        yield from _caches("", requested, readback.caches)
    if plan.raises and not readback.raising_core:
        yield "no core raises the background interrupts"
    if (background := plan.experiment.background) and not plan.program:
        enabled = sum(bool(entry.enabled) for entry in readback.background)
        if enabled != background.interrupts:
            yield f"asked for {background.interrupts} background interrupts, enabled are {enabled}"
    if plan.working.bit_count() > 1:
        yield from _cores(plan, requested, {entry.core: entry for entry in readback.cores})


def _cores(plan: Plan, requested: Values, states: dict[int, CoreState]) -> Iterator[str]:
    for core in range(CORES):
        if not plan.working >> core & 1:
            continue
        if core not in states or not states[core].running:
            yield f"core {core} does not run"
            continue
        yield from _caches(f" of core {core}", requested, states[core].caches)
        if plan.handlers >> core & 1 and not states[core].handles:
            yield f"the interrupt is not enabled for core {core}"


def _caches(whose: str, requested: Values, on: int) -> Iterator[str]:
    if on != (Caches.DATA | Caches.INSTRUCTION if requested["caches"] else 0):
        names = [cache.name.lower() for cache in Caches if cache & on and cache.name]
        yield (
            f"asked for caches {'on' if requested['caches'] else 'off'}, on{whose} are "
            f"{' and '.join(names) or 'none'}"
        )


def _read_back(reply: Reply) -> dict[str, Any]:
    """Fields and registers of a reply. How many interrupts are further, their list says."""
    values = {name: value for name, value in reply.values.items() if name != "background"}
    return values | {"registers": reply.registers}
