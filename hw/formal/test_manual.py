"""The theorems and mutations that the manual names are here."""

import re
from pathlib import Path

import pytest

from irqscope_hw.fpga.component import RANGES
from irqscope_hw.shells.soft import Soft
from irqscope_hw.shells.zynqmp import ZynqMP

from .test_reset import TICKS

HERE = Path(__file__).parent
MANUAL = HERE.parents[1] / "docs" / "formal.md"


def test_each_name_of_the_three_statements_exists() -> None:
    section = MANUAL.read_text().split("## Three statements")[1].split("\n## ")[0]
    rows = [row for row in section.splitlines() if row.startswith("| ")][1:]
    assert len(rows) == 3
    for row in rows:
        _, _, theorems, mutations, _ = row.split("|")
        files = re.findall(r"`(test_\w+\.py)`", theorems)
        sources = "".join((HERE / file).read_text() for file in files)
        for name in re.findall(r"`(test_\w+)`", theorems):
            assert f"def {name}(" in sources
        for name in re.findall(r"`(\w+)`", mutations):
            assert f'"{name}"' in sources


@pytest.mark.parametrize("shell", [Soft, ZynqMP])
def test_who_drives_reset_reads_how_long_it_has_to_be(shell: type) -> None:
    needed = f"at least {TICKS['reset']} ticks"
    assert needed in shell.__doc__
    assert needed in (HERE.parents[1] / "docs" / "board-design.md").read_text()


def test_the_packaged_core_resets_for_as_long() -> None:
    least, _, _ = RANGES["RESET_TICKS"]
    assert least >= TICKS["reset"]
    assert f"at least {least}." in (HERE.parents[1] / "docs" / "board-design.md").read_text()
