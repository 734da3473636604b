"""Steps of the boards of scripts/vivado/boards.tcl, by AMD's Vivado, xsdb and Vitis."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from vendor import ROOT, Asked, MissingError, Sign, StepError, Tool, find, run

VIVADO = Tool("vivado", ("Vivado",), "no bitstream can be built")
XSDB = Tool("xsdb", ("Vitis", "Vivado", "Vivado_Lab"), "no board can be reached over JTAG")
VITIS = Tool("vitis", ("Vitis",), "there is no boot loader for an SD card")


def _machines() -> dict[str, str]:
    """Machine of each board."""
    text = (ROOT / "scripts" / "vivado" / "boards.tcl").read_text()
    return dict(re.findall(r"(?m)^  (\w+) \{\n(?:    .*\n)*?    machine +(\w+)$", text))


def boards() -> list[str]:
    """The boards that this flow knows."""
    return list(_machines())


def bitstream(asked: Asked) -> None:
    """Bitstream and hardware description. Raises MissingError, StepError."""
    vivado = find(VIVADO, asked)
    # Its log is the step's.
    options = ["-mode", "batch", "-nolog", "-nojournal"]
    script = ["-source", "scripts/vivado/build.tcl", "-tclargs", asked.board]
    script += [f"ddr={asked.values['DDR']}"] if "DDR" in asked.values else []
    product = ROOT / "build" / "vivado" / asked.board / "irqscope.bit"
    run(asked, [*vivado, *options, *script], Sign(product, "irqscope.xsa and"))


def smoke(options: Asked) -> None:
    """From JTAG to the gateware, without firmware. Raises MissingError, StepError."""
    _over_jtag(
        options, "smoke.tcl", _own_design(options), "the marker was counted and took the line back"
    )


def program(options: Asked) -> None:
    """Programs the PL and starts the firmware. Raises MissingError, StepError."""
    _build_firmware(options)
    values = options.values
    words = [values[name] for name in ("STACK",) if name in values]
    words += [f"memory={values['MEMORY']}"] if "MEMORY" in values else []
    words += [f"fsbl={Path(values['FSBL']).resolve()}"] if "FSBL" in values else []
    words += _own_design(options)
    _over_jtag(options, "program.tcl", words, "irqscope: running")


def sdcard(options: Asked) -> None:
    """The boot image of an SD card. Raises MissingError, StepError."""
    if options.values.get("MEMORY", "ddr") != "ddr":
        raise MissingError("MEMORY: the boot loader itself stands in on-chip memory; leave it out")
    vitis = find(VITIS, options)
    _build_firmware(options)
    words = [options.values["STACK"]] if "STACK" in options.values else []
    product = ROOT / "build" / "boot" / options.board / "BOOT.BIN"
    run(options, [*vitis, "-s", "scripts/boot/image.py", options.board, *words], Sign(product))


def _over_jtag(options: Asked, script: str, words: list[str], line: str) -> None:
    """A script of scripts/jtag, by xsdb or by Vitis's Python."""
    words = [
        options.board,
        *words,
        *(options.values[name] for name in ("URL",) if name in options.values),
    ]
    try:
        command = [*find(XSDB, options), f"scripts/jtag/{script}", *words]
    except MissingError as without_xsdb:
        try:
            vitis = find(VITIS, options)
        except MissingError:
            raise without_xsdb from None
        print(f"make {options.step}: there is no xsdb; Vitis's Python does the same, slower")
        command = [*vitis, "-s", "scripts/jtag/program.py", script, *words]
    run(options, command, Sign(line=line))


def _own_design(options: Asked) -> list[str]:
    """The folder of what an XSA of the user's own holds, as a word. Raises MissingError."""
    if "XSA" not in options.values:
        return []
    named = f"XSA={options.values['XSA']}"
    folder = ROOT / "build" / "xsa" / options.board
    folder.mkdir(parents=True, exist_ok=True)
    init = {"zynqmp": "psu_init.tcl", "zynq7000": "ps7_init.tcl"}[_machines()[options.board]]
    try:
        with zipfile.ZipFile(options.values["XSA"]) as archive:
            for ending, name in ((".bit", "irqscope.bit"), (init, init)):
                matches = [each for each in archive.namelist() if each.endswith(ending)]
                if len(matches) != 1:
                    text = f"it holds {len(matches)} files *{ending}; one is needed"
                    raise MissingError(f"{named}: {text} (write_hw_platform -fixed -include_bit)")
                (folder / name).write_bytes(archive.read(matches[0]))
    except (OSError, zipfile.BadZipFile) as error:
        raise MissingError(f"{named}: {error}") from None
    return [f"design={folder}"]


def _build_firmware(options: Asked) -> None:
    """The firmware of the board's machine."""
    words = [f"MACHINE={_machines()[options.board]}", f"BOARD={options.board}"]
    words += [
        f"{name}={options.values[name]}" for name in ("STACK", "MEMORY") if name in options.values
    ]
    command = ["make", "--no-print-directory", "-C", "fw", *words]
    if subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False).returncode:
        raise StepError(f"the firmware was not built: {' '.join(command)}")


STEPS: dict[str, Callable[[Asked], None]] = {
    "bitstream": bitstream,
    "smoke": smoke,
    "program": program,
    "sdcard": sdcard,
}
