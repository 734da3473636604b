"""Twin time is a function of the bytes alone: the host's clock and manners change nothing."""

import time
from pathlib import Path

from dialogue import drain, t2, talking

from irqscope.link import messages as m
from irqscope.link.transport import SerialTransport

STIMULI = 5
COMMON_PERIOD_TICKS = 5  # of the CPU, PL and APB clocks


class Hesitant(SerialTransport):
    """Writes one byte at a time and reads late."""

    def write(self, data: bytes) -> None:
        for byte in data:
            super().write(bytes([byte]))
            time.sleep(0.0003)

    def read(self, timeout_s: float) -> bytes:
        time.sleep(0.005)
        return super().read(timeout_s)


def traced(path: Path, transport: type[SerialTransport]) -> list[tuple[int, int, int]]:
    with talking("--trace", str(path), transport=transport) as link:
        reply = t2(link, STIMULI)
        return drain(link, reply.waiting)


def test_a_hesitant_host_gets_the_same_tick_for_tick(tmp_path):
    quick = traced(tmp_path / "quick.csv", SerialTransport)
    slow = traced(tmp_path / "slow.csv", Hesitant)
    assert len(quick) == 2 * STIMULI
    assert quick == slow
    assert (tmp_path / "quick.csv").read_bytes() == (tmp_path / "slow.csv").read_bytes()


def test_what_was_said_before_moves_a_batch_by_whole_clock_patterns():
    with talking() as link:
        plain = t2(link, STIMULI)
        expected = [(row[0] - plain.start_tick, *row[1:]) for row in drain(link, plain.waiting)]
    with talking() as link:
        for channel in (3, 4, 5):
            link.request(m.COUNTERS, channel=channel)  # takes time; must leave no other trace
        later = t2(link, STIMULI)
        observed = [(row[0] - later.start_tick, *row[1:]) for row in drain(link, later.waiting)]
    assert later.start_tick > plain.start_tick
    assert (later.start_tick - plain.start_tick) % COMMON_PERIOD_TICKS == 0
    assert observed == expected
