"""The netlist that nextpnr has placed and routed, as a simulator takes it.

nextpnr leaves inputs open that are constant, and says in a parameter what they are, and whether
they are inverted. Here they are constants again, so that plain models of the cells will do: those
of yosys for small memories and flip-flops, and those of rtl/board/cells.v for the rest. A LUT's
table is an input: a parameter would make a module of each.
"""

import json
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
#: Open inputs of a LUT that are pulled up.
PULLED_UP = "ABCD"
#: What an open input of a flip-flop or a clock's gate does: nothing.
IDLE = {"CE": "1", "LSR": "0"}


class NetlistError(Exception):
    """A netlist has something that no model is written for; the text is one line."""


def plain(design: dict[str, Any], top: str) -> dict[str, Any]:
    """Nextpnr's netlist as module ``top``, without attributes, open inputs as constants.

    Raises NetlistError.
    """
    (module,) = design["modules"].values()
    cells = {}
    for name, cell in module["cells"].items():
        made = _MODELS.get(cell["type"], _unknown)(name, cell)
        if made is not None:
            kind, parameters, wires = made
            directions = {port: cell["port_directions"].get(port, "input") for port in wires}
            cells[name] = {
                "hide_name": 0,
                "type": kind,
                "parameters": parameters,
                "attributes": {},
                "port_directions": directions,
                "connections": wires,
            }
    return {"modules": {top: {"ports": module["ports"], "cells": cells, "netnames": {}}}}


Made = tuple[str, dict[str, str], dict[str, list[Any]]]


def _unknown(name: str, cell: Cell) -> Made:
    raise NetlistError(f"{name}: there is no model of {cell['type']}")


def _only(name: str, cell: Cell, **allowed: str) -> dict[str, str]:
    """The cell's parameters. Raises NetlistError if one is neither absent nor as allowed."""
    found = {key: value.strip() for key, value in cell["parameters"].items()}
    for key, wanted in allowed.items():
        if found.get(key, wanted) != wanted:
            raise NetlistError(f"{name}: {key} {found[key]} of {cell['type']} has no model")
    return cell["parameters"]


def _inputs(cell: Cell) -> list[str]:
    return [p for p in cell["connections"] if cell["port_directions"][p] == "input"]


def _comb(name: str, cell: Cell) -> Made | None:
    kept = _only(name, cell, WREMUX="WRE", WCKMUX="WCK")
    mode = kept.get("MODE", "LOGIC")
    if mode == "RAMW_BLOCK":  # taken by the write port of a small memory
        return None
    wires = {port: bits for port, bits in cell["connections"].items() if bits}
    for port in PULLED_UP:
        wires.setdefault(port, ["1"])
    if mode == "DPRAM":
        return "TRELLIS_COMB", {"MODE": mode, "INITVAL": kept["INITVAL"]}, wires
    wires["TABLE"] = list(kept["INITVAL"].strip()[::-1].ljust(16, "0"))
    if mode == "CCU2":
        wires["CHAINED"] = ["0" if kept["CCU2_INJECT1"].strip() == "YES" else "1"]
        return "irqscope_carry", {}, wires
    kind = "" if "OFX" not in wires else "_of_6" if "FXA" in wires else "_of_5"
    return f"irqscope_lut{kind}", {}, wires


def _flip_flop(name: str, cell: Cell) -> Made:
    kept = dict(_only(name, cell, CLKMUX="CLK", LSRMODE="LSR"))
    wires = dict(cell["connections"])
    if kept.pop("SD", "1").strip() == "0":  # not from the adjacent LUT
        wires["DI"] = wires.pop("M")
    for port, idle in IDLE.items():
        if not wires.get(port):
            inverted = kept.get(f"{port}MUX") == "INV"
            wires[port] = ["10"[int(idle)] if inverted else idle]
    return "TRELLIS_FF", kept, wires


def _block_ram(name: str, cell: Cell) -> Made:
    kept = dict(_only(name, cell, REGMODE_A="NOREG", REGMODE_B="NOREG", CSDECODE_A="0b000"))
    wires = dict(cell["connections"])
    for port in _inputs(cell):
        mux = kept.pop(f"{port}MUX", port).strip()
        if mux in ("0", "1"):
            wires[port] = [mux]
        elif mux == "INV" and wires[port]:
            raise NetlistError(f"{name}: an inverted {port} of DP16KD has no model")
        elif not wires[port]:
            wires[port] = ["0" if mux == "INV" else "1"]
    sizes = ("DATA_WIDTH_A", "DATA_WIDTH_B")
    kept = {key: value for key, value in kept.items() if key in sizes or "INITVAL" in key}
    return "DP16KD", kept, wires


def _write_port(name: str, cell: Cell) -> Made:
    wires = {p: bits or ["1"] for p, bits in cell["connections"].items() if p in _inputs(cell)}
    return "TRELLIS_RAMW", {}, {**cell["connections"], **wires}


def _pad(name: str, cell: Cell) -> Made:
    direction = cell["parameters"]["DIR"].strip()
    inside = {"INPUT": "O", "OUTPUT": "I"}.get(direction)
    if inside is None or cell["connections"].get("T"):
        raise NetlistError(f"{name}: a pad of direction {direction}, or one that floats")
    cell["port_directions"]["B"] = direction.lower()
    wires = {port: cell["connections"][port] or ["0"] for port in (inside, "B")}
    return f"irqscope_{direction.lower()}", {}, wires


def _gate(name: str, cell: Cell) -> Made:
    if cell["connections"].get("CE"):
        raise NetlistError(f"{name}: a clock that is gated has no model")
    return "DCCA", {}, {port: cell["connections"][port] for port in ("CLKI", "CLKO")}


def _pll(name: str, cell: Cell) -> Made:
    return "EHXPLLL", {}, {port: cell["connections"][port] for port in ("CLKI", "CLKOP", "LOCK")}


_MODELS = {
    "TRELLIS_COMB": _comb,
    "TRELLIS_FF": _flip_flop,
    "TRELLIS_RAMW": _write_port,
    "TRELLIS_IO": _pad,
    "DP16KD": _block_ram,
    "DCCA": _gate,
    "EHXPLLL": _pll,
}


def convert(routed: Path, top: str, made: Path) -> None:
    """Writes into ``made`` what yosys reads. Raises NetlistError."""
    made.write_text(json.dumps(plain(json.loads(routed.read_text()), top)))
