"""A loss map, in words and drawn."""

from __future__ import annotations

from irqscope.analysis.stats import CONFIDENCE
from irqscope.kinds.loss.record import LossMap, Served
from irqscope.report import wording
from irqscope.report.grid import Grid
from irqscope.report.telling import Plotted, Row
from irqscope.results.reader import Run


class Loss(Grid):
    """Report of the served pulses of a grid, without latencies."""

    title = "Which pulses are served"

    @property
    def measured(self) -> bool:
        return self.run.part(LossMap) is not None

    def _sentence(self) -> str:
        return f"{self.headline().capitalize()}."

    def headline(self) -> str:
        loss_map = self.run.part(LossMap)
        return "" if loss_map is None else map_in_words(loss_map, self.run.tick_hz)

    def rows(self) -> list[Row]:
        return [*super().rows(), *([Row("loss map", (self.headline(),))] if self.measured else [])]

    def plots(self, run: Run) -> list[Plotted]:
        from irqscope.kinds.loss import drawing

        if (loss_map := self.run.part(LossMap)) is None:
            return []
        text = (
            "Pairs of pulses: how long each is, and how far apart. The number is the share of "
            "pulses that were served, in percent; white: the pulses would merge."
        )
        figure = drawing.loss(loss_map, self.run.tick_hz, self.run.label)
        return [Plotted("Loss map", text, figure)]


def map_in_words(loss_map: LossMap, hz: int) -> str:
    """Describes the cells that are always served, and the others, as far as the map shows."""
    served = sum(cell.served for cell in loss_map.cells)
    counts = {
        name: sum(getattr(cell, name) for cell in loss_map.cells)
        for name in ("coalesced", "lost", "spurious")
    }
    rest = ", ".join(f"{count} {name}" for name, count in counts.items())
    all_ = sum(2 * cell.pairs for cell in loss_map.cells)
    text = f"{len(loss_map.cells)} cells, {all_} pulses: {served} served; {rest}"
    always = [
        f"{_widths(part, hz)} and from {wording.time(part.spacing_ticks, hz)} apart on all were "
        f"served (N = {part.pulses}, "
        f"at most {100 * (1 - (1 - CONFIDENCE) ** (1 / part.pulses)):.2g} % are not)"
        for part in loss_map.always()
    ]
    return "; ".join([text, *(always or ["nowhere in the grid were all served"])])


def _widths(part: Served, hz: int) -> str:
    if part.until_ticks is None:
        return f"from {wording.time(part.width_ticks, hz)} wide"
    narrowest = wording.time(part.width_ticks, hz)
    return f"{narrowest} to {wording.time(part.until_ticks, hz)} wide"
