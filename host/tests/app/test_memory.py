"""Memory over hours: painting leaves nothing in memory."""

from __future__ import annotations

import ctypes
import gc
from dataclasses import replace

import numpy as np
import pytest
from app.by_hand import next_frame, open_folder, write
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtWidgets import QApplication

from irqscope.analysis.stats import of_samples
from irqscope_app.scope import painter, worst

#: Bytes that a paint may leave: what an item of pyqtgraph leaves is more.
_LEFT = 1500


class Heap(ctypes.Structure):
    """mallinfo2 of glibc (malloc.h)."""

    _fields_ = [(f"_{place}", ctypes.c_size_t) for place in range(7)] + [
        (name, ctypes.c_size_t) for name in ("used", "free", "top")
    ]


def used():
    """Bytes that were taken from malloc and not given back."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        pytest.skip("this C library does not tell")
    library.mallinfo2.restype = Heap
    return library.mallinfo2().used


@pytest.fixture
def at_once(monkeypatch):
    """All is painted whenever the window has nothing else to do."""
    monkeypatch.setattr(painter, "SHAPES_S", 0.0)
    for module in (painter, worst):
        monkeypatch.setattr(module, "PAINT_MS", 0)


@pytest.mark.parametrize("stimulus", [False, True])
def test_what_was_painted_leaves_nothing(at_once, window, until, tmp_path, stimulus):
    """Python looks for circles among objects after many of them: here, it never does."""
    write_run(tmp_path / "run", described(), [60 + n % 40 for n in range(300)])
    open_folder(window, tmp_path / "run")
    until(lambda: window.station.state.folder and window.worst.listed)
    if stimulus:
        write(window.worst.where, "5")
        until(lambda: window.worst.chosen)
    feed = window.station.feed

    def paint(begin, end):
        for n in range(begin, end):
            distribution = of_samples(60 + np.arange(3000 + n) % 50)
            feed.picture = replace(feed.picture, distributions={0: distribution})
            feed.version += 1
            for _ in range(2):  # the tail has a paint of its own
                next_frame(window.scope.painter)
            window.worst.redraw()
            next_frame(window.worst)
            QApplication.processEvents()

    paint(0, 20)
    gc.collect()
    gc.disable()
    try:
        before = used()
        paint(20, 120)
        left = (used() - before) / 100
    finally:
        gc.enable()
    assert left < _LEFT
