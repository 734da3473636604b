"""The TOML schema of suites."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from irqscope.units import Strict

#: Presets of counts: minutes on the twin, the papers' counts, and those that tails need.
COUNTS = ("quick", "paper", "tail")

#: Keys that a preset or a matrix may not change: they distinguish runs.
Changes = dict[str, Any]


class Item(Strict):
    """One experiment file, or a whole matrix of experiments out of one file.

    ``quick``, ``paper``, ``tail``: keys of the experiment that a preset of counts changes; dots
    lead into tables. ``matrix``: for each key the values it takes; the cross product is run.
    ``target``: of this experiment, whatever the suite's is.
    """

    file: str
    target: str | None = Field(default=None, min_length=1, max_length=1000)
    quick: Changes = {}
    paper: Changes = {}
    tail: Changes = {}
    matrix: dict[str, list[Any]] = {}

    def changes(self, counts: str) -> Changes:
        """The changes that the preset of counts ``counts`` makes to the experiment."""
        changes: Changes = getattr(self, counts)
        return changes


class Suite(Strict):
    """Experiments that belong together. ``card``: contents of the card in addition to its table."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    description: str = ""
    card: (
        Literal["horst2020", "cache-states", "distributions", "lockdown", "stages", "cv32rt"] | None
    ) = None
    items: list[Item] = Field(min_length=1)
