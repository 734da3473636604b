"""The fields of the pattern, and their file."""

from __future__ import annotations

import re

import pytest
from app.by_hand import check_line, click, edit_pattern, fill, fill_line, paste
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QFormLayout, QLabel

from irqscope.experiment.model import Experiment
from irqscope_app.pattern.fields import explained
from irqscope_app.pattern.presets import Presets
from irqscope_app.pattern.shipped import presets


def titles(stimulus):
    form = next(iter(stimulus.findChildren(QFormLayout)))
    rows = (form.itemAt(n, QFormLayout.ItemRole.LabelRole) for n in range(form.rowCount()))
    return [row.widget().text() for row in rows if isinstance(row.widget(), QLabel)]


def test_memory_is_chosen_as_its_neighbours_are(window):
    stimulus = window.pattern
    field = stimulus.fields["memory"]
    assert isinstance(field, QComboBox) and field.currentText() == "cacheable"
    assert [field.itemText(n) for n in range(field.count())] == ["cacheable", "non-cacheable"]
    fill(window, "memory", "non-cacheable")
    assert stimulus.draft.experiment.memory == "non-cacheable"
    assert 'memory = "non-cacheable"' in stimulus.toml.toPlainText()
    names = titles(stimulus)
    assert names.index("memory") == names.index("caches") + 1


def test_where_random_loads_are_aimed_is_chosen_where_there_is_a_load(window):
    stimulus = window.pattern
    field = stimulus.fields["load.aim"]
    assert not field.isEnabled() and field.currentText() == ""
    fill(window, "case", "random-load")
    without = stimulus.toml.toPlainText()
    paste(window, f'{without}\n[load]\narray = "64 KB"\ndata_accesses = 8\nbudget = 1000\n')
    assert field.isEnabled() and field.currentText() == "anywhere"
    fill(window, "load.aim", "path")
    load = {"array": "64 KB", "data_accesses": 8, "budget": 1000, "aim": "path"}
    assert stimulus.draft.table["load"] == load
    assert "load aimed at" in titles(stimulus)
    paste(window, without)
    assert not field.isEnabled() and "load" not in stimulus.draft.table


def test_a_short_period_is_possible_for_its_timeout_has_a_field(window):
    stimulus = window.pattern
    fill(window, "high", "10 us")
    fill_line(window, 0, "low", "20 us")
    assert "channels[0].timeout" in stimulus.verdict.text()
    field = stimulus.fields["channels.0.timeout"]
    assert "timeout" in titles(stimulus) and field.text() == "4 ms"
    fill(window, "channels.0.timeout", "15 us")
    assert not stimulus.draft.problems
    (channel,) = stimulus.draft.experiment.channels
    assert str(channel.timeout) == "15 us"


def test_no_field_says_none_or_the_pydantic_default(window):
    assert window.pattern.fields["pages"].currentText() == ""
    fill(window, "pages", "4 KB")
    assert window.pattern.draft.experiment.pages == "4 KB"
    fill(window, "pages", "")
    assert window.pattern.draft.experiment.pages is None
    assert "pages" not in window.pattern.draft.table


@pytest.mark.parametrize("key", [k for k, f in Experiment.model_fields.items() if f.is_required()])
def test_a_key_that_is_missing_is_blank_and_wrong(window, key):
    text, table = window.pattern.toml.toPlainText(), f"[[{key}]]"
    key_alone = re.sub(f"(?m)^{key} = .*\n", "", text)
    paste(window, text.partition(table)[0] if table in text else key_alone)
    if key == "channels":
        assert not window.pattern.fields["channels.0.timeout"].isEnabled()
    assert f"{key}: this key is missing" in window.pattern.verdict.text()


COMMENTED = """\
# Why we measure this.
name = "ours"
case = "t2"
caches = "on"  # as the paper
trigger = "rising edge"
count = 2400

# The measured line.
[[lines]]
high = "1 ms"  # long enough
low = "4 ms"

[[channels]]
timeout = "4 ms"
"""


@pytest.fixture
def commented(window, tmp_path):
    (tmp_path / "ours.toml").write_text(COMMENTED)
    edit_pattern(window)
    window.pattern.load(tmp_path / "ours.toml")
    return window.pattern


