"""Makes an SD card's BOOT.BIN: boot loader, bitstream, irqscope's firmware, and where there is a
PMU, its firmware.

Usage: ``vitis -s scripts/boot/image.py BOARD [STACK]``, with ``bootgen`` in PATH

Needs build/vivado/BOARD/irqscope.xsa and irqscope.bit, and irqscope.elf, or with another software
STACK irqscope-STACK.elf, in build/fw, or build/fw-zynq7000 for a board of that machine. Writes
build/boot/BOARD/BOOT.BIN; copy it to the first partition (FAT) of an SD card.

NOT VERIFIED: no Vitis has run this file; the tests run it with stand-ins for Vitis and bootgen.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import vitis  # of AMD's Vitis, which runs this file with its own Python

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Machine:
    """``arch`` and ``cpu`` as bootgen and Vitis call them; ``firmware``: its folder below build;
    ``loaders``: what Vitis builds with any platform; ``bif``: partitions in the order in which they
    are loaded, attributes by UG1283.
    """

    arch: str
    cpu: str
    firmware: str
    loaders: tuple[str, ...]
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
    """The machine of a board of scripts/vivado/boards.tcl; ends the program if there is none."""
    boards = (ROOT / "scripts" / "vivado" / "boards.tcl").read_text()
    found = dict(re.findall(r"(?m)^  (\w+) \{\n(?:    .*\n)*?    machine +(\w+)$", boards))
    if board not in found:
        sys.exit(f"irqscope: there is no board {board}; there are {', '.join(found)}")
    return MACHINES[found[board]]


def boot_files(machine: Machine, xsa: Path, workspace: Path) -> dict[str, Path]:
    """First-stage boot loader, and PMU firmware, which Vitis builds with any platform."""
    client = vitis.create_client()
    client.set_workspace(str(workspace))
    platform = client.create_platform_component(
        name="irqscope", hw_design=str(xsa), os="standalone", cpu=machine.cpu
    )
    platform.build()
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
    files |= boot_files(machine, xsa, output / "workspace")
    bif = output / "irqscope.bif"
    bif.write_text(machine.bif.format(**files))
    image = output / "BOOT.BIN"
    command = ["bootgen", "-arch", machine.arch, "-image", str(bif), "-o", str(image), "-w", "on"]
    subprocess.run(command, check=True)
    print(f"irqscope: {image}")


if __name__ == "__main__":
    main()
