"""Gives each part of the gateware a clock of its own, so that one at rest need not be evaluated.

What is compiled for the twin is ip/irqscope.v with three changes, and no other:

- every flip-flop samples at both edges, so that one evaluation is one clock edge;
- each instance in PARTS has bit n of a new input ``clocks`` for its clock, n being its place in
  PARTS, where it had ``clk``; so have the flip-flops between them, in GLUE, which share a bit;
- bit n of a new output ``states`` shows what is connected to the n-th port in STATES.

A part whose clock stands still keeps its registers. engine/shells/emio.cpp decides when it may
stand still.
"""

from __future__ import annotations

import re
from typing import TypeVar

Found = TypeVar("Found")

TOP = "irqscope"
#: Instances with flip-flops of their own beside those of their parts.
WITH_GLUE = ("instrument", "instrument.pattern")
GLUE = "glue"
#: In the order of their bits, as engine/shells/emio.cpp numbers them.
PARTS = (
    *(f"instrument.pattern.line_{n}" for n in range(8)),
    "instrument.pattern.placement",
    *(f"instrument.channel_{n}" for n in range(8)),
    "instrument.recorder",
    "instrument.registers",
    "instrument.control",
    "instrument.alignment",
    "instrument.routing",
    GLUE,
    "capture",
    "port",
    "pin_front",
)
#: Likewise: instance and port. Glue has nothing to say, and its bit tells of a clear.
STATES = (
    *((part, "quiet") if part != GLUE else ("instrument.control", "clearing") for part in PARTS),
    ("port", "bus__write"),
)

_CLOCK = "always @(posedge clk)"
_GLUE_CLOCK = f"always @(posedge clocks[{PARTS.index(GLUE)}])"
_INSTANCE = r"(?m)^  irqscope_\w+ {name} \(\n(?P<ports>(?:    .*\n)*?)  \);\n"
_KIND = r"(?m)^  (irqscope_\w+) {name} \($"


class UnknownVerilogError(Exception):
    """The file is not written as this module knows it; the text says where."""


def split(text: str) -> str:
    """The Verilog with a clock for each part.

    Raises UnknownVerilogError where something to be changed is not there, or there twice.
    """
    modules = _modules(text)
    parents = {path.rpartition(".")[0] for path, _ in STATES}
    for parent in sorted(parents, key=len, reverse=True):
        _split_module(modules, parent)
    whole = "".join(modules.values())
    if whole.count("posedge") != whole.count(_CLOCK) + whole.count(_GLUE_CLOCK):
        raise UnknownVerilogError("a flip-flop has another clock than the rising edge of clk")
    return whole.replace("always @(posedge ", "always @(edge ")


def _modules(text: str) -> dict[str, str]:
    """The text of each module, comments in front of it included, in the order of the file."""
    found = {}
    for piece in re.split(r"(?m)(?<=^endmodule\n)", text):
        names = re.findall(r"(?m)^module (\w+)\(", piece)
        if len(names) > 1 or (not names and piece.strip()):
            raise UnknownVerilogError("a module does not end, or text stands between modules")
        found[names[0] if names else ""] = piece
    return found


def _split_module(modules: dict[str, str], path: str) -> None:
    """Passes clocks and states on in the module that the instance ``path`` is of."""
    kind = TOP
    for name in filter(None, path.split(".")):
        kind = _only(re.findall(_KIND.format(name=name), modules[kind]), f"{name} in {kind}")
    prefix = f"{path}." if path else ""
    inside = [n for n, (instance, _) in enumerate(STATES) if instance.startswith(prefix)]
    body = modules[kind]
    for name in dict.fromkeys(STATES[n][0].removeprefix(prefix).split(".")[0] for n in inside):
        instance = f"{prefix}{name}"
        found = list(re.finditer(_INSTANCE.format(name=name), body))
        old = _only(found, f"{name} in {kind}")
        ports, behind = old["ports"], ""
        below = [n for n in inside if STATES[n][0].startswith(f"{instance}.")]
        if below:
            states = f"states[{below[-1] - inside[0]}:{below[0] - inside[0]}]"
            ports = f"    .clocks(clocks),\n    .states({states}),\n{ports}"
        if instance in PARTS:
            _only(re.findall(r"\.clk\(clk\)", ports), f".clk(clk) of {name} in {kind}")
            ports = ports.replace(".clk(clk)", f".clk(clocks[{PARTS.index(instance)}])")
        for n in inside:
            if STATES[n][0] == instance:
                port = STATES[n][1]
                shown = re.findall(rf"(?m)^    \.{port}\((\w+)\),?$", ports)
                wire = _only(shown, f".{port} of {name} in {kind}")
                behind += f"  assign states[{n - inside[0]}] = {wire};\n"
        body = body.replace(old[0], old[0].replace(old["ports"], ports) + behind)
    if path in WITH_GLUE:
        body = body.replace(_CLOCK, _GLUE_CLOCK)
    head, end, body = body.partition(");\n")
    head = head.replace(f"module {kind}(", f"module {kind}(clocks, states, ")
    declared = f"  input [{len(PARTS) - 1}:0] clocks;\n  output [{len(inside) - 1}:0] states;\n"
    modules[kind] = head + end + declared + body


def _only(found: list[Found], what: str) -> Found:
    if len(found) != 1:
        raise UnknownVerilogError(f"{what}: found {len(found)} times")
    return found[0]
