"""Settings of a simulation in a target ``rtl:``."""

from __future__ import annotations

import pytest

from irqscope.targets.rtl import RtlSettings


@pytest.mark.parametrize(
    ("text", "of_board"),
    [("ulx3s", True), ("ulx3s:routed", True), ("colorlight-i5:wire=7-7-3", True), ("ibex", False)],
)
def test_a_board_that_is_simulated_whole_is_known_by_its_name(text, of_board):
    assert RtlSettings.parse(text).of_board is of_board
