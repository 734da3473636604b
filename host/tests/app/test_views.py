"""What some runs show in place of the trace: a loss map, latency against placement."""

from __future__ import annotations

import re

import pytest
from app.by_hand import choose, next_frame, open_folder
from app.on_screen import hover, ticks
from app.shown_kinds import loss, placement
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run


@pytest.fixture
def lost(tmp_path):
    loss(tmp_path / "lost")
    return tmp_path / "lost"


@pytest.fixture
def placed(tmp_path):
    placement(tmp_path / "placed")
    return tmp_path / "placed"


def opened(window, until, folder):
    open_folder(window, folder)
    until(lambda: window.station.state.folder == folder and window.scope.isVisible())
    next_frame(window.scope.painter)
    return window.scope.plots


def test_a_loss_map_stands_in_place_of_the_trace(window, until, lost, tmp_path):
    plots = opened(window, until, lost)
    loss = plots.views["loss"].plot
    assert loss.widget.isVisible() and not plots.trace.widget.isVisible()
    assert not plots.histogram.widget.isVisible() and not plots.ccdf.widget.isVisible()
    for side, first, second in (("bottom", "200 ns", "20 µs"), ("left", "40 ns", "80 ns")):
        places, labels = zip(*ticks(loss.widget, side), strict=True)
        assert labels == (first, second) and places == pytest.approx((0, 1), abs=0.05)
    texts = {
        (i.pos().x(), i.pos().y()): i.toPlainText()
        for i in loss.drawn.shown
        if hasattr(i, "toPlainText")
    }
    assert texts == {(0, 0): "50", (1, 0): "100", (1, 1): "80", (0, 1): "100"}

    def told(x, y):
        hover(loss.widget, x, y)
        return loss.widget.toolTip()

    tip = "40 ns, 200 ns apart: 20 pulses, 10 served, 10 coalesced, 0 lost, 0 spurious"
    until(lambda: told(0.2, -0.1))
    assert told(0.2, -0.1) == tip
    until(lambda: not told(9, 9))
    assert loss.source == "twin, functional timing"
    assert "4 cells, 80 pulses: 66 served" in window.scope.counters.text()
    write_run(tmp_path / "plain", described(), [60, 70])
    opened(window, until, tmp_path / "plain")
    assert plots.trace.widget.isVisible() and plots.histogram.widget.isVisible()
    assert not loss.widget.isVisible()


def test_a_point_of_a_placement_leads_to_its_instruction_and_its_event(window, until, placed):
    plots = opened(window, until, placed)
    view = plots.views["placement"]
    until(lambda: view.table.rowCount())
    assert view.isVisible() and not plots.trace.widget.isVisible()
    assert re.match(r"Not interrupted: \S+ `div`", view.said.text())
    assert "4 placements of stretch" in window.scope.counters.text()
    rows = [[view.table.item(row, n).text() for n in (2, 3, 4, 5)] for row in range(4)]
    assert rows == [
        ["nop", "1", "240 ns", "16 ns"],
        ["div", "0", "never", "16 ns"],
        ["ret", "2", "252 to 256 ns", ""],
        ["wfi", "1", "244 ns", ""],
    ]
    points = sorted(p for item in view.plot.drawn.shown for p in zip(*item.getData(), strict=True))
    assert points == [(80, 240), (84, 256), (88, 252), (92, 244)]
    until(lambda: window.worst.listed)
    view.plot.clicked(88.0, 252.0)
    assert view.table.currentRow() == 2
    assert sorted(view.plot.drawn.shown[-1].getData()[1]) == [
        252,
        256,
    ]  # marked: of that instruction
    until(lambda: window.worst.chosen)
    assert window.worst.chosen.row["index"] == 2
    choose(window.scope.figures.unit, "ticks")
    next_frame(window.scope.painter)
    assert sorted(view.plot.drawn.shown[-1].getData()[1]) == [63, 64]
