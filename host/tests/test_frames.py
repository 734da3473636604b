from __future__ import annotations

import tracemalloc
import zlib

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from irqscope.link.frames import ESCAPE, Damage, Frame, FrameDecoder, Rejection, encode
from irqscope.link.messages import MAX_PAYLOAD, PROTOCOL_VERSION

pytestmark = pytest.mark.quick

frames = st.builds(
    Frame,
    st.integers(0, 255),
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFFFFFFFF),
    st.binary(max_size=MAX_PAYLOAD),
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


@given(st.lists(frames, max_size=4), st.lists(st.integers(0), max_size=8))
def test_what_is_encoded_comes_back_however_it_is_cut(sent, places):
    decoder = FrameDecoder()
    received = []
    for piece in cut(b"".join(map(encode, sent)), places):
        received += decoder.receive(piece)
    assert received == sent


@given(st.binary(max_size=4000), st.lists(st.integers(0), max_size=8))
def test_any_bytes_give_the_same_results_however_they_are_cut(data, places):
    whole, pieces = FrameDecoder(), FrameDecoder()
    cut_up = [item for piece in cut(data, places) for item in pieces.receive(piece)]
    assert whole.receive(data) == cut_up


@given(frames, st.integers(0), st.integers(0, 7))
def test_one_flipped_bit_is_never_taken_for_the_frame(frame, place, bit):
    wire = bytearray(encode(frame))
    wire[place % (len(wire) - 1)] ^= 1 << bit  # not the end mark
    received = FrameDecoder().receive(bytes(wire) + b"\0")
    assert received and all(isinstance(item, Rejection) for item in received)


def test_a_frame_after_damage_is_received():
    good = Frame(3, 7, 9, b"good")
    received = FrameDecoder().receive(b"\x05rubbish\0" + encode(good))
    assert [type(item) for item in received] == [Rejection, Frame]
    assert received[1] == good


SWALLOWED = bytes(range(0x10, 0x14))


def escaped(wire):
    """Encodes a frame as the firmware of an ECP5 does."""
    special = {*SWALLOWED, ESCAPE}
    return b"".join(
        bytes([ESCAPE, byte ^ 0x40]) if byte in special else bytes([byte]) for byte in wire
    )


@given(frames)
def test_a_frame_with_escapes_holds_no_byte_that_an_adapter_swallows_and_is_the_same_frame(frame):
    wire = escaped(encode(frame))
    assert not set(wire) & set(SWALLOWED)
    assert FrameDecoder().receive(wire) == [frame]


@given(frames, st.integers(0), st.integers(0, 7))
def test_one_flipped_bit_of_a_frame_with_escapes_is_never_taken_for_the_frame(frame, place, bit):
    wire = bytearray(escaped(encode(frame)))
    wire[place % (len(wire) - 1)] ^= 1 << bit  # not the end mark
    assert not any(isinstance(item, Frame) for item in FrameDecoder().receive(bytes(wire) + b"\0"))


def test_the_longest_frame_may_be_escaped_throughout():
    frame = Frame(1, 2, 3, SWALLOWED * (MAX_PAYLOAD // len(SWALLOWED)))
    assert FrameDecoder().receive(escaped(encode(frame))) == [frame]


def test_empty_frames_are_padding():
    assert FrameDecoder().receive(b"\0\0\0" + encode(Frame(1, 1, 2, b""))) == [Frame(1, 1, 2, b"")]


def test_a_frame_that_never_ends_is_dropped_as_it_comes_and_reported_once():
    decoder, piece = FrameDecoder(), b"\xff" * 1000
    tracemalloc.start()
    try:
        for _ in range(1000):
            assert decoder.receive(piece) == []
        _, maximum = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert maximum < 10 * (1000 + MAX_PAYLOAD)  # of a million bytes
    assert decoder.receive(b"\xff\0") == [Rejection(Damage.LONG, 1_000_001)]
    assert decoder.receive(encode(Frame(1, 1, 2, b"after"))) == [Frame(1, 1, 2, b"after")]


def test_each_damage_has_its_name():
    short = bytes(cobs.encode(b"12345678901")) + b"\0"
    wrong_crc = bytes(cobs.encode(b"123456789012")) + b"\0"
    body = bytes([PROTOCOL_VERSION + 1, 1, *bytes(6)])
    other = bytes(cobs.encode(body + zlib.crc32(body).to_bytes(4, "little"))) + b"\0"
    cases = {
        b"\x09ab\0": Rejection(Damage.COBS, 3),
        short: Rejection(Damage.SHORT, 12),
        wrong_crc: Rejection(Damage.CRC, 13),
        other: Rejection(Damage.VERSION, len(other) - 1, PROTOCOL_VERSION + 1),
    }
    for wire, rejection in cases.items():
        assert FrameDecoder().receive(wire) == [rejection]
