"""A calibration in words, for the terminal and for the report alike."""

from __future__ import annotations

from collections.abc import Sequence

from irqscope.report import wording
from irqscope.results.calibrated import (
    AnyCalibrated,
    Calibrated,
    CalibratedLoopback,
    CalibratedPins,
    Spread,
    Uncertainty,
)

#: A row of a table: name and text.
Line = tuple[str, str]


def sentence(c: AnyCalibrated, hz: int) -> str:
    """A calibration in one line."""
    if isinstance(c, Calibrated):
        return _of_path(c, hz)
    if isinstance(c, CalibratedPins):
        return _of_pins(c, hz)
    return "; ".join(" ".join(line) for line in _loopback_rows(c, hz))


def rows(c: AnyCalibrated, hz: int) -> list[Line]:
    """A calibration in a table of its own."""
    if isinstance(c, Calibrated):
        return _path_rows(c, hz)
    return _pin_rows(c, hz) if isinstance(c, CalibratedPins) else _loopback_rows(c, hz)


def _of_path(c: Calibrated, hz: int) -> str:
    """The four steps of a calibration, and their meaning for a raw value."""
    bound = wording.time(c.one_way.bound_ticks, hz)
    return (
        f"loop-back {_span(c.loopback, hz)}; probe {_span(c.probe, hz)}; "
        f"pending {_span(c.pending, hz)}; one-way path at most {bound}: "
        f"software alone took raw - [0, {wording.number(c.one_way.bound_ticks, hz)}] "
        f"{wording.unit(hz)}"
    )


def _of_pins(c: CalibratedPins, hz: int) -> str:
    """Times of the way to the pins and back."""
    wire = "no wire measured" if c.wire is None else f"wire {_span(c.wire, hz)}"
    return (
        f"loop-back through pin 0 {_span(c.loopback, hz)} (filter {c.filter_ticks} ticks); {wire}"
    )


def _path_rows(c: Calibrated, hz: int) -> list[Line]:
    """The calibration in a table of its own, with the uncertainty of one value."""
    one_way = c.one_way
    rows = [
        (f"{step} (N = {spread.n})", _span(spread, hz))
        for step, spread in (
            ("(a) loop-back", c.loopback),
            ("(b) probe", c.probe),
            ("(c) pending", c.pending),
        )
    ]
    ways = ", ".join(
        f"{name} {way.min_cycles} to {way.max_cycles} cycles"
        for name, way in (("store", one_way.store), ("echo", one_way.echo))
    )
    bound = wording.time(one_way.bound_ticks, hz)
    rows.append(("(d) one-way path", f"{ways}; at most {bound}"))
    rows.append(("least plausible", wording.time(c.plausible_min_ticks, hz)))
    return rows + _budget(c.uncertainty)


def _pin_rows(c: CalibratedPins, hz: int) -> list[Line]:
    """The calibration of an external device's pins, with the uncertainty of one value."""
    steps = [("(a) loop-back through pin 0", c.loopback)]
    if c.wire is not None:
        steps.append(("(b) wire from output to input", c.wire))
    rows = [(f"{step} (N = {spread.n})", _span(spread, hz)) for step, spread in steps]
    return rows + _budget(c.uncertainty)


def _loopback_rows(c: CalibratedLoopback, hz: int) -> list[Line]:
    """The calibration of a run with a foreign program."""
    return [(f"loop-back (N = {c.loopback.n})", _span(c.loopback, hz))]


def _budget(terms: Sequence[Uncertainty]) -> list[Line]:
    return [
        (
            f"\N{PLUS-MINUS SIGN} {term.source}",
            ("-" if term.ns is None else f"{term.ns:.3g} ns") + f"; {term.text}",
        )
        for term in terms
    ]


def _span(spread: Spread, hz: int) -> str:
    low, high = spread.min_ticks, spread.max_ticks
    if low == high:
        return f"{wording.plain(low, hz)} constant"
    number, _, unit = (first := wording.plain(low, hz)).rpartition(" ")
    last = wording.plain(high, hz)
    return f"{number if last.endswith(f' {unit}') else first} to {last}"
