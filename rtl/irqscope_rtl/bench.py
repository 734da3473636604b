"""Simulation speed of soft cores, sleeping and busy.

Interrupts of a sleeping core in a minute of processor time, and cycles of a busy core in a second.
Also measures the bare core (model and memory alone) and a foreign program, without and with its
masked map.

Usage: python -m irqscope_rtl.bench [CORE ...]. It counts the simulation's own processor time. A
machine's speed varies with its other work: the fastest of ROUNDS counts, and two programs that are
compared share a processor, so that both slow down alike.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from irqscope.acquire.measure import measure
from irqscope.experiment import Experiment, load
from irqscope.targets.rtl import RtlSettings, RtlTarget
from irqscope_rtl.cores import ROOT

COUNT = 40_000
ROUNDS = 3
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
#: A foreign program that never sleeps and answers a line by a store that lowers it.
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
ready: lw t0, 0(sp)
   addi t0, t0, 3
   mul t1, t0, t0
   sw t1, 4(sp)
   sw t0, 0(sp)
   xor t2, t1, t0
   bnez sp, ready
on_line: sw s0, 0(s0)
   mret
.balign 256
vectors:
.rept 17
j on_line
.endr
"""
OF_PROGRAM = """
name = "busy"
machine = "program"
count = 600
samples = "none"

[[lines]]
mode = "acknowledged"
acknowledge = "store:0x10012000"
high = "1000 ticks"
low = "2000 ticks"

[[channels]]
start = "line 0"
stop = "pc:on_line"
timeout = "900 ticks"
"""
#: Options for our own program, by name.
WAYS = {"bare core": ("--bare",), "with the instrument": (), "no cycle skipped": ("--no-skip",)}
#: Whether the foreign program runs with its masked map, by name.
PROGRAMS = {"another program": False, "that with its masked map": True}


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
    """Builds a program from a source, linked at ``base``."""
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


def khz(stats: Path) -> float:
    """Cycles in a millisecond of processor time of a finished simulation."""
    counts = json.loads(stats.read_text())
    stats.unlink()
    return float(counts["cycles"] / counts["cpu_seconds"] / 1000)


@contextmanager
def ours_at_work(core: str, program: Path, stats: Path, how: tuple[str, ...]) -> Iterator[None]:
    """Runs our own busy program until the context ends or it has used its cycles."""
    command = [sys.executable, "-m", "irqscope_rtl", "--core", core, "--elf", str(program)]
    command += ["--stats", str(stats), *how]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as simulation:  # it ends early if its standard input ends
        yield
        if "--cycles" not in how:
            simulation.terminate()
        if code := simulation.wait(300):
            sys.exit(f"rtl:{core}: the simulation ended with {code}")


def khz_of_ours(core: str, program: Path, how: tuple[str, ...], stats: Path) -> float:
    """Cycles of our busy program in a millisecond of processor time."""
    with ours_at_work(core, program, stats, ("--cycles", str(CYCLES), *how)):
        pass
    return khz(stats)


@dataclass(frozen=True)
class Counted(RtlSettings):
    """A soft core that counts its cycles."""

    stats: Path = Path("stats.json")

    def command(self) -> list[str]:
        """Command line of the simulation."""
        return [*super().command(), "--stats", str(self.stats)]


def khz_of_program(core: str, program: Path, stats: Path, *, masked: bool) -> float:
    """Cycles in a millisecond of processor time of a busy foreign program under measurement.

    Its start takes some ten cycles.
    """
    file = stats.with_name("busy.toml")
    file.write_text(OF_PROGRAM)
    experiment = load(file, masked=masked)
    settings = Counted(
        core,
        elf=str(program),
        of_program=True,
        around=(("ready", "ready"),),
        watches=experiment.watches,
        masked=masked,
        stats=stats,
    )
    with RtlTarget(settings) as target, tempfile.TemporaryDirectory() as folder:
        run = measure(experiment, "", Path(folder, "run"), opened=target).run
    if not run.valid:
        sys.exit(f"rtl:{core}: {'; '.join(run.reasons)}")
    return khz(stats)


@dataclass(frozen=True)
class Busy:
    """``khz``: greatest rate of our program, by options.

    ``of_ours``: for foreign programs, the median ratio of their rate to our program's on the same
    processor at the same time.
    """

    khz: dict[str, float]
    of_ours: dict[str, float]


def busy(core: str, folder: Path) -> Busy:
    """Cycles of busy cores in a millisecond of processor time."""
    own, other = built(BUSY, 0x100000, folder), built(PROGRAM, 0x80000000, folder)
    stats, stats_of_ours = folder / "stats.json", folder / "ours.json"
    best = {
        name: max(khz_of_ours(core, own, how, stats) for _ in range(ROUNDS))
        for name, how in WAYS.items()
    }
    ratios = defaultdict[str, list[float]](list)
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(everywhere)})
    for _ in range(ROUNDS):
        for name, masked in PROGRAMS.items():
            with ours_at_work(core, own, stats_of_ours, ()):
                rates = khz_of_program(core, other, stats, masked=masked)
            ratios[name].append(rates / khz(stats_of_ours))
    os.sched_setaffinity(0, everywhere)
    return Busy(best, {name: median(each) for name, each in ratios.items()})


def main() -> None:
    """Prints three lines for each core.

    A run of a tenth gives the set-up time, which is subtracted.
    """
    for core in sys.argv[1:] or ["cv32e40p"]:
        with tempfile.TemporaryDirectory() as folder:
            few, many = COUNT // 10, COUNT
            short, long = (
                min(
                    cpu_s(f"rtl:{core}", asleep(count), Path(folder, f"{count}-{n}"))
                    for n in range(ROUNDS)
                )
                for count in (few, many)
            )
            rates = busy(core, Path(folder))
        rate = 60 * (many - few) / (long - short)
        print(f"rtl:{core}: {rate:,.0f} interrupts a minute, asleep between; set-up {short:.1f} s")
        print(f"rtl:{core}, busy: " + ", ".join(f"{w} {r:,.0f} kHz" for w, r in rates.khz.items()))
        of_ours = ", ".join(f"{name} {ratio:.1%}" for name, ratio in rates.of_ours.items())
        print(f"rtl:{core}, of the rate of our own busy program: {of_ours}")


if __name__ == "__main__":
    main()
