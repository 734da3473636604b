"""Gives the Verilog that yosys writes the names that a reader of Verilog expects.

Amaranth numbers unnamed objects (``port$924$0``) and duplicate names in a module (``ahead$131``,
the input of a child, next to ``ahead``); yosys escapes all of these. Here each gets a plain name,
by the first of these rules that gives a free one:

- a wire that only copies another one is joined with it, under the plain name of the two;
- a part of a wire that is put together from parts: the wire's name and the bits, ``levels_next_3``;
- a wire at a port of an instance: ``channel_0_quiet``;
- a port that several wires are cut from: what their names have in common, ``recorder__head``;
- a copy of a few bits: what they are in a wire that is put together from such: ``toggles_3``;
- its own name without the number;
- a port without any: the wire that it meets in the module above.

An intermediate result without any name is called ``_1_``, ``_2_`` and so on.
"""

import os.path
import re
from collections.abc import Iterator

_ESCAPED = re.compile(r"\\(\S+) ")
_MODULE = re.compile(r"(?m)^(?=module )")
_INSTANCE = re.compile(r"(?ms)^  (\\?irqscope\S*) +(\S+) \(\n(.*?)^  \);\n")
_CONNECTION = re.compile(r"(?m)^    \.(\\\S+ |\w+)\((.*)\)(,?)$")
_DECLARED = re.compile(r"(?m)^  (input|output|wire|reg) (?:\[(\d+):0\] )?(\\\S+ |\w+)(?= ?[;=\[])")
_ASSIGNED = re.compile(r"(?m)^  assign (\\\S+ |\w+) ?= (.*);$")
_NAME = re.compile(r"\\\S+ |[A-Za-z_]\w*")
#: As _NAME, and with its dot the port of a child, whose names are its own.
_NAME_OR_PORT = re.compile(rf"\.?(?:{_NAME.pattern})")
_PARTS = re.compile(r"(\d+)'\S+|(\\\S+ |[A-Za-z_]\w*)(?:\[(\d+)(?::(\d+))?\])?")


def plain(text: str) -> str:
    """The same modules with plain names only.

    Raises:
        ValueError: Two things in a module would have one name, or one would be named as a keyword
            of Verilog.
    """
    head, *modules = _MODULE.split(text)
    ports: dict[str, dict[str, str]] = {}
    named = []
    for module in reversed(modules):  # children are behind their parents
        name = _NAME.match(module, len("module "))[0]
        text, ports[name.strip()] = _Module(module, ports).rewritten()
        named.append(text)
    return head + _ports_by_what_they_meet("".join(reversed(named)))


def _ports_by_what_they_meet(text: str) -> str:
    """A port that its own module has no name for, by the wire that it meets in the parent's."""
    for name, _, connections in _INSTANCE.findall(text):
        for port, met, _ in _CONNECTION.findall(connections):
            if not _numbered(port) or not re.fullmatch(r"[A-Za-z]\w*", met):
                continue
            start = re.search(rf"(?m)^module {name}\(", text).start()
            end = text.index("endmodule", start)
            if re.search(rf"\b{met}\b", text[start:end]):
                continue
            inside = re.sub(rf"\b{port}\b", met, text[start:end])
            text = text[:start] + inside + text[end:]
            text = text.replace(f"    .{port}({met})", f"    .{met}({met})")
    return text


def _module_name(name: str) -> str:
    r"""``\irqscope.channel_0.histogram`` is the one kind of eight: irqscope_channel_histogram."""
    return re.sub(r"_0(?=\.|$)", "", name.strip().lstrip("\\")).replace(".", "_")


def _numbered(name: str) -> bool:
    """Whether Amaranth or yosys made the name up."""
    return "$" in name or re.fullmatch(r"_\d+_", name) is not None


def _identifier(name: str) -> str:
    """The name without escape, number and brackets; empty for unnamed objects."""
    bare = re.sub(r"\$\d+$", "", name.strip().lstrip("\\"))
    if name.strip() == f"\\{bare}" and re.fullmatch(r"\w+", bare):
        raise ValueError(f"{bare} is a word of Verilog")
    return "" if "$" in bare or _numbered(bare) else re.sub(r"[\[.]", "_", bare).replace("]", "")


