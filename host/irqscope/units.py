"""Ticks and nanoseconds. Stored values are integers in ticks; ns appear at the program's edge."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import cleandoc
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationInfo
from pydantic.fields import FieldInfo

from irqscope.constants import CORES

_Model = TypeVar("_Model", bound=BaseModel)

NS_PER_S = 1_000_000_000

_KIB = {"KB": 1, "MB": 1 << 10, "GB": 1 << 20}
#: Beyond any clock's and memory's use, and within 63 bits in every unit.
_LONGEST_NS = 1000 * NS_PER_S
_LARGEST_KIB = 1 << 32
_DIGITS = 24
#: Times below this are short, ns.
_SHORT_NS = 10_000
#: Units of longer ones.
_SHOWN = ((1_000, "µs"), (1_000_000, "ms"), (NS_PER_S, "s"))
#: What rounds to five digits, and more.
_FIVE_DIGITS = 9999.5
_RATES = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
_SIZE = re.compile(r" *([0-9]+) *(KB|MB|GB) *")
_NS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": NS_PER_S}
_DURATION = re.compile(r" *([0-9]+(?:\.[0-9]+)?) *(ticks?|ns|us|µs|ms|s) *")


class NominalHz(int):
    """Rate of a clock that only counts: its cycles are what is known, times are for orientation."""


def ticks_to_ns(ticks: int, tick_hz: int) -> int:
    """Ticks as the nearest whole nanosecond, halves up; integer arithmetic, rounded once."""
    return (2 * ticks * NS_PER_S + tick_hz) // (2 * tick_hz)


def unit_of(ns: float) -> tuple[int, str]:
    """Return the unit that a time is shown in, as its length in ns and its name."""
    if ns < _SHORT_NS:
        return 1, "ns"
    return next((size, name) for size, name in _SHOWN if ns < 1000 * size or size == NS_PER_S)


def shown_ns(ns: float) -> str:
    """Return a time for a reader: whole ns as they are, others with up to four digits."""
    size, name = unit_of(ns)
    return f"{ns if size == 1 and isinstance(ns, int) else digits(ns / size)} {name}"


def digits(value: float) -> str:
    """Return a number with four digits, or more if it has more before its point."""
    return f"{value:.4g}" if abs(value) < _FIVE_DIGITS else f"{value:.0f}"


def shown_rate(hz: float) -> str:
    """Return a rate for a reader, with up to four digits: 500 k/s."""
    size, name = next((one for one in _RATES if hz >= one[0]), (1, ""))
    return f"{digits(hz / size)} {name}/s"


def short_time(ticks: int, tick_hz: int) -> str:
    """Return a time as the label of an axis."""
    return shown_ns(ticks_to_ns(ticks, tick_hz))


def whole(text: str) -> int | None:
    """Return the number that is written in ASCII digits, or after 0x; None for any other text.

    Python's `int` also takes underscores, spaces and the digits of other scripts.
    """
    match = re.fullmatch(r"[0-9]{1,20}|0x[0-9A-Fa-f]{1,16}", text)
    return None if match is None else int(text, 16 if text.startswith("0x") else 10)


def ns_to_ticks(ns: Fraction | int, tick_hz: int) -> int:
    """Nanoseconds as the nearest whole tick, halves up."""
    exact = Fraction(ns) * tick_hz / NS_PER_S
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


@dataclass(frozen=True)
class Duration:
    """A time as a file gives it: in ticks, or in units that a target's clock turns into ticks."""

    text: str
    exact_ticks: int | None
    ns: Fraction

    @classmethod
    def parse(cls, value: object) -> Duration:
        """A duration from an integer (ticks) or a text such as ``"1 ms"`` or ``"10 ticks"``.

        Raises ValueError for anything else.
        """
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError('a time is a whole number of ticks or a text such as "1 ms"')
        if isinstance(value, int):
            value = f"{value} ticks"
        match = _DURATION.fullmatch(value)
        if match is None:
            raise ValueError(f'"{value}" is not a time; write ticks, ns, us, ms or s, as in "1 ms"')
        number, unit = Fraction(match[1][:_DIGITS]), match[2]
        ns = number * _NS.get(unit, 1)
        if len(match[1]) > _DIGITS or ns > _LONGEST_NS:
            raise ValueError(f'"{value}" is longer than any time here; give at most 1000 s')
        if not unit.startswith("tick"):
            return cls(value, None, ns)
        if number.denominator != 1:
            raise ValueError(f'"{value}" is not a whole number of ticks; give one, or a time in ns')
        return cls(value, int(number), Fraction(0))

    def ticks(self, tick_hz: int) -> int:
        """The duration in whole ticks of a clock of ``tick_hz``."""
        return self.exact_ticks if self.exact_ticks is not None else ns_to_ticks(self.ns, tick_hz)

    def of(self, tick_hz: int) -> Fraction:
        """Ticks of a clock of ``tick_hz``, not rounded."""
        exact = self.exact_ticks
        return Fraction(exact) if exact is not None else self.ns * tick_hz / NS_PER_S

    def counts(self, hz: int, tick_hz: int) -> int:
        """Converts a duration at ``tick_hz`` into whole counts of another clock, of ``hz``."""
        if self.exact_ticks is None:
            return ns_to_ticks(self.ns, hz)
        return ns_to_ticks(Fraction(self.exact_ticks * NS_PER_S, tick_hz), hz)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Size:
    """Memory as a file gives it. A KB is 1024 bytes, a MB 1024 KB, a GB 1024 MB."""

    text: str
    kib: int

    @classmethod
    def parse(cls, value: object) -> Size:
        """A size from a text such as ``"96 MB"``. Raises ValueError for anything else."""
        match = _SIZE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise ValueError(f'"{value}" is not a size; write KB, MB or GB, as in "96 MB"')
        kib = int(match[1][:_DIGITS]) * _KIB[match[2]]
        if len(match[1]) > _DIGITS or kib > _LARGEST_KIB:
            raise ValueError(f'"{value}" is more than any memory here; give at most 1 GB')
        return cls(str(value), kib)

    def __str__(self) -> str:
        return self.text


