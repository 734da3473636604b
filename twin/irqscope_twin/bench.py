"""Measures the speed of the twin: ``python -m irqscope_twin.bench``.

Prints, from one run on this machine,

- ticks per second of the gateware in Amaranth's simulator, compiled by Verilator as it is and
  compiled by Verilator with a clock for each part (what the twin runs): the same Verilog, the same
  inputs with all lines toggling and markers coming, nothing skipped; digests over all outputs
  must agree;
- the same of the two that Verilator compiles, on the pins of a whole run of T6-4: ticks evaluated a
  second, where both skip what the twin skipped;
- simulated time per wall time of published cases in each timing profile: T2 (the core asleep and
  spinning between interrupts), T6-4 (four cores that handle the same level) and T7 (four cores
  that never sleep, hence the instructions a second), interrupts a wall second at a period of
  11 us without and with all samples, and iterations a second of the random load. Each is the
  experiment file, carried out as `irqscope run` does, calibration left out of the time, and
  without samples unless it says with.

The exit code is 1 when a floor is missed or digests differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from irqscope.acquire.callbacks import Untold
from irqscope.acquire.measure import measure
from irqscope.experiment import Experiment
from irqscope.experiment.load import load
from irqscope_twin import bench_gateware
from irqscope_twin.bench_gateware import EXPERIMENTS

FLOOR_NATIVE = 300  # times Amaranth's simulator
FLOOR_PARTS = 3  # times Verilator's model with one clock, on the pins of T6-4
FLOOR_T2 = 10  # times real time, the core asleep
FLOOR_INTERRUPTS = 5000  # a wall second, at a period of 11 us

PROFILES = ("functional", "a53")
CPU_MHZ = 1200
#: Keys of T2 that make its period 11 us.
EVERY_11_US = {"lines.0.high": "1 us", "lines.0.low": "10 us", "channels.0.timeout": "10 us"}


class Stopwatch(Untold):
    """Keeps when each batch began."""

    def step(self, text: str) -> None:
        """Keeps the time of the last step; the batches are that."""
        self.began = time.perf_counter()


def batch_seconds(name: str, profile: str, count: int, **changes: object) -> float:
    """Wall time of the batches of an experiment, by its path below experiments/, on a new twin.

    Without samples unless ``changes`` asks for them: their way through the serial line would be
    most of a short run.
    """
    keys = {"samples": "none"} | changes
    experiment = load(EXPERIMENTS / f"{name}.toml", count=count, **keys)
    with tempfile.TemporaryDirectory() as folder:
        return run_seconds(experiment, profile, Path(folder) / "run")


def run_seconds(
    experiment: Experiment, profile: str, folder: Path, record: Path | None = None
) -> float:
    """Wall time of the batches of a run in ``folder``; ``record`` receives the link's bytes."""
    watch = Stopwatch()
    result = measure(experiment, f"twin:{profile}", folder, progress=watch, record=record)
    seconds = time.perf_counter() - watch.began
    if result.exit_code:
        raise SystemExit(
            f"bench: {experiment.name}: {result.error or '; '.join(result.run.reasons)}"
        )
    return seconds


def speeds_of(profile: str) -> dict[str, float]:
    """Speeds that the twin reaches in a profile. Counts are such that each takes some seconds."""
    stimulus_s = 5e-3
    t2 = "horst2020/t2"
    asleep = 2400 * stimulus_s / batch_seconds(t2, profile, 2400)
    spinning = 2400 * stimulus_s / batch_seconds(t2, profile, 2400, idle="spin")
    t6 = 6 * stimulus_s / batch_seconds("horst2020/t6-4", profile, 6)
    t7 = 6 * stimulus_s / batch_seconds("horst2020/t7", profile, 6)
    sampled = batch_seconds(t2, profile, 20_000, samples="all", **EVERY_11_US)
    return {
        "t2_wfi_over_real_time": asleep,
        "t2_spin_over_real_time": spinning,
        "t6_4_over_real_time": t6,
        "t7_over_real_time": t7,
        "interrupts_per_s_at_11_us": 20_000 / batch_seconds(t2, profile, 20_000, **EVERY_11_US),
        "samples_per_s_at_11_us": 20_000 / sampled,
        "random_load_per_s": 10_000 / batch_seconds("random-load/plain", profile, 10_000),
    }


def main() -> int:
    """Measure, print, and compare with the floors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--gateware", action="store_true", help="leave the experiments out")
    args = parser.parse_args()

    results, agree = bench_gateware.speeds()
    if not args.gateware:
        for profile in PROFILES:
            speeds = speeds_of(profile)
            results |= {f"{profile}_{key}": value for key, value in speeds.items()}
        # One instruction a cycle, and no core ever waits.
        results["functional_t7_mips"] = 4 * CPU_MHZ * results["functional_t7_over_real_time"]

    floors = {
        "native_over_amaranth": FLOOR_NATIVE,
        "native_over_verilator_on_t6_4": FLOOR_PARTS,
        "functional_t2_wfi_over_real_time": FLOOR_T2,
        "functional_interrupts_per_s_at_11_us": FLOOR_INTERRUPTS,
    }
    if args.json:
        print(json.dumps({"results": results, "floors": floors}))
    else:
        for key, value in results.items():
            floor = f"  floor {floors[key]:,}" if key in floors else ""
            print(f"{key.replace('_', ' '):40}{value:>14,.{1 if value >= 100 else 4}f}{floor}")
    missed = [key for key, floor in floors.items() if results.get(key, floor) < floor]
    for key in missed:
        print(f"bench: {key} is below its floor", file=sys.stderr)
    return 0 if agree and not missed else 1


if __name__ == "__main__":
    sys.exit(main())
