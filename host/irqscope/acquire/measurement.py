"""Carries out a measurement; each kind overrides its own steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Outcome, Session
from irqscope.results.stimuli import Batch
from irqscope.targets import Target

if TYPE_CHECKING:
    from irqscope.acquire.running import Running
    from irqscope.results.calibrated import AnyCalibrated


class AnyCalibration(Protocol):
    """Results that the calibration of every kind has."""

    #: Its key in run.json.
    key: ClassVar[str]

    @property
    def plausible_min_ticks(self) -> int:
        """No true answer comes sooner, ticks; 0: that is not known."""

    def validity_errors(self) -> list[str]:
        """Why a run with this calibration is not valid."""

    def record(self) -> AnyCalibrated:
        """The calibration as ``run.json`` keeps it."""


class Measurement:
    """Carries a plan out on an open target. Its methods raise TargetError, LinkError."""

    def __init__(self, plan: Plan, target: Target) -> None:
        self.plan = plan
        self._target = target

    def calibrate(self, session: Session, step: Callable[[str], None]) -> AnyCalibration:
        """Measures the cost of the probe, or the way to a device.

        ``step`` receives the name of each step.
        """
        raise NotImplementedError

    def set_up(self, session: Session) -> None:
        """Sends the target its settings once, after the case."""

    def measure(self, session: Session, running: Running) -> None:
        """Measures all. Also raises StorageError and Interrupted."""
        running.batches(session)

    def before(self, batch: Batch, session: Session) -> None:
        """Sends the target its settings before a batch."""

    def after(self, batch: Batch, session: Session, outcome: Outcome, rows: Any) -> Any:
        """Takes a batch in whose samples are ``rows``. Returns rows of PLACES, or None."""

    def record(self) -> dict[str, Any]:
        """Returns the kind's part of run.json so far, in addition to the common part."""
        return {}

    def validity_errors(self) -> Iterator[str]:
        """Why it makes the run invalid, a line each."""
        return iter(())

    def notes(self) -> Iterator[str]:
        """Yields remarks that must accompany N, the number of stimuli."""
        return iter(())
