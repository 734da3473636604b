"""Example programs for devices under test: builds and checks those with a compiler here."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

from instrument import ROOT

EXAMPLES = ROOT / "examples"
ZIG = [sys.executable, "-m", "ziglang", "cc"]


def build(folder: str, compiler: list[str], product: Path) -> None:
    sources = {"stm32f4": ["main.c"], "linux-gpiod": ["answer.c"]}[folder]
    command = [*compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-o", str(product), *sources]
    process = subprocess.run(
        command, cwd=EXAMPLES / folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert process.returncode == 0, process.stderr


def test_the_stm32_builds_and_its_vectors_name_the_handler(tmp_path):
    product = tmp_path / "device.elf"
    freestanding = ["-std=c11", "-ffreestanding", "-fno-pic", "-nostdlib", "-Wl,--gc-sections"]
    target = ["-target", "thumb-freestanding-eabi", "-mcpu=cortex_m4", "-T", "device.ld"]
    build("stm32f4", [*ZIG, *target, *freestanding], product)
    elf = product.read_bytes()
    (offset,) = struct.unpack_from("<I", elf, 28)
    kind, at, address = struct.unpack_from("<III", elf, offset)
    while (kind, address) != (1, 0x0800_0000):  # the segment that is loaded at the start of flash
        offset += 32
        assert offset < 4096, "nothing is loaded at the start of flash"
        kind, at, address = struct.unpack_from("<III", elf, offset)
    vectors = struct.unpack_from("<23I", elf, at)
    assert vectors[0] == 0x2002_0000  # the end of 128 KB of SRAM
    assert all(vectors[n] & 1 and vectors[n] >> 24 == 8 for n in (1, 16 + 6))  # Thumb, in flash
    assert vectors[1] != vectors[16 + 6] and not any(vectors[16:22])


def test_the_program_of_linux_builds_and_refuses_in_one_line(tmp_path):
    product = tmp_path / "answer"
    build("linux-gpiod", [*ZIG, "-std=gnu11"], product)
    for arguments, code, text in (
        ((), 2, "usage: answer /dev/gpiochipN IN OUT"),
        (("/dev/null", "x", "1"), 2, "answer: x is no line of a chip; give a number"),
        (("/dev/null", "1", "2"), 1, "answer: a line cannot be had"),
        ((str(tmp_path / "nix"), "1", "2"), 1, "No such file or directory"),
    ):
        process = subprocess.run(
            [product, *arguments], capture_output=True, text=True, check=False, timeout=20
        )
        assert (process.returncode, process.stderr.count("\n")) == (code, 1)
        assert text in process.stderr


def test_each_example_says_whether_it_was_built_here():
    table = (EXAMPLES / "README.md").read_text()
    for folder in (path.name for path in EXAMPLES.iterdir() if path.is_dir()):
        (row,) = [line for line in table.splitlines() if line.startswith(f"| `{folder}` |")]
        built = row.split("|")[4].strip().startswith("yes")
        sources = [p for p in (EXAMPLES / folder).rglob("*") if p.suffix in (".c", ".ino", ".rs")]
        assert sources
        assert built != any("Not built here." in path.read_text() for path in sources)
