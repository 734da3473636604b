"""Calibration as ``run.json`` has it."""

from __future__ import annotations

from irqscope.units import Natural, Strict


class Spread(Strict):
    """Distribution of one calibration interval, in ticks."""

    n: Natural
    min_ticks: Natural
    max_ticks: Natural
    counts: tuple[tuple[Natural, Natural], ...]  #: (ticks, how often)


class Cycles(Strict):
    """One way of bounding the one-way path, in cycles of the core."""

    n: Natural
    min_cycles: Natural
    max_cycles: Natural
    sum_cycles: Natural


class OneWay(Strict):
    """The path from core to PL, both ways of bounding it, and the bound."""

    store: Cycles
    echo: Cycles
    bound_ticks: Natural
    bound_ns: Natural


class Uncertainty(Strict):
    """One term of the budget of a single value.

    ``ns`` is None if it scales, or is not known here.
    """

    source: str
    ns: float | None
    text: str


class CalibratedPins(Strict):
    """Calibration of pins. ``wire``: None without one that goes from an output to an input."""

    filter_ticks: Natural
    loopback: Spread
    wire: Spread | None
    uncertainty: tuple[Uncertainty, ...]


class CalibratedLoopback(Strict):
    """Calibration of a run with a foreign program: the instrument's own constant."""

    loopback: Spread


class Calibrated(Strict):
    """The four calibrations, and their meaning for a raw value."""

    cores: Natural
    loopback: Spread
    probe: Spread
    pending: Spread
    one_way: OneWay
    plausible_min_ticks: Natural
    uncertainty: tuple[Uncertainty, ...]


#: The calibration of one kind of measurement.
AnyCalibrated = Calibrated | CalibratedPins | CalibratedLoopback
