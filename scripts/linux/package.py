"""Makes the folder of a board under Linux: what `xmutil loadapp` or fpgautil loads, and the agent.

    python scripts/linux/package.py BOARD

build/linux/BOARD/ then has irqscope.dtbo, shell.json, irqscope-agent and module/, the sources of
the kernel's module; where the bitstream of `make bitstream` and AMD's bootgen are there it has
irqscope.bit.bin, too. NOT VERIFIED: no board has loaded it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from irqscope.constants import LINES
from irqscope.machines.generated import ZYNQMP

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "build" / "fw-linux" / "irqscope-agent-aarch64"
#: Boards that boot Linux with a manager of the FPGA.
BOARDS = tuple(board.name for board in ZYNQMP.boards)

#: Pin of the controller's first EMIO pin, and pins of banks 3 and 4 (UG1085, GPIO).
_FIRST_PIN, _PINS = 78, 64
#: A GIC node's number of the first SPI; the sense that Linux is told: level, high.
_FIRST_SPI, _HIGH = 32, 4
#: The measured line is that of fw/module where it was loaded first, and otherwise as the others.
_UIO = '"generic-uio"'
_COMPATIBLE = {"irqscope-line-0": f'"irqscope,line", {_UIO}'}
_PORT = "                irqscope,port = <&irqscope_port>;\n"


class PackageError(Exception):
    """A part cannot be made; the text names it and says what to do."""


def overlay() -> str:
    """Return the source of the overlay, with a UIO device for each line of the gateware."""
    shared = ZYNQMP.interrupts.shared.ids
    named = {f"irqscope-line-{n}": shared[n] for n in range(LINES)}
    named["irqscope-finished"] = ZYNQMP.interrupts.finished
    lines = "\n".join(
        f"            {name} {{\n"
        f"                compatible = {_COMPATIBLE.get(name, _UIO)};\n"
        f"{_PORT if name in _COMPATIBLE else ''}"
        f'                linux,uio-name = "{name}";\n'
        "                interrupt-parent = <&gic>;\n"
        f"                interrupts = <0 {number - _FIRST_SPI} {_HIGH}>;\n"
        "            };\n"
        for name, number in named.items()
    )
    pins = ", ".join(f"<{_FIRST_PIN + n} 0>" for n in range(_PINS))
    text = (ROOT / "scripts" / "linux" / "irqscope.dtso").read_text(encoding="utf-8")
    return text.replace("PINS;", f"{pins};").replace("LINES ", f"{lines}".lstrip("\n") + " ")


def compile_overlay(to: Path) -> None:
    """Compile the overlay with dtc. Raises PackageError."""
    if shutil.which("dtc") is None:
        raise PackageError("dtc is missing; install device-tree-compiler")
    command = ["dtc", "-@", "-q", "-I", "dts", "-O", "dtb", "-o", str(to), "-"]
    process = subprocess.run(command, input=overlay(), capture_output=True, text=True, check=False)
    if process.returncode:
        raise PackageError(f"dtc: {process.stderr.strip()}")


def convert(bitstream: Path, to: Path) -> None:
    """Convert a bitstream to the form that the FPGA manager loads. Raises PackageError."""
    if not bitstream.is_file():
        raise PackageError(f"there is no {bitstream}: run `make bitstream` for this board")
    if shutil.which("bootgen") is None:
        raise PackageError("bootgen is not in PATH; it comes with Vivado, or from AMD's sources")
    bif = to.with_suffix(".bif")
    bif.write_text(f"all: {{ [destination_device = pl] {bitstream} }}\n", encoding="utf-8")
    command = ["bootgen", "-arch", "zynqmp", "-image", str(bif), "-o", str(to), "-w", "on"]
    to.unlink(missing_ok=True)
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    bif.unlink()
    if process.returncode or not to.is_file():
        raise PackageError(f"bootgen made no {to}: {process.stdout.strip()[-300:]}")


def package(board: str) -> Path:
    """Make the folder of a board; return it. Raises PackageError if a part cannot be made."""
    if board not in BOARDS:
        raise PackageError(f"BOARD={board}: give one of {', '.join(BOARDS)}")
    folder = ROOT / "build" / "linux" / board
    folder.mkdir(parents=True, exist_ok=True)
    compile_overlay(folder / "irqscope.dtbo")
    shutil.copy(ROOT / "scripts" / "linux" / "shell.json", folder)
    if not AGENT.is_file():
        raise PackageError(f"there is no {AGENT}: run `make agent`")
    shutil.copy(AGENT, folder / "irqscope-agent")
    shutil.copytree(ROOT / "fw" / "module", folder / "module", dirs_exist_ok=True)
    convert(ROOT / "build" / "vivado" / board / "irqscope.bit", folder / "irqscope.bit.bin")
    return folder


def main() -> None:
    """Makes the folder of the board named on the command line."""
    try:
        print(f"irqscope: {package(sys.argv[1])}")
    except PackageError as error:
        sys.exit(f"irqscope: {error}")


if __name__ == "__main__":
    main()
