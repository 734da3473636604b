"""Gives each part of the gateware a clock of its own, so that one at rest need not be evaluated.

The twin is compiled from ip/irqscope.v with exactly three changes:

- every flip-flop samples at both edges, so that one evaluation is one clock edge;
- the instances in PARTS[n] have bit n of a new input ``clocks`` for their clock, where they had
  ``clk``; the flip-flops between them, in GLUE, share a bit;
- bit n of a new output ``states`` is high if one of the ports in STATES[n] is, or a bit of it.

A part whose clock is still keeps its registers. engine/shells/emio.cpp decides when it may
stand still.
"""

from __future__ import annotations

import re
from typing import TypeVar

Found = TypeVar("Found")

TOP = "irqscope"
#: Instances with flip-flops of their own in addition to those of their parts.
WITH_GLUE = ("instrument", "instrument.pattern")
GLUE = "glue"
_EIGHT = range(8)
_LINES = tuple(f"instrument.pattern.line_{n}" for n in _EIGHT)
_PLACEMENT = "instrument.pattern.placement"
_CHANNELS = tuple(f"instrument.channel_{n}" for n in _EIGHT)
_ALIGNMENT = "instrument.alignment"
_CONTROL = "instrument.control"
_REGISTERS = "instrument.registers"
#: Parts that tell whether they are quiet, in the order of their bits (engine/shells/emio.cpp).
_SAYING = (
    *_LINES,
    _PLACEMENT,
    *_CHANNELS,
    "instrument.recorder",
    _REGISTERS,
    _CONTROL,
    _ALIGNMENT,
    "instrument.routing",
    GLUE,
    "capture",
    "port",
    "pin_front_end",
)
#: All parts, in the order of their bits. Behind those of _SAYING are the ones that do not tell:
#: groups of registers, which an access passes one after the other, and each channel's histogram.
PARTS = (
    *((part,) for part in _SAYING),
    tuple(f"{_REGISTERS}.lines_{n}" for n in _EIGHT),
    tuple(f"{_REGISTERS}.channels_{n}" for n in _EIGHT),
    tuple(f"{_REGISTERS}.{name}" for name in ("recorder", "pins", "placement")),
    *((f"{channel}.histogram",) for channel in _CHANNELS),
)
#: For each bit of ``states`` an instance and its ports that are read; first those of _SAYING. Glue
#: has no port that shows whether it is quiet; the one that shows a clear replaces it.
STATES = (
    *((part, "quiet") if part != GLUE else (_CONTROL, "clearing") for part in _SAYING),
    ("port", "bus__write"),
    (_ALIGNMENT, "edges_3"),
    (_ALIGNMENT, "events__markers"),
    (f"{_REGISTERS}.root", "before__read", "before__write"),
    (f"{_REGISTERS}.lines_0", "before__select"),
    (f"{_REGISTERS}.channels_0", "before__select"),
    (f"{_REGISTERS}.root", "before__select"),
    (_PLACEMENT, "registers__config_enable"),
    *((line, "done") for line in _LINES),
    *((channel, "registers__config_enable") for channel in _CHANNELS),
)

_CLOCK = "always @(posedge clk)"
_GLUE_CLOCK = "always @(posedge clocks[{}])"
_INSTANCE = r"(?m)^  (?P<kind>irqscope_\w+) {name} \(\n(?P<ports>(?:    .*\n)*?)  \);\n"


class UnknownVerilogError(Exception):
    """The file is not written as this module knows it; the text says where."""


def split(text: str) -> str:
    """The Verilog with a clock for each part.

    Raises UnknownVerilogError where something to be changed is not there, or there twice.
    """
    modules = _modules(text)
    if text.count("posedge") != text.count(_CLOCK):
        raise UnknownVerilogError("a flip-flop has another clock than the rising edge of clk")
    _split_module(modules, TOP, "", set())
    return "".join(modules.values()).replace("always @(posedge ", "always @(edge ")


