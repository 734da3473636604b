"""Makes an SD card's BOOT.BIN.

It holds boot loader, bitstream, irqscope's firmware, and the PMU's firmware if the chip has a PMU.

Usage: ``make sdcard BOARD=zcu102``, or ``vitis -s scripts/boot/image.py BOARD [STACK]`` with
``bootgen`` in PATH

Needs build/vivado/BOARD/irqscope.xsa and irqscope.bit, and irqscope.elf, or with another software
STACK irqscope-STACK.elf, in build/fw, or build/fw-zynq7000 for a board of that machine. Writes
build/boot/BOARD/BOOT.BIN; copy it to the first partition (FAT) of an SD card. The file fsbl.elf
next to it is for ``make program BOARD=zcu102 FSBL=...``.

NOT VERIFIED: no Vitis has run this file; the tests run it with stand-ins for Vitis and bootgen.
"""
# Runs in Vitis's own Python: 3.8 in 2023.2 to 2024.2. `make lint` holds it to that.

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Tuple

import vitis  # of AMD's Vitis, which runs this file with its own Python

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Machine:
    """A machine as its boot image needs it.

    ``arch`` and ``cpu`` as bootgen and Vitis call them; ``firmware``: its folder below build;
    ``loaders``: what Vitis builds with any platform; ``bif``: partitions in the order in which they
    are loaded, attributes by UG1283.
    """

    arch: str
    cpu: str
    firmware: str
    loaders: Tuple[str, ...]
    bif: str


MACHINES = {
    "zynqmp": Machine(
        arch="zynqmp",
        cpu="psu_cortexa53_0",
        firmware="fw",
        loaders=("fsbl", "pmufw"),
        bif="""the_ROM_image:
{{
  [bootloader, destination_cpu=a53-0] {fsbl}
  [pmufw_image] {pmufw}
  [destination_device=pl] {bitstream}
  [destination_cpu=a53-0, exception_level=el-3] {firmware}
}}
""",
    ),
    # The loader hands over to the last partition that it loads, on core 0.
    "zynq7000": Machine(
        arch="zynq",
        cpu="ps7_cortexa9_0",
        firmware="fw-zynq7000",
        loaders=("fsbl",),
        bif="""the_ROM_image:
{{
  [bootloader] {fsbl}
  {bitstream}
  {firmware}
}}
""",
    ),
}


def program(stack: str) -> str:
    """File name of the firmware with a software stack (fw/Makefile)."""
    return "irqscope.elf" if stack == "baremetal" else f"irqscope-{stack}.elf"


def machine_of(board: str) -> Machine:
    """Returns a board's machine by scripts/vivado/boards.tcl, or ends for an unknown board."""
    boards = (ROOT / "scripts" / "vivado" / "boards.tcl").read_text()
    machines = dict(re.findall(r"(?m)^  (\w+) \{\n(?:    .*\n)*?    machine +(\w+)$", boards))
    if board not in machines:
        sys.exit(f"irqscope: there is no board {board}; there are {', '.join(machines)}")
    return MACHINES[machines[board]]


def create_platform(client: Any, machine: Machine, xsa: Path) -> Any:
    """A platform of a hardware description.

    The argument that names it is ``hw`` in scripts for 2023.2 (tonydg2/ultra96, sw/scripts/
    builder.py), and ``hw_design`` in those that 2024.2 and 2025.x wrote (CypherVault/
    RiscV-NPU-DualCore, vickdini/codesign, workspace_journal_*.py).
    """
    common = {"name": "irqscope", "os": "standalone", "cpu": machine.cpu}
    failures = []
    for word in ("hw_design", "hw"):
        try:
            return client.create_platform_component(**common, **{word: str(xsa)})
        except Exception as error:  # noqa: BLE001 - the package raises nothing narrower
            failures.append(f"{word}: {error or type(error).__name__}")
    vitis.dispose()
    return sys.exit(f"irqscope: Vitis makes no platform of {xsa}: {'; '.join(failures)}")


def boot_files(machine: Machine, xsa: Path, workspace: Path) -> Dict[str, Path]:
    """First-stage boot loader, and PMU firmware, which Vitis builds with any platform."""
    # A workspace of an earlier image has a platform of this name already.
    shutil.rmtree(workspace, ignore_errors=True)
    workspace.mkdir(parents=True)
    client = vitis.create_client()
    client.set_workspace(path=str(workspace))
    create_platform(client, machine, xsa).build()
    vitis.dispose()
    found = {}
    for name in machine.loaders:
        # Several copies lie in a platform; those that are exported are the finished ones.
        copies = workspace.rglob(f"{name}.elf")
        files = sorted(copies, key=lambda path: ("export" not in path.parts, path))
        if not files:
            sys.exit(f"irqscope: the platform in {workspace} holds no {name}.elf")
        found[name] = files[0]
    return found


def main() -> None:
    """Builds the image of the board named on the command line."""
    if len(sys.argv) not in (2, 3):
        sys.exit("irqscope: usage: vitis -s scripts/boot/image.py BOARD [STACK]")
    board, stack = sys.argv[1], sys.argv[2] if sys.argv[2:] else "baremetal"
    machine = machine_of(board)
    hardware = ROOT / "build" / "vivado" / board
    files = {
        "bitstream": hardware / "irqscope.bit",
        "firmware": ROOT / "build" / machine.firmware / program(stack),
    }
    xsa = hardware / "irqscope.xsa"
    for path in (*files.values(), xsa):
        if not path.is_file():
            sys.exit(f"irqscope: there is no {path}")
    output = ROOT / "build" / "boot" / board
    output.mkdir(parents=True, exist_ok=True)
    if not shutil.which("bootgen"):
        sys.exit("irqscope: bootgen is not in PATH; it comes with Vitis: source its settings64.sh")
    files.update(boot_files(machine, xsa, output / "workspace"))
    shutil.copy(files["fsbl"], output / "fsbl.elf")
    bif = output / "irqscope.bif"
    bif.write_text(machine.bif.format(**files))
    image = output / "BOOT.BIN"
    command = ["bootgen", "-arch", machine.arch, "-image", str(bif), "-o", str(image), "-w", "on"]
    image.unlink(missing_ok=True)
    if subprocess.run(command, check=False).returncode or not image.is_file():
        sys.exit(f"irqscope: bootgen made no {image}")
    print(f"irqscope: {image}")


if __name__ == "__main__":
    main()
