"""Facts that follow from the words of the hello."""

from __future__ import annotations

import dataclasses

import pytest

from irqscope import constants
from irqscope.errors import TargetError
from irqscope.link.identify import identify
from irqscope.link.identity import Identity
from irqscope.machines.generated import ECP5, ZYNQMP

#: The firmware's values on every board: the ZCU102's (fw/machine/zynqmp/bound/counter.h).
COUNTER_HZ, CPU_HZ = 99_990_008, 1_199_880_096


def identified(link, **said: int) -> Identity:
    hello = link.hello()
    return identify(dataclasses.replace(hello, values={**hello.values, **said}))


@pytest.mark.parametrize(
    ("board", "counter_hz", "cpu_hz"),
    [
        ("zcu102", 99_990_000, 1_199_880_000),
        ("zcu104", 99_999_999, 1_199_999_988),
        ("kv260", 99_999_000, 1_199_988_000),
    ],
)
def test_counter_and_cores_have_the_rates_of_the_boards_own_crystal(
    memory_link, board, counter_hz, cpu_hz
):
    (tick_hz,) = (each.tick_hz for each in ZYNQMP.boards if each.name == board)
    link, _ = memory_link()
    actual = identified(link, tick_hz=tick_hz, counter_hz=COUNTER_HZ, cpu_hz=CPU_HZ)
    assert (actual.tick_hz, actual.counter_hz, actual.cpu_hz) == (tick_hz, counter_hz, cpu_hz)


def test_a_rate_that_no_crystal_explains_is_refused(memory_link):
    link, _ = memory_link()
    with pytest.raises(TargetError) as refused:
        identified(link, tick_hz=100_000_000, counter_hz=COUNTER_HZ)
    (line,) = str(refused.value).splitlines()
    assert line.startswith("counter_hz: beside a PL clock of 100000000 Hz")
    assert "the counter has 40000000 Hz, the firmware says 99990008" in line


@pytest.mark.parametrize("board", ECP5.boards, ids=lambda board: board.name)
def test_a_board_has_as_many_lines_and_channels_as_its_description_says(memory_link, board):
    def hello(lines: int, channels: int) -> Identity:
        link, _ = memory_link()
        sizes = {
            constants.SIZES_HIST_BINS_LOG2: ECP5.sizes.hist_bins_log2,
            constants.SIZES_FIFO_DEPTH_LOG2: ECP5.sizes.fifo_depth_log2,
            constants.SIZES_SHORTEST_PHASE: constants.SHORTEST_PHASE,
        }
        source = {constants.SOURCE_MACHINE: ECP5.number, constants.SOURCE_BOARD: board.number}
        geometry = {
            constants.GEOMETRY_LINES: lines,
            constants.GEOMETRY_CHANNELS: channels,
            constants.GEOMETRY_CORES: constants.CORES,
            constants.GEOMETRY_LEAD: constants.LEAD,
        }
        words = {"sizes": sizes, "source": source, "geometry": geometry}
        output = {
            name: sum(value << bits.lsb for bits, value in fields.items())
            for name, fields in words.items()
        }
        return identified(link, built_for=ECP5.number, **output)

    actual = hello(board.lines, board.channels)
    assert (actual.board, actual.lines, actual.channels) == (
        board.name,
        board.lines,
        board.channels,
    )
    with pytest.raises(TargetError, match="geometry: target"):
        hello(board.lines + 1, board.channels)
