"""Measures the speed of the gateware in Amaranth, in Verilator, and in the twin.

The same inputs in all three, with all lines toggling and markers coming, nothing skipped; digests
over all outputs must agree. The two that Verilator compiles are also given the pins of a whole run
of T6-4, where both skip what the twin skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from amaranth.sim import Simulator

from irqscope.acquire.measure import measure
from irqscope.experiment.load import load
from irqscope_hw import regmap
from irqscope_hw.shells.zynqmp import ZynqMP
from irqscope_hw.verilog import build_hash
from irqscope_twin import build, clocks
from irqscope_twin.toolchain import Cache, compiler, tell, verilate, verilator_root

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


class Inputs:
    """Changes of the EMIO outputs that set the gateware up and keep it busy, by tick."""

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
        """Writes them as CSV, as the native models read it, and returns the path."""
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
    inputs = Inputs(AMARANTH_TICKS)
    dut = ZynqMP(build_hash=build_hash(build.GATEWARE.read_text()))
    digest = Digest()
    seconds = 0.0

    async def drive(ctx) -> None:  # type: ignore[no-untyped-def]
        nonlocal seconds
        changes = iter([*inputs.changes, (inputs.ticks, "", 0)])
        change = next(changes)
        start = 0.0
        for tick in range(inputs.ticks):
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


def compiled_speed(command: list[str], inputs: Path) -> Speed:
    """A compiled model, by its command line without the file of inputs: the best of three runs."""
    runs = []
    for _ in range(3):
        process = subprocess.run(
            [*command, str(inputs)], check=True, capture_output=True, text=True, timeout=300
        )
        runs.append(json.loads(process.stdout))
    best = min(runs, key=lambda run: float(run["seconds"]))
    return Speed(**best)


def native_speed(command: list[str], folder: Path) -> Speed:
    """A compiled model on the inputs that Amaranth's simulator gets, but for longer."""
    digest = compiled_speed(command, Inputs(AMARANTH_TICKS).write(folder / "short.csv")).digest
    long = compiled_speed(command, Inputs(NATIVE_TICKS).write(folder / "long.csv"))
    return replace(long, digest=digest)


def pins_of(name: str, count: int, folder: Path) -> Path:
    """A file of the gateware's inputs, skips included, in a whole run of an experiment."""
    trace, inputs = folder / "trace.csv", folder / "pins.csv"
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
    with trace.open() as rows, inputs.open("w") as out:
        out.write(next(rows))
        for row in rows:
            last, signal, _ = row.split(",")
            if signal in ("emio_o3", "emio_o4", "skip", "skip_to"):
                out.write(row)
        out.write(f"{last},end,0\n")
    return inputs


def compile_model(cache: Cache, name: str, flags: list[str], more: Sequence[Path]) -> Path:
    """Compiles one of the models in twin/bench, with the loop that all of them run in; its path."""
    product = BENCH / f"bench-{name}"
    sources = [build.ROOT / f"twin/bench/{name}.cpp", *more]
    sources += [build.ENGINE / part for part in ("boards/zynqmp/inputs.cpp", "core/stop.cpp")]
    command = [*compiler(), "-O2", "-w", *flags, f"-I{build.ENGINE}"]
    headers = [build.ENGINE / "boards/zynqmp" / name for name in ("bench.h", "inputs.h")]
    command += [*map(str, sources), "-o", str(product)]
    cache.run(product, command, [build.GATEWARE, *headers, *sources])
    return product


def build_verilator(cache: Cache) -> Path:
    """Compile ip/irqscope.v unchanged, with one clock."""
    root = verilator_root()
    model = BENCH / "model"
    options = ["--top-module", clocks.TOP, str(build.GATEWARE)]
    verilate(cache, root, model, "Virqscope", [build.GATEWARE], options, tell)
    include = root / "include"
    flags = [f"-I{include}", f"-I{include / 'vltstd'}", f"-I{model}"]
    units = [*sorted(model.glob("*.cpp")), include / "verilated.cpp"]
    return compile_model(cache, "verilator", flags, [*units, include / "verilated_threads.cpp"])


def speeds() -> tuple[dict[str, float], bool]:
    """Speeds that each model of the gateware reaches, and whether their outputs agree."""
    engine = build.build(lambda _: None)
    BENCH.mkdir(parents=True, exist_ok=True)
    cache = Cache(BENCH / "keys.json")
    commands = {"verilator": [str(build_verilator(cache))], "native": [str(engine), "--bench-rtl"]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pins = pins_of("horst2020/t6-4", T6_STIMULI, folder)
        on_t6 = {model: compiled_speed(command, pins) for model, command in commands.items()}
        cache.save()
        busy = {model: native_speed(command, folder) for model, command in commands.items()}
    busy["amaranth"] = amaranth_speed()
    unlike = {model for model in busy if busy[model].digest != busy["amaranth"].digest}
    if on_t6["native"].digest != on_t6["verilator"].digest:
        unlike.add("native, on T6-4,")
    for model in sorted(unlike):
        print(f"bench: the outputs of {model} differ", file=sys.stderr)
    results = {f"{model}_ticks_per_s": speed.hz for model, speed in busy.items()}
    results |= {f"{model}_ticks_per_s_on_t6_4": speed.hz for model, speed in on_t6.items()}
    results["native_over_amaranth"] = busy["native"].hz / busy["amaranth"].hz
    results["native_over_verilator"] = busy["native"].hz / busy["verilator"].hz
    results["native_over_verilator_on_t6_4"] = on_t6["native"].hz / on_t6["verilator"].hz
    return results, not unlike
