"""Measurements over a grid of stimuli, answered by software, a device or a program."""

from __future__ import annotations

from collections.abc import Callable

from irqscope.acquire.measurement import AnyCalibration, Measurement
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Session
from irqscope.targets import Target


class Grid(Measurement):
    """``answering``: the kind that it is apart from its grid, which calibrates and sets up."""

    def __init__(self, plan: Plan, target: Target, answering: Measurement) -> None:
        super().__init__(plan, target)
        self._answering = answering

    def calibrate(self, session: Session, step: Callable[[str], None]) -> AnyCalibration:
        return self._answering.calibrate(session, step)

    def set_up(self, session: Session) -> None:
        self._answering.set_up(session)
