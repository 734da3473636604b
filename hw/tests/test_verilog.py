import re
from pathlib import Path

import pytest

from irqscope_hw import verilog

from ..outcome import GATEWARE, once


def test_the_committed_file_is_what_the_sources_give():
    def show():
        text = verilog.generate()
        assert verilog.OUTPUT.read_text() == text, "run python -m irqscope_hw.verilog"

    once(show, "generated", GATEWARE, verilog.OUTPUT, Path(__file__))


def test_starts_with_the_hash_that_its_register_reads():
    text, digest = verilog.OUTPUT.read_text(), verilog.build_hash()
    assert text.splitlines()[1] == f"// Build hash: sha256 {digest}"
    assert re.search(rf"32'(h{digest[:8]}|d{int(digest[:8], 16)})", text)


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
