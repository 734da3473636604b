"""A gate's result: statements, each with its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from irqscope.units import Natural, Strict

State = Literal["pass", "fail", "too few samples", "not resolved"]
PASS: State = "pass"
FAIL: State = "fail"
TOO_FEW: State = "too few samples"
#: The difference is smaller than the instrument can tell, however many samples there are.
NOT_RESOLVED: State = "not resolved"


@dataclass(frozen=True)
class Verdict:
    """``needed``: samples from which on it can be decided, if they are too few; None if unknown."""

    state: State
    said: str
    needed: int | None = None


class Statement(Strict):
    """A verdict on one item. ``name``: the statement; ``details``: the changes, line by line."""

    item: str
    name: str
    state: State
    said: str
    needed: Natural | None = None
    details: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statement in one line, for a user to read."""
        if self.state != TOO_FEW:
            return self.said
        more = "" if self.needed is None else f"; about {self.needed} are needed"
        return f"{self.said}{more}"


def overall(statements: tuple[Statement, ...]) -> State:
    """Returns the verdict of a gate: one failing statement makes it fail.

    Otherwise an undecided statement leaves it open.
    """
    states = {statement.state for statement in statements}
    return next((one for one in (FAIL, TOO_FEW, NOT_RESOLVED) if one in states), PASS)
