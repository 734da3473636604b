"""The walk over netlists, on netlists whose depth is known, and the gateware's own figures."""

from pathlib import Path

import pytest

from irqscope_hw.fpga import delays, resources
from irqscope_hw.fpga.cores import CORES
from irqscope_hw.fpga.netlist import Netlist, NetlistError

from ..outcome import GATEWARE, once

BUDGET = resources.ZYNQMP.budget


class Builder:
    """Puts cells together by hand."""

    def __init__(self):
        self.cells, self.netnames, self.last = {}, {}, 1
        self.clock = self.net("clk")

    def net(self, name=None):
        self.last += 1
        self.netnames[name or f"n{self.last}"] = {"hide_name": 0, "bits": [self.last]}
        return self.last

    def cell(self, kind, inputs, outputs):
        """Adds a cell; gives the bits of its last output."""
        connections = {p: b if isinstance(b, list) else [b] for p, b in inputs.items()}
        for port, width in outputs.items():
            connections[port] = [self.net() for _ in range(width)]
        directions = dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
        self.cells[f"{kind}_{len(self.cells)}"] = {
            "type": kind,
            "connections": connections,
            "port_directions": directions,
        }
        return connections[port]

    def ff(self, d="0", clock=None):
        return self.cell("FDRE", {"C": clock or self.clock, "D": d, "CE": "1", "R": "0"}, {"Q": 1})[
            0
        ]

    def lut(self, *inputs):
        ports = {f"I{i}": bit for i, bit in enumerate(inputs)}
        return self.cell(f"LUT{len(inputs)}", ports, {"O": 1})[0]

    def chain(self, bits, start):
        """A chain of carry cells, entered at its first bit; gives the sum's highest bit."""
        carry = "0"
        for place in range(0, bits, 4):
            propagate = [start if place == 0 else "0", "0", "0", "0"]
            inputs = {"CI": carry, "CYINIT": "0", "S": propagate, "DI": ["0"] * 4}
            carry = self.cell("CARRY4", inputs, {"O": 4, "CO": 4})[3]
            output = self.cells[list(self.cells)[-1]]["connections"]["O"]
        return output[(bits - 1) % 4]

    def netlist(self):
        return Netlist({"cells": self.cells, "netnames": self.netnames})

    def levels(self):
        return {clock: path.levels for clock, path in self.netlist().longest_paths().items()}


def test_luts_in_a_row_are_one_level_each():
    b = Builder()
    bit = b.ff()
    for _ in range(5):
        bit = b.lut(bit, b.ff())
    b.ff(bit)
    assert b.levels() == {"clk": 5}


def test_the_longer_of_two_ways_counts():
    b = Builder()
    start = b.ff()
    b.ff(b.lut(b.lut(b.lut(start)), start))
    assert b.levels() == {"clk": 3}


@pytest.mark.parametrize(("bits", "levels"), [(1, 2), (4, 2), (32, 2), (33, 3), (64, 3), (65, 4)])
def test_a_carry_chain_is_one_level_and_one_for_each_started_32_bits(bits, levels):
    b = Builder()
    b.ff(b.chain(bits, b.ff()))
    assert b.levels() == {"clk": levels}


def test_a_chain_counts_from_where_a_path_enters_it():
    b = Builder()
    carry = b.cell("CARRY4", {"CI": "0", "CYINIT": "0", "S": ["0"] * 4, "DI": ["0"] * 4}, {"CO": 4})
    late = b.lut(b.lut(b.ff()))
    s = ["0", "0", "0", late]
    b.ff(b.cell("CARRY4", {"CI": carry[3], "CYINIT": "0", "S": s, "DI": ["0"] * 4}, {"O": 4})[3])
    # The second LUT is that of the chain's own slice.
    assert b.levels() == {"clk": 1 + 2}


def test_a_lut_with_its_multiplexers_is_one_level():
    b = Builder()
    f = b.ff()

    def f7():
        return b.cell("MUXF7", {"I0": b.lut(f), "I1": b.lut(f), "S": f}, {"O": 1})[0]

    b.ff(b.cell("MUXF8", {"I0": f7(), "I1": f7(), "S": f}, {"O": 1})[0])
    assert b.levels() == {"clk": 1}
    b.ff(b.cell("MUXF7", {"I0": b.lut(f), "I1": b.lut(f), "S": b.lut(b.lut(f))}, {"O": 1})[0])
    assert b.levels() == {"clk": 3}


def test_a_walk_adds_the_delays_of_cells_and_nets():
    b = Builder()
    bit = b.ff()
    for _ in range(3):
        bit = b.lut(bit, b.ff())
    b.ff(bit)
    slowest = delays.Walk(b.netlist(), 0.5).slowest()
    assert slowest.ns == pytest.approx(0.077 + 3 * (0.5 + 0.165) + 0.025)
    assert slowest.late == 0
    assert [cell.split()[2] for cell in slowest.cells[:-1]] == ["FDRE", "LUT2", "LUT2", "LUT2"]
    assert delays.Walk(b.netlist(), 1.2).slowest().late == 1
    b.ff(bit)  # the last LUT now has a net
    assert delays.Walk(b.netlist(), 0.5).slowest().ns == pytest.approx(slowest.ns + 0.5)


