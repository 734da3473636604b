"""Printed numbers. This package holds only numbers that a paper prints."""

from __future__ import annotations

from dataclasses import dataclass

NOT_PRINTED = "not printed"


@dataclass(frozen=True)
class Printed:
    """A printed number. ``quantity``: its quantity of the distribution."""

    quantity: str
    value: float
    unit: str
    where: str
