"""Makes an SD card's BOOT.BIN: boot loader, PMU firmware, bitstream, irqscope's firmware.

Usage: ``vitis -s scripts/boot/image.py BOARD [STACK]``, with ``bootgen`` in PATH

Needs build/vivado/BOARD/irqscope.xsa and irqscope.bit, and build/fw/irqscope.elf, or
with another software STACK build/fw/irqscope-STACK.elf. Writes
build/boot/BOARD/BOOT.BIN; copy it to the first partition (FAT) of an SD card.

NOT VERIFIED: no Vitis has run this file; the tests run it with stand-ins for Vitis and bootgen.
"""

import subprocess
import sys
from pathlib import Path

import vitis  # of AMD's Vitis, which runs this file with its own Python

ROOT = Path(__file__).resolve().parents[2]
#: Partitions in the order in which they are loaded; attributes by UG1283.
BIF = """the_ROM_image:
{{
  [bootloader, destination_cpu=a53-0] {fsbl}
  [pmufw_image] {pmufw}
  [destination_device=pl] {bitstream}
  [destination_cpu=a53-0, exception_level=el-3] {firmware}
}}
"""


def boot_files(xsa: Path, workspace: Path) -> tuple[Path, Path]:
    """First-stage boot loader and PMU firmware, which Vitis builds with any platform."""
    client = vitis.create_client()
    client.set_workspace(str(workspace))
    platform = client.create_platform_component(
        name="irqscope", hw_design=str(xsa), os="standalone", cpu="psu_cortexa53_0"
    )
    platform.build()
    vitis.dispose()
    found = []
    for name in ("fsbl.elf", "pmufw.elf"):
        # Several copies lie in a platform; those that are exported are the finished ones.
        files = sorted(workspace.rglob(name), key=lambda path: ("export" not in path.parts, path))
        if not files:
            sys.exit(f"irqscope: the platform in {workspace} holds no {name}")
        found.append(files[0])
    return found[0], found[1]


def main() -> None:
    """Builds the image of the board named on the command line."""
    if len(sys.argv) not in (2, 3):
        sys.exit("irqscope: usage: vitis -s scripts/boot/image.py BOARD [STACK]")
    board, stack = sys.argv[1], sys.argv[2] if sys.argv[2:] else "baremetal"
    program = "irqscope.elf" if stack == "baremetal" else f"irqscope-{stack}.elf"
    hardware = ROOT / "build" / "vivado" / board
    files = {
        "bitstream": hardware / "irqscope.bit",
        "firmware": ROOT / "build" / "fw" / program,
    }
    xsa = hardware / "irqscope.xsa"
    for path in (*files.values(), xsa):
        if not path.is_file():
            sys.exit(f"irqscope: there is no {path}")
    output = ROOT / "build" / "boot" / board
    output.mkdir(parents=True, exist_ok=True)
    files["fsbl"], files["pmufw"] = boot_files(xsa, output / "workspace")
    bif = output / "irqscope.bif"
    bif.write_text(BIF.format(**files))
    command = ["bootgen", "-arch", "zynqmp", "-image", bif, "-o", output / "BOOT.BIN", "-w", "on"]
    subprocess.run(command, check=True)
    print(f"irqscope: {output / 'BOOT.BIN'}")


if __name__ == "__main__":
    main()
