"""A session's messages to a firmware: features that may be on are switched off, and no others."""

from __future__ import annotations

import pytest

from irqscope.acquire.session import Session
from irqscope.constants import CHANNELS, LINES, SHORTEST_PHASE
from irqscope.errors import TargetError
from irqscope.link import messages
from irqscope.link.codec import Values, request_values


def case() -> Values:
    return request_values(messages.CASE, **messages.PLAIN_CASE)


def line(index: int) -> Values:
    phases = {"high": SHORTEST_PHASE, "low": SHORTEST_PHASE, "count": 1, "seed": 1}
    return request_values(messages.LINE, index=index, enable=1, **phases)


def channel(index: int) -> Values:
    return request_values(messages.CHANNEL, index=index, enable=1, timeout=SHORTEST_PHASE)


def test_whatever_somebody_else_left_on_is_switched_off(memory_link):
    link, transport = memory_link()
    before = Session(link)
    before.configure([line(5)], [channel(7)])
    Session(link).prepare(case())
    firmware = transport.firmware
    assert [entry["enable"] for _, entry in sorted(firmware.lines.items())] == [0] * LINES
    assert [entry["enable"] for _, entry in sorted(firmware.channels.items())] == [0] * CHANNELS


def test_behind_that_only_what_was_used_is_switched_off(memory_link):
    link, transport = memory_link()
    session = Session(link)
    session.prepare(case())
    session.configure([line(2), line(3)], [channel(1)])
    requested = len(transport.firmware.carried_out)
    session.prepare(case())
    off = ["line", "line", "channel"]
    assert transport.firmware.carried_out[requested:] == ["clear", *off, "case"]
    firmware = transport.firmware
    assert {entry["enable"] for entry in firmware.lines.values()} == {0}
    assert {entry["enable"] for entry in firmware.channels.values()} == {0}


def test_more_lines_than_there_are_are_refused_with_both_numbers(memory_link):
    link, _ = memory_link()
    session = Session(link)
    session.require(LINES, CHANNELS)
    with pytest.raises(TargetError, match="lines: the experiment takes 9, .* has 8"):
        session.require(LINES + 1, CHANNELS)
    with pytest.raises(TargetError, match="channels: the experiment takes 9, .* has 8"):
        session.require(LINES, CHANNELS + 1)
