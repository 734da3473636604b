"""Finding the programs that a step needs, running them, and keeping what they print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Where installers put their products, below these by version: Vivado/2024.2, or since 2025.1
#: 2025.1/Vivado.
ROOTS = tuple(
    Path(name).expanduser()
    for name in ("/tools/Xilinx", "/opt/Xilinx", "/opt/AMD", "~/Xilinx", "~/tools/Xilinx", "~/AMD")
)


class MissingError(Exception):
    """Nothing was started, because something is not there; the text is one line."""


class StepError(Exception):
    """A step was begun and failed; the text is one line."""


@dataclass(frozen=True)
class Asked:
    """The user's request. ``values``: variables set on make's command line."""

    step: str
    board: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tool:
    """A program.

    ``products``: folders of an installer that may hold it; ``without``: what its absence costs;
    ``variable``: what may name it, its folder, or the settings64.sh above it.
    """

    name: str
    products: tuple[str, ...]
    without: str

    @property
    def variable(self) -> str:
        """The variable of make and of the environment."""
        return self.name.upper()

    def missing(self) -> str:
        """One line: where it was looked for, and what that costs."""
        places = ", ".join(dict.fromkeys(str(root) for root in ROOTS))
        return (
            f"{self.name} is neither in PATH nor below {places}: without it {self.without}; "
            f"if it is elsewhere, name its folder: {self.variable}=FOLDER"
        )


def find(tool: Tool, options: Asked) -> list[str]:
    """Words of a command that starts the tool. Raises MissingError.

    A variable comes first, then PATH, then the newest version in the usual folders.
    """
    named = options.values.get(tool.variable)
    if named:
        executable = _in_installation(Path(named).expanduser(), tool)
        if executable is None:
            raise MissingError(f"{tool.variable}={named}: there is no {tool.name}")
        return executable
    program = shutil.which(tool.name)
    if program:
        return [program]
    for folder in _installations(tool):
        executable = _in_installation(folder, tool)
        if executable is not None:
            return executable
    raise MissingError(tool.missing())


def _installations(tool: Tool) -> list[Path]:
    """Folders of the tool's products, the newest version first."""
    folders = []
    for root in ROOTS:
        for product in tool.products:
            for folder in (*root.glob(f"{product}/20*"), *root.glob(f"20*/{product}")):
                version = folder.name if folder.parent.name == product else folder.parent.name
                numbers = [int(number) for number in re.findall(r"\d+", version)]
                folders.append((numbers, -tool.products.index(product), folder))
    return [folder for *_, folder in sorted(folders, reverse=True)]


def _in_installation(place: Path, tool: Tool) -> list[str] | None:
    """The command by the place of an installation, its settings64.sh or the program itself."""
    folder = place.parent if place.is_file() else place
    folder = folder.parent if folder.name == "bin" else folder
    program = folder / "bin" / tool.name
    if not program.is_file():
        return None
    settings = folder / "settings64.sh"
    if not settings.is_file():
        return [str(program)]
    # Its companions, such as bootgen, are then also in PATH.
    return ["bash", "-c", 'source "$0" >/dev/null && exec "$@"', str(settings), str(program)]


@dataclass(frozen=True)
class Sign:
    """Evidence that a step succeeded, whatever its program's exit code.

    ``file``: has to be newer than the step's begin; ``line``: has to have been printed.
    """

    file: Path | None = None
    line: str = ""


def run(options: Asked, command: Sequence[str], sign: Sign) -> None:
    """Runs a program in the repository; shows and keeps what it prints. Raises StepError.

    Some of these programs end with 0 although their script failed; so the sign decides.
    """
    log = ROOT / "build" / "log" / f"{options.step}-{options.board}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    start_s = time.time()
    print(f"make {options.step}: all that follows is kept in {log.relative_to(ROOT)}", flush=True)
    with log.open("w") as output:
        print("$", *command, file=output, flush=True)
        with subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        ) as program:
            assert program.stdout is not None
            signed = False
            for line in program.stdout:
                signed = signed or sign.line in line
                output.write(line)
                output.flush()
                sys.stdout.write(line)
                sys.stdout.flush()
    kept_in = f"all that it printed is in {log.relative_to(ROOT)}"
    if program.returncode:
        raise StepError(f"{options.board}: its program ended with {program.returncode}; {kept_in}")
    if sign.line and not signed:
        raise StepError(f"{options.board}: it ended without `{sign.line}`; {kept_in}")
    # File systems may keep whole seconds.
    if sign.file and not (sign.file.exists() and sign.file.stat().st_mtime >= int(start_s)):
        name = sign.file.relative_to(ROOT)
        raise StepError(f"{options.board}: it ended, and there is no new {name}; {kept_in}")
