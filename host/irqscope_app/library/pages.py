"""Pages in the window: a run's report and a suite's card, as the command line writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QByteArray, Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices, QImage, QTextDocument
from PyQt6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QStackedWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from irqscope.errors import IrqscopeError
from irqscope.files import replace
from irqscope_app.control.state import Fault
from irqscope_app.control.station import Station
from irqscope_app.widgets.common import SpareLabel, action, action_button
from irqscope_app.widgets.paths import short

if TYPE_CHECKING:
    from irqscope.report.figure import Drawing

#: A page has a white background in every theme, as its colours require.
_PAPER = "QTextBrowser { background: #ffffff; color: #222222; padding: 8px; }"
#: Smallest and greatest width of a plot, and its margin in the page, pixels.
_PLOT, _BESIDE = (480, 960), 120

#: HTML, and its pictures as PNG by the names used in the HTML.
Html = tuple[str, dict[str, bytes]]


@dataclass(frozen=True)
class Page:
    """``made``: reads the content; ``written``: writes the page for a browser.

    Both take a while and may raise IrqscopeError.
    """

    title: str
    folder: Path
    made: Callable[[], Html]
    written: Callable[[], Path]


class Pages(QStackedWidget):
    """Shows a screen's content or, in its place, a page.

    ``run_asked``: emitted with the folder of a run in the page; ``first``: the widget that gets the
    focus.
    """

    run_asked = pyqtSignal(Path)

    def __init__(self, station: Station, front: QWidget, focus: QWidget, back: str) -> None:
        super().__init__()
        self._station, self._front, self._focus = station, front, focus
        self._shown: Page | None = None
        self.title = SpareLabel("title")
        self.browser = QTextBrowser()
        self.browser.setOpenLinks(False)
        self.browser.setStyleSheet(_PAPER)
        self.browser.anchorClicked.connect(self._follow)
        view = QWidget()
        self.back = action(view, back, "Esc", self.show_front)
        self.save = action(view, "Save as …", "", self._ask_file)
        self.outside = action(view, "Open in a browser", "", self._open_outside)
        for one in (self.back, self.save, self.outside):
            one.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        top = QHBoxLayout()
        top.addWidget(action_button(self.back))
        top.addWidget(self.title, 1)
        for one in (self.save, self.outside):
            top.addWidget(action_button(one))
        layout = QVBoxLayout(view)
        layout.addLayout(top)
        layout.addWidget(self.browser, 1)
        self.addWidget(front)
        self.addWidget(view)
        self.show_front()

    def show_front(self) -> None:
        """Returns from the page to the screen's content and gives it the focus."""
        self._shown = None
        self.setCurrentWidget(self._front)
        self._take_focus(self._focus)

    def show_page(self, page: Page) -> None:
        """Renders a page in a thread and shows it."""
        self._shown = page
        self.title.setText(page.title)
        self.title.setToolTip(page.title)
        self.browser.setPlainText(f"reading {short(page.folder)} …")
        self.setCurrentIndex(1)
        self._take_focus(self.browser)

        def done(found: Html) -> None:
            if self._shown is page:
                self._show(*found)

        def failed(error: IrqscopeError) -> None:
            if self._shown is page:
                self.show_front()
            self._station.report_fault(error)

        self._station.begin(page.made, done, failed)

    def _take_focus(self, widget: QWidget) -> None:
        # No focus proxy: Tab would skip all widgets before it.
        self.first = widget
        if self.isVisible():
            widget.setFocus()

    def _show(self, html: str, plots: dict[str, bytes]) -> None:
        document = self.browser.document()
        assert document is not None  # a browser always has one
        document.clear()
        viewport = self.browser.viewport()
        assert viewport is not None  # it always has one
        width = min(max(viewport.width() - _BESIDE, _PLOT[0]), _PLOT[1])
        for name, png in plots.items():
            picture = QImage.fromData(QByteArray(png), "PNG").scaledToWidth(
                round(width * self.devicePixelRatioF()),
                Qt.TransformationMode.SmoothTransformation,
            )
            picture.setDevicePixelRatio(self.devicePixelRatioF())
            document.addResource(
                QTextDocument.ResourceType.ImageResource.value, QUrl(name), picture
            )
        self.browser.setHtml(html)

    def _follow(self, link: QUrl) -> None:
        """Opens a link: a run in the window, anything else in the browser."""
        run = None if self._shown is None else (self._shown.folder / link.path()).parent
        if link.isRelative() and run is not None and (run / "run.json").exists():
            self.run_asked.emit(run)
        else:
            QDesktopServices.openUrl(link)

    def _ask_file(self) -> None:
        """Asks for a file, named after the run or suite, and writes the page into it."""
        if (page := self._shown) is None:
            return
        first = f"{page.folder.name}-{page.title.split()[0].lower()}.html"
        name, _ = QFileDialog.getSaveFileName(self, page.title, first, "HTML (*.html)")
        if name:
            self._station.begin(
                lambda: replace(Path(name), lambda file: file.write(page.written().read_bytes())),
                lambda _: self._station.told.emit("info", f"{page.title} in {name}"),
            )

    def _open_outside(self) -> None:
        if self._shown is not None:
            self._station.begin(self._shown.written, self._written)

    def _written(self, path: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.resolve()))):
            fault = Fault(
                f"the page is written, and no program here opens it: {path.resolve()}",
                "read it here, or open that file in a browser",
            )
            self._station.show_fault(fault)


def card_page(folder: Path) -> Page:
    """The card of a suite's folder."""

    def made() -> Html:
        from irqscope_papers.card.data import (
            card,  # imported late: its plots load slowly
        )
        from irqscope_papers.card.page import render

        return _embedding(lambda embedded: render(folder, card(folder), embedded))

    def written() -> Path:
        from irqscope_papers.card import write_card  # imported late: its plots load slowly

        return write_card(folder)

    return Page(f"Card of {short(folder)}", folder, made, written)


def report_page(folder: Path) -> Page:
    """The report of a run, as a page in the window."""

    def made() -> Html:
        from irqscope.report.page import render  # imported late: its plots load slowly
        from irqscope.results.reader import read

        return _embedding(lambda embedded: render(read(folder), embedded))

    def written() -> Path:
        from irqscope.report.page import write_report  # imported late: its plots load slowly

        return write_report(folder)

    return Page(f"Report of {short(folder)}", folder, made, written)


def _embedding(rendered: Callable[[Callable[..., str]], str]) -> Html:
    """Returns the page for Qt's rich text, with its plots as pictures.

    It lacks lengths in rem, collapsible parts and figures.
    """
    plots: dict[str, bytes] = {}

    def embedded(drawing: Drawing) -> str:
        name = f"plot:{len(plots)}"
        plots[name] = drawing.png()
        return f'<img src="{name}">'

    html = rendered(embedded)
    html = re.sub(r"<details><summary>.*?</summary>", "<br>", html).replace("</details>", "")
    html = html.replace("<figure>", "<p>").replace("<figcaption>", "</p><p>")
    html = re.sub(r"([0-9]*\.?[0-9]+)rem\b", lambda found: f"{16 * float(found[1]):.0f}px", html)
    return html, plots
