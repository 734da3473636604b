"""A firmware's latency as a test of its own: `make`, then `pytest`."""

from collections.abc import Callable
from pathlib import Path

from irqscope.testing import TargetUnderTest

HERE = Path(__file__).parent


def test_the_line_is_answered_in_time(irqscope_target: Callable[..., TargetUnderTest]) -> None:
    """100 stimuli, each in time."""
    program = irqscope_target("rtl:ibex", elf=HERE / "build" / "program.elf")
    latency = program.measure(HERE / "latency.toml", count=100)
    assert latency["pc:on_line"] <= "12 ticks"  # cycles of a soft core
    assert latency["pc:update"] <= "60 ticks"