@pytest.mark.parametrize(("bits", "blocks"), [(1, 1), (8, 1), (9, 2), (64, 8)])
def test_a_walk_passes_a_carry_chain_in_blocks_of_eight(bits, blocks):
    b = Builder()
    b.ff(b.chain(bits, b.lut(b.ff())))
    slowest = delays.Walk(b.netlist(), 0.5).slowest()
    entered = 0.077 + 0.5 + 0.165
    assert slowest.ns == pytest.approx(entered + blocks * 0.231 + 0.025)


def test_clock_domains_are_told_apart_and_enables_count():
    b = Builder()
    other = b.net("slow")
    b.ff(b.lut(b.lut(b.ff())), clock=other)
    b.cell("FDRE", {"C": b.clock, "D": "0", "CE": b.lut(b.ff()), "R": "0"}, {"Q": 1})
    assert b.levels() == {"slow": 2, "clk": 1}


def test_memories_begin_and_end_paths():
    b = Builder()
    read = b.cell("RAMB36E2", {"CLKARDCLK": b.clock, "ADDRARDADDR": [b.ff()]}, {"DOUTADOUT": 2})
    b.cell("RAMB36E2", {"CLKARDCLK": b.clock, "ADDRARDADDR": [b.lut(read[1])]}, {"DOUTADOUT": 2})
    path = b.netlist().longest_paths()["clk"]
    assert path.levels == 1
    assert [cell.split()[0] for cell in path.cells] == ["RAMB36E2", "LUT1", "RAMB36E2"]


def test_what_begins_at_a_port_is_no_path():
    b = Builder()
    port = b.net("port")
    b.ff(b.lut(b.lut(port)))
    assert b.levels() == {}
    b.ff(b.lut(b.lut(b.lut(port)), b.ff()))
    assert b.levels() == {"clk": 1}


def test_fan_out_counts_every_input_but_clocks():
    b = Builder()
    reset, few = b.ff(), b.ff()
    for _ in range(40):
        b.cell("FDRE", {"C": b.clock, "D": few, "CE": "1", "R": reset}, {"Q": 1})
    b.cell("FDRE", {"C": reset, "D": b.lut(reset, reset), "CE": "1", "R": "0"}, {"Q": 1})
    report = resources.measure(b.netlist(), BUDGET)
    assert report.figures["fan-out"] == 42
    assert [loads for loads, _ in report.widest[:3]] == [42, 40, 1]


def test_a_net_that_is_too_wide_is_named():
    b = Builder()
    reset = b.ff()
    b.netnames["reset everywhere"] = {"hide_name": 0, "bits": [reset]}
    for _ in range(BUDGET["fan-out"] + 1):
        b.cell("FDRE", {"C": b.clock, "D": "0", "CE": "1", "R": reset}, {"Q": 1})
    b.ff(b.lut(b.ff()))
    report = resources.measure(b.netlist(), BUDGET)
    assert report.exceeded() == ["fan-out"]
    assert "1001 reset everywhere" in str(report)


def test_loops_and_unknown_cells_are_refused():
    b = Builder()
    bit = b.lut(b.ff())
    b.cells["LUT1_1"]["connections"]["I0"] = [bit]
    b.ff(bit)
    with pytest.raises(NetlistError, match="loop"):
        b.levels()
    b = Builder()
    b.cell("DSP48E2", {"A": b.ff()}, {"P": 1})
    with pytest.raises(NetlistError, match="DSP48E2"):
        b.netlist()


@pytest.mark.parametrize("family", ["xcup", "xc7"])
def test_synthesised_logic_has_the_depth_that_it_must_have(tmp_path, family):
    """A counter of 64 bits, and a feedback of six, of which some may become a shift register."""
    source = tmp_path / "known.v"
    source.write_text(
        "module known(input count, input shift, input d, output reg [63:0] n, q);\n"
        "  always @(posedge count) n <= n + 1;\n"
        "  always @(posedge shift) q <= {q[62:0], q[63] ^ q[62] ^ q[60] ^ q[59] ^ q[9] ^ d};\n"
        "endmodule\n"
    )
    netlist = resources.synthesise([source], "known", family, repeated=())
    paths = netlist.longest_paths()
    assert {clock: path.levels for clock, path in paths.items()} == {"count": 3, "shift": 1}
    report = resources.measure(netlist, BUDGET)
    assert report.figures["carry bits"] == 64
    assert report.figures["FF"] >= 64


def test_a_figure_above_its_budget_is_named():
    b = Builder()
    bit = b.ff()
    for _ in range(10):
        bit = b.lut(bit)
    b.ff(bit)
    report = resources.measure(b.netlist(), BUDGET)
    assert report.exceeded() == ["levels"]
    assert "longest path of clock clk, 10 levels" in str(report)


@pytest.mark.parametrize("machine", ["zynqmp", pytest.param("zynq7000", marks=pytest.mark.soak)])
def test_the_gateware_is_within_its_budgets(machine):
    target = resources.TARGETS[machine]

    def show():
        report = resources.report_of(target)
        assert report.exceeded() == [], str(report)
        for name, value in report.figures.items():
            assert value > 0.7 * report.budget[name], f"the budget of {name} is too wide: {value}"

    once(show, machine, GATEWARE, *target.sources, Path(__file__))


def test_every_packed_core_has_a_budget():
    assert {target.top for target in resources.TARGETS.values()} == {core.top for core in CORES}


def test_a_machine_that_there_is_not_is_named(monkeypatch):
    monkeypatch.setattr("sys.argv", ["resources", "zynq7001"])
    with pytest.raises(SystemExit, match="no machine zynq7001; zynqmp, zynq7000"):
        resources.main()
