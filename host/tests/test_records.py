"""Records come back from the words of a reply as they were, in either form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.link.records import EVENTS, LONG_FORM, RECORD, decode

WORD = st.integers(0, 0xFFFFFFFF)


@st.composite
def replies(draw):
    """Words of a reply, and the records that they stand for."""
    stamp = draw(st.integers(0, 1 << 40))
    words = [LONG_FORM, stamp & 0xFFFFFFFF, stamp >> 32, draw(WORD), draw(WORD)]
    records = [(stamp, *words[3:])]
    for _ in range(draw(st.integers(0, 12))):
        if draw(st.booleans()):
            since = draw(st.integers(1, (1 << 26) - 1))
            subject = draw(st.integers(0, len(EVENTS) - 1))
            stamp += since
            words.append(subject << 26 | since)
            records.append((stamp, EVENTS[subject], 0))
        else:
            stamp += draw(st.integers(1, 1 << 40))
            # Events and latency may look like the sign of a long form; so may half a stamp.
            long = [stamp & 0xFFFFFFFF, stamp >> 32, draw(WORD), draw(st.just(LONG_FORM) | WORD)]
            words += [LONG_FORM, *long]
            records.append((stamp, *long[2:]))
    return words, records


@given(reply=replies())
def test_any_reply_gives_its_records(reply):
    words, records = reply
    assert decode(np.array(words, np.uint32), whole=False).tolist() == records


def test_an_event_is_a_marker_of_a_core_or_an_edge_of_a_line():
    assert EVENTS[2] == 1 << 16 | 2 << 20
    assert EVENTS[3 * 8 + 7] == 1 << 19 | 7 << 29
    assert [EVENTS[32], EVENTS[39], EVENTS[40], EVENTS[47]] == [1, 1 << 7, 1 << 8, 1 << 15]


def test_long_forms_alone_need_no_sign():
    words = np.array([5, 1, 2, LONG_FORM, LONG_FORM, 1, 3, 4], np.uint32)
    records = decode(words, whole=True)
    assert records.tolist() == [((1 << 32) + 5, 2, LONG_FORM), ((1 << 32) + LONG_FORM, 3, 4)]
    assert records.dtype == RECORD


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([5 << 26 | 7], "follows no record"),
        ([LONG_FORM, 1, 0, 1, 0, 48 << 26 | 7], "names no event"),
        ([LONG_FORM, 1, 0, 1], "cut off"),
    ],
)
def test_words_that_are_no_records_are_refused(words, said):
    with pytest.raises(ValueError, match=said):
        decode(np.array(words, np.uint32), whole=False)


def test_whole_records_that_are_cut_off_are_refused():
    with pytest.raises(ValueError):
        decode(np.array([1, 2, 3], np.uint32), whole=True)
