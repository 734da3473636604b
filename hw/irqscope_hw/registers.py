"""Interfaces of the register space, made from the compiled register source.

A component that belongs to a group of registers (a line, a channel, the recorder) takes the
group's interface as its member ``registers`` and finds each field there as ``register_field``.
Widths and names are in the source only.
"""

import re
from collections.abc import Mapping
from functools import cache

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from . import regmap


def group_of(register: regmap.Register) -> tuple[str, str]:
    """Splits a path: ``lines[0].config`` gives ``("lines[0]", "config")``."""
    group, _, name = register.path.rpartition(".")
    return group, name


@cache
def group_signature(group: str) -> wiring.Signature:
    """Interface of one group, seen from the register file.

    Each field is one member: configuration flows out, status flows in, constants have none.
    A field that software clears flows out and has a second member ``..._set`` that flows in: bits
    to set. A write-only register that is not a pulse has a second member ``..._written``, high for
    one tick when its value is new; so has an exchange, whose third member ``..._shown`` flows in:
    the value that it reads as.

    Raises:
        KeyError: The register source has no such group.
    """
    members = {}
    for register in regmap.IRQSCOPE.registers:
        owner, name = group_of(register)
        if owner != group:
            continue
        for field in register.fields:
            port = f"{name}_{field.name}"
            if "w" in field.software:
                members[port] = Out(field.width, init=0 if field.singlepulse else field.reset)
                if field.woclr:
                    members[f"{port}_set"] = In(field.width)
                elif field.strobed:
                    members[f"{port}_written"] = Out(1)
                if field.exchange:
                    members[f"{port}_shown"] = In(field.width)
            elif "w" in field.hardware:
                members[port] = In(field.width, init=field.reset)
    if not members:
        raise KeyError(f"the register source has no group {group!r}")
    return wiring.Signature(members)


def with_initial(signature: wiring.Signature, initial: Mapping[str, int]) -> wiring.Signature:
    """The same interface with other values after reset for the members named.

    Raises:
        KeyError: The interface has no such member.
    """
    members = dict(signature.members)
    for name, value in initial.items():
        members[name] = wiring.Member(members[name].flow, members[name].shape, init=value)
    return wiring.Signature(members)


@cache
def groups() -> dict[str, int]:
    """Names of all groups but the unnamed one, each with its number of elements (0: no array)."""
    found: dict[str, int] = {}
    for register in regmap.IRQSCOPE.registers:
        group, _ = group_of(register)
        if group:
            name, index = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", group).groups()
            found[name] = 0 if index is None else int(index) + 1
    return found


@cache
def encoded(encoding: str, member: str) -> int:
    """Value of a named member of an encoding, such as ``encoded("marker", "handler")``.

    Raises:
        KeyError: The register source has no such encoding or member.
    """
    for candidate in regmap.IRQSCOPE.encodings:
        if candidate.name == encoding:
            for known in candidate.members:
                if known.name == member:
                    return known.value
    raise KeyError(f"the register source has no {encoding} {member}")
