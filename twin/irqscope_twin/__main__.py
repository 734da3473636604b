"""Command line of the twin: ``python -m irqscope_twin``.

Finds the build products, reads the timing profile and becomes the engine: the process that prints
{"port": "/dev/pts/N", "profile": "a53"} and answers there like a board, until SIGTERM,
SIGINT or the end of its standard input.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path

from irqscope.machines.elf import ProgramError, handed_over, read_elf
from irqscope.machines.firmware_file import (
    CARRIED,
    DEFAULT_MACHINE,
    DEFAULT_MEMORY,
    DEFAULT_STACK,
    OF_ITS_OWN,
    firmware,
)
from irqscope.machines.program_file import Kind, Program
from irqscope.resources import INSTALLED, remedy

from . import EXECUTABLE, chip, device, faults, profile, variants
from .machine import MachineError
from .machine import load as load_machine

EXIT_USAGE = 2
#: Whose gateware is served alone, unless another board is named.
_SERVED_BOARD = "kv260"


#: Options of a foreign program that the engine takes unchanged, each repeatable.
OF_PROGRAM = (
    ("ram", "BASE+SIZE", "further memory of its board"),
    ("gpio", "ADDRESS", "4 KB of registers of its board that keep what is stored"),
    ("bin", "FILE@ADDRESS", "a file that is loaded there, as it is"),
    ("entry", "PLACE", "where it begins"),
    ("el", "LEVEL", "exception level that it begins at: 3, 2 or 1"),
    ("x0", "NUMBER", "its first argument when it begins, as the address of a device tree"),
)


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="irqscope_twin", description="A simulated board.")
    parser.add_argument(
        "--profile", default="a53",
        help="timing profile; MACHINE:PROFILE where several machines have one of that name; "
        "MACHINE for its own model",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
        help="another value of a constant of the profile, in its own unit and range; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--parameters", metavar="PROFILE", help="print a profile's table as JSON and end"
    )
    parser.add_argument(
        "--sensitivities", action="store_true",
        help="print what is stored of the profiles' assumptions as JSON, and end",
    )  # fmt: skip
    parser.add_argument("--fault", metavar="NAME", help="inject this fault")
    parser.add_argument("--faults", action="store_true", help="list the faults and end")
    parser.add_argument("--variant", metavar="NAME", help="follow the other source here")
    parser.add_argument("--variants", action="store_true", help="list the variants and end")
    parser.add_argument(
        "--device", metavar="NAME[/STATE]",
        help="wire this simulated device to the pins: a table of twin/devices, or a path of one",
    )  # fmt: skip
    parser.add_argument(
        "--wiring", metavar="NAME",
        help=f"how it is wired, unless well: {', '.join(device.WIRINGS)}",
    )  # fmt: skip
    parser.add_argument(
        "--stack", default=DEFAULT_STACK, metavar="NAME", help="software stack of the firmware"
    )
    parser.add_argument(
        "--layout", type=int, default=0, metavar="N",
        help="the firmware whose parts are elsewhere, as `make layouts` links it",
    )  # fmt: skip
    parser.add_argument(
        "--memory", default=DEFAULT_MEMORY, metavar="NAME",
        help="the firmware that stands there: ddr, or ocm (on-chip memory)",
    )  # fmt: skip
    parser.add_argument(
        "--board", metavar="NAME",
        help="which board's UART and PL clock it has; cores and memory stay the profile's",
    )  # fmt: skip
    parser.add_argument(
        "--serve", metavar="SOCKET",
        help="no cores: the gateware alone, by this computer's clock, for irqscope-agent there",
    )  # fmt: skip
    parser.add_argument("--elf", type=Path, help="another firmware to run")
    parser.add_argument(
        "--program", metavar="FILE", help="a foreign program, on a board of its own"
    )
    parser.add_argument(
        "--program-name", metavar="NAME", help="name of that file, where FILE is a descriptor"
    )
    parser.add_argument(
        "--watch", action="append", default=[], metavar="KIND:PLACE=PIN",
        help="an instruction of it (pc), or a store, drives a pin of the gateware; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--lead", action="append", default=[], metavar="LINE=pin:NAME|LINE=irq:NUMBER",
        help="where a line leads on the program's chip; repeatable",
    )  # fmt: skip
    parser.add_argument("--ready", metavar="PLACE", help="where it is ready to be measured")
    for name, metavar, text in OF_PROGRAM:
        parser.add_argument(f"--{name}", action="append", default=[], metavar=metavar, help=text)
    parser.add_argument(
        "--masked", metavar="FILE", help="write when its interrupts are off, as CSV at the end"
    )
    parser.add_argument(
        "--functions", metavar="FILE", help="write which functions it executes for each stimulus"
    )
    parser.add_argument(
        "--interruptions", metavar="FILE", help="write where each line interrupts it, as CSV"
    )
    parser.add_argument("--no-skip", action="store_true", help="evaluate every tick of the PL")
    parser.add_argument("--stats", metavar="FILE", help="write statistics as JSON at the end")
    parser.add_argument("--trace", metavar="FILE", help="write changes of the PL's pins as CSV")
    parser.add_argument(
        "--markers", metavar="FILE", help="write each marker's core, code and instructions as CSV"
    )
    return parser.parse_args(argv)


#: Instruction set of each machine's cores.
KINDS = {
    "zynqmp": Kind("EM_AARCH64", 64, "the Cortex-A53 of this twin takes AArch64"),
    "zynq7000": Kind("EM_ARM", 32, "the Cortex-A9 of this twin takes ARMv7-A"),
}


OF_CHIP = Kind("EM_ARM", 32, "the Cortex-M4 of this twin takes Armv7-M")


def beside(args: argparse.Namespace, machine: str) -> list[str]:
    """Returns the engine's arguments for a foreign program. Raises ProgramError."""
    if args.program is None:
        return []
    if refused := [key for key in ("fault", "device", "trace", "markers") if getattr(args, key)]:
        raise ProgramError(f"a foreign program is measured without --{refused[0]}")
    of_chip = args.chip is not None
    required = OF_CHIP if of_chip else KINDS[machine]
    program = Program(read_elf(Path(args.program), args.program_name), required)
    words = handed_over(program.elf)
    if of_chip:
        chip.check(program.elf)
        if unsupported := [name for name, _, _ in OF_PROGRAM if getattr(args, name)]:
            raise ProgramError(f"{unsupported[0]}: the Cortex-M4 of this twin does not take it")
        words += ["--chip", args.chip]
        for line in args.lead:
            words += ["--lead", chip.lead(line, args.chip)]
    elif unsupported := [line for line in args.lead if not line.endswith("=")]:
        raise ProgramError(
            f"line {unsupported[0]}: lines reach this machine's interrupts by their numbers; "
            "leave the keys pin and irq of the line out"
        )
    for watch in args.watch:
        event, _, pin = watch.rpartition("=")
        kind, _, place = event.partition(":")
        if kind == "id":
            raise ProgramError(f"{event}: the twin has no decode stage; write pc:{place}")
        if kind == "pin":
            if not of_chip:
                raise ProgramError(
                    f"{event}: this machine's program has no pins; write pc: or store:"
                )
            address, size = chip.pin_place(place, args.chip)
        else:
            address, size = program.place(place)
        words += ["--place", f"{kind}:{address}:{size}={pin}"]
    if args.ready is not None:
        words += ["--ready", str(program.place(args.ready)[0])]
    for option in ("masked", "functions", "interruptions"):
        if value := getattr(args, option):
            words += [f"--{option}", value]
    for option, _, _ in OF_PROGRAM:
        for value in getattr(args, option):
            words += [f"--{option}", str(program.place(value)[0]) if option == "entry" else value]
    return words


