"""Command line of the twin: ``python -m irqscope_twin``.

Finds the build products, reads the timing profile and becomes the engine: the process that prints
{"port": "/dev/pts/N", "profile": "functional"} and answers there like a board, until SIGTERM,
SIGINT or the end of its standard input.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path

from . import build, profile

EXIT_USAGE = 2
FIRMWARE = build.ROOT / "build" / "fw" / "irqscope.elf"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="irqscope_twin", description="A simulated ZCU102.")
    parser.add_argument("--profile", default="functional", help="timing profile")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
        help="another value of a constant of the profile, in its own unit and range; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--parameters", metavar="PROFILE", help="print a profile's table as JSON and end"
    )
    parser.add_argument("--elf", type=Path, default=FIRMWARE, help="firmware to run")
    parser.add_argument("--no-skip", action="store_true", help="evaluate every tick of the PL")
    parser.add_argument("--stats", metavar="FILE", help="write statistics as JSON at the end")
    parser.add_argument("--trace", metavar="FILE", help="write changes of the PL's pins as CSV")
    return parser.parse_args(argv)


def engine_command(args: argparse.Namespace) -> list[str]:
    """The engine's command line.

    Raises profile.ProfileError for an unusable profile, FileNotFoundError for a missing product.
    """
    timing = profile.load(args.profile).override(args.settings)
    for product in (build.EXECUTABLE, args.elf):
        if not product.exists():
            raise FileNotFoundError(product)
    command = [str(build.EXECUTABLE), "--elf", str(args.elf), "--profile", timing.name]
    command += ["--model", timing.model]
    command += ["--source-id", str(timing.source_id), "--source-hash", hex(timing.source_hash)]
    for name, number in timing.constants.items():
        command += ["--constant", f"{name}={number}"]
    if args.no_skip:
        command.append("--no-skip")
    for option, value in (("--stats", args.stats), ("--trace", args.trace)):
        if value:
            command += [option, value]
    return command


def print_parameters(name: str) -> None:
    """Print a profile's table as JSON: a list of objects with the fields of profile.Parameter.

    Raises profile.ProfileError for an unusable profile.
    """
    rows = [dataclasses.asdict(row) for row in profile.load(name).table]
    print(json.dumps(rows, indent=1))


def main() -> None:
    """Replace this process by the engine; one line and exit code 2 when that cannot be."""
    args = arguments()
    try:
        if args.parameters:
            print_parameters(args.parameters)
            return
        command = engine_command(args)
    except profile.ProfileError as error:
        sys.exit(_refuse(str(error)))
    except FileNotFoundError as error:
        sys.exit(_refuse(f"{error} is missing: run `make build`"))
    os.execv(command[0], command)


def _refuse(line: str) -> int:
    print(f"irqscope_twin: {line}", file=sys.stderr)
    return EXIT_USAGE


if __name__ == "__main__":
    main()
