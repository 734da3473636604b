"""How many interrupts of a sleeping soft core one minute of processor time simulates, and how many
cycles of a busy one a second. The bare core (model and memory alone) is beside it, and so is a
program that is not ours, without and with its masked map.

Usage: python -m irqscope_rtl.bench [CORE ...]. It counts the simulation's own processor time, and
takes the least of ROUNDS by turns, since a machine's speed moves with its other work.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from irqscope.acquire.measure import measure
from irqscope.experiment import Experiment, load
from irqscope_rtl.cores import ROOT

COUNT = 4000
ROUNDS = 5
CYCLES = 5_000_000
#: It never sleeps, and no line is armed.
BUSY = """
.globl _start
_start: li sp, 0x180000
1: lw t0, 0(sp)
   addi t0, t0, 3
   mul t1, t0, t0
   sw t1, 4(sp)
   sw t0, 0(sp)
   xor t2, t1, t0
   bnez sp, 1b
"""
#: A program that is not ours: it never sleeps, and answers a line by a store that takes it back.
PROGRAM = """
.globl _start
_start: la t0, vectors
   ori t0, t0, 1
   csrw mtvec, t0
   li t0, 0x10000
   csrw mie, t0
   csrsi mstatus, 8
   li sp, 0x80010000
   li s0, 0x10012000
1: lw t0, 0(sp)
   addi t0, t0, 3
   mul t1, t0, t0
   sw t1, 4(sp)
   sw t0, 0(sp)
   xor t2, t1, t0
   bnez sp, 1b
on_line: sw s0, 0(s0)
   mret
.balign 256
vectors:
.rept 17
j on_line
.endr
"""
PERIOD = 2000
OF_PROGRAM = f"""
name = "busy"
machine = "program"
count = 1000
samples = "none"

[[lines]]
mode = "acknowledged"
acknowledge = "store:0x10012000"
high = "{PERIOD // 2} ticks"
low = "{PERIOD} ticks"

[[channels]]
start = "line 0"
stop = "pc:on_line"
timeout = "900 ticks"
"""
#: How it is run, by what it is called.
WAYS = {"bare core": ("--bare",), "with the instrument": (), "no cycle skipped": ("--no-skip",)}


def asleep(count: int) -> Experiment:
    """An experiment whose core sleeps between interrupts."""
    experiment = load(ROOT / "experiments" / "cv32rt" / "clint.toml", count=count)
    return experiment.model_copy(
        update={
            "samples": type(experiment.samples).parse("none"),
            "channels": experiment.channels[:1],
        }
    )


def cpu_s(target: str, experiment: Experiment, folder: Path) -> float:
    """Processor time of one run's simulation, s. Ends the program if the run is not valid."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = measure(experiment, target, folder)
    if not result.run.valid:
        sys.exit(f"{target}: {'; '.join(result.run.reasons)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def built(text: str, base: int, folder: Path) -> Path:
    """A program of a source that stands at ``base``."""
    source, script, program = (folder / f"{base:x}.{end}" for end in ("S", "ld", "elf"))
    source.write_text(text)
    script.write_text(f"SECTIONS {{ . = {base:#x}; .text : {{ *(.text) }} }}")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
    command += [
        "-mcpu=generic_rv32+m+zicsr",
        "-nostdlib",
        "-static",
        "-T",
        str(script),
        str(source),
    ]
    subprocess.run([*command, "-o", str(program)], check=True, timeout=120)
    return program


def khz(core: str, program: Path, how: tuple[str, ...], folder: Path) -> float:
    """Cycles of a busy core in a millisecond of processor time."""
    stats = folder / "stats.json"
    command = [sys.executable, "-m", "irqscope_rtl", "--core", core, "--elf", str(program)]
    command += ["--cycles", str(CYCLES), "--stats", str(stats), *how]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as simulation:  # it ends before its time if its standard input does
        if code := simulation.wait(300):
            sys.exit(f"rtl:{core}: the simulation ended with {code}")
    found = json.loads(stats.read_text())
    if found["cycles"] != CYCLES:
        sys.exit(f"rtl:{core}: it ended after {found['cycles']} of {CYCLES} cycles")
    return float(found["cycles"] / found["cpu_seconds"] / 1000)


def cpu_of_program(core: str, program: Path, folder: Path, *, masked: bool, count: int) -> float:
    """Processor time of one run of a busy program that is not ours, s."""
    target = f"rtl:{core}:elf={program}"
    file = folder / "busy.toml"
    file.write_text(OF_PROGRAM)
    with tempfile.TemporaryDirectory(dir=folder) as run:
        return cpu_s(target, load(file, count=count, masked=masked), Path(run) / "run")


def rates(core: str, folder: Path) -> dict[str, float]:
    """Cycles of busy cores in a millisecond of processor time, by what is simulated."""
    few, many = 100, 5100
    ours, other = built(BUSY, 0x100000, folder), built(PROGRAM, 0x80000000, folder)
    best = dict.fromkeys(WAYS, 0.0)
    least = {(masked, count): float("inf") for masked in (False, True) for count in (few, many)}
    for _ in range(ROUNDS):
        for what, how in WAYS.items():
            best[what] = max(best[what], khz(core, ours, how, folder))
        for masked, count in least:
            took = cpu_of_program(core, other, folder, masked=masked, count=count)
            least[masked, count] = min(least[masked, count], took)
    for what, masked in (("another program", False), ("that with its masked map", True)):
        # The line is low for the period after each answer, which comes within some ten cycles.
        cycles = PERIOD * (many - few)
        best[what] = cycles / (least[masked, many] - least[masked, few]) / 1000
    return best


def main() -> None:
    """Prints two lines for each core. A run of a tenth gives the time of set-up, taken off."""
    for core in sys.argv[1:] or ["cv32e40p"]:
        with tempfile.TemporaryDirectory() as folder:
            few, many = COUNT // 10, COUNT
            short = cpu_s(f"rtl:{core}", asleep(few), Path(folder) / "few")
            long = cpu_s(f"rtl:{core}", asleep(many), Path(folder) / "many")
            busy = rates(core, Path(folder))
        rate = 60 * (many - few) / (long - short)
        print(f"rtl:{core}: {rate:,.0f} interrupts a minute, asleep between; set-up {short:.1f} s")
        print(f"rtl:{core}, busy: " + ", ".join(f"{w} {r:,.0f} kHz" for w, r in busy.items()))


if __name__ == "__main__":
    main()
