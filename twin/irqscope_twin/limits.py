"""Measures the limits of the twin's speed: ``python -m irqscope_twin.limits``.

Prints, from one run on this machine, the limit of each thing that a run waits for, taken alone,
and then the value that runs reach:

- the emulator: T7's own loop, out of the firmware, in Unicorn without a hook, a device or a
  quantum; its stores in 96 MB, as T7's are, and in 64 KB. Then T7 on the twin;
- the gateware: processor time of one tick evaluated, while all lines toggle and while nothing
  happens. Then the ticks that T6-4 evaluates, and their share of its time;
- the pseudo-terminal: bytes a second. Then the output of a run with all samples, at a period of
  11 us.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from unicorn import UC_ARCH_ARM64, UC_MODE_ARM, UC_PROT_ALL, Uc
from unicorn import arm64_const as arm64
from unicorn.unicorn_const import UC_CTL_IO_WRITE, UC_CTL_TLB_FLUSH

from irqscope.experiment.load import load
from irqscope.machines.firmware_file import DEFAULT_MACHINE, DEFAULT_STACK, firmware
from irqscope.results.reader import read
from irqscope_twin import bench, build
from irqscope_twin import bench_gateware as gateware

FIRMWARE = firmware(DEFAULT_MACHINE, DEFAULT_STACK)
T7_ARRAY, SMALL_ARRAY = 96 << 20, 64 << 10
#: Instructions for one store of T7's loop in fw/stacks/baremetal/aarch64/idle.S, with the store.
INSTRUCTIONS = 9
EMULATED_S = 2.0
IDLE_TICKS = 5_000_000
PIECE, PIECES = 1 << 16, 2000
T2_COUNT = 40_000
T6, T6_COUNTS = "horst2020/t6-4", (2, 8)
T7_COUNTS = {"functional": 6, "a53": 40}

#: Description, value and unit.
Figure = tuple[str, float, str]


def t7_loop() -> bytes:
    """The instructions of T7's loop, position-independent, out of the firmware."""
    with FIRMWARE.open("rb") as file:
        elf = ELFFile(file)
        symbols = elf.get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        addresses = {symbol.name: symbol["st_value"] for symbol in symbols.iter_symbols()}
        first, last = addresses["idle_write"], addresses["idle_last"]
        for segment in elf.iter_segments("PT_LOAD"):
            if 0 <= (start := first - segment["p_vaddr"]) < segment["p_filesz"]:
                code: bytes = segment.data()[start : start + last - first]
                assert len(code) == 4 * INSTRUCTIONS
                return code
    raise SystemExit(f"limits: {FIRMWARE} has no T7")


def emulate(uc: Uc, at: int, seconds: float) -> None:
    """Runs from ``at`` for some time.

    Unicorn's own timeout stops once, and for ever too early where the thread that emulates waits
    for a processor until it has passed.
    """
    ended = threading.Event()

    def stop() -> None:
        wait = seconds
        while not ended.wait(wait):
            uc.emu_stop()
            wait = 0.01

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        uc.emu_start(at, 0)
    finally:
        ended.set()
        stopper.join()


