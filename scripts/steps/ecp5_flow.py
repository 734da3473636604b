"""Steps of the boards with an ECP5 (machines/ecp5.toml), by yosys, nextpnr and openFPGALoader."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from vendor import ROOT, Asked, MissingError, Sign, StepError, run

LOADER = "openFPGALoader"


def boards() -> list[str]:
    """The boards that this flow knows."""
    text = (ROOT / "machines" / "ecp5.toml").read_text()
    return re.findall(r'(?m)^\[\[boards\]\]\nname = "([\w-]+)"$', text)


def made(board: str) -> Path:
    """Its bitstream, firmware included."""
    return ROOT / "build" / "ecp5" / board / "irqscope.bit"


def bitstream(options: Asked) -> None:
    """Firmware and bitstream, the tools fetched first. Raises StepError."""
    if "STACK" in options.values:
        raise MissingError(
            f"{options.board}: its bitstream has the stack baremetal; leave STACK out"
        )
    command = ["make", "--no-print-directory", "ecp5"]
    if subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False).returncode:
        raise StepError(f"tools and firmware are not there: {' '.join(command)}")
    build = [sys.executable, "-m", "irqscope_hw.ecp5.build", options.board]
    run(options, build, Sign(made(options.board), "irqscope.bit: "))


def program(options: Asked) -> None:
    """Loads the bitstream; the firmware starts with it. Raises MissingError, StepError."""
    loader = shutil.which(LOADER)
    if loader is None:
        raise MissingError(
            f"{LOADER} is not in PATH; on Debian or Ubuntu: apt-get install openfpgaloader"
        )
    file = made(options.board)
    if not file.exists():
        raise MissingError(
            f"{file.relative_to(ROOT)} is not there; run `make bitstream BOARD={options.board}`"
        )
    run(options, [loader, "-b", options.board, str(file.relative_to(ROOT))], Sign())


STEPS: dict[str, Callable[[Asked], None]] = {"bitstream": bitstream, "program": program}
