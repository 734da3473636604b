"""Schema of a simulated device's table, and its form for the engine.

A module of its own: a twin without a device need not wait until pydantic is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from irqscope.errors import ExperimentError
from irqscope.experiment.problem import Problem
from irqscope.experiment.tables import LIST, PINS
from irqscope.experiment.tomlfile import located, read, said, validated
from irqscope.experiment.values import Table

#: Units of twin time.
_UNITS = {"ns": 6, "us": 6_000, "ms": 6_000_000}
_LONGEST = 3600 * 1000 * _UNITS["ms"]


def _time(value: object) -> int:
    """A time such as "3.5 us", in units of twin time. Raises ValueError."""
    match = re.fullmatch(r"([0-9]{1,20}(?:\.[0-9]{1,20})?) (ns|us|ms)", str(value))
    units = Fraction(match[1]) * _UNITS[match[2]] if match else Fraction(-1)
    if not 0 <= units <= _LONGEST:
        raise ValueError('give a time of at most an hour, such as "3.5 us"')
    return round(units)


def _differ(states: tuple[State, ...]) -> tuple[State, ...]:
    if len({state.name for state in states}) < len(states):
        raise ValueError("two states have the same name; rename one")
    return states


Pin = Annotated[int, Field(ge=0, lt=PINS)]
Pins = Annotated[tuple[Pin, ...], LIST]
Text = Annotated[str, Field(min_length=1)]
Time = Annotated[int, BeforeValidator(_time)]


class Marked(Table):
    """A table that says where its values come from."""

    mark: Literal["published", "assumed", "measured"]
    source: Text


class Clock(Marked):
    """The device's own, by which it samples its input and times what it does."""

    period: Annotated[Time, Field(ge=1)]


class Wire(Marked):
    """From one pin of the instrument to another, for its calibration."""

    output: Pin
    input: Pin
    delay: Time


class Step(Marked):
    """Something that the device does, after what came before it."""

    signal: Text
    delay: Time
    spread: Time
    raises: Pins = ()
    lowers: Pins = ()

    @model_validator(mode="after")
    def _some_pin(self) -> Self:
        if not (self.raises or self.lowers):
            raise ValueError("it raises and lowers no pin; name one")
        return self


class State(Table):
    """One way to answer an interrupt."""

    name: Text
    weight: Annotated[int, Field(ge=1)]
    steps: Annotated[tuple[Step, ...], Field(strict=False, min_length=1)]


class Description(Table):
    """A table of a device."""

    device: str
    title: Text
    input: Pin
    sense: Literal["rising edge", "level"]
    clears: Literal["before", "after"]
    seed: Annotated[int, Field(ge=0, lt=1 << 32)]
    clock: Clock
    wire: Wire | None = None
    states: Annotated[tuple[State, ...], Field(strict=False, min_length=1), AfterValidator(_differ)]


def described(path: Path) -> Description:
    """What a table says. Raises ExperimentError with file, line and key."""
    text, table = read(path)
    found = validated(path, text, table, Description)
    if found.device != path.stem:
        problem = Problem(("device",), f'the file is named for "{path.stem}"')
        raise ExperimentError(f"{located(path, text, problem)}: {said(problem)}")
    return found


def settings(table: Description, states: list[State], wiring: int) -> Iterator[str]:
    """NAME=NUMBER for the engine, in order."""
    yield f"clock={table.clock.period}"
    yield f"phase={table.seed * 7919 % table.clock.period}"
    yield f"seed={table.seed}"
    yield f"input={table.input}"
    yield f"by_level={int(table.sense == 'level')}"
    yield f"late={int(table.clears == 'after')}"
    yield f"wiring={wiring}"
    if table.wire is not None:
        yield f"wire_output={table.wire.output}"
        yield f"wire_input={table.wire.input}"
        yield f"wire_delay={table.wire.delay}"
    for state in states:
        yield f"state={state.weight}"
        for step in state.steps:
            pins = [(pin, 1) for pin in step.raises] + [(pin, 0) for pin in step.lowers]
            for n, (pin, level) in enumerate(pins):
                yield f"pin={pin}"
                yield f"level={level}"
                yield f"delay={0 if n else step.delay}"
                yield f"spread={0 if n else step.spread}"