class Strict(BaseModel):
    """Each value has exactly its type, no key is unknown, and nothing changes later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Extensible(Strict):
    """A model that kinds of measurement add to: models, each None unless it is given."""

    @classmethod
    def add(cls, models: Mapping[str, type[BaseModel]]) -> None:
        """Adds a field for each model, under its key."""
        for key, model in models.items():
            text = cleandoc(model.__doc__ or "")
            kind: Any = model | None
            default = Field(None, description=text)
            cls.__pydantic_fields__[key] = FieldInfo.from_annotated_attribute(kind, default)
        cls.model_rebuild(force=True)

    def part(self, model: type[_Model]) -> _Model | None:
        """Returns the part that was added to it for a model, or None."""
        return next((value for value in vars(self).values() if isinstance(value, model)), None)


def _from_hex(value: object, info: ValidationInfo) -> object:
    if info.mode != "json":
        return value
    digits = value[2:] if isinstance(value, str) and value.startswith("0x") else ""
    if not digits.isascii() or not digits.isalnum():
        raise ValueError('give hexadecimal digits after "0x"')
    return int(digits, 16)


#: A count, or ticks.
Natural = Annotated[int, Field(ge=0, lt=1 << 63)]
#: A sum of many of them.
Sum = Annotated[int, Field(ge=0, lt=1 << 96)]
#: A value of a register or of a message's field.
Word = Annotated[int, Field(ge=0, lt=1 << 64)]
#: The same, hexadecimal in JSON.
Hex = Annotated[
    Word,
    BeforeValidator(_from_hex),
    PlainSerializer(lambda value: f"{value:#010x}", return_type=str, when_used="json"),
]
Channel = Annotated[int, Field(ge=0, lt=256)]
Core = Annotated[int, Field(ge=0, lt=CORES)]
#: No clock here is slower.
SLOWEST_HZ = 1_000_000
Hertz = Annotated[int, Field(ge=SLOWEST_HZ, lt=1 << 32)]
#: A moment, UTC, to a second.
Moment = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