def making(args: argparse.Namespace, machine: str) -> str:
    """Describes how to build the requested firmware."""
    if args.memory != DEFAULT_MEMORY:
        other = f"make -C fw MEMORY={args.memory} STACK={args.stack} BOARD={args.board or ''}"
        return remedy(other, CARRIED)
    if args.board in OF_ITS_OWN:
        return remedy(f"make -C fw BOARD={args.board} STACK={args.stack}", CARRIED)
    if args.elf is not None or (args.stack == DEFAULT_STACK and not args.layout):
        return remedy("make build", CARRIED)
    of_machine = "" if machine == DEFAULT_MACHINE else f" MACHINE={machine}"
    if args.layout:
        layouts = f"make layouts STACKS={args.stack}{of_machine} LAYOUTS={args.layout}"
        return remedy(layouts, CARRIED)
    return remedy(f"make stacks STACKS={args.stack}{of_machine}", CARRIED)


def engine_command(args: argparse.Namespace) -> list[str]:
    """The engine's command line; a wheel still has to compile the engine.

    Raises profile.ProfileError for an unusable profile, faults.FaultError for an unknown fault,
    variants.VariantError for an unknown variant, device.DeviceError for an unusable device,
    ProgramError for a program that cannot be measured, FileNotFoundError for a missing product.
    """
    named = profile.load(args.profile)
    carrier = chip.CARRIERS.get(named.model)
    args.chip = None
    if carrier is not None:
        args.chip, args.board = chip.board(args.board), None
        if args.program is None:
            raise ProgramError(f"twin:{named.name} runs a program; say twin:{named.name}:elf=FILE")
    if args.board is not None:
        named = named.on(args.board)
    timing = named.override(args.settings)
    source_hash = timing.source_hash
    of_board = timing if carrier is None else profile.load(carrier)
    machine = timing.machine.name
    fault = None if args.fault is None else faults.find(args.fault, machine)
    if fault is not None:
        source_hash = fault.source_hash(source_hash)
    variant = None if args.variant is None else variants.find(args.variant, machine)
    if variant is not None:
        source_hash = variant.source_hash(source_hash)
    if args.device is None and args.wiring is not None:
        raise device.DeviceError(f"wiring {args.wiring!r}: there is no device to be wired")
    wired = None if args.device is None else device.load(args.device, args.wiring)
    if wired is not None:
        source_hash = wired.source_hash(source_hash)
    source_id = timing.source_id(changed=source_hash != named.source_hash)
    elf = args.elf or _firmware(args, machine)
    if not INSTALLED and not EXECUTABLE.exists():
        raise FileNotFoundError(f"{EXECUTABLE} is missing: run `make build`")
    if not elf.exists():
        raise FileNotFoundError(f"{elf} is missing: {making(args, machine)}")
    command = [str(EXECUTABLE), "--elf", str(elf), "--profile", timing.name]
    command += ["--machine", machine, "--model", of_board.model]
    board = timing.machine.board(timing.board)
    command += ["--tick-hz", str(board.tick_hz), "--uart", str(board.uart)]
    command += ["--source-id", str(source_id), "--source-hash", hex(source_hash)]
    for name, number in of_board.constants.items():
        command += ["--constant", f"{name}={number}"]
    for name, number in timing.constants.items() if of_board is not timing else ():
        command += ["--program-constant", f"{name}={number}"]
    for name, number in (fault.settings if fault else {}).items():
        command += ["--fault", f"{name}={number}"]
    for name, number in (variant.settings if variant else {}).items():
        command += ["--variant", f"{name}={number}"]
    for setting in wired.settings if wired else ():
        command += ["--device", setting]
    command += beside(args, machine)
    if args.no_skip:
        command.append("--no-skip")
    for option in ("stats", "trace", "markers"):
        if value := getattr(args, option):
            command += [f"--{option}", value]
    return command


