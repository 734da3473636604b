"""A simulated device from the first screen, and an experiment of it in the window."""

from __future__ import annotations

from pathlib import Path

from irqscope.gui.station import Link

ROOT = Path(__file__).parents[3]


def test_the_first_screen_connects_to_a_simulated_device(window, until):
    window.connect_screen.device.click()
    until(lambda: window.station.state.link is Link.READY)
    assert "simulated device stm32f411" in window.station.state.identity.label
