"""How many interrupts of a sleeping soft core a minute of one processor simulates.

Usage: python rtl/bench.py [CORE ...]. It counts the simulation's own processor time, so that other
work on the machine does not enter.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

from irqscope.experiment import load
from irqscope.measure import measure
from irqscope_rtl.cores import ROOT

COUNT = 4000


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


def main() -> None:
    """Prints a line for each core: set-up taken off by a run of a tenth."""
    for core in sys.argv[1:] or ["cv32e40p"]:
        with tempfile.TemporaryDirectory() as folder:
            few, many = COUNT // 10, COUNT
            short = cpu_s(f"rtl:{core}", few, Path(folder) / "few")
            long = cpu_s(f"rtl:{core}", many, Path(folder) / "many")
        rate = 60 * (many - few) / (long - short)
        print(f"rtl:{core}: {rate:,.0f} interrupts a minute, asleep between; set-up {short:.1f} s")


if __name__ == "__main__":
    main()
