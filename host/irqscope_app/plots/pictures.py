"""The menu of a plot: export to a file or the clipboard, and display options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from PyQt6.QtCore import QBuffer, QByteArray, QIODevice, QRect
from PyQt6.QtGui import QAction, QImage, QPainter
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QApplication, QFileDialog, QGraphicsItem, QMenu, QWidget

from irqscope.errors import ExperimentError, IrqscopeError
from irqscope.files import replace
from irqscope_app.plots.places import Places

#: Pixels of a picture for each screen pixel, so that pictures can be printed.
_FINER = 2


class Pictured(Protocol):
    """A plot, as far as its menu needs it."""

    widget: Any
    item: Any
    name: str
    run_name: str
    locked: bool
    scales: dict[str, bool]
    failed: Callable[[IrqscopeError], None]
    fit_asked: Callable[[], None]
    places: Places | None
    part: QWidget

    def identify(self, shown: bool) -> None:
        """Shows the badge with the source, or hides it."""

    @property
    def identified(self) -> bool:
        """Whether the badge is shown."""

    @property
    def alone(self) -> bool:
        """Whether it fills the screen."""

    def maximise(self, wanted: bool) -> None:
        """Lets it fill the screen, or restores its size."""

    def float(self, wanted: bool) -> None:
        """Moves it to a separate window."""

    def lock(self, locked: bool) -> None:
        """Locks the visible range if ``locked``."""

    def scale(self, axis: str, logarithmic: bool) -> None:
        """Makes one axis of :attr:`scales` logarithmic or linear."""


def menu(plot: Pictured) -> QMenu:
    """Menu of one plot, rebuilt each time it opens."""
    popup = QMenu(plot.widget)
    popup.addAction("Show all", plot.fit_asked)
    _switch(popup, "Lock what is seen", plot.locked, plot.lock)
    for axis, logarithmic in plot.scales.items():
        _switch(popup, f"Logarithmic {axis}", logarithmic, partial(plot.scale, axis))
    if plot.places is not None:
        popup.addSeparator()
        floats = plot.places.floats(plot.part)
        if not floats:
            _switch(popup, "Maximise", plot.alone, plot.maximise)
        _switch(popup, "In a window of its own", floats, plot.float)
    popup.addSeparator()
    popup.addAction("Copy as picture", lambda: copy(plot))
    popup.addAction("Save as PNG or SVG …", lambda: _ask(plot))
    return popup


def save(plot: Pictured, path: Path) -> None:
    """Writes the visible plot to a PNG or SVG file, by its extension.

    Raises ExperimentError for another extension, StorageError if the file cannot be written.
    """
    with _identified(plot):
        picture = _bytes(plot, path.suffix)
    replace(path, lambda file: file.write(picture))


def copy(plot: Pictured) -> None:
    """Copies the visible plot to the clipboard."""
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        with _identified(plot):
            clipboard.setImage(_image(plot))


@contextmanager
def _identified(plot: Pictured) -> Iterator[None]:
    """Shows the source of a plot's numbers, which a picture takes along."""
    before = plot.identified
    plot.identify(True)
    try:
        yield
    finally:
        plot.identify(before)


def _ask(plot: Pictured) -> None:
    name, kind = QFileDialog.getSaveFileName(
        plot.widget,
        "Save the plot",
        "-".join(filter(None, (plot.run_name, *plot.name.lower().split()))) + ".png",
        "PNG (*.png);;SVG (*.svg)",
    )
    if name:
        path = Path(name)
        try:
            save(plot, path if path.suffix else path.with_suffix(kind[-5:-1]))
        except IrqscopeError as error:
            plot.failed(error)


def _bytes(plot: Pictured, ending: str) -> bytes:
    if ending == ".svg":
        return _svg(plot)
    if ending == ".png":
        return _png(plot)
    raise ExperimentError(f"a plot cannot be saved as {ending or 'a file without ending'}")


def _svg(plot: Pictured) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setTitle(plot.item.titleLabel.text)
    generator.setSize(plot.widget.size())
    generator.setViewBox(QRect(0, 0, plot.widget.width(), plot.widget.height()))
    axes = [plot.item.getAxis(name) for name in ("bottom", "left")]
    for axis in axes:  # cached items are pixmaps and would be exported as such
        axis.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    painter = QPainter(generator)
    plot.widget.render(painter)
    painter.end()
    for axis in axes:
        axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
    return bytes(data.data())


def _image(plot: Pictured) -> QImage:
    image = QImage(_FINER * plot.widget.size(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    plot.widget.render(painter)
    painter.end()
    return image


def _png(plot: Pictured) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    _image(plot).save(buffer, "PNG")
    return bytes(data.data())


def _switch(made: QMenu, text: str, on: bool, toggled: Callable[[bool], None]) -> None:
    action = QAction(text, made)
    action.setCheckable(True)
    action.setChecked(on)
    action.toggled.connect(toggled)
    made.addAction(action)