def served_command(args: argparse.Namespace) -> list[str]:
    """Command line of the gateware alone. Raises FileNotFoundError, MachineError."""
    # Here: the model of the machine makes each start of a twin slower.
    from irqscope.machines.under_linux import SIMULATION

    if not INSTALLED and not EXECUTABLE.exists():
        raise FileNotFoundError(f"{EXECUTABLE} is missing: run `make build`")
    machine = load_machine(DEFAULT_MACHINE)
    board = machine.board(args.board or _SERVED_BOARD)
    source_id = machine.number | board.number << 8 | SIMULATION << 16
    command = [str(EXECUTABLE), "--serve", args.serve, "--tick-hz", str(board.tick_hz)]
    command += ["--source-id", str(source_id)]
    return command + (["--trace", args.trace] if args.trace else [])


def _firmware(args: argparse.Namespace, machine: str) -> Path:
    """Raises FileNotFoundError for a program without a target of make."""
    memory = args.memory
    if memory not in (DEFAULT_MEMORY, *(machine == DEFAULT_MACHINE) * ("ocm",)):
        raise FileNotFoundError(f"memory={memory}: {machine} has no program there")
    if memory != DEFAULT_MEMORY and args.layout:
        raise FileNotFoundError(f"layout={args.layout}: a program in {memory} has one layout")
    return firmware(machine, args.stack, args.layout, memory, args.board or "")


def print_parameters(name: str) -> None:
    """Print a profile's table as JSON: a list of objects with the fields of profile.Parameter.

    Raises profile.ProfileError for an unusable profile.
    """
    rows = [dataclasses.asdict(row) for row in profile.load(name).table]
    print(json.dumps(rows, indent=1))


def print_sensitivities() -> None:
    """Print a JSON object: for each file in twin/profiles/sensitivity its name and its text."""
    files = sorted((profile.FOLDER / "sensitivity").glob("*.json"))
    print(json.dumps({file.name: file.read_text(encoding="utf-8") for file in files}))


def main() -> None:
    """Replace this process by the engine; one line and exit code 2 when that cannot be."""
    args = arguments()
    try:
        if args.parameters:
            print_parameters(args.parameters)
            return
        if args.sensitivities:
            print_sensitivities()
            return
        if args.faults:
            print(faults.table())
            return
        if args.variants:
            print(variants.table())
            return
        command = engine_command(args) if args.serve is None else served_command(args)
        if INSTALLED and (why := _compile()):
            sys.exit(_refuse(why))
    except (
        profile.ProfileError,
        faults.FaultError,
        variants.VariantError,
        device.DeviceError,
        MachineError,
        ProgramError,
        FileNotFoundError,
    ) as error:
        sys.exit(_refuse(str(error)))
    os.execv(command[0], command)


def _compile() -> str:
    """Brings the engine up to date. Returns why it cannot be; empty if it is."""
    from .build import build  # here: in a checkout the twin starts without the compiler's modules
    from .toolchain import BuildError, as_json

    try:
        build(as_json)
    except BuildError as error:
        return str(error)
    return ""


def _refuse(line: str) -> int:
    print(f"irqscope_twin: {line}", file=sys.stderr)
    return EXIT_USAGE


if __name__ == "__main__":
    main()
