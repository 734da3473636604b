"""The benchmark card of a suite, in the window: the page that ``irqscope suite`` writes."""

from __future__ import annotations

import re
from pathlib import Path

from PyQt6.QtCore import QByteArray, Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices, QImage, QTextDocument
from PyQt6.QtWidgets import QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from irqscope.errors import IrqscopeError
from irqscope.gui.paths import short
from irqscope.gui.station import Fault, Station
from irqscope.gui.widgets import action, action_button, label

#: A page is paper in every theme: its own colours are made for that.
_PAPER = "QTextBrowser { background: #ffffff; color: #222222; padding: 8px; }"
#: Width of a plot, pixels: that of a page beside the rail of the smallest window.
_PLOT = 840


class CardView(QWidget):
    """``closed``: it was read; ``open_asked``: the folder of one of its runs."""

    closed = pyqtSignal()
    open_asked = pyqtSignal(Path)

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station
        self._folder: Path | None = None
        self.name = label("Card", "title")
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setStyleSheet(_PAPER)
        self.page.anchorClicked.connect(self._follow)
        self.back = action(self, "Back to the queue", "Esc", self.closed.emit)
        self.outside = action(self, "Open in a browser", "", self._open_outside)
        for one in (self.back, self.outside):
            one.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        top = QHBoxLayout()
        top.addWidget(action_button(self.back))
        top.addWidget(self.name, 1)
        top.addWidget(action_button(self.outside))
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.page, 1)

    def show_folder(self, folder: Path) -> None:
        """Reads the folder of a suite in a thread, and shows its card."""
        self._folder = folder
        self.name.setText(f"Card of {short(folder)}")
        self.page.setPlainText("reading the runs …")
        self.page.setFocus()

        def done(found: tuple[str, dict[str, bytes]]) -> None:
            if self._folder == folder:
                self._show(*found)

        def failed(error: IrqscopeError) -> None:
            if self._folder == folder:
                self.page.clear()
                self.closed.emit()
            self._station.report_fault(error)

        self._station.begin(lambda: _made(folder), done, failed)

    def _show(self, html: str, plots: dict[str, bytes]) -> None:
        document = self.page.document()
        assert document is not None  # a browser always has one
        document.clear()
        for name, png in plots.items():
            picture = QImage.fromData(QByteArray(png), "PNG").scaledToWidth(
                round(_PLOT * self.devicePixelRatioF()),
                Qt.TransformationMode.SmoothTransformation,
            )
            picture.setDevicePixelRatio(self.devicePixelRatioF())
            document.addResource(
                QTextDocument.ResourceType.ImageResource.value, QUrl(name), picture
            )
        self.page.setHtml(html)

    def _follow(self, link: QUrl) -> None:
        """A run of the card opens in the window, anything else outside."""
        run = None if self._folder is None else (self._folder / link.path()).parent
        if link.isRelative() and run is not None and (run / "run.json").exists():
            self.open_asked.emit(run)
        else:
            QDesktopServices.openUrl(link)

    def _open_outside(self) -> None:
        if self._folder is None:
            return
        path = (self._folder / "card.html").resolve()
        self._station.begin(lambda: _write(path.parent), self._opened)

    def _opened(self, path: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            fault = Fault(
                f"the card is written, and no program here opens it: {path}",
                "read it here, or open that file in a browser",
            )
            self._station.show_fault(fault)


def _made(folder: Path) -> tuple[str, dict[str, bytes]]:
    """The page, and its plots as PNG by the names that they have there."""
    from irqscope.card.data import card  # here: its plotting library takes a second to load
    from irqscope.card.page import render
    from irqscope.report.figure import Drawing

    plots: dict[str, bytes] = {}

    def embedded(drawing: Drawing) -> str:
        name = f"plot:{len(plots)}"
        plots[name] = drawing.png()
        return f'<img src="{name}">'

    return _plain(render(folder, card(folder), embedded)), plots


def _plain(html: str) -> str:
    """Without what Qt's rich text does not know: lengths in rem, parts that fold."""
    html = re.sub(r"<details><summary>.*?</summary>", "<br>", html).replace("</details>", "")
    html = html.replace("<figure>", "<p>").replace("<figcaption>", "</p><p>")
    return re.sub(r"([0-9]*\.?[0-9]+)rem\b", lambda found: f"{16 * float(found[1]):.0f}px", html)


def _write(folder: Path) -> Path:
    from irqscope.card import write_card  # here: as above

    return write_card(folder)
