"""The committed Verilog against witnesses that share no code with the gateware or its tests.

A testbench in Verilog (``witness.v``) plays the processor, on Icarus: it keeps its own log of the
pins and works out from it what the registers have to say. Then what the core's pins did, tick by
tick, is played into Amaranth's simulator of the sources, which has to do the same.
"""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from amaranth.sim import Simulator

from irqscope_hw import regmap, verilog
from irqscope_hw.shells.zynqmp import ZynqMP

from ..outcome import GATEWARE, once
from .tools import needs_icarus

IP = verilog.OUTPUT.parent
TESTBENCH = Path(__file__).with_name("witness.v")
SOURCES = [TESTBENCH, IP / "irqscope_zynqmp.v", verilog.OUTPUT]
OUTPUTS = (
    "emio_i3",
    "emio_i4",
    "pl_ps_irq0",
    "pl_ps_irq1",
    "pl_ps_apugic_irq",
    "pmod",
    "stm_event",
    "now",
    "quiet",
    "target_valid",
)


def constants():
    """The register map as Verilog macros: addresses, lowest bits of fields, encodings (E_)."""

    def name(*path):
        return re.sub(r"\W+", "_", "_".join(path)).upper()

    def address(path):
        return regmap.IRQSCOPE[path].address

    for register in regmap.IRQSCOPE.registers:
        path = register.path.replace("[", "_").replace("]", "")
        yield name(path), register.address
        for field in register.fields:
            yield name(path, field.name), field.lsb
    for memory in regmap.IRQSCOPE.memories:
        yield name(memory.path), memory.address
    for group in ("lines", "channels"):
        stride = address(f"{group}[1].config") - address(f"{group}[0].config")
        yield name(group, "stride"), stride
    for encoding in regmap.IRQSCOPE.encodings:
        for member in encoding.members:
            yield name("E", encoding.name, member.name), member.value


def compile_testbench(folder, sources=SOURCES):
    lines = [f"`define {name} {value}" for name, value in constants()]
    (folder / "map.vh").write_text("\n".join(lines) + "\n")
    command = [
        "iverilog",
        "-g2005",
        "-Wall",
        "-Wno-timescale",
        f"-I{folder}",
        "-o",
        folder / "testbench",
    ]
    run = subprocess.run([*command, *sources], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return folder / "testbench"


def play(testbench, **settings):
    """Output of the testbench."""
    arguments = [f"+{name}={value}" for name, value in settings.items()]
    run = subprocess.run(
        ["vvp", "-n", testbench, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return run.stdout


@pytest.fixture(scope="module")
def testbench(tmp_path_factory):
    """Gives the compiled testbench."""
    return cache(lambda: compile_testbench(tmp_path_factory.mktemp("witness")))


def seen_once(show, *depends):
    """``show`` plays the testbench, the committed Verilog, or a simulation of the gateware."""
    version = subprocess.run(["iverilog", "-V"], capture_output=True, text=True, check=True)
    once(show, version.stdout, *depends, *SOURCES, GATEWARE, Path(__file__))


def counters(transcript):
    """Counts of all channels, added up by name."""
    sums = {}
    for line in re.findall(r"(?m)^channel \d: (.*)$", transcript):
        for name, count in re.findall(r"([a-z ]+?) (\d+)", line):
            sums[name.strip()] = sums.get(name.strip(), 0) + int(count)
    return sums


@needs_icarus
@pytest.mark.parametrize(
    ("seed", "phase"),
    [(1, 0), *(pytest.param(seed, seed, marks=pytest.mark.soak) for seed in range(2, 10))],
)
def test_the_registers_say_what_the_pins_did(testbench, seed, phase):
    def show():
        transcript = play(testbench(), seed=seed, phase=phase)
        assert "FAIL" not in transcript, transcript
        checks = re.search(r"PASSED: (\d+) checks", transcript)
        assert checks and int(checks[1]) > 400, transcript
        # A witness that saw nothing happen would be none.
        assert min(counters(transcript).values()) > 0, transcript

    seen_once(show, f"registers, seed {seed}, phase {phase}")


@needs_icarus
def test_the_bench_finds_a_bug(tmp_path):
    module, old, new = "instrument_pattern_line", "fell <= ", "fell <= 1'h0 & "  # loses each fall
    head, rest = verilog.OUTPUT.read_text().split(f"module irqscope_{module}(")
    assert old in rest.split("endmodule")[0], "no place matches"
    broken = tmp_path / "irqscope.v"
    broken.write_text(f"{head}module irqscope_{module}({rest.replace(old, new, 1)}")

    def show():
        transcript = play(compile_testbench(tmp_path, [*SOURCES[:2], broken]), seed=1)
        assert "FAIL events" in transcript, transcript

    seen_once(show, "bug", broken)


@needs_icarus
def test_the_verilog_does_in_every_tick_what_the_gateware_does(testbench, tmp_path):
    seen_once(lambda: replayed(testbench(), tmp_path / "trace"), "replay")


def replayed(testbench, trace):
    transcript = play(testbench, seed=4, phase=5, pulses=8, trace=trace)
    assert "FAIL" not in transcript, transcript
    ticks = [line.split() for line in trace.read_text().splitlines()]
    top = ZynqMP(build_hash=verilog.build_hash(verilog.OUTPUT.read_text()))
    differences = []

    async def replay(ctx):
        ctx.set(top.source_id, 0x0101)  # as the shell says: machine 1, board 1
        # A line holds what the edge at the end of a tick samples, and the outputs of that tick.
        for tick, (reset, o3, o4, *outputs) in enumerate(ticks):
            ctx.set(top.rst, int(reset))
            ctx.set(top.emio_o3, int(o3, 16))
            ctx.set(top.emio_o4, int(o4, 16))
            for name, text in zip(OUTPUTS, outputs, strict=True):
                found = ctx.get(getattr(top, name))
                if found != int(text, 16):
                    differences.append((tick, name, text, found))
            if len(differences) > 10:
                return
            await ctx.tick()

    simulator = Simulator(top)
    simulator.add_clock(4e-9)
    simulator.add_testbench(replay)
    simulator.run()
    assert len(ticks) > 8000
    assert differences == []
