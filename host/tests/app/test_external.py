"""A simulated device from the first screen, and experiments of it in the window."""

from __future__ import annotations

from pathlib import Path

from app.by_hand import click

from irqscope_app.control.state import Link

EXPERIMENTS = Path(__file__).parents[3] / "experiments"


def test_the_first_screen_connects_to_a_simulated_device_and_measures_it(window, until, measure):
    click(window.connect_screen.device)
    until(lambda: window.station.state.link is not Link.ASKING)
    assert window.station.state.link is Link.READY, window.station.state.fault
    assert "simulated device stm32f411" in window.station.state.identity.label
    window.pattern.load(EXPERIMENTS / "tickless" / "on.toml")
    measure("twin:external", 40)
    assert window.scope.figures.cell("whole run", "N") == "40"
    assert "✓ valid" in window.scope.counters.text()