def emulated_per_s(array: int) -> float:
    """Instructions a second of processor time of the bare emulator in T7's loop."""
    code_at, array_at = 0x1_0000, 0x4000_0000
    uc = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
    uc.mem_map(code_at, 0x1000, UC_PROT_ALL)
    uc.mem_write(code_at, t7_loop())
    uc.mem_map(array_at, array, UC_PROT_ALL)
    for register, value in (
        (arm64.UC_ARM64_REG_X22, 1),  # state of the random numbers
        (arm64.UC_ARM64_REG_X23, array_at),
        (arm64.UC_ARM64_REG_X24, array // 4),
        (arm64.UC_ARM64_REG_X19, 0),  # stores done
    ):
        uc.reg_write(register, value)
    for hundredths in range(1, 11):  # its TLB may double only when it is flushed
        emulate(uc, code_at, hundredths / 100)
        uc.ctl(UC_CTL_TLB_FLUSH, UC_CTL_IO_WRITE)
    emulate(uc, code_at, 0.2)
    before, began = uc.reg_read(arm64.UC_ARM64_REG_X19), time.process_time()
    emulate(uc, code_at, EMULATED_S)
    stores: int = uc.reg_read(arm64.UC_ARM64_REG_X19) - before
    return INSTRUCTIONS * stores / (time.process_time() - began)


def t7_per_s(profile: str, count: int) -> float:
    """Instructions a second of wall time that T7's loops execute on the twin."""
    with tempfile.TemporaryDirectory() as name:
        experiment = load(gateware.EXPERIMENTS / "horst2020/t7.toml", count=count, samples="none")
        seconds = bench.run_seconds(experiment, profile, Path(name) / "run")
        stores = sum(read(Path(name) / "run").run.firmware.loads)
    return INSTRUCTIONS * stores / seconds


def terminal_bytes_per_s() -> float:
    """Speed of a pseudo-terminal from one thread to another, in pieces of 64 KB."""
    controller, terminal = os.openpty()
    tty.setraw(terminal)

    def write() -> None:
        for _ in range(PIECES):
            left = memoryview(bytes(PIECE))
            while left:
                left = left[os.write(controller, left) :]

    writer = threading.Thread(target=write)
    began = time.perf_counter()
    writer.start()
    left = PIECE * PIECES
    while left:
        left -= len(os.read(terminal, PIECE))
    seconds = time.perf_counter() - began
    writer.join()
    os.close(controller)
    os.close(terminal)
    return PIECE * PIECES / seconds


def sent_per_s(count: int) -> float:
    """Bytes a second of wall time that a run of T2 with all samples gets, at a period of 11 us."""
    with tempfile.TemporaryDirectory() as name:
        record = Path(name) / "link"
        t2 = load(gateware.EXPERIMENTS / "horst2020/t2.toml", count=count, **bench.EVERY_11_US)
        seconds = bench.run_seconds(t2, "functional", Path(name) / "run", record)
        lines = record.read_text().splitlines()
    received = sum(len(line) - 2 for line in lines if line.startswith("<")) // 2
    return received / seconds


def evaluated() -> Iterator[Figure]:
    """Time to evaluate a tick of the gateware, and the share of T6-4 that its ticks take."""
    command = [str(build.build(lambda _: None)), "--bench-rtl"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs = gateware.Inputs(gateware.NATIVE_TICKS).write(folder / "busy.csv")
        busy = gateware.compiled_speed(command, inputs)
        (idle := folder / "idle.csv").write_text(f"tick,signal,value\n{IDLE_TICKS},end,0\n")
        yield "a tick, all lines toggling", 1e9 / busy.hz, "ns"
        yield "a tick, nothing happening", 1e9 / gateware.compiled_speed(command, idle).hz, "ns"
        pins = []
        for count in T6_COUNTS:
            (run := folder / str(count)).mkdir()
            pins.append(gateware.compiled_speed(command, gateware.pins_of(T6, count, run)))
    wall = [bench.batch_seconds(T6, "functional", count) for count in T6_COUNTS]
    more = T6_COUNTS[1] - T6_COUNTS[0]
    yield "T6-4, functional: ticks evaluated a stimulus", (pins[1].ticks - pins[0].ticks) / more, ""
    share = (pins[1].seconds - pins[0].seconds) / (wall[1] - wall[0])
    yield "T6-4, functional: the gateware's share", 100 * share, "%"


def figures() -> Iterator[Figure]:
    """Yields each figure once it is measured."""
    for array in (T7_ARRAY, SMALL_ARRAY):
        name = f"the bare emulator, T7's loop in {array >> 10:,} KB"
        yield name, emulated_per_s(array) / 1e6, "million instructions/s"
    for profile, count in T7_COUNTS.items():
        yield f"T7, {profile}", t7_per_s(profile, count) / 1e6, "million instructions/s"
    yield from evaluated()
    yield "a pseudo-terminal", terminal_bytes_per_s() / 1e6, "MB/s"
    yield "T2 every 11 us, functional, all samples", sent_per_s(T2_COUNT) / 1e6, "MB/s"


def main() -> None:
    """Measures all figures and prints a line for each."""
    for name, value, unit in figures():
        print(f"{name:52}{value:>12,.{1 if value >= 10 else 3}f} {unit}", flush=True)


if __name__ == "__main__":
    main()
