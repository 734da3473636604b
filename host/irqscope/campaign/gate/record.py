"""What ``gate.json`` says: one model, written nowhere else."""

from __future__ import annotations

from typing import Any, Final, Literal

from irqscope.analysis.stats import Quantile
from irqscope.campaign.gate.statement import State, Statement
from irqscope.units import Moment, Natural, Strict

FILE = "gate.json"
FORMAT: Final = "irqscope-gate/1"


class Figure(Strict):
    """One quantile of the measurement, ns.

    ``value_ns`` is None if N is too small or a bin too wide. An open end is None.
    """

    name: str
    value_ns: float | None
    lower_ns: float | None
    upper_ns: float | None

    @classmethod
    def of(cls, quantile: Quantile, ns: float, *, bounded: bool) -> Figure:
        """A quantile as a figure.

        ``ns``: length of a tick; ``bounded``: whether the ends may be given.
        """

        def time(ticks: int | None) -> float | None:
            return None if ticks is None else ticks * ns

        return cls(
            name=quantile.name,
            value_ns=time(quantile.exact),
            lower_ns=time(quantile.lower) if bounded else None,
            upper_ns=time(quantile.upper) if bounded else None,
        )


class ItemRecord(Strict):
    """One experiment. ``runs``: folders below that of the gate; ``n``: stimuli of all of them."""

    runs: tuple[str, ...]
    against: tuple[str, ...] = ()
    seconds: float
    n: Natural
    figures: tuple[Figure, ...]


class GateRecord(Strict):
    """All of ``gate.json``.

    ``label``: where the numbers come from; ``accepted``: baselines that were written in place of a
    verdict.
    """

    format: Literal["irqscope-gate/1"] = FORMAT
    gate: str
    description: str
    program: str
    target: str
    label: str
    started: Moment
    ended: Moment
    state: State
    items: dict[str, ItemRecord]
    statements: tuple[Statement, ...]
    accepted: dict[str, tuple[str, ...]] = {}

    def as_dict(self) -> dict[str, Any]:
        """The record as programs read it."""
        return self.model_dump(mode="json")
