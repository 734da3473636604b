"""The build of cores repeats only what has to be repeated."""

from irqscope_rtl import build
from irqscope_twin.toolchain import WAITING

from .conftest import CORES


def test_a_second_build_does_nothing(soft):
    messages: list[str] = []
    build.build(CORES, messages.append)
    assert [text for text in messages if text != WAITING] == []  # another test may build just now
