"""The fields of the Stimulus screen, and the file behind them."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QComboBox, QFormLayout, QLabel

from irqscope.experiment.model import Experiment


def titles(stimulus):
    form = next(iter(stimulus.findChildren(QFormLayout)))
    rows = (form.itemAt(n, QFormLayout.ItemRole.LabelRole) for n in range(form.rowCount()))
    return [row.widget().text() for row in rows if isinstance(row.widget(), QLabel)]


def test_memory_is_chosen_as_its_neighbours_are(window):
    stimulus = window.stimulus
    field = stimulus.fields["memory"]
    assert isinstance(field, QComboBox) and field.currentText() == "cacheable"
    assert [field.itemText(n) for n in range(field.count())] == ["cacheable", "non-cacheable"]
    field.setCurrentText("non-cacheable")
    assert stimulus.draft.experiment.memory == "non-cacheable"
    assert 'memory = "non-cacheable"' in stimulus.toml.toPlainText()
    names = titles(stimulus)
    assert names.index("memory") == names.index("caches") + 1


def test_where_random_loads_are_aimed_is_chosen_where_there_is_a_load(window):
    stimulus = window.stimulus
    field = stimulus.fields["load.aim"]
    assert not field.isEnabled() and field.currentText() == ""
    load = {"array": "64 KB", "data_accesses": 8, "budget": 1000}
    stimulus.draft.set(("case",), "random-load")
    stimulus.draft.set(("load",), load)
    stimulus.show_draft(fit=False)
    assert field.isEnabled() and field.currentText() == "anywhere"
    field.setCurrentText("path")
    assert stimulus.draft.table["load"] == load | {"aim": "path"}
    assert "load aimed at" in titles(stimulus)
    stimulus.draft.set(("load",), None)
    stimulus.show_draft(fit=False)
    assert not field.isEnabled() and "load" not in stimulus.draft.table


def test_a_short_period_is_possible_for_its_timeout_has_a_field(window):
    stimulus = window.stimulus
    stimulus.draft.set(("lines", 0, "high"), "10 us")
    stimulus.lines.item(0, 3).setText("20 us")
    assert "channels[0].timeout" in stimulus.verdict.text()
    field = stimulus.fields["channels.0.timeout"]
    assert "timeout" in titles(stimulus) and field.text() == "4 ms"
    field.setText("15 us")
    field.editingFinished.emit()
    assert not stimulus.draft.problems
    (channel,) = stimulus.draft.experiment.channels
    assert str(channel.timeout) == "15 us"


def test_no_field_says_none_or_the_pydantic_default(window):
    assert window.stimulus.fields["pages"].currentText() == ""
    window.stimulus.fields["pages"].setCurrentText("4 KB")
    assert window.stimulus.draft.experiment.pages == "4 KB"
    window.stimulus.fields["pages"].setCurrentText("")
    assert window.stimulus.draft.experiment.pages is None
    assert "pages" not in window.stimulus.draft.table


@pytest.mark.parametrize("key", [k for k, f in Experiment.model_fields.items() if f.is_required()])
def test_a_key_that_is_missing_is_blank_and_wrong(window, key):
    if key == "channels":
        window.stimulus.toml.setPlainText("name = 'x'")
        assert not window.stimulus.fields["channels.0.timeout"].isEnabled()
    else:
        window.stimulus.draft.set((key,), None)
        window.stimulus.show_draft(fit=False)
    assert f"{key}: this key is missing" in window.stimulus.verdict.text()
