"""Synthesises the packaged cores and holds size, depth, fan-out against budgets.

Usage: ``python -m irqscope_hw.fpga.resources [zynqmp] [zynq7000]``: UltraScale+, 7 series

Exit code 0 when every figure is within its budget, 1 when not.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from irqscope_hw import verilog

from . import yosys
from .netlist import LongestPath, Netlist

IP = verilog.OUTPUT.parent
#: A module that is instantiated eight times is mapped once and joined at the end. No logic is
#: shared across its boundary, so the figures are never too small.
REPEATED = ("irqscope_instrument_pattern_line", "irqscope_instrument_channel")
SYNTHESIS = "synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top {top}"
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


@dataclass(frozen=True)
class Target:
    """A core, the family as yosys calls it, and the most that each figure may be."""

    top: str
    family: str
    budget: dict[str, float]

    @property
    def sources(self) -> tuple[Path, ...]:
        """The Verilog of the core."""
        return IP / f"{self.top}.v", IP / "irqscope.v"


#: Six levels are wanted for 250 MHz; the others are a tenth above what the design takes, so that
#: growth is noticed. XCZU7EV, the smaller of the two parts, has 230,400 LUTs,
#: 460,800 flip-flops and 312 RAMB36.
ZYNQMP = Target(
    "irqscope_zynqmp",
    "xcup",
    {
        "levels": 6,
        "fan-out": 1_000,
        "LUT": 16_700,
        "FF": 27_000,
        "carry bits": 10_900,
        "RAMB36": 101,
    },
)
#: The same levels, for twice the time: a LUT with its net has 1.2 ns of 8. XC7Z020 has 53,200 LUTs,
#: 106,400 flip-flops and 140 RAMB36; the memories take 92 of these, of 60 in an XC7Z010.
ZYNQ7000 = Target(
    "irqscope_zynq7000",
    "xc7",
    {
        "levels": 6,
        "fan-out": 1_000,
        "LUT": 16_700,
        "FF": 27_000,
        "carry bits": 10_900,
        "RAMB36": 101,
    },
)
TARGETS = {"zynqmp": ZYNQMP, "zynq7000": ZYNQ7000}


@dataclass(frozen=True)
class Report:
    """Results of synthesis: figures, longest paths, widest nets, and the budgets."""

    figures: dict[str, float]
    paths: dict[str, LongestPath]
    widest: list[tuple[int, str]]
    budget: dict[str, float]

    def exceeded(self) -> list[str]:
        """Names of the figures that are above their budget."""
        return [name for name, value in self.figures.items() if value > self.budget[name]]

    def __str__(self) -> str:
        lines = [f"{'':12}{'found':>8}{'budget':>8}"]
        lines += [f"{n:12}{value:8g}{self.budget[n]:8g}" for n, value in self.figures.items()]
        for path in self.paths.values():
            lines += ["", f"longest path of clock {path.clock}, {path.levels} levels:"]
            lines += [f"    {cell}" for cell in path.cells]
        lines += ["", "largest fan-outs:"]
        lines += [f"    {loads:6} {net}" for loads, net in self.widest]
        return "\n".join(lines)


def synthesise(
    sources: Sequence[Path], top: str, family: str = "xcup", repeated: Sequence[str] = REPEATED
) -> Netlist:
    """The netlist of Verilog files. RuntimeError with yosys's message if it refuses them."""
    keep = "".join(f"setattr -mod -set keep_hierarchy 1 {name}; " for name in repeated)
    script = SCRIPT.format(top=top, keep=keep, family=family)
    design = json.loads(yosys.run(sources, script, "netlist.json"))
    return Netlist(design["modules"][top])


def measure(netlist: Netlist, budget: dict[str, float]) -> Report:
    """The figures that have a budget."""
    paths = netlist.longest_paths()
    levels = max(path.levels for path in paths.values())
    widest = netlist.widest()
    figures = {"levels": levels, "fan-out": widest[0][0], **netlist.resources}
    return Report(figures, paths, widest, budget)


def report_of(target: Target) -> Report:
    """Resources of a core. Takes minutes."""
    return measure(synthesise(target.sources, target.top, target.family), target.budget)


def main() -> None:
    """Prints the reports of the machines named, or of all."""
    names = sys.argv[1:] or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        sys.exit(f"resources: no machine {', '.join(sorted(unknown))}; {', '.join(TARGETS)}")
    above = []
    for name in names:
        report = report_of(TARGETS[name])
        print(f"{name}:\n{report}\n", flush=True)
        above += [f"{figure} of {name}" for figure in report.exceeded()]
    if above:
        sys.exit(f"above the budget: {', '.join(above)}")


if __name__ == "__main__":
    main()
