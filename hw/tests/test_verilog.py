import re
from pathlib import Path

import pytest

from irqscope_hw import verilog

from ..outcome import GATEWARE, once

pytestmark = pytest.mark.quick


def test_the_committed_file_is_what_the_sources_give():
    def show():
        text = verilog.generate()
        assert verilog.OUTPUT.read_text() == text, "run python -m irqscope_hw.verilog"

    once(show, "generated", GATEWARE, verilog.OUTPUT, Path(__file__))


def test_its_register_reads_the_hash_that_it_starts_with():
    text = verilog.OUTPUT.read_text()
    word = f"{verilog.build_hash(text):08x}"
    assert re.match(rf".*\n// Build hash: sha256 {word}[0-9a-f]{{56}}\n\n", text)
    read = re.findall(r"_build_hash_value = 32'h([0-9a-f]+);", text)
    assert len(read) >= 2 and set(read) == {word}


@pytest.mark.parametrize("edit", ["a logic", "the hash that is read", "the hash in front"])
def test_a_text_that_was_edited_has_no_hash(edit):
    text = verilog.OUTPUT.read_text()
    word = f"{verilog.build_hash(text):08x}"
    old, new = {
        "a logic": (" ^ ", " | "),
        "the hash that is read": (f"32'h{word}", "32'h00000000"),
        "the hash in front": (f"sha256 {word}", "sha256 00000000"),
    }[edit]
    assert old in text
    with pytest.raises(ValueError, match="make generated"):
        verilog.build_hash(text.replace(old, new, 1))


def test_names_no_path_and_writes_each_kind_of_module_once():
    text = verilog.OUTPUT.read_text()
    assert not re.search(r"(?m)src|/home|/tmp|\.py:\d", text.split("\n", 1)[1])
    modules = re.findall(r"(?m)^module (\S+?)\s*\(", text)
    assert len(modules) == len(set(modules))
    for kind in ("line", "channel", "histogram"):
        assert len([name for name in modules if re.search(rf"{kind}(_\d)?$", name)]) == 1
    assert len(re.findall(r"(?m)^  irqscope_instrument_pattern_line \S+ \(", text)) == 8


def test_merging_keeps_modules_that_differ():
    rtlil = (
        "module \\top\n  cell \\a \\x\n  end\n  cell \\b \\y\n  end\n  cell \\c \\z\n  end\nend\n"
        "module \\a\n  wire \\w\n  cell \\a.in \\i\n  end\nend\n"
        "module \\a.in\n  wire \\v\nend\n"
        "module \\b\n  wire \\w\n  cell \\b.in \\i\n  end\nend\n"
        "module \\b.in\n  wire \\v\nend\n"
        "module \\c\n  wire \\other\nend\n"
    )
    merged = verilog.merge_alike(rtlil)
    assert re.findall(r"module (\S+)", merged) == ["\\top", "\\a", "\\a.in", "\\c"]
    assert re.findall(r"cell (\S+ \S+)", merged) == ["\\a \\x", "\\a \\y", "\\c \\z", "\\a.in \\i"]


@pytest.mark.parametrize(
    ("module", "least", "own"),
    [
        ("irqscope", 3, set()),
        ("irqscope_instrument", 8, {"told"}),
        ("irqscope_instrument_pattern", 8, set()),
    ],
)
def test_quiet_is_the_conjunction_of_all_parts_that_have_one(module, least, own):
    """The Verilog says it in one line, and is proved to be the gateware (hw/formal)."""
    body = verilog.OUTPUT.read_text().split(f"module {module}(")[1].split("endmodule")[0]
    parts = re.findall(r"(?m)^    \.quiet\((\w+)\)", body)
    (said,) = re.findall(r"(?m)^  assign quiet = & \{ (.*) \};$", body)
    assert len(parts) == len(set(parts)) >= least
    assert set(said.split(", ")) == {*parts, *own}
    # Only the Timebase has no port `quiet`: it skips while all others are quiet.
    kinds = re.findall(r"(?m)^  irqscope_(\w+) \w+ \($", body)
    assert len(kinds) - kinds.count("instrument_timebase") == len(parts)
