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
    """The device's clock, which samples its input and times its actions."""

    period: Annotated[Time, Field(ge=1)]


class Wire(Marked):
    """Wire from one pin of the instrument to another, for its calibration."""

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
    input: Pin | None = None
    steps: Annotated[tuple[Step, ...], Field(strict=False, min_length=1)]


class Description(Table):
    """A table of a device."""

    device: str
    title: Text
    input: Pin | None = None
    inputs: Annotated[tuple[Pin, ...], LIST, Field(min_length=1)] | None = None
    sense: Literal["rising edge", "level"]
    clears: Literal["before", "after", "all"]
    seed: Annotated[int, Field(ge=0, lt=1 << 32)]
    clock: Clock
    wire: Wire | None = None
    states: Annotated[tuple[State, ...], Field(strict=False, min_length=1), AfterValidator(_differ)]

    @property
    def all_inputs(self) -> tuple[int, ...]:
        """Its inputs, the most urgent one first."""
        return self.inputs or ((self.input,) if self.input is not None else ())


def described(path: Path) -> Description:
    """Returns the content of a table. Raises ExperimentError with file, line and key."""
    text, table = read(path)
    table_read = validated(path, text, table, Description)
    if problem := _problem(table_read, path.stem):
        raise ExperimentError(f"{located(path, text, problem)}: {said(problem)}")
    return table_read


def _problem(table: Description, name: str) -> Problem | None:
    """Returns what does not fit together in a table, or None. ``name``: that of its file."""
    if table.device != name:
        return Problem(("device",), f'the file is named for "{name}"')
    if table.inputs is None and table.input is None:
        return Problem(("input",), "this key is missing; add it, or inputs for several")
    if table.inputs is not None and table.input is not None:
        return Problem(("input",), "inputs has them all; remove this one")
    if len(set(table.all_inputs)) < len(table.all_inputs):
        return Problem(("inputs",), "a pin is there twice; remove one")
    for place, state in enumerate(table.states):
        path = ("states", place, "input")
        if table.inputs is None and state.input is not None:
            return Problem(path, "the device has one input; remove this key")
        if table.inputs is not None and state.input is None:
            return Problem(path, "this key is missing; name one of inputs")
        if table.inputs is not None and state.input not in table.inputs:
            return Problem(path, "it is not one of inputs; name one of them")
    for pin in table.inputs or ():
        if all(state.input != pin for state in table.states):
            return Problem(("inputs",), f"no state answers input {pin}; add one")
    return None


def settings(table: Description, states: list[State], wiring: int) -> Iterator[str]:
    """NAME=NUMBER for the engine, in order."""
    yield f"clock={table.clock.period}"
    yield f"phase={table.seed * 7919 % table.clock.period}"
    yield f"seed={table.seed}"
    inputs = [pin for pin in table.all_inputs if any(s.input in (None, pin) for s in states)]
    for pin in inputs:
        yield f"input={pin}"
    yield f"by_level={int(table.sense == 'level')}"
    yield f"late={('before', 'after', 'all').index(table.clears)}"
    yield f"wiring={wiring}"
    if table.wire is not None:
        yield f"wire_output={table.wire.output}"
        yield f"wire_input={table.wire.input}"
        yield f"wire_delay={table.wire.delay}"
    for state in states:
        yield f"state={state.weight}"
        if place := inputs.index(state.input) if state.input is not None else 0:
            yield f"of={place}"
        for step in state.steps:
            pins = [(pin, 1) for pin in step.raises] + [(pin, 0) for pin in step.lowers]
            for n, (pin, level) in enumerate(pins):
                yield f"pin={pin}"
                yield f"level={level}"
                yield f"delay={0 if n else step.delay}"
                yield f"spread={0 if n else step.spread}"
