"""The build of cores repeats only what has to be repeated."""

from irqscope_rtl import build
from irqscope_twin.toolchain import WAITING

from .conftest import CORES


def test_a_second_build_does_nothing(soft):
    said: list[str] = []
    build.build(CORES, said.append)
    assert [text for text in said if text != WAITING] == []  # another test may build just now
