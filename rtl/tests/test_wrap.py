"""Own lines around a packaged module: everything else of it is as the package has it."""

import pytest

from irqscope_rtl.wrap import WrapError, wrap

pytestmark = pytest.mark.quick

PACKAGED = """\
// module counter is not here
module counter
  import types_pkg::*;
#(
    parameter WIDTH = 8,  // , input nothing
    parameter int STEP = 1
) (
    input  logic clk,
    input  kind_t kind_i,
    output logic [WIDTH-1:0] count_o,
    output logic [3:0][7:0] all_o
);
  assign count_o = STEP;
endmodule : counter
"""


def test_ports_are_passed_on_but_those_that_the_lines_speak_of():
    both = wrap("counter", PACKAGED, "  assign count_o = inner_count_o + 1;")
    assert "module counter_of_package\n  import types_pkg::*;" in both.package
    assert both.package.count("counter_of_package") == 1
    assert both.package.replace("module counter_of_package", "module counter") == PACKAGED
    assert both.around.startswith("module counter\n  import types_pkg::*;\n#(")
    assert "  logic [WIDTH-1:0] inner_count_o;\n" in both.around
    assert (
        "counter_of_package #(.WIDTH(WIDTH), .STEP(STEP)) package_i "
        "(.clk(clk), .kind_i(kind_i), .count_o(inner_count_o), .all_o(all_o));" in both.around
    )
    assert both.around.endswith("\nendmodule\n")


def test_an_output_that_the_lines_drive_has_no_second_driver():
    both = wrap("counter", PACKAGED, "  // all_o = 1\n  assign count_o = kind_i == 2 ? 1 : 0;")
    assert ".kind_i(kind_i), .count_o(inner_count_o), .all_o(all_o))" in both.around


def test_a_type_of_the_package_is_kept():
    both = wrap("counter", PACKAGED, "  assign inner_kind_i = kind_i;")
    assert "  kind_t inner_kind_i;\n" in both.around


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("timer", "", "there is no module timer"),
        ("counter", "assign inner_other = 0;", "module counter has no port other"),
    ],
)
def test_what_does_not_fit_is_told(name, lines, said):
    with pytest.raises(WrapError, match=said):
        wrap(name, PACKAGED, lines)
