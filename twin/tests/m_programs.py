"""Programs for a Cortex-M, compiled for a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Timer

#: Last line of a program that tells its results.
LAST = "end"
LONGEST_S = 60.0
SOURCES = Path(__file__).parent / "programs_m"
_ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi"]
_FLAGS = [
    "-mcpu=cortex_m4", "-mfloat-abi=soft", "-O1", "-g", "-std=gnu11", "-ffreestanding",
    "-nostdlib", "-static", "-fno-sanitize=all", "-Wno-pointer-to-int-cast", "-Wl,--build-id=none",
    "-Wl,-e,start",
]  # fmt: skip


def compiled(
    source: str, folder: Path, *flags: str, flash: int = 0x0800_0000, name: str = "program.elf"
) -> Path:
    """The program of a source in ``programs_m``, linked for a flash at an address."""
    elf = folder / name
    script = f"FLASH = {flash:#x};\n{(SOURCES / 'program.ld').read_text()}"
    (folder / "program.ld").write_text(script)
    command = [*_ZIG, *_FLAGS, *flags, "-T", str(folder / "program.ld"), str(SOURCES / source)]
    subprocess.run([*command, "-o", str(elf)], check=True, capture_output=True)
    return elf


def lines_until_end(command: list[str], stream: str) -> list[str]:
    """Lines that a process prints there, up to the line `end`."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: subprocess.PIPE}
    collected = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, **pipes) as process:
        too_late = Timer(LONGEST_S, process.kill)
        too_late.start()
        for line in getattr(process, stream):
            collected.append(line.strip().removeprefix("program: "))
            if collected[-1] == LAST:
                break
        too_late.cancel()
        process.kill()
    return collected