def drag(diagram, key, *shares):
    """Returns the edge at the end of a time of line 0, in steps of the diagram's width."""
    (edge,) = (one for one in diagram.edges if (one.place, one.key) == (0, key))
    at = diagram.position(edge)
    QTest.mousePress(diagram, Qt.MouseButton.LeftButton, pos=at.toPoint())
    for share in shares:
        at += QPointF(share * diagram.width(), 0)
        QTest.mouseMove(diagram, at.toPoint())
    QTest.mouseRelease(diagram, Qt.MouseButton.LeftButton, pos=at.toPoint())


def test_comments_stay_while_fields_edges_and_lines_are_edited(commented, window):
    fill(window, "count", "77")
    drag(commented.diagram, "high", 0.05)
    assert commented.draft.experiment.lines[0].high.ns > 1.2e6
    check_line(window, 3)
    text = commented.toml.toPlainText()
    for comment in ("# Why we measure this.", "# as the paper", "# long enough", "# The measured"):
        assert comment in text
    assert [line.index for line in commented.draft.experiment.lines] == [0, 3]
    check_line(window, 3)
    fill(window, "count", "2400")
    fill_line(window, 0, "high", "1 ms")
    assert commented.toml.toPlainText().rstrip() == COMMENTED.rstrip()
    assert commented.draft.source is not None  # the file says this again


def test_each_change_is_undone_and_done_again(commented, window, monkeypatch):
    moments = iter(range(0, 10_000, 5))  # no two changes go on from each other
    monkeypatch.setattr("irqscope_app.pattern.draft.time.monotonic", lambda: next(moments))
    draft = commented.draft
    fill(window, "count", "77")
    fill(window, "caches", "off")
    check_line(window, 2)
    texts = [draft.text]
    for _ in range(3):
        QTest.keyClick(commented.toml, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        texts.append(draft.text)
    assert texts[-1] == COMMENTED and len(set(texts)) == 4
    assert commented.fields["count"].text() == "2400" and draft.source is not None
    QTest.mouseClick(commented.redo, Qt.MouseButton.LeftButton)
    assert draft.text == texts[2] and draft.experiment.count == 77
    fill(window, "count", "99")
    assert not commented.redo.isEnabled() and commented.undo.isEnabled()
    click(commented.undo)
    click(commented.undo)
    assert draft.text == COMMENTED


def test_a_drag_is_one_change_and_a_file_by_mistake_is_taken_back(commented, experiment):
    drag(commented.diagram, "high", 0.01, 0.01, 0.01)
    assert commented.draft.text != COMMENTED
    click(commented.undo)
    assert commented.draft.text == COMMENTED
    path = commented.draft.path
    commented.load(experiment())
    assert commented.draft.path != path
    click(commented.undo)
    assert commented.draft.text == COMMENTED and commented.draft.path == path
    assert commented.draft.source == path


def test_a_preset_is_found_by_words_of_its_description(window, qtbot):
    edit_pattern(window)
    click(window.pattern.preset)
    (asked,) = window.findChildren(Presets)
    assert asked.isVisible() and len(asked.shown()) == len(presets())
    qtbot.keyClicks(asked.search, "horst T7: random PLACES")
    (descriptions,) = {item.text(1) for item in asked.shown()}
    assert descriptions == "t7"
    qtbot.keyClicks(asked.search, " nothing at all")
    assert not asked.shown()
    qtbot.keyClick(asked.search, Qt.Key.Key_Return)
    assert asked.isVisible()  # nothing to take
    qtbot.keyClick(asked.search, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(asked.search, "horst2020: t")
    first = asked.list.currentItem().text(0)
    qtbot.keyClick(asked.search, Qt.Key.Key_Down)
    second = asked.list.currentItem().text(0)
    assert second != first
    qtbot.keyClick(asked.search, Qt.Key.Key_Return)
    path = window.pattern.draft.path
    assert f"{path.parent.name}: {path.stem}" == second


def test_each_field_says_what_it_means(window):
    for key, field in window.pattern.fields.items():
        assert field.toolTip() == explained(key) and field.toolTip().startswith(f"{key}: ")
    assert "never by" in window.pattern.fields["count"].toolTip()
    head = window.pattern.lines.horizontalHeaderItem(2)
    assert head.text() == "high" and "How long the line is up" in head.toolTip()
