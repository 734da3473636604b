"""Thumbnails of the latest runs, to open, pin, or drag onto the plots as a reference."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QMimeData, QRectF, QSize, Qt, QUrl, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QIcon,
    QKeyEvent,
    QPainter,
    QPixmap,
)
from PyQt6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QMenu, QWidget

from irqscope.errors import StorageError
from irqscope.experiment.kinds import kind_of
from irqscope.report.folders import Entry
from irqscope.results.reader import read
from irqscope_app.control.station import Station
from irqscope_app.widgets.theme import DARK, Theme

#: Number of runs shown, without pinned ones; and the tag of pinned runs.
_SHOWN, _PIN = 24, "pinned"
#: Size of a picture, pixels.
_PICTURE = QSize(104, 44)
#: Greatest and smallest number of bars of a picture.
_BARS, _FEWEST = 56, 8
#: Width of the strip, pixels.
_WIDE = 130

Shape = npt.NDArray[np.float64]


class Filmstrip(QListWidget):
    """Signals: ``open_asked`` and ``reference_asked`` with a run folder."""

    open_asked = pyqtSignal(Path)
    reference_asked = pyqtSignal(Path)

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station, self._theme = station, DARK
        self._shown: Path | None = None
        self._entries: list[Entry] = []
        self._shapes: dict[tuple[Path, str, bool], Shape | None] = {}
        self.setViewMode(QListWidget.ViewMode.IconMode)
        self.setMovement(QListWidget.Movement.Static)
        self.setFlow(QListWidget.Flow.TopToBottom)
        self.setWrapping(False)
        self.setIconSize(_PICTURE)
        self.setWordWrap(True)
        self.setSpacing(2)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setMinimumWidth(_WIDE)
        self.setAccessibleName("Runs")
        self.setToolTip(
            "Enter or a double click opens a run; dropped on the plots, it is their reference.\n"
            "The right button or the menu key shows all that can be done with it."
        )
        self.itemActivated.connect(lambda item: self.open_asked.emit(self._folder(item)))
        station.changed.connect(self._on_state)

    def show_entries(self, found: list[Entry]) -> None:
        """Shows the latest of these runs, pinned ones first."""
        runs = [entry for entry in found if entry.run is not None]
        pinned = [entry for entry in runs if _PIN in entry.note.tags]
        others = [entry for entry in runs if _PIN not in entry.note.tags]
        self._entries = pinned + others[:_SHOWN]
        wanted = [e for e in self._entries if self._key(e) not in self._shapes]
        if not wanted:
            self._fill()
            return
        self._station.begin(lambda: {self._key(e): _shape(e) for e in wanted}, self._on_shapes)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self._theme = theme
        self._fill()

    def selected(self) -> Entry | None:
        """The selected run, or None."""
        item = self.currentItem()
        path = None if item is None else self._folder(item)
        return next((entry for entry in self._entries if entry.path == path), None)

    def menu(self, entry: Entry) -> QMenu:
        """Menu of the actions for a run."""
        made = QMenu(self)
        actions: tuple[tuple[str, Callable[[], object]], ...] = (
            ("Open", lambda: self.open_asked.emit(entry.path)),
            ("Take as reference", lambda: self.reference_asked.emit(entry.path)),
        )
        for text, action in actions:
            made.addAction(text, action)
        return made

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Opens the menu of the selected run, by the mouse or the menu key."""
        entry = self.selected()
        if event is not None and entry is not None:
            self.menu(entry).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Opens the selected run on Enter, on every platform."""
        entry = self.selected()
        enter = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event is not None and event.key() in enter and entry is not None:
            self.open_asked.emit(entry.path)
            return
        super().keyPressEvent(event)

    def mimeData(self, items: object) -> QMimeData:
        """The folder of the dragged run."""
        data = QMimeData()
        entry = self.selected()
        if entry is not None:
            data.setUrls([QUrl.fromLocalFile(str(entry.path.resolve()))])
        return data

    def sizeHint(self) -> QSize:
        """Size of a narrow strip, in pixels."""
        return QSize(_WIDE, 300)

    def _key(self, entry: Entry) -> tuple[Path, str, bool]:
        """Key that distinguishes a run from a later one in the same place, and an ended run from
        the same one under way.
        """
        run = entry.run
        return entry.path, "" if run is None else run.started, run is None or run.ended is None

    def _on_state(self) -> None:
        """Highlights the run that is shown once it is another one."""
        if self._station.state.folder != self._shown:
            self._shown = self._station.state.folder
            self._highlight(self._shown)

    def _highlight(self, folder: Path | None) -> None:
        """Selects the run of a folder; none if it is not listed."""
        items = [self.item(row) for row in range(self.count())]
        met = [item for item in items if item is not None and self._folder(item) == folder]
        self.setCurrentItem(met[0] if met else None)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Highlights the run that is shown again, once the keyboard is elsewhere."""
        super().focusOutEvent(event)
        if event is not None and event.reason() != Qt.FocusReason.PopupFocusReason:
            self._highlight(self._shown)

    def _folder(self, item: QListWidgetItem) -> Path:
        path = item.data(Qt.ItemDataRole.UserRole)
        assert isinstance(path, Path)  # each item was given one
        return path

    def _on_shapes(self, shapes: dict[tuple[Path, str, bool], Shape | None]) -> None:
        self._shapes |= shapes
        self._fill()

    def _fill(self) -> None:
        item = self.currentItem()
        before = self._shown if item is None else self._folder(item)
        self.clear()
        for entry in self._entries:
            mark = "📌 " if _PIN in entry.note.tags else ""
            words = [f"{mark}{entry.name}", *_told(entry)]
            if entry.note.note:
                words.append(" ".join(entry.note.note.split())[:40])
            item = QListWidgetItem(self._icon(self._shapes.get(self._key(entry))), "\n".join(words))
            item.setData(Qt.ItemDataRole.UserRole, entry.path)
            cells = entry.cells
            item.setToolTip("\n".join(f"{name}: {text}" for name, text in cells.items() if text))
            item.setTextAlignment(Qt.AlignmentFlag.AlignHCenter)
            self.addItem(item)
            if entry.path == before:
                self.setCurrentItem(item)

    def _icon(self, shape: Shape | None) -> QIcon:
        """A small histogram, latencies to the right."""
        scale = self.devicePixelRatioF()
        picture = QPixmap(_PICTURE * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(QColor(self._theme.plot))
        if shape is not None:
            painter = QPainter(picture)
            width, height = _PICTURE.width() / len(shape), _PICTURE.height() - 4
            for place, share in enumerate(shape.tolist()):
                bar = QRectF(place * width, _PICTURE.height(), width, -share * height)
                painter.fillRect(bar.normalized(), QColor(self._theme.series[0]))
            painter.end()
        return QIcon(picture)


class DropArea(QWidget):
    """Area on which a run from the film strip is dropped to become the reference."""

    dropped = pyqtSignal(Path)

    def __init__(self, strip: Filmstrip) -> None:
        super().__init__()
        self._strip = strip
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Accepts only runs of the strip; the window opens files from elsewhere."""
        if event is None:
            return
        if event.source() is self._strip:
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Emits :attr:`dropped` with the folder of the dropped run."""
        entry = self._strip.selected()
        if event is not None and entry is not None:
            event.acceptProposedAction()
            self.dropped.emit(entry.path)


def _told(entry: Entry) -> list[str]:
    """Time of day at which a run began, and the pattern of its first line, if any."""
    if entry.run is None:
        return []
    experiment = entry.run.experiment
    own = kind_of(experiment).own_batches  # whose lines do not come from the file
    lines = () if own else experiment.lines[:1]
    began = datetime.fromisoformat(entry.run.started).astimezone()
    return [f"{began:%d %b %H:%M:%S}", *(f"{line.high} / {line.low}" for line in lines)]


def _shape(entry: Entry) -> Shape | None:
    """Counts of the first channel on a logarithmic scale, normalised to 1; None if not known."""
    run = entry.run
    if run is None or not run.stats or run.stats[0].max_ticks is None:
        return None
    try:
        known = read(entry.path).distribution(run.stats[0].channel)
    except StorageError:
        return None
    least, greatest = run.stats[0].min_ticks or 0, run.stats[0].max_ticks
    inside = (known.lower <= greatest) & (known.lower >= least)
    lack = max(0, _FEWEST - 1 - (greatest - least))
    ends = least - lack // 2, greatest + lack - lack // 2 + 1
    bars = min(_BARS, ends[1] - ends[0])
    counts, _ = np.histogram(known.lower[inside], bars, ends, weights=known.counts[inside])
    levels = np.log1p(counts)
    return np.asarray(levels / max(1.0, float(levels.max())), np.float64)
