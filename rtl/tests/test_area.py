"""Relative areas: the manual states what is mapped."""

import re

import pytest

from irqscope_rtl import area
from irqscope_rtl.cores import ROOT


@pytest.mark.soak
def test_the_manual_states_the_areas_that_are_mapped(capsys):
    assert area.main() == 0
    with_clic = capsys.readouterr().out.split("cv32rt adds to cv32e40p-clic:")[1]
    cells, transistors = zip(
        *re.findall(r"([\d.]+)% of the cells and ([\d.]+)%", with_clic), strict=True
    )
    cells, transistors = (
        [round(float(share)) for share in kind[::-1]] for kind in (cells, transistors)
    )
    page = " ".join((ROOT / "docs" / "cores.md").read_text().split())
    assert (
        "{} % of the register file, {} % of the ID stage and {} % of the core".format(*cells)
        in page
    )
    assert "by estimated transistors {}, {} and {} %".format(*transistors) in page
