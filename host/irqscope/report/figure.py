"""One way to draw: every plot bears the source of its numbers as a badge."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

from irqscope.errors import one_line
from irqscope.files import replace

Array = npt.NDArray[np.float64]

#: Okabe and Ito's colours, which colour-blind readers can also distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
#: Inches: of a plot, and of the space above its axes, which holds the badge.
_WIDTH, _TOP = 8.6, 0.3
#: Characters of a source that are drawn.
_LONGEST_LABEL = 300
#: Names that a legend may have inside; a longer one is next to the plot, this many inches wide.
_INSIDE, _BESIDE = 6, 2.7
_STYLE: Any = {
    "text.usetex": False,  # whatever a matplotlibrc in the working directory says
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "svg.hashsalt": "irqscope",  # same data, same bytes
    "svg.fonttype": "none",  # text stays text: small, and found by a search in the page
}


class Drawing(str):
    """A plot; as a text, its SVG element for a page."""

    _figure: Figure

    @classmethod
    def of(cls, figure: Figure) -> Drawing:
        """Draws a figure."""
        drawing = cls(_inline(_saved(figure, "svg").decode()))
        drawing._figure = figure
        return drawing

    def png(self) -> bytes:
        """The drawing as a PNG file."""
        return _saved(self._figure, "png")

    def save(self, path: Path) -> None:
        """Writes it into a file, PNG or SVG by its ending. Raises StorageError."""
        picture = _saved(self._figure, path.suffix[1:])
        replace(path, lambda file: file.write(picture))


def _saved(drawing: Figure, kind: str) -> bytes:
    file = io.BytesIO()
    with matplotlib.rc_context(_STYLE):
        # A date would make files differ that show the same.
        drawing.savefig(
            file, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None
        )
    return file.getvalue()


def figure(
    draw: Callable[[Axes], None],
    label: str,
    *,
    legend: bool = False,
    height: float = 3.6,
    left: float = 0.85,
) -> Drawing:
    """One plot. ``label``: its source; ``height``, ``left`` margin: inches."""
    with matplotlib.rc_context(_STYLE):
        drawing = Figure(figsize=(_WIDTH, height))
        drawing.subplots_adjust(left / _WIDTH, 0.6 / height, 1 - 0.15 / _WIDTH, 1 - _TOP / height)
        axes = drawing.add_subplot()
        label = one_line(label, _LONGEST_LABEL)
        drawing.text(
            1 - 0.2 / _WIDTH,
            1 - 0.05 / height,
            label,
            parse_math=False,
            fontsize=min(8.0, 900 / len(label)),
            fontweight="bold",
            color="white",
            ha="right",
            va="top",
            bbox={"boxstyle": "square,pad=0.2", "facecolor": "#5d6770", "edgecolor": "none"},
        )
        draw(axes)
        if legend and len(axes.get_legend_handles_labels()[0]) > _INSIDE:
            drawing.subplots_adjust(right=1 - _BESIDE / _WIDTH)
            axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1.02))
        elif legend:
            axes.legend(frameon=False)
    return Drawing.of(drawing)


def logarithmic(axes: Axes, which: str) -> None:
    """Makes an axis logarithmic if it has a value that can be shown so; ``which``: x or y."""
    if not np.isfinite({"x": axes.xaxis, "y": axes.yaxis}[which].get_minpos()):
        return
    axes.set(**{f"{which}scale": "log"})
    axis = {"x": axes.xaxis, "y": axes.yaxis}[which]
    axis.set_major_formatter(_Powers())
    axis.set_minor_formatter(_Powers(labelOnlyBase=False))


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class _Powers(LogFormatterSciNotation):
    """Matplotlib's choice of marks on a logarithmic axis, as plain text: 10³, not a formula.

    Setting a formula takes as long as all else of its axis.
    """

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Text of a mark, empty for unlabelled ones."""
        text = re.sub(r"^\$\\mathdefault\{(.*)\}\$$", r"\1", super().__call__(x, pos))
        text = text.replace(r"\times", "\N{MULTIPLICATION SIGN}")
        return re.sub(r"\^\{([-\d]+)\}", lambda power: power[1].translate(_RAISED), text)


def _inline(svg: str) -> str:
    """The element alone, fit for a page: no XML head, and as wide as the page allows."""
    svg = svg[svg.index("<svg") :]
    return re.sub(
        r'(<svg[^>]*?) width="[^"]*"',
        r"\1",
        re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1),
        count=1,
    )
