"""The register map, compiled from ``hw/regs/irqscope.rdl``.

Everything that needs an address or a field asks here: the gateware for its decoder, the exporter
for its outputs. :data:`IRQSCOPE` is the register space of the EMIO port, :data:`EMIO` the bits
of the pins themselves. Both are loaded on first use.

Addresses are word addresses (32-bit words), as the EMIO port carries them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, MemNode, RegNode
from systemrdl.rdltypes import OnWriteType

SOURCE = Path(__file__).parents[1] / "regs" / "irqscope.rdl"
WORD_BITS = 32
WORD_BYTES = WORD_BITS // 8


@dataclass(frozen=True)
class Member:
    """One value of an encoding."""

    name: str
    value: int
    description: str


@dataclass(frozen=True)
class Encoding:
    """The named values of a field, an ``enum`` of the source."""

    name: str  #: without the source's suffix _e
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Field:
    """Bits ``lsb + width - 1`` to ``lsb`` of a register."""

    name: str
    lsb: int
    width: int
    software: str  #: what a request may do: r, w or rw
    hardware: str  #: what the gateware does: r, w, rw or na (a constant)
    reset: int
    woclr: bool  #: writing 1 to a bit clears it
    singlepulse: bool  #: writing 1 gives a pulse of one tick
    exchange: bool  #: reads what the gateware shows, also in the reply to a write, which it acts on
    encoding: Encoding | None
    title: str
    description: str

    @property
    def strobed(self) -> bool:
        """Whether a strobe reports each write to the gateware."""
        return self.exchange or (self.software == "w" and not self.singlepulse)

    @property
    def mask(self) -> int:
        """The field's bits, in place."""
        return ((1 << self.width) - 1) << self.lsb


@dataclass(frozen=True)
class Register:
    """One register; 64-bit ones take two words, the low one first."""

    path: str  #: within its address map, such as lines[0].config
    address: int  #: word address
    words: int  #: 1 or 2
    fields: tuple[Field, ...]  #: from the lowest bit up
    live: bool  #: may be written while armed
    title: str
    description: str

    @property
    def reset(self) -> int:
        """Value after reset, all fields together."""
        return sum(field.reset << field.lsb for field in self.fields)

    @property
    def readable(self) -> bool:
        """Whether any field can be read."""
        return any("r" in field.software for field in self.fields)

    @property
    def writable(self) -> bool:
        """Whether any field can be written."""
        return any("w" in field.software for field in self.fields)

    def field(self, name: str) -> Field:
        """The field of a name. Raises KeyError for an unknown name."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"{self.path} has no field {name}")


@dataclass(frozen=True)
class Memory:
    """A window of read-only words."""

    path: str
    address: int  #: word address of the first one
    words: int
    title: str
    description: str


@dataclass(frozen=True)
class AddressMap:
    """One address map: its registers and memories by ascending address."""

    name: str
    title: str
    registers: tuple[Register, ...]
    memories: tuple[Memory, ...]

    def __getitem__(self, path: str) -> Register:
        """The register at ``path``. Raises KeyError for an unknown path."""
        for register in self.registers:
            if register.path == path:
                return register
        raise KeyError(f"{self.name} has no register {path}")

    @property
    def encodings(self) -> tuple[Encoding, ...]:
        """Every encoding that a field uses, in order of first use."""
        used: dict[str, Encoding] = {}
        for register in self.registers:
            for field in register.fields:
                if field.encoding is not None:
                    used.setdefault(field.encoding.name, field.encoding)
        return tuple(used.values())


@cache
def sha256() -> str:
    """The sha256 of both maps, in hex: of all that they say but titles and descriptions.

    So a comment or a description of the source does not change it.
    """
    maps = [asdict(load(name), dict_factory=_without_prose) for name in ("irqscope", "emio")]
    return hashlib.sha256(json.dumps(maps).encode()).hexdigest()


def _without_prose(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in items if name not in ("title", "description")}


@cache
def elaborate(name: str) -> AddrmapNode:
    """The compiled address map ``name``, for exporters of systemrdl-compiler."""
    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE))
    return compiler.elaborate(top_def_name=name).top


@cache
def load(name: str) -> AddressMap:
    """Compiles the address map ``name`` of the source: ``irqscope`` or ``emio``."""
    top = elaborate(name)
    nodes = list(top.descendants(unroll=True))
    return AddressMap(
        name=name,
        title=top.get_property("name"),
        registers=tuple(_register(node, top) for node in nodes if isinstance(node, RegNode)),
        memories=tuple(_memory(node, top) for node in nodes if isinstance(node, MemNode)),
    )


def __getattr__(name: str) -> AddressMap:
    """:data:`IRQSCOPE` and :data:`EMIO`, compiled when first asked for."""
    if name in ("IRQSCOPE", "EMIO"):
        return load(name.lower())
    raise AttributeError(f"module {__name__} has no attribute {name}")


def _register(node: RegNode, top: AddrmapNode) -> Register:
    return Register(
        path=node.get_rel_path(top),
        address=node.absolute_address // WORD_BYTES,
        words=node.size // WORD_BYTES,
        fields=tuple(_fields(node)),
        live=node.get_property("live"),
        title=node.get_property("name"),
        description=_text(node.get_property("desc")),
    )


def _fields(node: RegNode) -> Iterator[Field]:
    for field in sorted(node.fields(), key=lambda field: field.low):
        yield Field(
            name=field.inst_name,
            lsb=field.low,
            width=field.width,
            software=field.get_property("sw").name,
            hardware=field.get_property("hw").name,
            reset=field.get_property("reset", default=0),
            woclr=field.get_property("onwrite") == OnWriteType.woclr,
            singlepulse=field.get_property("singlepulse"),
            exchange=field.get_property("exchange"),
            encoding=_encoding(field),
            title=field.get_property("name"),
            description=_text(field.get_property("desc")),
        )


def _encoding(field: FieldNode) -> Encoding | None:
    encode = field.get_property("encode")
    if encode is None:
        return None
    return Encoding(
        name=encode.type_name.removesuffix("_e"),
        members=tuple(
            Member(member.name, member.value, _text(member.rdl_desc)) for member in encode
        ),
    )


def _memory(node: MemNode, top: AddrmapNode) -> Memory:
    return Memory(
        path=node.get_rel_path(top),
        address=node.absolute_address // WORD_BYTES,
        words=node.get_property("mementries"),
        title=node.get_property("name"),
        description=_text(node.get_property("desc")),
    )


def _text(description: str | None) -> str:
    """A description on one line; empty if the source gives none."""
    return " ".join((description or "").split())
