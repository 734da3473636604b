"""The experiment that is edited: each change is one of the text, and is undone without a trace."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.errors import ExperimentError
from irqscope_app.pattern.draft import Draft, checked

T2 = Path(__file__).parents[2] / "experiments" / "horst2020" / "t2.toml"


@pytest.fixture
def draft():
    actual = Draft()
    actual.load(T2)
    return actual


def comments(text):
    return [line for line in text.splitlines() if "#" in line]


def test_it_needs_no_window():
    code = "import sys, irqscope_app.pattern.draft; sys.exit('PyQt6' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_a_change_keeps_the_words_around_it_and_undo_brings_them_back(draft):
    before = draft.text
    draft.set(("lines", 0, "high"), "2 ms")
    draft.set(("count",), 7)
    assert draft.text == before.replace('high = "1 ms"', 'high = "2 ms"').replace("2400 ", "7 ", 1)
    assert checked(draft).count == 7 and draft.source is None
    draft.undo()
    draft.undo()
    assert (draft.text, draft.path, draft.source) == (before, T2, T2)
    assert not draft.can_undo and draft.can_redo
    draft.redo()
    assert 'high = "2 ms"' in draft.text and "count = 2400 " in draft.text
    draft.set(("seed",), 3)
    assert not draft.can_redo  # there is another way now


CHANGES = st.one_of(
    st.tuples(st.just("set"), st.sampled_from(["count", "seed", "repeats"]), st.integers(0, 9)),
    st.tuples(st.just("set"), st.just("description"), st.text("ab#\"'\\", max_size=5)),
    st.tuples(st.just("set"), st.sampled_from(["seed", "description"]), st.none()),
    st.tuples(st.just("line"), st.integers(1, 7), st.booleans()),
)


@given(st.lists(CHANGES, max_size=8))
def test_whatever_was_changed_goes_back_and_forth(changes):
    draft = Draft()
    draft.load(T2)
    texts = [draft.text]
    with pytest.MonkeyPatch.context() as patch:
        # A minute goes by before each: it is a change of its own.
        clock = SimpleNamespace(monotonic=itertools.count(0.0, 60.0).__next__)
        patch.setattr("irqscope_app.pattern.draft.time", clock)
        for kind, subject, value in changes:
            if kind == "set":
                draft.set((subject,), value)
            else:
                draft.set_line(subject, value)
            texts.append(draft.text)
            assert tomllib.loads(draft.text) == draft.table
            assert comments(draft.text)[0] == comments(texts[0])[0]
    for text in reversed(texts[:-1]):
        draft.undo()
        assert draft.text == text
    assert not draft.can_undo
    for text in texts[1:]:
        draft.redo()
        assert draft.text == text


def test_what_is_no_toml_is_said_and_undone(draft):
    before = draft.text
    draft.write(before.replace("count = 2400", "count ="))
    assert draft.problems[0].startswith("not TOML: ")
    with pytest.raises(ExperimentError, match="not TOML"):
        checked(draft)
    draft.undo()
    assert draft.text == before and checked(draft).count == 2400