def _modules(text: str) -> dict[str, str]:
    """The text of each module, with the comments before it, in the order of the file."""
    modules = {}
    for piece in re.split(r"(?m)(?<=^endmodule\n)", text):
        names = re.findall(r"(?m)^module (\w+)\(", piece)
        if len(names) > 1 or (not names and piece.strip()):
            raise UnknownVerilogError("a module does not end, or text is between modules")
        modules[names[0] if names else ""] = piece
    return modules


def _clocks_in(path: str) -> list[int]:
    """Bits of ``clocks`` that are for something inside an instance."""
    within = f"{path}." if path else ""
    return [
        n
        for n, part in enumerate(PARTS)
        if (part == (GLUE,) and (not path or any(f"{p}.".startswith(within) for p in WITH_GLUE)))
        or any(instance.startswith(within) for instance in part)
    ]


def _states_in(path: str) -> list[int]:
    """Bits of ``states`` that come from inside an instance."""
    return [n for n, (part, *_) in enumerate(STATES) if part.startswith(f"{path}." if path else "")]


def _bits(name: str, numbers: list[int], own: list[int]) -> str:
    """Bits of a port whose bits are ``own``, by their numbers in all."""
    return f"{{ {', '.join(f'{name}[{own.index(n)}]' for n in reversed(numbers))} }}"


def _split_module(modules: dict[str, str], kind: str, path: str, finished: set[str]) -> None:
    """Passes clocks and states on in the module ``kind`` that the instance ``path`` is of.

    Instances of one kind have the same parts, so that it is changed once, as ``finished`` records.
    """
    if kind in finished:
        return
    finished.add(kind)
    prefix = f"{path}." if path else ""
    clocks, states = _clocks_in(path), _states_in(path)
    instances = [*(part for n in clocks for part in PARTS[n]), *(STATES[n][0] for n in states)]
    inside = [part for part in instances if part != GLUE and part.startswith(prefix)]
    body = modules[kind]
    for name in dict.fromkeys(part.removeprefix(prefix).split(".")[0] for part in inside):
        instance = f"{prefix}{name}"
        found = list(re.finditer(_INSTANCE.format(name=name), body))
        old = _only(found, f"{name} in {kind}")
        ports, assignments = old["ports"], ""
        if below := _states_in(instance):
            ports = f"    .states({_bits('states', below, states)}),\n{ports}"
        if below := _clocks_in(instance):
            ports = f"    .clocks({_bits('clocks', below, clocks)}),\n{ports}"
            _split_module(modules, old["kind"], instance, finished)
        for n in clocks:
            if instance in PARTS[n]:
                _only(re.findall(r"\.clk\(clk\)", ports), f".clk(clk) of {name} in {kind}")
                ports = ports.replace(".clk(clk)", f".clk(clocks[{clocks.index(n)}])")
        for n in states:
            if STATES[n][0] == instance:
                outputs = [_shown(ports, port, f"{name} in {kind}") for port in STATES[n][1:]]
                assignments += (
                    f"  assign states[{states.index(n)}] = |{{ {', '.join(outputs)} }};\n"
                )
        body = body.replace(old[0], old[0].replace(old["ports"], ports) + assignments)
    if path in WITH_GLUE:
        bit = clocks.index(PARTS.index((GLUE,)))
        body = body.replace(_CLOCK, _GLUE_CLOCK.format(bit))
    head, end, body = body.partition(");\n")
    new = {"clocks": ("input", clocks), "states": ("output", states)}
    passed = {port: held for port, held in new.items() if held[1]}
    head = head.replace(f"module {kind}(", f"module {kind}({', '.join(passed)}, ")
    declared = "".join(f"  {way} [{len(of) - 1}:0] {port};\n" for port, (way, of) in passed.items())
    modules[kind] = head + end + declared + body


def _shown(ports: str, port: str, where: str) -> str:
    """The signal that is connected to a port of an instance."""
    matches: list[str] = re.findall(rf"(?m)^    \.{port}\(([^()]+)\),?$", ports)
    return _only(matches, f".{port} of {where}")


def _only(matches: list[Found], subject: str) -> Found:
    if len(matches) != 1:
        raise UnknownVerilogError(f"{subject}: found {len(matches)} times")
    return matches[0]
