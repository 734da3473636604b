"""Single stimuli: searched, linked with the plots, shown with their surroundings, and exported."""

from __future__ import annotations

from functools import partial

import pyarrow.compute as pc
import pyqtgraph as pg
import pytest
from app.by_hand import (
    choose,
    click,
    click_row,
    fill,
    go_to,
    next_frame,
    run_or_stop,
    start_twin,
    write,
)
from app.on_screen import click_at, counted, named
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from vcd.reader import TokenKind, tokenize

from irqscope.results.reader import read
from irqscope.results.samples import Samples
from irqscope_app.control.state import Link
from irqscope_app.scope.stimulus_table import KEYS
from irqscope_app.widgets.theme import THEMES


@pytest.fixture
def inspect(window, board, measure, until):
    """The screen with 400 stimuli and all their stages."""
    fill(window, "markers", "stages")
    choose(window.scope.figures.unit, "ticks")
    measure(board().port, 400)
    go_to(window, "Scope")
    # During a run the list has the samples flushed so far.
    until(lambda: window.worst.listed is not None and window.worst.listed.samples == 400)
    next_frame(window.worst)
    return window.worst


@pytest.fixture
def scope(inspect, window, until):
    """The plots beside it."""
    until(lambda: counted(window.scope.ccdf.widget) == [400])
    return window.scope


@pytest.fixture
def samples(inspect, window):
    samples = Samples(window.station.state.folder)
    samples.update()
    return samples.rows(range(400))


def shown(inspect, column):
    model = inspect.model
    return [model.data(model.index(row, column)) for row in range(model.rowCount())]


def chosen(inspect, index):
    return inspect.chosen is not None and inspect.chosen.row["index"] == index


def test_the_worst_stand_in_the_table(inspect, samples, until):
    longest = sorted(samples["latency_ticks"].to_pylist(), reverse=True)
    assert [int(text) for text in shown(inspect, 2)] == longest[:100]
    write(inspect.count, "7")
    until(lambda: inspect.model.rowCount() == 7)
    assert inspect.hint.text() == "7 of 400 samples"
    inspect.model.sort(0, Qt.SortOrder.AscendingOrder)
    indices = [int(text) for text in shown(inspect, 0)]
    assert indices == sorted(indices)
    assert inspect.model.headerData(2, Qt.Orientation.Horizontal) == "latency, ticks"
    cold = samples["edge_ticks"].to_numpy() == pc.min(samples["edge_ticks"]).as_py()
    flagged = [text == "first of its batch" for text in shown(inspect, 6)]
    assert flagged == [bool(cold[index]) for index in indices]


def test_flags_are_read_whole_in_a_window_of_common_size(inspect, window, qtbot):
    window.resize(1600, 900)
    qtbot.wait(20)
    table, place = inspect.table, KEYS.index("flags")
    assert table.isColumnHidden(KEYS.index("channel")) and table.isColumnHidden(KEYS.index("core"))
    need = table.fontMetrics().horizontalAdvance("first of its batch")
    right = table.columnViewportPosition(place) + need
    assert right <= table.viewport().width()
    tips = {table.model().index(row, place).data(Qt.ItemDataRole.ToolTipRole) for row in range(100)}
    assert tips <= {"", "first of its batch"}


