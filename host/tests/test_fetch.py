"""Data that a firmware sends in pieces: all of it arrives, or the run ends with a message."""

from __future__ import annotations

import numpy as np
import pytest

from irqscope.acquire import fetch
from irqscope.errors import LinkError, LinkErrorKind
from irqscope.link import codec
from irqscope.link.codec import Reply, Values
from irqscope.link.messages import BACKGROUND, PLACES, RECORDS, TRACE, Message


class Pieces:
    """A link whose firmware has so many entries and sends three of them at a time."""

    def __init__(self, message: Message, total: int, sent: int) -> None:
        self.message, self.total, self.sent = message, total, sent
        self.asked: list[int] = []

    def request(self, message: Message, **values: int) -> Reply:
        assert message is self.message
        (first,) = (values[name] for name in ("first", "first_number", "offset") if name in values)
        self.asked.append(first)
        count = max(0, min(3, self.sent - first))
        if message is RECORDS:  # each in its long form
            words = [
                (word,) for n in range(first, first + count) for word in (0xFFFFFFFF, n, 0, 1, 0)
            ]
            tail = np.array(words, codec.dtype(message.tail))
        else:
            tail = np.zeros(count, codec.dtype(message.tail))
            tail[tail.dtype.names[0]] = np.arange(first, first + len(tail))
        fields: Values = {field.name: 0 for field in message.reply}
        own = {"total": self.total, "first_number": first, "offset": first, "accepted": 5}
        return Reply(fields | {name: own[name] for name in own if name in fields}, tail)


def test_pieces_are_asked_for_until_all_have_come():
    link = Pieces(BACKGROUND, 7, 7)
    assert [entry["id"] for entry in fetch.background(link)] == list(range(7))
    assert link.asked == [0, 3, 6]
    assert fetch.places(Pieces(PLACES, 7, 7)) == fetch.Places(5, 0, list(range(7)))
    assert fetch.records(Pieces(RECORDS, 7, 7), 7, whole=False)["stamp"].tolist() == list(range(7))
    assert fetch.trace(Pieces(TRACE, 7, 7)).data == bytes(range(7))


def test_nothing_is_asked_for_twice_where_there_is_nothing():
    link = Pieces(BACKGROUND, 0, 0)
    assert fetch.background(link) == [] and link.asked == [0]
    assert fetch.places(Pieces(PLACES, 0, 0)).addresses == []
    assert len(fetch.records(Pieces(RECORDS, 0, 0), 0, whole=False)) == 0


@pytest.mark.parametrize(
    ("message", "fetched", "said"),
    [
        (BACKGROUND, fetch.background, "asked for background 4 of 7, got none"),
        (PLACES, fetch.places, "asked for places 4 of 7, got none"),
        (
            RECORDS,
            lambda link: fetch.records(link, 7, whole=False),
            "asked for record 4 of 7, got 0 records",
        ),
        (TRACE, fetch.trace, "asked for byte 4 of the ETF's 7, got 0 from 4 on"),
    ],
    ids=["background", "places", "records", "trace"],
)
def test_pieces_that_stop_coming_are_an_error_and_no_shorter_result(message, fetched, said):
    with pytest.raises(LinkError, match=said) as caught:
        fetched(Pieces(message, 7, 4))
    assert caught.value.kind is LinkErrorKind.PROTOCOL
