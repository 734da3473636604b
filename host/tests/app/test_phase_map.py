"""Latency over the phase, in the window."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from app.by_hand import choose
from app.on_screen import hover, texts
from PyQt6.QtCore import QPointF, Qt

from irqscope.results import phase
from irqscope.results.reader import read


def test_the_map_is_that_of_the_run_that_is_shown(window, board, measure, until, qtbot):
    shown = window.phase
    assert not shown.isVisible()
    window.docks["Phase"].toggleViewAction().trigger()
    window.docks["Phase"].raise_()
    until(lambda: shown.told.text() == "no run is shown")
    measure(board().port, count=200)
    until(lambda: shown.told.text() == "The 200 edges fell into 5 of 5 equal parts of it.")
    run = read(window.station.state.folder)
    counts, _, _ = phase.of_sampling_grid(run).map(40)
    (image,) = (i for i in shown.plot.getPlotItem().items if isinstance(i, pg.ImageItem))
    np.testing.assert_allclose(np.expm1(image.image), counts)  # shades are of a logarithm
    assert shown.source.text() == run.run.source.label
    # Item under the mouse.
    column, row = np.argwhere(counts == counts.max())[0]
    place = image.mapToView(QPointF(column + 0.5, row + 0.5))

    def told():
        hover(shown.plot, place.x(), place.y())
        return shown.under.text()

    until(told)
    assert told().startswith(f"{counts.max():.0f} at ")
    # A valid period, and an invalid one.
    choose(shown.what, "a period of")
    assert shown.period.isVisible()
    until(lambda: any(text.startswith("edge in 7.8 us") for text in texts(shown.plot)))
    shown.period.clear()
    qtbot.keyClicks(shown.period, "soon")
    qtbot.keyClick(shown.period, Qt.Key.Key_Return)
    until(lambda: "is not a time" in shown.told.text())
    assert image.image is None
    choose(shown.what, "timer tick")
    until(lambda: "no timer tick" in shown.told.text())
    assert window.station.state.fault is None
