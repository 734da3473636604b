"""Lines drawn as a timing diagram, to scale; edges are dragged."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QToolTip, QWidget

from irqscope.experiment.checks import longest_period
from irqscope.experiment.model import Experiment
from irqscope.units import NS_PER_S
from irqscope_app.pattern.draft import written
from irqscope_app.widgets.axislabels import round_step
from irqscope_app.widgets.theme import DARK, Theme

_LEFT, _TOP, _ROW = 64.0, 26.0, 46.0
#: Height of a slim diagram, of the margin above its lines, and of rows too low for text.
_SLIM, _SLIM_TOP, _WORDLESS = 46.0, 4.0, 16.0
#: Distance in pixels within which the mouse grabs an edge.
_NEAR = 6.0


@dataclass(frozen=True)
class Edge:
    """A draggable edge.

    The value of ``key`` at ``place`` in the file is its time minus ``origin``.
    """

    place: int
    key: str
    at_ns: float
    origin_ns: float


class Diagram(QWidget):
    """``dragged``: emitted with the line's place, the key, and its new value as text.

    ``slim``: all lines share the height of one, without an axis.
    """

    dragged = pyqtSignal(int, str, str)

    def __init__(self, *, slim: bool = False) -> None:
        super().__init__()
        self._slim = slim
        self._top, self._row = (_SLIM_TOP, _SLIM - _SLIM_TOP) if slim else (_TOP, _ROW)
        self._experiment: Experiment | None = None
        self._tick_hz = 1
        self._span_ns = 1e7
        self._wrong: frozenset[tuple[int, str]] = frozenset()
        self._edges: list[Edge] = []
        self._held: Edge | None = None
        self._theme = DARK
        self.setMouseTracking(True)
        if slim:
            self.setFixedHeight(int(_SLIM))
        else:
            self.setMinimumHeight(int(_TOP + 2 * _ROW))

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self._theme = theme
        self.update()

    def set_experiment(
        self,
        experiment: Experiment | None,
        tick_hz: int,
        wrong: frozenset[tuple[int, str]],
        *,
        fit: bool,
    ) -> None:
        """Shows an experiment, or nothing for None.

        ``wrong``: place and key of times that are out of their limits. ``fit``: whether to zoom to
        two periods of the first line.
        """
        self._experiment, self._tick_hz, self._wrong = experiment, tick_hz, wrong
        lines = () if experiment is None else experiment.lines
        if fit and lines:
            ticks = lines[0].start_delay.ticks(tick_hz) + 2.1 * longest_period(lines[0], tick_hz)
            self._span_ns = ticks * NS_PER_S / tick_hz
        self._edges = [edge for place in range(len(lines)) for edge in self._edges_of(place)]
        if self._slim:
            self._row = (_SLIM - _SLIM_TOP) / max(1, len(lines))
        else:
            self.setMinimumHeight(int(_TOP + max(2, len(lines)) * _ROW))
        self.update()

    def edge_at(self, point: QPointF) -> Edge | None:
        """The edge that the mouse would grab at a position."""
        near = [e for e in self._edges if abs(self._x(e.at_ns) - point.x()) <= _NEAR]
        row = int((point.y() - self._top) // self._row)
        near = [edge for edge in near if edge.place == row]
        return min(near, key=lambda e: abs(self._x(e.at_ns) - point.x()), default=None)

    def position(self, edge: Edge) -> QPointF:
        """Middle of an edge on the screen."""
        return QPointF(self._x(edge.at_ns), self._top + edge.place * self._row + self._row / 2)

    @property
    def edges(self) -> list[Edge]:
        """All edges that can be dragged."""
        return self._edges

    # ---- events ----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Grabs the edge at the mouse, if any."""
        if event is not None:
            self._held = self.edge_at(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Releases the grabbed edge."""
        self._held = None

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Drags the grabbed edge; changes the pointer over edges."""
        if event is None:
            return
        edge = self._held
        if edge is None:
            over = self.edge_at(event.position()) is not None
            shape = Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            return
        at_ns = (event.position().x() - _LEFT) / (self.width() - _LEFT) * self._span_ns
        text = written(max(0.0, at_ns - edge.origin_ns))
        QToolTip.showText(event.globalPosition().toPoint(), f"{edge.key} = {text}", self)
        self.dragged.emit(edge.place, edge.key, text)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zooms the time axis."""
        if event is not None:
            self._span_ns *= 0.8 if event.angleDelta().y() > 0 else 1.25
            self._span_ns = min(max(self._span_ns, 100.0), 1e12)
            self.update()
            event.accept()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draws axis and lines."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.plot))
        painter.setPen(QColor(self._theme.faint))
        experiment = self._experiment
        if experiment is None or not experiment.lines:
            text = "something is wrong with the pattern: see what is said of it"
            if experiment is not None:
                text = f"no line: core {experiment.core} raises {experiment.interrupt} itself"
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
            return
        if not self._slim:
            self._draw_axis(painter)
        for place in range(len(experiment.lines)):
            self._draw_line(painter, place)

    # ---- drawing ---------------------------------------------------------------------------

    def _draw_axis(self, painter: QPainter) -> None:
        width = self.width() - _LEFT
        step = round_step(self._span_ns / 7)
        for part in range(int(self._span_ns / step) + 1):
            at_ns = part * step
            x = _LEFT + width * at_ns / self._span_ns
            painter.setPen(QColor(self._theme.grid))
            painter.drawLine(QPointF(x, self._top - 6), QPointF(x, self.height()))
            painter.setPen(QColor(self._theme.faint))
            text = written(at_ns) if part else "0"
            if x + 3 + painter.fontMetrics().horizontalAdvance(text) < self.width():
                painter.drawText(QPointF(x + 3, self._top - 10), text)

    def _draw_line(self, painter: QPainter, place: int) -> None:
        assert self._experiment is not None  # always true while painting
        line = self._experiment.lines[place]
        colour = QColor(self._theme.series[line.index % len(self._theme.series)])
        low = self._top + (place + 0.83) * self._row
        high = low - 0.61 * self._row
        if self._row >= _WORDLESS:
            painter.setPen(QColor(self._theme.text))
            painter.drawText(QPointF(6, low - 4), f"line {line.index}")
        points = QPolygonF([QPointF(_LEFT, low)])
        at, up, down = (
            self._ns(ticks)
            for ticks in (
                line.start_delay.ticks(self._tick_hz),
                line.high.ticks(self._tick_hz),
                line.low.ticks(self._tick_hz),
            )
        )
        pulses = 1 if line.mode == "single shot" else self._experiment.count
        spread = self._ns((1 << line.dither) - 1)
        for pulse in range(min(pulses, 2000)):
            if at > self._span_ns:
                break
            if pulse and spread:
                self._draw_dither(painter, colour, at, pulse * spread, high, low)
            for time, level in ((at, low), (at, high), (at + up, high), (at + up, low)):
                points.append(QPointF(self._x(time), level))
            at += up + down
        points.append(QPointF(self.width(), low))
        painter.setPen(QPen(colour, 2))
        painter.drawPolyline(points)
        for edge in self._edges:
            if edge.place == place and self._row >= _WORDLESS:
                self._draw_edge(painter, edge, colour)

    def _draw_edge(self, painter: QPainter, edge: Edge, colour: QColor) -> None:
        """Draws the edge's handle: a dot, or a cross if its time is out of its limits."""
        middle = self.position(edge)
        if (edge.place, edge.key) not in self._wrong:
            painter.setBrush(colour)
            painter.drawEllipse(middle, 3.5, 3.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            return
        painter.setPen(QPen(QColor(self._theme.bad), 3))
        for slope in (1, -1):
            arm = QPointF(5, 5 * slope)
            painter.drawLine(middle - arm, middle + arm)
        painter.drawText(middle + QPointF(8, 4), edge.key)
        painter.setPen(QPen(colour, 2))

    def _draw_dither(
        self, painter: QPainter, colour: QColor, at: float, spread: float, high: float, low: float
    ) -> None:
        """Draws the range of a rising edge with dither, that of all earlier pulses included."""
        area = QColor(colour)
        area.setAlpha(60)
        left = self._x(at)
        painter.fillRect(QRectF(left, high, self._x(at + spread) - left, low - high), area)

    def _edges_of(self, place: int) -> list[Edge]:
        assert self._experiment is not None  # lines are an experiment's
        line = self._experiment.lines[place]
        rise = self._ns(line.start_delay.ticks(self._tick_hz))
        fall = rise + self._ns(line.high.ticks(self._tick_hz))
        next_rise = fall + self._ns(line.low.ticks(self._tick_hz))
        edges = [Edge(place, "start_delay", rise, 0.0), Edge(place, "high", fall, rise)]
        if line.mode != "single shot" and self._experiment.count > 1:
            edges.append(Edge(place, "low", next_rise, fall))
        return edges

    def _ns(self, ticks: float) -> float:
        return ticks * NS_PER_S / self._tick_hz

    def _x(self, at_ns: float) -> float:
        return _LEFT + (self.width() - _LEFT) * at_ns / self._span_ns
