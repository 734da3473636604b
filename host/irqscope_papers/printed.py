"""A number in print. One is in this package only if it is printed in a paper."""

from __future__ import annotations

from dataclasses import dataclass

NOT_PRINTED = "not printed"


@dataclass(frozen=True)
class Printed:
    """A number in print. ``quantity``: of the distribution that it is."""

    quantity: str
    value: float
    unit: str
    where: str