class _Module:
    def __init__(self, text: str, ports: dict[str, dict[str, str]]) -> None:
        self._text = text
        self._ports = ports  # of each child module, old names to new ones
        self._names: dict[str, str] = {}

    def rewritten(self) -> tuple[str, dict[str, str]]:
        """The text with plain names, and of its ports old names to new ones."""
        declared = _DECLARED.findall(self._text)
        self._width = {name: int(high or 0) + 1 for _, high, name in declared}
        old_ports = {name: name for kind, _, name in declared if kind in ("input", "output")}
        self._join_copies(old_ports)
        own_ports = set(old_ports.values())
        found = dict.fromkeys(name for _, _, name in _DECLARED.findall(self._text))
        self._names = {name: _identifier(name) for name in found if not _numbered(name)}
        taken = set(self._names.values())
        if len(taken) < len(self._names):
            raise ValueError("two names differ in their brackets only")
        candidates: dict[str, list[str]] = {name: [] for name in found if name not in self._names}
        for name, candidate in self._candidates(own_ports):
            if name in candidates:
                candidates[name].append(candidate)
        number = 0
        for name in sorted(candidates):
            proposed = [*candidates[name], _identifier(name)]
            chosen = next((c for c in proposed if c and c not in taken), "")
            if not chosen:
                number += 1
                chosen = f"_{number}_"
            self._names[name] = chosen
            taken.add(chosen)
        return self._renamed(), {
            old.strip(): self._names[joined] for old, joined in old_ports.items()
        }

    def _join_copies(self, old_ports: dict[str, str]) -> None:
        """Joins wires where one only copies the other and has the plain name of the two."""
        for copy, original in _ASSIGNED.findall(self._text):
            ports = set(old_ports.values())
            if (
                not _numbered(original)
                or _numbered(copy)
                or self._width.get(copy) != self._width.get(original)
                or {copy, original} <= ports
            ):
                continue
            register = re.search(rf"(?m)^  reg [^;]*{re.escape(original)}[ ;=]", self._text)
            dropped = original if copy in ports and not register else copy
            text = re.sub(
                rf"(?m)^  assign {re.escape(copy)} ?= {re.escape(original)};\n", "", self._text
            )
            text = re.sub(rf"(?m)^  wire (?:\[\d+:0\] )?{re.escape(dropped)};\n", "", text)
            rename = {original: copy}
            self._text = _NAME_OR_PORT.sub(lambda n, to=rename: to.get(n[0], n[0]), text)
            for old, joined in old_ports.items():
                if joined == original:
                    old_ports[old] = copy

    def _candidates(self, own_ports: set[str]) -> Iterator[tuple[str, str]]:
        cut: dict[str, list[tuple[int, str]]] = {}
        for name, value in _ASSIGNED.findall(self._text):
            if _numbered(name):
                continue
            if value.startswith("{"):
                yield from self._parts(_identifier(name), value)
            elif (part := _PARTS.fullmatch(value)) and part[2] and part[3]:
                cut.setdefault(part[2], []).append((int(part[3]), _identifier(name)))
        for module, instance, connections in _INSTANCE.findall(self._text):
            for port, value, _ in _CONNECTION.findall(connections):
                yield value, f"{instance}_{self._ports[module][port.strip()]}"
        for name, places in cut.items():
            pieces = [piece for _, piece in sorted(places, reverse=True)]
            common = os.path.commonprefix(pieces).rstrip("_")
            yield name, common or "_".join(pieces)
        called: dict[str, str] = {}
        for name, value in _ASSIGNED.findall(self._text):
            if not _numbered(name) and value.startswith("{"):
                called.update(self._parts(_identifier(name), value))
        for name, value in _ASSIGNED.findall(self._text):
            if name in own_ports and value in called:
                yield name, called[value]

    def _parts(self, whole: str, value: str) -> Iterator[tuple[str, str]]:
        low = 0
        for part in reversed(list(_PARTS.finditer(value))):
            constant, name, first, last = part.groups()
            if constant:
                low += int(constant)
                continue
            width = self._width[name] if first is None else int(first) - int(last or first) + 1
            high = low + width - 1
            yield part[0], f"{whole}_{low}" if width == 1 else f"{whole}_{high}_{low}"
            low += width

    def _renamed(self) -> str:
        def instance(found: re.Match[str]) -> str:
            module, name, connections = found.groups()
            ports = self._ports[module]
            connections = _CONNECTION.sub(
                lambda c: f"    .{ports[c[1].strip()]}({self._plain(c[2])}){c[3]}", connections
            )
            return f"  {_module_name(module)} {name} (\n{connections}  );\n"

        header, rest = self._text.split("(", 1)
        pieces = []
        end = 0
        for found in _INSTANCE.finditer(rest):
            pieces += [self._plain(rest[end : found.start()]), instance(found)]
            end = found.end()
        pieces.append(self._plain(rest[end:]))
        return f"module {_module_name(header[7:])}({''.join(pieces)}"

    def _plain(self, text: str) -> str:
        return _NAME.sub(lambda found: self._names.get(found[0], found[0]), text)
