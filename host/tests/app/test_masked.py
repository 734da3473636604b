"""The masked map of a foreign program's run, on the Scope screen."""

from __future__ import annotations

import json

import pytest
from app.by_hand import choose, click, next_frame, open_folder
from irqscope_fake.folder import TICK_HZ, write_run
from irqscope_fake.folder import experiment as described
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from irqscope.units import ticks_to_ns

MAP = [
    {
        "opened": "0x80000340 (vectors+0x40)",
        "caller": "",
        "closed": "0x8000042c (on_line+0x48)",
        "count": 12,
        "least_ticks": 35,
        "greatest_ticks": 36,
        "start_tick": 70,
        "end_tick": 106,
    },
    {
        "opened": "0x80000220 (enter+0x4)",
        "caller": "0x80000124 (run+0xe8)",
        "closed": "0x80000210 (leave)",
        "count": 11,
        "least_ticks": 9,
        "greatest_ticks": 11,
        "start_tick": 20,
        "end_tick": 31,
    },
]


@pytest.fixture
def opened(window, until, tmp_path):
    """A function that opens a run with these values of run.json."""

    def open_run(name, **values):
        folder = tmp_path / name
        write_run(folder, described(), [60 + n % 40 for n in range(300)], **values)
        open_folder(window, folder)
        until(lambda: window.station.state.folder == folder and window.scope.isVisible())
        next_frame(window.scope.painter)
        return folder

    return open_run


def cells(table):
    return [
        [table.item(row, column).text() for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_a_run_with_a_map_has_it_in_the_place_of_the_tables(window, opened, irqscope):
    part = window.scope.parts.masked
    folder = opened("run", masked=MAP)
    assert window.scope.figures.isVisible() and not part.isVisible()
    click(part.button)
    assert part.isVisible() and not window.scope.figures.isVisible()
    heads = [part.table.horizontalHeaderItem(column).text() for column in range(6)]
    assert heads == ["least", "greatest", "times", "first", "called from", "last"]
    code, out, _ = irqscope("masked", folder, "--json")
    assert code == 0
    assert cells(part.table) == [
        [
            *(str(ticks_to_ns(one[f"{name}_ticks"], TICK_HZ)) for name in ("least", "greatest")),
            *(str(one[name]) for name in ("count", "opened", "caller", "closed")),
        ]
        for one in json.loads(out)
    ]
    assert cells(part.table)[0][:3] == ["140", "144", "12"]
    assert "awake, ns" in part.said.text()


def test_tables_pattern_and_worst_take_its_place(window, opened, until):
    scope = window.scope
    part = scope.parts.masked
    opened("run", masked=MAP)
    window.activateWindow()
    until(window.isActiveWindow)
    click(part.button)
    click(scope.parts.tables)
    assert scope.figures.isVisible() and scope.parts.tables.isChecked()
    assert not part.isVisible() and not part.button.isChecked()
    click(part.button)
    QTest.keyClick(scope, Qt.Key.Key_W)
    assert scope.worst.table.isVisible() and not part.isVisible()
    click(scope.strip.edit)
    assert window.pattern.isVisible()
    click(part.button)
    assert part.isVisible() and not scope.strip.edit.isChecked()
    click(part.button)
    assert scope.figures.isVisible()


def test_its_lengths_are_in_the_unit_of_the_latencies(window, opened):
    part = window.scope.parts.masked
    opened("run", masked=MAP)
    choose(window.scope.figures.unit, "ticks")
    next_frame(window.scope.painter)
    click(part.button)
    assert [row[:2] for row in cells(part.table)] == [["35", "36"], ["9", "11"]]
    assert "awake, ticks" in part.said.text()


def test_another_run_does_not_keep_it(window, opened):
    part = window.scope.parts.masked
    opened("run", masked=MAP)
    click(part.button)
    opened("without")
    assert not part.isVisible() and not part.button.isVisible()
    assert window.scope.figures.isVisible()
    opened("never", masked=[])
    assert part.isVisible() and cells(part.table) == []
    assert part.said.text() == "Line 0 was never masked for a whole interval"


def test_a_folder_that_cannot_be_read_takes_it_not_away(window, opened, until, tmp_path):
    part = window.scope.parts.masked
    opened("run", masked=MAP)
    click(part.button)
    write_run(tmp_path / "broken", described(), [60])
    (tmp_path / "broken" / "run.json").write_text("{}")
    open_folder(window, tmp_path / "broken")
    until(window.fault.isVisible)
    next_frame(window.scope.painter)
    assert part.isVisible() and window.station.state.folder == tmp_path / "run"
    window.station.folders.close(1)
    next_frame(window.scope.painter)
    assert not part.isVisible() and not part.button.isVisible()
