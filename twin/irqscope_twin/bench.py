"""How fast the twin is: ``python -m irqscope_twin.bench``.

Prints, from one run on this machine,

- ticks per second of the gateware in Amaranth's simulator, compiled by Verilator as it is and
  compiled by Verilator with a clock for each part (what the twin runs): the same Verilog, the same
  stimulus with all lines toggling and markers coming, nothing skipped; digests over all outputs
  must agree;
- the same of the two that Verilator compiles, on the pins of a whole run of T6-4: ticks evaluated a
  second, where both skip what the twin skipped;
- simulated time per wall time of published cases in each timing profile: T2 (the core asleep and
  spinning between interrupts), T6-4 (four cores that handle the same level) and T7 (four cores
  that never sleep, hence the instructions a second), interrupts a wall second at a period of
  11 us, and iterations a second of the random load. Each is the experiment file, carried out as
  `irqscope run` does, calibration left out of the time, and without samples.

The exit code is 1 when a floor is missed or digests differ.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from amaranth.sim import Simulator

from irqscope.experiment import Experiment
from irqscope.experiment.load import load
from irqscope.measure import measure
from irqscope.onlookers import Untold
from irqscope_hw import regmap
from irqscope_hw.shells.zynqmp import ZynqMP
from irqscope_twin import build, clocks

FLOOR_NATIVE = 300  # times Amaranth's simulator
FLOOR_PARTS = 3  # times Verilator's model with one clock, on the pins of T6-4
FLOOR_T2 = 10  # times real time, the core asleep
FLOOR_INTERRUPTS = 5000  # a wall second, at a period of 11 us

PROFILES = ("functional", "a53")
CPU_MHZ = 1200
EXPERIMENTS = build.ROOT / "experiments"
BENCH = build.ROOT / "build" / "bench"
OUTPUTS = (
    "emio_i3", "emio_i4", "pl_ps_irq0", "pl_ps_irq1", "pl_ps_apugic_irq", "pmod", "stm_event",
)  # fmt: skip

# Reset starts a clear, during which arming is refused.
ARM_TICK = 4400
#: Amaranth's simulator is slow: it runs the beginning, of which the ticks after ARM_TICK count.
AMARANTH_TICKS = ARM_TICK + 1200
NATIVE_TICKS = 500_000
T6_STIMULI = 2
#: Keys of T2 that make its period 11 us.
EVERY_11_US = {"lines.0.high": "1 us", "lines.0.low": "10 us", "channels.0.timeout": "10 us"}

Change = tuple[int, str, int]


@dataclass(frozen=True)
class Speed:
    """Ticks evaluated, the seconds that took, and a digest over the outputs.

    For compiled models it is processor time, and the digest that of AMARANTH_TICKS ticks.
    """

    ticks: int
    seconds: float
    digest: int

    @property
    def hz(self) -> float:
        """Simulated ticks in a second of real time."""
        return self.ticks / self.seconds


class Stimulus:
    """Changes of the EMIO outputs that set the gateware up and keep it busy."""

    def __init__(self, ticks: int) -> None:
        self.changes: list[Change] = []
        self._tick = 10
        self._request = 0
        self._markers = 0
        words = {register.path: register.address for register in regmap.IRQSCOPE.registers}
        for line in range(8):
            group = words[f"lines[{line}].config"]
            # Free-running, 0 to 3 ticks of dither, on SPI 121 + line, PMOD and STM.
            for offset, value in enumerate((1 | 2 << 16, 0, 20 + line, 20, 1, line + 1)):
                self._write(group + offset, value)
            self._write(words[f"lines[{line}].route"], 0x1010_0001 << line & 0x0FF0_FFFF | 1 << 28)
            group = words[f"channels[{line}].config"]
            self._write(group, 1 | line << 2 | 0xF << 16 | 2 << 20)
            self._write(group + 1, 30)
        self._write(words["start_tick"], ARM_TICK + 100)
        assert self._tick < ARM_TICK
        self._tick = ARM_TICK
        self._write(words["command"], 1)
        for tick in range(self._tick, ticks, 13):
            self._markers ^= 0x8 << 4 * (tick % 4)
            self._put(tick, "emio_o3", self._bank3(0, 0) | 0x2222 | self._markers)
        self.ticks = ticks

    def _bank3(self, address: int, write: int) -> int:
        return address << 16 | write << 30 | self._request << 31

    def _put(self, tick: int, signal: str, value: int) -> None:
        self.changes.append((tick, signal, value))

    def _write(self, address: int, value: int) -> None:
        self._put(self._tick, "emio_o4", value)
        self._put(self._tick, "emio_o3", self._bank3(address, 1))
        self._request ^= 1
        self._put(self._tick + 4, "emio_o3", self._bank3(address, 1))
        self._tick += 20

    def write(self, path: Path) -> Path:
        """Writes the stimulus as CSV, as the native models read it, and returns the path."""
        rows = [f"{tick},{signal},{value:#x}\n" for tick, signal, value in self.changes]
        path.write_text("tick,signal,value\n" + "".join(rows) + f"{self.ticks},end,0\n")
        return path


class Digest:
    """A digest of outputs over time: the same as in engine/boards/zynqmp/bench.h."""

    def __init__(self) -> None:
        self.value = 0xCBF29CE484222325
        self._before = (0,) * len(OUTPUTS)

    def add(self, tick: int, outputs: tuple[int, ...]) -> None:
        """Take the outputs of a tick in."""
        if outputs == self._before:
            return
        self._before = outputs
        for word in (tick, *outputs):
            self.value = (self.value ^ word) * 0x100000001B3 & (1 << 64) - 1


def amaranth_speed() -> Speed:
    """Speed of Amaranth's own simulator."""
    stimulus = Stimulus(AMARANTH_TICKS)
    found = re.search(r"sha256 ([0-9a-f]{8})", build.GATEWARE.read_text()[:400])
    assert found, "ip/irqscope.v does not state its build hash"
    dut = ZynqMP(build_hash=int(found[1], 16))
    digest = Digest()
    seconds = 0.0

    async def drive(ctx) -> None:  # type: ignore[no-untyped-def]
        nonlocal seconds
        changes = iter([*stimulus.changes, (stimulus.ticks, "", 0)])
        change = next(changes)
        start = 0.0
        for tick in range(stimulus.ticks):
            if tick == ARM_TICK:
                start = time.perf_counter()
            while change[0] == tick:
                ctx.set(getattr(dut, change[1]), change[2])
                change = next(changes)
            await ctx.tick()
            digest.add(tick + 1, tuple(ctx.get(getattr(dut, name)) for name in OUTPUTS))
        seconds = time.perf_counter() - start

    simulator = Simulator(dut)
    simulator.add_clock(4e-9)
    simulator.add_testbench(drive)
    simulator.run()
    return Speed(AMARANTH_TICKS - ARM_TICK, seconds, digest.value)


