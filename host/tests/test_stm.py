"""The STM's trace: frames, packets, pairs of stamps, counters."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from irqscope.acquire.stm.frames import NO_SOURCES, take_apart
from irqscope.acquire.stm.results import StmResults
from irqscope.acquire.stm.stamps import TRACE_ID, Trace, stamps
from irqscope.acquire.stm.stp import Packet, decode
from irqscope.report.stm_text import by_stm, stm_counters
from irqscope.results.stamps import StmDifference

HZ = 250_000_000
ASYNC = "f" * 21 + "0"
VERSIONS = {False: "f003", True: "f004"}
CODES = {(2, True): "f4", (4, True): "f5", (8, True): "f6", (1, True): "fc", (2, False): "4"}


# ---- frames --------------------------------------------------------------------------------------


def framed(pieces: list[tuple[int, int]]) -> bytes:
    """Frames of (source, byte), written from the rules in Arm IHI 0029; filled up.

    A source changes at once where an ID is in an even place, and one byte later where its
    bit is set: then the byte after the ID is still the old source's.
    """
    data, rest, source = bytearray(), list(pieces), None
    while rest:
        frame, place = bytearray(16), 0
        while place < 15:
            if not rest:
                if place % 2 == 0:
                    frame[place] = 0x01
                    source = None
                place += 1
                continue
            expected, byte = rest[0]
            later = (
                place < 14
                and source is not None
                and expected == source
                and len(rest) > 1
                and rest[1][0] != source
                and place % 2 == 0
            )
            if place % 2 == 0 and later:
                frame[place] = rest[1][0] << 1 | 1
                frame[15] |= 1 << place // 2
                frame[place + 1] = byte
                source = rest[1][0]
                del rest[0]
                place += 2
            elif place % 2 == 0 and expected != source:
                frame[place] = expected << 1 | 1
                source = expected
                place += 1
            elif place % 2 == 0:
                frame[place] = byte & 0xFE
                frame[15] |= (byte & 1) << place // 2
                del rest[0]
                place += 1
            elif expected == source:
                frame[place] = byte
                del rest[0]
                place += 1
            else:  # an ID cannot be here: the place is the old source's, told apart below
                frame[place] = FILL
                place += 1
        data += frame
    return bytes(data)


FILL = 0xA5
sources = st.sampled_from([0x10, 0x11, 0x55])
pieces = st.lists(st.tuples(sources, st.integers(0, 255).filter(lambda b: b != FILL)), max_size=80)


@given(pieces)
@example([(0x10, 1), (0x10, 2), (0x11, 3), (0x10, 255)])
def test_frames_give_each_source_its_bytes(given_pieces):
    actual = take_apart(framed(given_pieces))
    for source in (0x10, 0x11, 0x55):
        sent = bytes(byte for of, byte in given_pieces if of == source)
        got = bytes(byte for byte in actual.bytes_of.get(source, b"") if byte != FILL)
        assert got.rstrip(b"\0") == sent.rstrip(b"\0")
    assert not actual.cut and not actual.unnamed


@given(st.binary(max_size=200))
def test_any_bytes_are_frames_of_something(data):
    actual = take_apart(data)
    stored = sum(map(len, actual.bytes_of.values())) + actual.unnamed
    assert stored <= len(data) // 16 * 15
    assert actual.cut == len(data) % 16
    assert not set(actual.bytes_of) & set(NO_SOURCES)


def test_a_frame_of_the_specification():
    # 0x10 named in place 0, then 14 bytes of it: their even ones' lowest bits are in byte 15.
    frame = bytes([0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0b10000010])
    assert take_apart(frame).bytes_of == {
        0x10: bytearray([1, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15])
    }


# ---- packets -------------------------------------------------------------------------------------


def gray(value: int) -> int:
    return value ^ value >> 1


def stamp_text(before: int, now: int, in_gray: bool) -> str:
    """The fewest nibbles that distinguish `now` from `before`."""
    old, new = (gray(before), gray(now)) if in_gray else (before, now)
    nibbles = next(n for n in range(17) if old >> 4 * n == new >> 4 * n)
    nibbles += nibbles in (13, 15)
    return f"{ {14: 13, 16: 14}.get(nibbles, nibbles):x}" + f"{new:016x}"[16 - nibbles :]


def to_bytes(text: str) -> bytes:
    text += "0" * (len(text) % 2)
    return bytes(int(text[at + 1] + text[at], 16) for at in range(0, len(text), 2))


def written(packets: list[tuple[Packet, int]], in_gray: bool, every: int) -> str:
    """A stream of (packet, nibbles of its value), aligned every so many packets."""
    text, master, channel, stamp = "", 0, 0, 0
    for number, (packet, nibbles) in enumerate(packets):
        if number % every == 0:
            text += ASYNC + VERSIONS[in_gray] + f"f08{HZ:08x}"
            master = channel = 0
        if packet.master != master:
            text += f"1{packet.master:02x}"
            master, channel = packet.master, 0
        if packet.channel >> 8 != channel >> 8:
            text += f"f3{packet.channel:04x}"
        elif packet.channel != channel:
            text += f"3{packet.channel & 0xFF:02x}"
        channel = packet.channel
        text += CODES[nibbles, packet.stamp is not None] + f"{packet.value:0{nibbles}x}"
        if packet.stamp is not None:
            text += stamp_text(stamp, packet.stamp, in_gray)
            stamp = packet.stamp
    return text


@st.composite
def streams(draw):
    packets, stamp = [], draw(st.integers(0, (1 << 64) - 1))
    for _ in range(draw(st.integers(1, 12))):
        stamp = min(stamp + draw(st.integers(0, 1 << draw(st.integers(0, 63)))), (1 << 64) - 1)
        stamped = draw(st.booleans())
        nibbles = draw(st.sampled_from([1, 2, 4, 8])) if stamped else 2
        value = draw(st.integers(0, (1 << 4 * nibbles) - 1))
        packet = Packet(
            draw(st.integers(0, 255)),
            draw(st.integers(0, 0xFFFF)),
            value,
            stamp if stamped else None,
        )
        packets.append((packet, nibbles))
    return packets


@given(streams(), st.booleans(), st.integers(1, 5))
def test_packets_come_back(packets, in_gray, every):
    stream = decode(to_bytes(written(packets, in_gray, every)))
    assert stream.packets == [packet for packet, _ in packets]
    assert (stream.errors, stream.unread, stream.frequency_hz) == (0, 0, HZ)


@given(streams(), st.integers(0))
def test_behind_a_cut_everything_from_the_next_alignment_on_comes_back(packets, place):
    text = written([*packets, *packets], False, len(packets))
    second = text.index(ASYNC, 1)
    stored = text[2 * (place % (second // 2 + 1)) :]
    stream = decode(to_bytes(stored))
    values = [(packet.master, packet.channel, packet.value) for packet in stream.packets]
    assert values[-len(packets) :] == [(p.master, p.channel, p.value) for p, _ in packets]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_as_far_as_they_go(data):
    stream = decode(data)
    assert 0 <= stream.unread <= 2 * len(data)
    assert stream.alignments or not stream.packets


def test_a_stream_written_by_hand():
    # ASYNC, VERSION 3, FREQ, M8 0x80, D8TS 0x21 at 0x123, M8 0x04, D8TS 0 at 0x1b3, MERR.
    text = ASYNC + "f003" + "f080ee6b280" + "180" + "f4213123" + "104" + "f4002b3" + "201"
    stream = decode(to_bytes(text))
    assert stream.packets == [Packet(0x80, 0, 0x21, 0x123), Packet(4, 0, 0, 0x1B3)]
    assert stream.packets[0].by_hardware and not stream.packets[1].by_hardware
    assert (stream.errors, stream.frequency_hz, stream.unread) == (1, HZ, 0)


def test_what_is_unknown_is_counted_and_skipped_to_the_next_alignment():
    one = ASYNC + "f003" + "f4211a"
    stream = decode(to_bytes(one + "f1" + "4444" + one))
    assert len(stream.packets) == 2
    assert stream.unread == 6


# ---- stamps --------------------------------------------------------------------------------------


def trace(events: list[tuple[int, int]], *, wrapped: bool = False, cut: int = 0) -> Trace:
    """Trace of (master, stamp); clocks of equal speed, the ticks 1000 ahead of the stamps."""
    packets = [(Packet(master, 0, 0, stamp), 2) for master, stamp in events]
    data = framed([(TRACE_ID, byte) for byte in to_bytes(written(packets, False, 4))])
    return Trace(data[16 * cut :], wrapped, False, 0, 1000, 10_000_000, 10_001_000)


def rows(edges: list[int], latencies: list[int | None]) -> pa.Table:
    return pa.table(
        {
            "edge_ticks": pa.array(edges, pa.int64()),
            "latency_ticks": pa.array(latencies, pa.uint32()),
        }
    )


EDGES = [100_000, 200_000, 300_000]
BOTH = [event for edge in EDGES for event in ((128, edge), (0, edge + 71))]


def test_each_edge_has_its_answer():
    actual = stamps(trace([(0, 5), *BOTH, (128, 400_000)]))
    assert actual.edges.tolist() == [*EDGES, 400_000]
    assert actual.answers.tolist() == [edge + 71 for edge in EDGES] + [-1]
    assert (actual.stores, actual.errors, actual.unread) == (4, 0, 0)


def test_a_store_behind_the_next_edge_answers_that_one_alone():
    actual = stamps(trace([(128, 1000), (128, 2000), (0, 2071)]))
    assert actual.answers.tolist() == [-1, 2071]


def results(one: Trace, edges: int = 3, stores: int = 3) -> tuple[StmResults, pa.Table]:
    gathered = StmResults({}, HZ)
    # The gateware's edges, 1000 ticks ahead, from a start tick of 500 on, 3 ticks later.
    samples = rows([edge + 503 for edge in EDGES], [90, 91, 92])
    return gathered, gathered.add(7, one, edges, stores, 500, samples)


def test_a_batch_is_held_to_its_samples():
    gathered, table = results(trace(BOTH))
    assert table["batch"].to_pylist() == [7, 7, 7]
    assert table["latency_stamps"].to_pylist() == [71, 71, 71]
    assert table["edge_ticks"].to_pylist() == [edge + 503 for edge in EDGES]
    assert table["latency_ticks"].to_pylist() == [90, 91, 92]
    actual = gathered.record()
    assert actual.stamp_hz == HZ
    assert actual.latency is not None and actual.latency.n == 3
    assert actual.difference_ns == StmDifference(n=3, min=-84, median=-80, max=-76)
    assert not list(gathered.validity_errors())
    assert "284 / 284 / 284 ns of N = 3; by the markers 360 / 364 / 368 ns" in by_stm(actual)
    assert "3 edges = 3 stamped + 0 lost; 3 stores = 3 stamped + 0 lost" in stm_counters(
        actual.counters
    )


def test_a_clock_of_another_speed_is_measured_by_the_gateware():
    one = trace(BOTH)
    slow = Trace(one.data, False, False, 0, 1000, 5_000_000, 10_001_000)
    gathered, _ = results(slow)
    assert gathered.stamp_hz == HZ // 2
    assert gathered.record().latency.median_ns == 568


def test_lost_stamps_are_counted_and_named():
    gathered, _ = results(trace(BOTH[:-1], wrapped=True))
    validity_errors = list(gathered.validity_errors())
    assert validity_errors == [
        "STM: 3 stores = 2 stamped + 1 lost; the ETF overflowed in 1 batches"
    ]
    gathered, _ = results(trace(BOTH), edges=4)
    assert "the trace does not say why" in next(gathered.validity_errors())


def test_more_stamps_than_were_made_are_not_taken():
    gathered, _ = results(trace(BOTH), stores=2)
    assert list(gathered.validity_errors()) == ["STM: 3 stores stamped, 2 were made"]


def test_an_edge_without_a_sample_stands_alone():
    gathered, table = results(trace([*BOTH, (128, 900_000), (0, 900_071)]), 4, 4)
    assert table["latency_ticks"].to_pylist() == [90, 91, 92, None]
    assert gathered.record().same_by_markers.n == 3
    assert gathered.record().latency.n == 4


def test_without_a_stamp_nothing_is_said():
    gathered = StmResults({}, HZ)
    empty = Trace(b"", False, False, 0, 0, 1000, 1000)
    gathered.add(0, empty, 2, 2, 0, rows([10, 20], [1, 1]))
    assert gathered.record().latency is None
    assert by_stm(gathered.record()) == "no stimulus has both of its stamps"
    assert len(list(gathered.validity_errors())) == 2
