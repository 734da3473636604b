import re

import pytest

from irqscope_hw import verilog
from irqscope_hw.plain_names import plain

pytestmark = pytest.mark.quick


def test_the_verilog_has_plain_names_only_and_each_port_has_one():
    text = verilog.OUTPUT.read_text()
    assert not re.search(r"[\\$]", text)
    ports = re.findall(r"(?m)^  (?:input|output) (?:\[\d+:0\] )?(\w+);", text)
    assert len(ports) > 500
    assert [port for port in ports if re.fullmatch(r"_\d+_", port)] == []
    for name in ("levels_3", "channels_refused_7", "recorder_registers__head", "line_2_done"):
        assert re.search(rf"\b{name}\b", text), name


CHILD = """\
module \\irqscope.child_0 (\\port$1$0 , \\port$2$0 , \\port$7$4 , \\a$3 , b, clk);
  input \\port$1$0 ;
  wire \\port$1$0 ;
  input [1:0] \\port$2$0 ;
  wire [1:0] \\port$2$0 ;
  input [3:0] \\port$7$4 ;
  wire [3:0] \\port$7$4 ;
  input \\a$3 ;
  wire \\a$3 ;
  output b;
  reg b = 1'h1;
  input clk;
  wire clk;
  wire [2:0] whole;
  wire [1:0] head_stamp;
  wire [1:0] head_number;
  wire \\fields[1].second ;
  wire \\$1 ;
  assign \\$1  = \\port$1$0  & \\a$3 ;
  assign whole = { \\port$2$0 , \\port$1$0  };
  assign head_stamp = \\port$7$4 [3:2];
  assign head_number = \\port$7$4 [1:0];
  assign \\fields[1].second  = \\a$3 ;
  always @(posedge clk) b <= \\$1 ;
endmodule
"""
PARENT = """\
module irqscope(x, clk);
  input [6:0] x;
  wire [6:0] x;
  input clk;
  wire clk;
  wire \\b$9 ;
  \\irqscope.child_0  child_1 (
    .\\a$3 (x[0]),
    .b(\\b$9 ),
    .clk(clk),
    .\\port$1$0 (x[1]),
    .\\port$2$0 (x[3:2]),
    .\\port$7$4 ({ x[5:4], \\b$9 , x[6] })
  );
endmodule
"""


def test_names_come_from_what_a_wire_is_part_of_copies_or_belongs_to():
    text = plain(PARENT + CHILD)
    assert "module irqscope_child(whole_0, whole_2_1, head, fields_1_second, b, clk);" in text
    assert "  assign _1_ = whole_0 & fields_1_second;" in text
    assert text.count("wire fields_1_second;") == 1 and "assign fields_1_second" not in text
    assert "  irqscope_child child_1 (\n    .fields_1_second(x[0]),\n" in text
    assert ".b(child_1_b)" in text and ".head({ x[5:4], child_1_b, x[6] })" in text


def test_a_port_without_a_name_has_that_of_the_wire_that_it_meets():
    text = plain(
        "module irqscope(error, clk);\n  output error;\n  wire error;\n  input clk;\n  wire clk;\n"
        "  irqscope_child child (\n    .clk(clk),\n    ._7_(error)\n  );\nendmodule\n"
        "module irqscope_child(_7_, clk);\n  output _7_;\n  reg _7_ = 1'h0;\n"
        "  input clk;\n  wire clk;\n  always @(posedge clk) _7_ <= 1'h1;\nendmodule\n"
    )
    assert "module irqscope_child(error, clk);" in text and "error <= 1'h1;" in text
    assert ".error(error)" in text and "_1_" not in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("whole", "\\begin ", "begin is a word of Verilog"),
        ("head_number", "fields_1_second", "two names differ in their brackets only"),
    ],
)
def test_names_that_cannot_be_are_refused(old, new, message):
    with pytest.raises(ValueError, match=message):
        plain(PARENT + CHILD.replace(old, new))
