"""The build of cores repeats only what has to be repeated."""

from irqscope_rtl import build

from .conftest import CORES


def test_a_second_build_does_nothing(soft):
    said: list[str] = []
    build.build(CORES, said.append)
    assert said == []
