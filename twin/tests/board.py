"""Starts the real engine for the tests: programs compiled for it, its pseudo-terminal, its end."""

from __future__ import annotations

import hashlib
import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from irqscope_hw import regmap
from irqscope_twin import __main__ as front
from irqscope_twin import build

TESTS = Path(__file__).parent
CACHE = build.BUILD / "tests"
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Kit:
    """Parts of a machine's test programs: a folder, the compiler's target, a profile."""

    programs: Path
    target: tuple[str, ...]
    profile: str


ZYNQMP = Kit(
    TESTS / "programs",
    (
        "-target", "aarch64-freestanding-none",
        "-mcpu=cortex_a53-neon-fp_armv8-crypto-crc+strict_align",
    ),
    "functional",
)  # fmt: skip
ZYNQ7000 = Kit(
    TESTS / "programs_a32",
    (
        "-target", "arm-freestanding-eabi",
        "-mcpu=cortex_a9-neon-vfp3-fp16+strict_align",
        "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
    ),
    "zynq7000:functional",
)  # fmt: skip


def compile_program(source: str, kit: Kit = ZYNQMP, **defines: int) -> Path:
    """An ELF of the C text ``source``, which defines test(). Compiled once for the same inputs."""
    programs = kit.programs
    fixed = [programs / "program.c", programs / "start.S"]
    command = [
        sys.executable, "-m", "ziglang", "cc", *kit.target, "-O1", "-ffreestanding",
        "-fno-pic", "-fno-stack-protector", "-Wall", "-Wextra", "-Werror", f"-I{programs}",
        "-nostdlib", "-static", "-no-pie", f"-Wl,-T,{programs / 'program.ld'}",
        *(f"-D{name}={value}" for name, value in sorted(defines.items())),
    ]  # fmt: skip
    key = hashlib.sha256(repr(command).encode() + source.encode())
    for path in sorted(programs.iterdir()):
        key.update(path.read_bytes())
    CACHE.mkdir(parents=True, exist_ok=True)
    product = CACHE / f"{key.hexdigest()[:16]}.elf"
    if not product.exists():
        text = product.with_suffix(".c")
        text.write_text('#include "program.h"\n' + source)
        draft = product.with_suffix(f".{os.getpid()}")
        subprocess.run([*command, str(text), *map(str, fixed), "-o", str(draft)], check=True)
        draft.rename(product)
    return product


def command_of(elf: Path, *options: str, kit: Kit = ZYNQMP, **constants: int) -> list[str]:
    """The engine's command line; ``constants`` replaces profile constants.

    Timing is functional unless ``options`` say else. Values in units of 1/6 ns; the first
    underscore of a name replaces the dot.
    """
    command = front.engine_command(
        front.arguments(["--profile", kit.profile, "--elf", str(elf), *options])
    )
    for name, units in constants.items():
        name = name.replace("_", ".", 1)
        at = next(i for i, word in enumerate(command) if word.startswith(f"{name}="))
        command[at] = f"{name}={units}"
    return command


class Board:
    """A running engine, and the host's end of its line. A context manager."""

    def __init__(self, elf: Path, *options: str, kit: Kit = ZYNQMP, **constants: int) -> None:
        self.process = subprocess.Popen(
            command_of(elf, *options, kit=kit, **constants),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        ready = self.process.stdout.readline()
        if not ready:
            raise AssertionError(self.process.communicate()[1])
        self.port = json.loads(ready)["port"]
        # Opened without a flush: earlier output of the program must not be lost.
        self.line = os.open(self.port, os.O_RDWR | os.O_NOCTTY)
        self.heard = b""

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def read_until(self, end: bytes) -> bytes:
        """Returns the engine's output, up to and with ``end``."""
        deadline = time.monotonic() + TIMEOUT_S
        while end not in self.heard:
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"the engine fell silent after {self.heard!r}")
            if select.select([self.line], [], [], min(left, 0.1))[0]:
                self.heard += os.read(self.line, 4096)
            elif self.process.poll() is not None:
                raise AssertionError(f"the engine ended: {self.report()}")
        at = self.heard.index(end) + len(end)
        output, self.heard = self.heard[:at], self.heard[at:]
        return output

    def report(self) -> str:
        """Returns its standard error, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def end(self) -> int:
        """Close its standard input; returns the exit code."""
        if self.line >= 0:
            os.close(self.line)
            self.line = -1
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(TIMEOUT_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code


def words(**paths: str) -> dict[str, int]:
    """Macros for a program: word addresses of gateware registers, by their path."""
    return {name: regmap.IRQSCOPE[path].address for name, path in paths.items()}


def values(
    source: str,
    *options: str,
    kit: Kit = ZYNQMP,
    constants: dict[str, int] | None = None,
    **defines: int,
) -> list[int]:
    """Run a program to its end; the numbers that it prints."""
    elf = compile_program(source, kit, **defines)
    with Board(elf, *options, kit=kit, **(constants or {})) as board:
        output = board.read_until(b".").decode()
    assert "!" not in output, f"unexpected exception: {output}"
    return [int(line, 16) for line in output.removesuffix(".").split()]


def refusal(source: str, *options: str, kit: Kit = ZYNQMP, **defines: int) -> str:
    """Run a program that the engine must stop; its one-line report."""
    command = command_of(compile_program(source, kit, **defines), *options, kit=kit)
    # Its line is not opened: it goes away with the engine, maybe at once.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            code = process.wait(TIMEOUT_S)
        finally:
            process.kill()
        assert process.stderr is not None
        report = process.stderr.read()
    assert code == 3, report
    assert "core 0:" in report, "the fuller report is missing"
    return report.splitlines()[0]
