"""Command line of soft cores: ``python -m irqscope_rtl``.

Finds the build products and becomes the simulation: the process that prints
{"port": "/dev/pts/N", "profile": "cv32e40p 1.0.1", "firmware": "FILE"} and answers there like a
board, until SIGTERM, SIGINT or the end of its standard input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from irqscope.machines.elf import ProgramError, handed_over, read_elf
from irqscope.machines.firmware_file import CARRIED, DEFAULT_STACK, firmware
from irqscope.machines.generated import MACHINES
from irqscope.machines.load import STACKS
from irqscope.machines.program_file import Program
from irqscope.machines.stacks import stacks
from irqscope.resources import INSTALLED, extra, remedy, resource
from irqscope_twin.toolchain import BuildError, as_json

from . import boards, build, cores, programs
from .cores import Core, CoreError

EXIT_USAGE = 2
#: Name of a core without a description machines/NAME.toml.
OWN = "own"
#: Size of the single-cycle memory, from address 0 on, and the program's start.
MEMORY_BYTES = 0x200000
#: Stacks whose path finds an interrupt that shares its cause with all others.
SHARED_STACKS = (DEFAULT_STACK, "eabi", "least")
#: Option of a target with a foreign program.
_HOST = "host="
#: Fields of the register ``source`` (hw/regs/irqscope.rdl).
_CORE_LSB, _SIMULATION_LSB = 8, 16


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="irqscope_rtl", description="A soft core, simulated.")
    parser.add_argument("--core", metavar="NAME", help="a core of rtl/cores, or a folder")
    parser.add_argument("--list", action="store_true", help="print the cores as JSON and end")
    parser.add_argument(
        "--stack", default=DEFAULT_STACK, metavar="NAME", help="software stack of the firmware"
    )
    parser.add_argument("--elf", type=Path, help="another firmware to run")
    parser.add_argument("--program", metavar="FILE", help="a foreign program, beside the firmware")
    parser.add_argument(
        "--program-name", metavar="NAME", help="name of that file, where FILE is a descriptor"
    )
    parser.add_argument(
        "--around", action="append", default=[], metavar="KEY=VALUE",
        help="what surrounds it (docs/programs.md); repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--masked", metavar="FILE", help="write when its interrupts are off, as CSV at the end"
    )
    parser.add_argument(
        "--functions", metavar="FILE", help="write which functions it executes for each stimulus"
    )
    parser.add_argument(
        "--interruptions", metavar="FILE", help="write where each line interrupts it, as CSV"
    )
    parser.add_argument(
        "--encounters", metavar="FILE", help="write what each rise of a line met, as CSV"
    )
    parser.add_argument(
        "--watch", action="append", default=[], metavar="STAGE:PLACE=CODE",
        help="an instruction in a stage, or a store, is a marker, too; repeatable",
    )  # fmt: skip
    parser.add_argument("--routed", action="store_true", help="a board: its routed netlist")
    parser.add_argument(
        "--wire", action="append", default=[], metavar="OUT-IN-TICKS",
        help="a board: an output reaches an input so many ticks later; repeatable",
    )  # fmt: skip
    parser.add_argument("--pins", metavar="FILE", help="a board: write its pins as CSV")
    parser.add_argument("--no-skip", action="store_true", help="evaluate every cycle")
    parser.add_argument("--cycles", metavar="N", help="end after so many cycles")
    parser.add_argument("--bare", action="store_true", help="simulate core and memory alone")
    parser.add_argument("--stats", metavar="FILE", help="write statistics as JSON at the end")
    parser.add_argument("--trace", metavar="FILE", help="write lines and markers as CSV")
    parser.add_argument(
        "--markers", metavar="FILE", help="write each marker's core, code and instructions as CSV"
    )
    return parser.parse_args(argv)


def description(core: Core) -> dict[str, Any]:
    """The machine description of a core. Raises CoreError."""
    path = resource(f"machines/{core.machine}.toml")
    if not path.is_file():
        raise CoreError(f"{core.folder / 'core.toml'}: machine: there is no {path}")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def number(core: Core, machine: dict[str, Any]) -> int:
    """The number by which the gateware of a machine names the core."""
    numbers: dict[str, int] = {row["name"]: row["number"] for row in machine["simulated"]}
    return numbers[core.name if core.packaged and core.name in numbers else OWN]


def source_hash(core: Core) -> int:
    """First 32 bits of the sha256 over all compiled sources of a built core. Raises CoreError."""
    digest = hashlib.sha256()
    gateware = map(build.verilog, core.gateware)
    for path in (*core.files(), *map(core.at, core.wraps.values()), cores.PORTS, *gateware):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return int.from_bytes(digest.digest()[:4], "big")


def state(core: Core) -> str:
    """Missing prerequisites of a core, or ``built``; a wheel compiles on the first run."""
    if core.version is None:
        return "installed"
    return "built" if INSTALLED or build.executable(core).exists() else "compiled"


def listed() -> list[dict[str, str]]:
    """All cores, each with version and state; ``remedy`` is the command that completes it."""
    rows = boards.listed()
    for core in map(cores.find, cores.names()):
        row = {"name": core.name, "title": core.title, "version": core.version or ""}
        rows.append(row | {"state": state(core), "remedy": cores.how(core.name)})
    return rows


def command(args: argparse.Namespace) -> list[str]:
    """The simulation's command line; a wheel still has to compile it.

    Raises CoreError, ProgramError.
    """
    if board := boards.find(args.core, routed=args.routed):
        return command_of_board(board, args)
    if args.routed or args.wire or args.pins:
        raise CoreError(f"{args.core} is no board: it has no netlist, no wires and no pins")
    core = cores.find(args.core)
    how = cores.how(args.core)
    if core.version is None:
        raise CoreError(f"{core.name} is not installed ({core.package}): {how}")
    host = serving(core, args)
    program = build.executable(core, host)
    if not INSTALLED and not program.exists():
        if program == build.executable(core):
            raise CoreError(f"{core.name} is not compiled: {how}")
        how = remedy(f"make cores CORES={args.core} HOST={host.name}", extra("cores"))
        raise CoreError(f"{core.name} is not compiled with {host.name} as its host: {how}")
    machine = description(host)
    elf = args.elf or firmware_of(host, args.stack, how)
    if not elf.exists():
        raise CoreError(f"{elf} is missing")
    of_core = number(core, machine)
    source = int(str(machine["number"])) | of_core << _CORE_LSB | 1 << _SIMULATION_LSB
    profile, of_program = f"{core.name} {core.version}", list[str]()
    if args.program is not None:
        profile, of_program = beside(core, profile, args)
    words = [str(program), "--elf", str(elf), "--core", profile, *of_program]
    words += ["--memory", str(MEMORY_BYTES), "--tick-hz", str(machine["tick_hz"])]
    words += ["--source-id", str(source), "--source-hash", str(source_hash(core))]
    if host.shares_cause:
        words += ["--cause", str(host.first_cause)]
    if args.program is None:
        words += watched(elf, args.watch)
    if args.no_skip:
        words.append("--no-skip")
    if args.bare:
        words.append("--bare")
    written = ("stats", "trace", "markers", "masked", "functions", "interruptions", "encounters")
    for option in ("cycles", *written):
        if value := getattr(args, option):
            words += [f"--{option}", value]
    return words


def serving(core: Core, args: argparse.Namespace) -> Core:
    """Return the core that runs our firmware: the host of a foreign program, or else the core.

    Raises CoreError.
    """
    if args.program is None:
        return core
    named = [text.removeprefix(_HOST) for text in args.around if text.startswith(_HOST)]
    if not named:
        return core if core.packaged else cores.find(cores.HOST)
    if named[0] in (args.core, core.name):
        return core
    if named[0] not in cores.names():
        raise CoreError(f"host={named[0]}: give one of {', '.join(cores.names())}")
    host = cores.find(named[0])
    if host.version is None:
        raise CoreError(f"{host.name} is not installed ({host.package}): {cores.how(host.name)}")
    return host


def firmware_of(core: Core, stack: str, how: str) -> Path:
    """Return the firmware for a core. Raises CoreError if it cannot run or is not built."""
    machine = next(candidate for candidate in MACHINES if candidate.name == core.machine)
    for whose, lacking in (
        (core.machine, machine.unsupported["stack"]),
        (core.name, core.unsupported),
    ):
        if stack in lacking:
            raise CoreError(f"{whose} has no {stack}: {lacking[stack]}")
    needs = stacks(STACKS)[stack].needs if stack in machine.has.stack else ""
    if needs and not core.saves:
        raise CoreError(f"{core.name} has no {stack}: it needs {needs}")
    if core.shares_cause and stack not in SHARED_STACKS:
        raise CoreError(
            f"{core.name} has no {stack}: all its interrupts have cause {core.first_cause}; "
            f"take {', '.join(SHARED_STACKS)}"
        )
    elf = firmware(core.machine, stack, causes="shared" if core.shares_cause else "own")
    if not elf.exists():
        of_stack = f"make stacks MACHINE={core.machine} STACKS={stack}"
        command = how if stack == DEFAULT_STACK or core.shares_cause else remedy(of_stack, CARRIED)
        raise CoreError(f"{elf} is missing: {command}")
    return elf


def watched(elf: Path, watches: Sequence[str]) -> list[str]:
    """Return the command-line words for the marker instructions of the instrument's own firmware.

    Raises ProgramError.
    """
    if not watches:
        return []
    program = Program(read_elf(elf))
    addresses = (watch.partition(":")[2].rpartition("=") for watch in watches)
    resolved = (f"{program.place(symbol)[0]}={code}" for symbol, _, code in addresses)
    return [word for watch in dict.fromkeys(resolved) for word in ("--watch", watch)]


def beside(core: Core, profile: str, args: argparse.Namespace) -> tuple[str, list[str]]:
    """Profile of the simulation with a foreign program, and its command-line words.

    Raises CoreError, ProgramError.
    """
    program = Program(read_elf(Path(args.program), args.program_name), programs.RV32)
    around = programs.around(program, args.around, core.gateware, core.first_cause)
    if core.saves and any(option.startswith("wait=") for option in args.around):
        raise CoreError(f"{core.name} saves registers over a port that has no wait states")
    if core.packaged and (warning := programs.lacking(program)):
        print(f"program: [{warning}]", file=sys.stderr)
    reason = f" ({around.said})" if around.said else ""
    profile = f"{profile} running {program.elf.named}{reason}"
    words = [*handed_over(program.elf), *around.words, *programs.places(program, args.watch)]
    if core.packaged:
        words.append("--rv32imc")
    return profile, words


def command_of_board(board: boards.Simulated, args: argparse.Namespace) -> list[str]:
    """The command line of a board's simulation. Raises CoreError."""
    of_cores = (
        "elf",
        "program",
        "around",
        "watch",
        "no_skip",
        "cycles",
        "bare",
        "stats",
        "trace",
        "markers",
    )
    if refused := [key for key in of_cores if getattr(args, key)]:
        raise CoreError(
            f"{board.name} is a whole board, which has no --{refused[0].replace('_', '-')}"
        )
    return boards.command(board, args.stack, args.wire, args.pins)


def main() -> None:
    """Replace this process by the simulation; on failure print one line and exit with 2."""
    args = arguments()
    try:
        if args.list:
            print(json.dumps(listed(), indent=1))
            return
        if args.core is None:
            raise CoreError("--core is missing; --list names them")
        words = command(args)
        if INSTALLED:
            host = None if args.program is None else serving(cores.find(args.core), args).name
            build.build([args.core], as_json, host)
    except (CoreError, ProgramError, BuildError) as error:
        print(f"irqscope_rtl: {error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    os.execv(words[0], words)


if __name__ == "__main__":
    main()
