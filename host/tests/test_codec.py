from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.link import codec
from irqscope.link.messages import (
    CASE,
    HELLO,
    HISTOGRAM,
    LINE,
    MAX_PAYLOAD,
    MESSAGES,
    RECORDS,
    Field,
)
from irqscope.link.records import decode

pytestmark = pytest.mark.quick

BITS = {"B": 8, "H": 16, "I": 32, "Q": 64}


def values_of(fields):
    return st.fixed_dictionaries(
        {field.name: st.integers(0, (1 << BITS[field.code]) - 1) for field in fields}
    )


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
@given(data=st.data())
def test_every_message_comes_back(message, data):
    request = data.draw(values_of(message.request))
    unpacked = codec.unpack(message.request, (), codec.pack_request(message, request))
    assert dict(unpacked.values) == request

    reply = data.draw(values_of(message.reply))
    text = st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=16)
    entry = st.tuples(
        *(
            text.map(str.encode) if f.code == "16s" else st.integers(0, (1 << BITS[f.code]) - 1)
            for f in message.tail
        )
    )
    tail = data.draw(st.lists(entry, max_size=5)) if message.tail else []
    payload = codec.pack_reply(message, reply, tail)
    repeated = codec.unpack_reply(message, payload)
    assert dict(repeated.values) == reply
    assert repeated.tail.tolist() == tail


def test_the_layout_is_packed_and_little_endian():
    fields = (Field("a", "B"), Field("b", "I"), Field("c", "H"))
    assert codec.pack(fields, {"a": 1, "b": 0x01020304, "c": 0x0506}) == bytes.fromhex(
        "01 04030201 0605"
    )


def test_a_long_record_is_sixteen_bytes_of_stamp_events_latency():
    payload = struct.pack("<II", 5, 0) + struct.pack("<QII", 1 << 40, 0x10000, 58)
    reply = codec.unpack_reply(RECORDS, payload)
    assert reply.first_number == 5
    records = decode(reply.tail["word"], whole=True)
    assert records.tolist() == [(1 << 40, 0x10000, 58)]
    assert records["stamp"].dtype == np.uint64


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_a_payload_of_another_size_is_refused(message):
    payload = codec.pack_reply(message, dict.fromkeys((f.name for f in message.reply), 0))
    if codec.layout(message.tail).size != 1:  # a tail of single bytes may have any length
        with pytest.raises(codec.PayloadError, match="bytes where"):
            codec.unpack_reply(message, payload + b"x")
    if payload:
        with pytest.raises(codec.PayloadError, match="bytes where"):
            codec.unpack_reply(message, payload[:-1])


def test_a_value_that_does_not_fit_is_named():
    line = dict.fromkeys((f.name for f in LINE.request), 0)
    with pytest.raises(ValueError, match="high = 4294967296 does not fit 32 bits"):
        codec.pack_request(LINE, line | {"high": 1 << 32})


def test_a_forgotten_or_unknown_field_is_named():
    with pytest.raises(TypeError, match="protocol"):
        codec.pack_request(HELLO, {})
    with pytest.raises(TypeError, match="colour"):
        codec.pack_request(HELLO, {"protocol": 1, "colour": 2})


def test_an_unknown_field_of_a_reply_is_an_attribute_error():
    reply = codec.unpack_reply(HISTOGRAM, b"\0\0")
    assert not hasattr(reply, "colour")


def test_no_message_is_longer_than_a_payload():
    for message in MESSAGES:
        assert codec.layout(message.request).size <= MAX_PAYLOAD
        room = MAX_PAYLOAD - codec.layout(message.reply).size
        assert room >= codec.dtype(message.tail).itemsize


def test_raw_registers_come_by_their_names():
    tail = [("sctlr_el3", 0x1005), ("sixteen_letters_", 1 << 63)]
    values = {field.name: 0 for field in CASE.reply}
    reply = codec.unpack_reply(CASE, codec.pack_reply(CASE, values, tail))
    assert reply.registers == dict(tail)


def test_a_request_has_every_field_and_no_other():
    values = codec.request_values(CASE, cores=2, caches=True)
    assert values.keys() == {field.name for field in CASE.request}
    assert {name: value for name, value in values.items() if value} == {"cores": 2, "caches": 1}
    with pytest.raises(TypeError, match="case has no colour"):
        codec.request_values(CASE, colour=1)
