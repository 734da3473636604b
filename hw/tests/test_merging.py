"""No tool joins registers that are apart so that no wire is long."""

from pathlib import Path

from irqscope_hw.fpga import resources
from irqscope_hw.fpga.merging import merged

from ..outcome import GATEWARE, once

TWINS = """
module part(input clk, input a, output reg q); always @(posedge clk) q <= a; endmodule
module top(input clk, input a, input b, output [2:0] q);
  part one(clk, a, q[0]);
  part two(clk, a, q[1]);
  part other(clk, a & b, q[2]);
endmodule
"""


def test_registers_with_the_same_input_are_found(tmp_path):
    (tmp_path / "twins.v").write_text(TWINS)
    (pair,) = merged([tmp_path / "twins.v"], "top")
    assert set(pair) == {"one.q", "two.q"}


def test_chains_of_registers_stay_apart():
    """Reset aside: it drives resets and no logic, and does so on all chains alike."""

    def show():
        core = resources.ZYNQMP
        joined = {
            name.rpartition(".")[2] for pair in merged(core.sources, core.top) for name in pair
        }
        assert joined == {"after__reset"}

    once(show, GATEWARE, *resources.ZYNQMP.sources, Path(__file__))