def compiled_speed(command: list[str], stimulus: Path) -> Speed:
    """A compiled model, by its command line without the stimulus: the best of three runs."""
    runs = []
    for _ in range(3):
        done = subprocess.run(
            [*command, str(stimulus)], check=True, capture_output=True, text=True, timeout=300
        )
        runs.append(json.loads(done.stdout))
    best = min(runs, key=lambda run: float(run["seconds"]))
    return Speed(**best)


def native_speed(command: list[str], folder: Path) -> Speed:
    """A compiled model on the stimulus that Amaranth's simulator gets, but for longer."""
    digest = compiled_speed(command, Stimulus(AMARANTH_TICKS).write(folder / "short.csv")).digest
    long = compiled_speed(command, Stimulus(NATIVE_TICKS).write(folder / "long.csv"))
    return replace(long, digest=digest)


def pins_of(name: str, count: int, folder: Path) -> Path:
    """A stimulus: the gateware's inputs, skips included, in a whole run of an experiment."""
    trace, stimulus = folder / "trace.csv", folder / "pins.csv"
    command = [sys.executable, "-m", "irqscope_twin", "--profile", "functional"]
    with subprocess.Popen(
        [*command, "--trace", str(trace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as twin:
        assert twin.stdin and twin.stdout
        port = json.loads(twin.stdout.readline())["port"]
        experiment = load(EXPERIMENTS / f"{name}.toml", count=count, samples="none")
        result = measure(experiment, port, folder / "run")
        twin.stdin.close()
    if result.exit_code:
        raise SystemExit(f"bench: {name}: {result.error or '; '.join(result.run.reasons)}")
    last = "0"
    with trace.open() as rows, stimulus.open("w") as out:
        out.write(next(rows))
        for row in rows:
            last, signal, _ = row.split(",")
            if signal in ("emio_o3", "emio_o4", "skip", "skip_to"):
                out.write(row)
        out.write(f"{last},end,0\n")
    return stimulus


def compile_model(cache: build.Cache, name: str, flags: list[str], more: Sequence[Path]) -> Path:
    """One of the models in twin/bench, with the loop that all of them run in."""
    product = BENCH / f"bench-{name}"
    sources = [build.ROOT / f"twin/bench/{name}.cpp", *more]
    sources += [build.ENGINE / part for part in ("boards/zynqmp/stimulus.cpp", "core/stop.cpp")]
    command = [*build.compiler(), "-O2", "-w", *flags, f"-I{build.ENGINE}"]
    inputs = [build.GATEWARE, build.ENGINE / "boards/zynqmp/bench.h", *sources]
    cache.run(product, [*command, *map(str, sources), "-o", str(product)], inputs)
    return product


def build_verilator(cache: build.Cache) -> Path:
    """Compile ip/irqscope.v as it is, with one clock."""
    root = build.package_path("verilator")
    model = BENCH / "model"
    options = ["--top-module", clocks.TOP, str(build.GATEWARE)]
    build.verilate(cache, root, model, "Virqscope", [build.GATEWARE], options)
    include = root / "include"
    flags = [f"-I{include}", f"-I{include / 'vltstd'}", f"-I{model}"]
    units = [*sorted(model.glob("*.cpp")), include / "verilated.cpp"]
    return compile_model(cache, "verilator", flags, [*units, include / "verilated_threads.cpp"])


class Stopwatch(Untold):
    """Keeps when each batch began."""

    def step(self, text: str) -> None:
        """Keeps the time of the last step; the batches are that."""
        self.began = time.perf_counter()


def batch_seconds(name: str, profile: str, count: int, **changes: object) -> float:
    """Wall time of the batches of an experiment, by its path below experiments/, on a new twin.

    No samples: their way through the serial line would be most of a short run.
    """
    experiment = load(EXPERIMENTS / f"{name}.toml", count=count, samples="none", **changes)
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
    """What the twin reaches in a profile. Counts are such that each takes some seconds."""
    stimulus_s = 5e-3
    t2 = "horst2020/t2"
    asleep = 2400 * stimulus_s / batch_seconds(t2, profile, 2400)
    spinning = 2400 * stimulus_s / batch_seconds(t2, profile, 2400, idle="spin")
    t6 = 6 * stimulus_s / batch_seconds("horst2020/t6-4", profile, 6)
    t7 = 6 * stimulus_s / batch_seconds("horst2020/t7", profile, 6)
    return {
        "t2_wfi_over_real_time": asleep,
        "t2_spin_over_real_time": spinning,
        "t6_4_over_real_time": t6,
        "t7_over_real_time": t7,
        "interrupts_per_s_at_11_us": 20_000 / batch_seconds(t2, profile, 20_000, **EVERY_11_US),
        "random_load_per_s": 10_000 / batch_seconds("random-load/plain", profile, 10_000),
    }


def gateware() -> tuple[dict[str, float], bool]:
    """Speeds of the gateware's models, and whether their outputs agree."""
    engine = build.build(lambda _: None)
    BENCH.mkdir(parents=True, exist_ok=True)
    cache = build.Cache(BENCH / "keys.json", build.ROOT / "twin", build.ENGINE)
    commands = {"verilator": [str(build_verilator(cache))], "native": [str(engine), "--bench-rtl"]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pins = pins_of("horst2020/t6-4", T6_STIMULI, folder)
        on_t6 = {model: compiled_speed(command, pins) for model, command in commands.items()}
        cache.save()
        speeds = {model: native_speed(command, folder) for model, command in commands.items()}
    speeds["amaranth"] = amaranth_speed()
    unlike = {model for model in speeds if speeds[model].digest != speeds["amaranth"].digest}
    if on_t6["native"].digest != on_t6["verilator"].digest:
        unlike.add("native, on T6-4,")
    for model in sorted(unlike):
        print(f"bench: the outputs of {model} differ", file=sys.stderr)
    results = {f"{model}_ticks_per_s": speed.hz for model, speed in speeds.items()}
    results |= {f"{model}_ticks_per_s_on_t6_4": speed.hz for model, speed in on_t6.items()}
    results["native_over_amaranth"] = speeds["native"].hz / speeds["amaranth"].hz
    results["native_over_verilator"] = speeds["native"].hz / speeds["verilator"].hz
    results["native_over_verilator_on_t6_4"] = on_t6["native"].hz / on_t6["verilator"].hz
    return results, not unlike


def main() -> int:
    """Measure, print, and compare with the floors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--gateware", action="store_true", help="leave the experiments out")
    args = parser.parse_args()

    results, agree = gateware()
    if not args.gateware:
        for profile in PROFILES:
            found = speeds_of(profile)
            results |= {f"{profile}_{key}": value for key, value in found.items()}
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
