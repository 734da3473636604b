"""How many interrupts of a sleeping soft core one minute of processor time simulates, and how many
cycles of a busy one a second. The bare core (model and memory alone) is beside it.

Usage: python -m irqscope_rtl.bench [CORE ...]. It counts the simulation's own processor time, so
that other work on the machine does not enter.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from irqscope.acquire.measure import measure
from irqscope.experiment import load
from irqscope_rtl.cores import ROOT

COUNT = 4000
CYCLES = 2_000_000
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
#: How it is run, by what it is called.
WAYS = {"bare core": ("--bare",), "with the instrument": (), "no cycle skipped": ("--no-skip",)}


def cpu_s(target: str, count: int, folder: Path) -> float:
    """Processor time of one run's simulation, s. Ends the program if the run is not valid."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    experiment = load(ROOT / "experiments" / "cv32rt" / "clint.toml", count=count)
    experiment = experiment.model_copy(
        update={
            "samples": type(experiment.samples).parse("none"),
            "channels": experiment.channels[:1],
        }
    )
    result = measure(experiment, target, folder)
    if not result.run.valid:
        sys.exit(f"{target}: {'; '.join(result.run.reasons)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def busy(folder: Path) -> Path:
    """A program that goes on for ever."""
    source, script, program = (folder / f"busy.{end}" for end in ("S", "ld", "elf"))
    source.write_text(BUSY)
    script.write_text("SECTIONS { . = 0x100000; .text : { *(.text) } }")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none"]
    command += ["-mcpu=generic_rv32+m", "-nostdlib", "-static", "-T", str(script), str(source)]
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
        simulation.wait(300)
    found = json.loads(stats.read_text())
    if found["cycles"] != CYCLES:
        sys.exit(f"rtl:{core}: it ended after {found['cycles']} of {CYCLES} cycles")
    return float(found["cycles"] / found["cpu_seconds"] / 1000)


def main() -> None:
    """Prints two lines for each core. A run of a tenth gives the time of set-up, taken off."""
    for core in sys.argv[1:] or ["cv32e40p"]:
        with tempfile.TemporaryDirectory() as folder:
            few, many = COUNT // 10, COUNT
            short = cpu_s(f"rtl:{core}", few, Path(folder) / "few")
            long = cpu_s(f"rtl:{core}", many, Path(folder) / "many")
            program = busy(Path(folder))
            rates = {what: khz(core, program, how, Path(folder)) for what, how in WAYS.items()}
        rate = 60 * (many - few) / (long - short)
        print(f"rtl:{core}: {rate:,.0f} interrupts a minute, asleep between; set-up {short:.1f} s")
        print(f"rtl:{core}, busy: " + ", ".join(f"{w} {r:,.0f} kHz" for w, r in rates.items()))


if __name__ == "__main__":
    main()
