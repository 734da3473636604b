"""Programs for a Cortex-M, compiled for a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parent / "programs_m"
_ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi"]
_FLAGS = [
    "-mcpu=cortex_m4", "-mfloat-abi=soft", "-O1", "-g", "-std=gnu11", "-ffreestanding",
    "-nostdlib", "-static", "-fno-sanitize=all", "-Wno-pointer-to-int-cast", "-Wl,--build-id=none",
    "-Wl,-e,start",
]  # fmt: skip


def compiled(source: str, folder: Path, *flags: str, flash: int = 0x0800_0000) -> Path:
    """The program of a source in ``programs_m``, linked for a flash at an address."""
    elf = folder / f"{Path(source).stem}{'-'.join(flags)}.elf"
    script = f"FLASH = {flash:#x};\n{(SOURCES / 'program.ld').read_text()}"
    (folder / "program.ld").write_text(script)
    command = [*_ZIG, *_FLAGS, *flags, "-T", str(folder / "program.ld"), str(SOURCES / source)]
    subprocess.run([*command, "-o", str(elf)], check=True, capture_output=True)
    return elf
