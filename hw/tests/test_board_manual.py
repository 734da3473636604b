"""The manual explains each message of the board scripts."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    "vivado/build.tcl", "vivado/checks.tcl", "vivado/design.tcl", "vivado/zynq7000.tcl",
    "jtag/board.tcl", "jtag/smoke.tcl", "jtag/zynqmp.tcl", "jtag/zynq7000.tcl",
]  # fmt: skip


def messages(script):
    """The fixed parts of each message, between variables and commands."""
    text = (ROOT / "scripts" / script).read_text()
    starts = r'(?:fail|lappend failures|return \[list|step) "((?:[^"\\]|\\.)*)"'
    for message in re.findall(starts, text):
        parts = re.split(r"\[[^]]*\]+|\$\w+(?:\([^)]*\))?|\\.|[;:(]", message)
        yield [part.strip() for part in parts if len(part.strip()) >= len("there is no")]


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_message_stands_in_the_manual(script):
    manual = (ROOT / "docs" / "board.md").read_text()
    fixed_parts = [parts for parts in messages(script) if parts]
    assert len(fixed_parts) >= 2
    assert [parts for parts in fixed_parts if not any(part in manual for part in parts)] == []