def test_a_row_shows_its_event_in_all_plots(inspect, scope, samples, until):
    click_row(inspect.table, 3)
    until(lambda: inspect.chosen is not None)
    next_frame(inspect)
    row = inspect.chosen.row
    assert row["index"] == int(shown(inspect, 0)[3])
    seconds = row["time_ticks"] / 249_975_000
    assert named(scope.trace.widget, "stimulus").value() == pytest.approx(seconds)
    assert named(scope.histogram.widget, "stimulus").value() == row["latency_ticks"]
    assert inspect.detail.isVisible()
    # An invisible one is moved to the middle, and the visible range keeps its width.
    other = samples.slice(350, 1).to_pylist()[0]["time_ticks"] / 249_975_000
    scope.trace.look_at(0.0, 0.5)
    write(inspect.where, "350")
    until(lambda: chosen(inspect, 350))
    assert scope.trace.visible == pytest.approx((other - 0.25, other + 0.25))
    write(inspect.where, str(row["index"]))
    until(lambda: chosen(inspect, row["index"]))
    next_frame(inspect)
    steps = {step.name: step.end for step in inspect.chosen.steps}
    assert steps == {n: row[f"{n}_ticks"] for n in ("vector", "handler", "done", "task")}
    assert f"stimulus {row['index']}: {row['latency_ticks']} ticks" in inspect.detail.title.text()
    waiting = next(s for s in inspect.chosen.signals if s.name == "waiting")
    assert len(waiting.rises) == min(row["index"], 8) + 9
    place = list(waiting.rises).index(row["time_ticks"])
    assert waiting.falls[place] - waiting.rises[place] == row["latency_ticks"]


def test_the_stages_of_an_event_take_the_colours_of_another_theme(inspect, window, until):
    click_row(inspect.table, 1)
    until(lambda: inspect.chosen is not None)

    def are_of(theme):
        items = inspect.detail.waterfall.item.items
        labels = [item for item in items if isinstance(item, pg.TextItem) and item.isVisible()]
        return {label.color.name() for label in labels} == {theme.text.lower()}

    for theme in THEMES.values():
        window.set_theme(theme.name)
        until(partial(are_of, theme))


def test_a_click_on_a_bar_lists_what_it_counts(inspect, scope, samples, until):
    latencies = samples["latency_ticks"].to_pylist()
    minimum = min(latencies)
    write(inspect.count, "1000")
    until(lambda: inspect.model.rowCount() == 400)
    click_at(scope.histogram.widget, 0.2, minimum)
    until(lambda: inspect.model.rowCount() == latencies.count(minimum))
    assert set(shown(inspect, 2)) == {str(minimum)}
    assert "of one bar" in inspect.hint.text()
    click(inspect.whole)
    until(lambda: inspect.model.rowCount() == 400)


def test_a_click_on_the_trace_chooses_the_stimulus_there(inspect, scope, samples, until):
    row = samples.slice(123, 1).to_pylist()[0]
    seconds = row["time_ticks"] / 249_975_000
    scope.trace.look_at(seconds - 0.05, seconds + 0.05)
    next_frame(scope.painter)
    click_at(scope.trace.widget, seconds, row["latency_ticks"])
    until(lambda: chosen(inspect, 123))
    visible_range = scope.trace.visible
    assert visible_range == pytest.approx((seconds - 0.05, seconds + 0.05))  # a click moves nothing


def test_of_those_drawn_side_by_side_the_one_at_the_height_of_the_click(
    inspect, scope, samples, until
):
    latency = samples["latency_ticks"].to_pylist()
    greatest = max(range(150, 250), key=lambda n: latency[n])
    seconds = samples["time_ticks"][greatest].as_py() / 249_975_000
    scope.trace.look_at(0, 2)
    next_frame(scope.painter)
    # A click next to it, within the tolerance of a few pixels.
    click_at(scope.trace.widget, seconds + 0.006, latency[greatest] + 0.2)
    until(lambda: inspect.chosen is not None)
    assert inspect.chosen.row["latency_ticks"] == latency[greatest]
    nearest = min(range(greatest - 1, greatest + 2), key=lambda n: latency[n])
    assert latency[nearest] < latency[greatest]
    click_at(scope.trace.widget, seconds + 0.006, latency[nearest] - 0.2)
    until(lambda: inspect.chosen.row["latency_ticks"] <= latency[nearest])


