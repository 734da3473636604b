"""Interrupted code continues unchanged on a core that saves registers itself."""

import json
import os
import select
import subprocess
import sys
import time

import pytest

from irqscope_rtl.cores import ROOT

from . import random_program

#: With a CLINT, and with a CLIC, where handlers nest by their levels.
CORES = {"cv32e40p-fastirq": None, "cv32rt": random_program.Levels()}
#: Programs for each kind of return; each is held against itself without interrupts.
SEEDS = (1, 2, 3)
TIMEOUT_S = 300


def compiled(folder, text):
    source, script, program = (folder / f"program.{end}" for end in ("S", "ld", "elf"))
    source.write_text(text)
    script.write_text(
        f"SECTIONS {{ .low {random_program.LOW:#x} : {{ *(.low) }}"
        " . = 0x100000; .text : { *(.text) } }"
    )
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
    command += ["-mcpu=generic_rv32+m+zicsr", "-nostdlib", "-static"]
    command += ["-T", str(script), str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    return program


def told(port, length):
    """The first bytes that come, or as many as there are when it takes too long."""
    received, end = b"", time.monotonic() + TIMEOUT_S
    handle = os.open(port, os.O_RDONLY | os.O_NOCTTY)
    try:
        while len(received) < length and (left := end - time.monotonic()) > 0:
            if select.select([handle], [], [], left)[0]:
                received += os.read(handle, length - len(received))
    finally:
        os.close(handle)
    return received


def outcome(core, program):
    """Returns whether all passes are equal, interrupts taken, and those that met a handler."""
    command = [sys.executable, "-m", "irqscope_rtl", "--core", core, "--elf", str(program)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as simulation:
        try:
            port = json.loads(simulation.stdout.readline())["port"]
            words = told(port, 9)
        finally:
            simulation.terminate()
            simulation.wait(10)
    assert len(words) == 9, words
    return words[:1], int.from_bytes(words[1:5], "little"), int.from_bytes(words[5:], "little")


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("swaps", [False, True], ids=["loads", "swaps"])
@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_a_program_goes_on_as_if_nothing_had_been(soft, tmp_path, count, seed, swaps, core):
    program = compiled(tmp_path, random_program.source(seed, count, swaps, CORES[core]))
    verdict, interrupts, nested = outcome(core, program)
    assert verdict == random_program.PASSED
    assert interrupts >= count
    assert nested > count // 10


@pytest.mark.parametrize(
    ("levels", "nests"),
    [
        (random_program.Levels(), True),
        (random_program.Levels(raised=random_program.LEVEL), False),
        (random_program.Levels(raised=random_program.LEVEL - 1), False),
        (random_program.Levels(threshold=random_program.HIGHER), False),
        (random_program.Levels(threshold=random_program.HIGHER - 1), True),
    ],
)
def test_a_handler_is_interrupted_by_a_higher_level_than_its_own_and_the_threshold(
    soft, tmp_path, levels, nests
):
    """Table I of CV32RT, horizontal: else the interrupt comes when the handler has ended."""
    program = compiled(tmp_path, random_program.source(1, 200, swaps=False, levels=levels))
    verdict, interrupts, nested = outcome("cv32rt", program)
    assert verdict == random_program.PASSED
    assert interrupts >= 200
    assert (nested > 20) if nests else (nested == 0)
