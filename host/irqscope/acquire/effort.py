"""Estimates the duration of a run for the waiting user; the estimate is not a result."""

from __future__ import annotations

from irqscope.acquire.plan import Plan
from irqscope.experiment import Experiment
from irqscope.experiment.checks import refires
from irqscope.link.identity import Identity
from irqscope.machines.cases import CASES

#: Starting a target, calibration and report.
_FIXED_S = 4.0
#: A core that sleeps costs a twin nothing; one that works is so much slower than the real one.
_TWIN_SLOWER = 20.0
#: Work of a core in one stimulus of a latency case, without set-up of caches and loads.
_ANSWER_S = 3e-6


def effort_s(experiment: Experiment, identity: Identity) -> float:
    """Seconds on the clock on the wall, to a factor of a few."""
    tick_hz, twin = identity.tick_hz, identity.profile is not None
    plan = Plan(experiment, identity.machine, tick_hz)
    lasting = plan.lasting_s(experiment.count)
    if not twin:
        return _FIXED_S + lasting
    if CASES[experiment.case].loaders in ("all", "rest") and plan.loaders:
        working = plan.loaders.bit_count() * lasting
    elif experiment.lines and refires(experiment):  # answered again and again while it is high
        high = experiment.lines[0].high.ticks(tick_hz) / tick_hz
        working = experiment.count * high * experiment.cores
    elif experiment.idle == "spin":
        working = lasting
    else:
        working = experiment.count * _ANSWER_S
    return _FIXED_S + _TWIN_SLOWER * working