def test_go_to_an_index_and_to_a_time(inspect, samples, until):
    write(inspect.where, "77")
    until(lambda: chosen(inspect, 77))
    write(inspect.where, f"{samples['time_ticks'][200].as_py() / 249_975_000 + 0.001:.4f} s")
    until(lambda: chosen(inspect, 200))
    write(inspect.where, "the worst")
    assert "is no index and no time" in inspect.hint.text()
    write(inspect.where, "4000")
    until(lambda: "no such stimulus" in inspect.hint.text())
    assert chosen(inspect, 200)


def test_the_window_shown_is_the_window_exported(inspect, window, until, tmp_path):
    write(inspect.where, "50")
    until(lambda: chosen(inspect, 50) and inspect.detail.isVisible())
    write(inspect.detail.around, "2")
    path = tmp_path / "stimulus.vcd"
    inspect.export_to(path)
    until(path.exists)
    with path.open("rb") as file:
        tokens = list(tokenize(file))
    (index,) = (
        t.var.id_code for t in tokens if t.kind is TokenKind.VAR and t.var.reference == "index"
    )
    kind = TokenKind.CHANGE_VECTOR
    values = [t.vector_change.value for t in tokens if t.kind is kind and t.data.id_code == index]
    assert [int(value) for value in values] == [0, 48, 49, 50, 51, 52]
    command = f"irqscope export {window.station.state.folder} {path} --around 50 --neighbours 2"
    assert command in window.log.text.toPlainText()


def test_a_run_that_goes_on_is_inspected_up_to_its_last_flush(window, until, fake_twin):
    fake_twin(batch_s=0.05)
    fill(window, "count", "100000")
    start_twin(window)
    until(lambda: window.station.state.done > 0)
    go_to(window, "Scope")
    inspect = window.worst
    until(lambda: inspect.listed is not None and inspect.listed.samples > 0)
    first = inspect.listed.samples
    QTest.keyClick(window.scope, Qt.Key.Key_W)
    until(lambda: inspect.chosen is not None)
    until(lambda: inspect.listed.samples > first)
    assert window.station.state.link is Link.MEASURING
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    stimuli = read(window.station.state.folder).run.stimuli
    until(lambda: inspect.listed.samples == stimuli)


def test_a_damaged_part_blanks_the_screen_and_is_named(inspect, window, until):
    folder = window.station.state.folder
    write(inspect.where, "5")
    until(lambda: inspect.chosen is not None)
    part = min((folder / "samples").iterdir())
    part.write_bytes(b"PAR1 and no more")
    write(inspect.where, "7")
    until(lambda: window.station.state.fault is not None)
    assert str(part) in window.station.state.fault.cause
    next_frame(inspect)
    assert inspect.chosen is None and inspect.model.rowCount() == 0
    assert not inspect.detail.title.text()


def test_without_samples_the_reason_is_said(window, board, measure, until):
    fill(window, "samples", "none")
    measure(board().port, 50)
    go_to(window, "Scope")
    until(lambda: "samples = none: no other can be inspected" in window.worst.hint.text())
    QTest.keyClick(window.scope, Qt.Key.Key_W)
    until(lambda: "no such stimulus" in window.worst.hint.text())


def test_another_folder_takes_the_place_of_what_was_seen(inspect, window, until, measure):
    write(inspect.where, "5")
    until(lambda: inspect.chosen is not None)
    measure("", 60)
    until(lambda: inspect.listed is not None and inspect.listed.samples == 60)
    assert inspect.chosen is None


def test_another_run_is_listed_whole_and_the_fields_say_so(inspect, scope, samples, until, measure):
    click(inspect.answered)
    click_at(scope.histogram.widget, 0.2, min(samples["latency_ticks"].to_pylist()))
    until(lambda: inspect.whole.isVisible() and "of one bar" in inspect.hint.text())
    measure("", 60)
    until(lambda: inspect.hint.text() == "60 of 60 samples")
    assert not inspect.whole.isVisible()
    assert not inspect.answered.isChecked()
