"""Latency over the phase, in the window."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyqtgraph as pg
from app.by_hand import choose, open_folder
from app.on_screen import hover, named, texts
from app.shown_kinds import KINDS
from irqscope_fake.folder import reseal
from PyQt6.QtCore import QPointF, Qt

from irqscope.results import phase
from irqscope.results.reader import read


def test_the_map_is_that_of_the_run_that_is_shown(window, board, measure, until, qtbot, tmp_path):
    phase_map = window.phase
    assert not phase_map.isVisible()
    window.docks["Phase"].toggleViewAction().trigger()
    window.docks["Phase"].raise_()
    until(lambda: phase_map.told.text() == "no run is shown")
    measure(board().port, count=200)
    until(lambda: phase_map.told.text() == "The 200 edges fell into 5 of 5 equal parts of it.")
    run = read(window.station.state.folder)
    counts, _, _ = phase.of_sampling_grid(run).map(40)
    (image,) = (i for i in phase_map.plot.getPlotItem().items if isinstance(i, pg.ImageItem))
    np.testing.assert_allclose(np.expm1(image.image), counts)  # shades are of a logarithm
    assert phase_map.source.text() == run.run.source.label
    # Item under the mouse.
    column, row = np.argwhere(counts == counts.max())[0]
    place = image.mapToView(QPointF(column + 0.5, row + 0.5))

    def told():
        hover(phase_map.plot, place.x(), place.y())
        return phase_map.under.text()

    until(told)
    assert told().startswith(f"{counts.max():.0f} at ")
    # A valid period, and an invalid one.
    choose(phase_map.what, "a period of")
    assert phase_map.period.isVisible()
    until(lambda: any(text.startswith("edge in 7.8 us") for text in texts(phase_map.plot)))
    phase_map.period.clear()
    qtbot.keyClicks(phase_map.period, "soon")
    qtbot.keyClick(phase_map.period, Qt.Key.Key_Return)
    until(lambda: "is not a time" in phase_map.told.text())
    assert image.image is None
    choose(phase_map.what, "timer tick")
    until(lambda: "no timer tick" in phase_map.told.text())
    assert window.station.state.fault is None
    # One channel of several; stimuli without an answer are marked.
    assert not phase_map.channel.isVisible()
    choose(phase_map.what, "sampling grid of markers")
    KINDS["channels"](tmp_path / "channels")
    (part,) = (tmp_path / "channels" / "samples").iterdir()
    rows = pq.read_table(part)
    place = rows.schema.get_field_index("latency_ticks")
    latencies = [None, *rows["latency_ticks"].to_pylist()[1:]]
    column = pa.array(latencies, rows.schema.field(place).type)
    pq.write_table(rows.set_column(place, rows.schema.field(place), column), part)
    reseal(tmp_path / "channels")
    open_folder(window, tmp_path / "channels")
    until(lambda: phase_map.told.text().startswith("The 300 edges"))
    folded = phase.of_sampling_grid(read(tmp_path / "channels"))
    ns = 1e9 / read(tmp_path / "channels").run.tick_hz
    at, _ = named(phase_map.plot, "unanswered").getData()
    np.testing.assert_allclose(at[::2], folded.unanswered_at * ns)
    assert len(at) == 2
    choose(phase_map.channel, "channel 1")
    until(lambda: "no sample" in phase_map.told.text())
    choose(phase_map.channel, "channel 0")
    until(lambda: phase_map.told.text().startswith("The 300 edges"))
