"""A loss map, drawn."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from irqscope.kinds.loss.record import KINDS, LossMap
from irqscope.report.figure import COLOURS, Drawing, figure
from irqscope.units import short_time

#: Colours of a loss map's KINDS.
_KINDS = (COLOURS[2], COLOURS[4], COLOURS[1], COLOURS[3])


def loss(loss_map: LossMap, tick_hz: int, label: str) -> Drawing:
    """Map of pulse widths over spacings; each cell bears the share that was served, in percent."""
    widths, spacings = loss_map.widths, loss_map.spacings

    def draw(axes: Axes) -> None:
        for cell in loss_map.cells:
            at = spacings.index(cell.spacing_ticks), widths.index(cell.width_ticks)
            axes.add_patch(Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, color=_KINDS[cell.kind]))
            axes.text(*at, cell.share, ha="center", va="center", fontsize=7)
        for name, colour in zip(KINDS, _KINDS, strict=True):
            axes.plot([], [], "s", color=colour, label=name)
        axes.set_xlim(-0.5, len(spacings) - 0.5)
        axes.set_ylim(-0.5, len(widths) - 0.5)
        axes.set_xticks(
            range(len(spacings)), [short_time(t, tick_hz) for t in spacings], rotation=45
        )
        axes.set_yticks(range(len(widths)), [short_time(t, tick_hz) for t in widths])
        axes.set_xlabel("from rise to rise")
        axes.set_ylabel("width of a pulse")

    return figure(draw, label, legend=True, height=4.6)
