"""Turns message payloads into values and back, by their declarations in :mod:`.messages`."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.link.messages import Field, Message

#: The values of a message's fields, by name.
Values = dict[str, int]

_DTYPES = {"B": "<u1", "H": "<u2", "I": "<u4", "Q": "<u8", "16s": "S16"}


class PayloadError(ValueError):
    """A payload that does not have the declared size."""


@dataclass(frozen=True)
class Reply:
    """A reply's fields, as attributes, and its tail.

    ``tail``: structured array, shape (n,), one entry for each repetition of the tail's fields.
    """

    values: Mapping[str, int]
    tail: npt.NDArray[np.void]

    @property
    def registers(self) -> dict[str, int]:
        """Values of a tail of raw registers, by name."""
        return {
            name.decode("ascii", "backslashreplace"): value for name, value in self.tail.tolist()
        }

    def __getattr__(self, name: str) -> int:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


def layout(fields: Sequence[Field]) -> struct.Struct:
    """The fields as a packed, little-endian struct."""
    return struct.Struct("<" + "".join(field.code for field in fields))


def dtype(fields: Sequence[Field]) -> np.dtype[np.void]:
    """The fields as a packed, little-endian record type of NumPy."""
    return np.dtype([(field.name, _DTYPES[field.code]) for field in fields])


def pack(fields: Sequence[Field], values: Mapping[str, int]) -> bytes:
    """Payload of the values; exactly the declared names must be given.

    Raises ValueError for a value that does not fit its field.
    """
    names = [field.name for field in fields]
    if set(names) != set(values):
        raise TypeError(f"fields {sorted(set(names) ^ set(values))} are missing or unknown")
    try:
        return layout(fields).pack(*(values[name] for name in names))
    except struct.error:
        for field in fields:
            bits = 8 * struct.calcsize("<" + field.code)
            if not 0 <= values[field.name] < 1 << bits:
                text = f"{field.name} = {values[field.name]} does not fit {bits} bits"
                raise ValueError(text) from None
        raise


def request_values(message: Message, **values: int) -> Values:
    """Values of a message's request, 0 for those not given. Raises TypeError for other names."""
    fields = dict.fromkeys((field.name for field in message.request), 0)
    if unknown := values.keys() - fields.keys():
        raise TypeError(f"{message.name} has no {min(unknown)}")
    return fields | {name: int(value) for name, value in values.items()}


def unpack(fields: Sequence[Field], tail: Sequence[Field], payload: bytes) -> Reply:
    """Values of a payload. Raises PayloadError if its size is not the declared one."""
    head = layout(fields)
    entry = dtype(tail)
    rest = len(payload) - head.size
    if rest < 0 or (rest % entry.itemsize if tail else rest):
        raise PayloadError(
            f"payload of {len(payload)} bytes where {head.size}"
            + (f" + n x {entry.itemsize}" if tail else "")
            + " were declared"
        )
    names = (field.name for field in fields)
    values = dict(zip(names, head.unpack_from(payload), strict=True))
    if not tail:
        return Reply(values, np.empty(0, entry))
    return Reply(values, np.frombuffer(payload, entry, offset=head.size))


def pack_request(message: Message, values: Mapping[str, int]) -> bytes:
    """Payload of a request."""
    return pack(message.request, values)


def unpack_reply(message: Message, payload: bytes) -> Reply:
    """Values of a reply."""
    return unpack(message.reply, message.tail, payload)


def pack_reply(
    message: Message, values: Mapping[str, int], tail: Sequence[tuple[int | str | bytes, ...]] = ()
) -> bytes:
    """Payload of a reply; ``tail``: values of each repetition of the tail's fields."""
    return pack(message.reply, values) + np.array(list(tail), dtype(message.tail)).tobytes()
