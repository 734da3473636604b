"""Models that take nothing for something else: no text for a number, no unknown key."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationInfo

from irqscope.constants import CORES


class Strict(BaseModel):
    """Each value has exactly its type, no key is unknown, and nothing changes later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _from_hex(value: object, info: ValidationInfo) -> object:
    if info.mode != "json":
        return value
    digits = value[2:] if isinstance(value, str) and value.startswith("0x") else ""
    if not digits.isascii() or not digits.isalnum():
        raise ValueError('give hexadecimal digits behind "0x"')
    return int(digits, 16)


#: A count, or ticks.
Natural = Annotated[int, Field(ge=0, lt=1 << 63)]
#: A sum of many of them.
Sum = Annotated[int, Field(ge=0, lt=1 << 96)]
#: What a register or a field of a message holds.
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
