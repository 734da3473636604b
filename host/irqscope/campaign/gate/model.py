"""The TOML schema of gates."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer

from irqscope.campaign.gate.limits import Limit
from irqscope.campaign.suite.model import Changes
from irqscope.experiment.values import Time
from irqscope.units import Duration, Strict

_Limit = Annotated[
    Limit,
    BeforeValidator(lambda value: value if isinstance(value, Limit) else Limit.parse(value)),
    PlainSerializer(str),
]
_Chance = Annotated[float, Field(gt=0, lt=1)]


class _Table(Strict):
    model_config = ConfigDict(arbitrary_types_allowed=True)


class Item(_Table):
    """One experiment file with its baseline, limits, or both.

    ``changes``: keys of the experiment that the gate changes; dots lead into tables. ``baseline``:
    a file that ``--accept`` wrote, or a run folder. ``budget``: change that a simulation may show.
    ``masked``: the longest time for which a foreign program may mask line 0.
    """

    file: str
    changes: Changes = {}
    baseline: str | None = Field(default=None, pattern=r"^[^\x00]+$")
    limits: tuple[_Limit, ...] = Field(default=(), strict=False)
    budget: Time = Duration.parse("0 ticks")
    masked: Time | None = None


class Gate(_Table):
    """Experiments that are to stay as fast as they are.

    ``level``: chance that a gate fails although nothing changed, all statements together.
    ``margin``: share of a quantile by which it must also grow. ``detect``: a growth of the number
    of long ones by this factor has to be found with 90 %, or there are too few samples.
    ``repeats``: runs of each side on a board; a simulation repeats itself.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    description: str = ""
    level: _Chance = 0.01
    margin: float = Field(default=0.01, ge=0, le=1)
    detect: float = Field(default=2.0, gt=1, le=1000)
    quantiles: tuple[_Chance, ...] = Field(default=(0.5, 0.99, 0.999), min_length=1, strict=False)
    repeats: int = Field(default=1, ge=1, le=1000)
    items: list[Item] = Field(min_length=1)
