"""A loss map as ``run.json`` has it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from irqscope.units import Natural, Strict

#: What became of the pulses of a cell, the best first.
KINDS = ("all served", "some coalesced", "some lost", "spurious answers")


class LossCell(Strict):
    """One width of pulse at one spacing, rise to rise, with two pulses for each pair.

    ``served``: answered; ``coalesced``: two pulses had one answer; ``lost``: two had none.
    ``spurious``: answers beyond two.
    """

    width_ticks: Natural
    spacing_ticks: Natural
    pairs: Natural
    served: Natural
    coalesced: Natural
    lost: Natural
    spurious: Natural

    @property
    def kind(self) -> int:
        """Place in KINDS: the worst that happened."""
        return 3 if self.spurious else 2 if self.lost else 1 if self.coalesced else 0

    @property
    def share(self) -> str:
        """The share of pulses that were served, percent."""
        return f"{50 * self.served / max(1, self.pairs):.3g}"

    @property
    def good(self) -> bool:
        """Whether each pulse had its answer, and no other answer came."""
        return self.served == 2 * self.pairs and not self.spurious


@dataclass(frozen=True)
class Served:
    """Pulses that were all served, from a width and a spacing on.

    From ``width_ticks`` to ``until_ticks`` (None for all longer ones), and from ``spacing_ticks``
    on. ``pulses``: how many they were.
    """

    width_ticks: int
    until_ticks: int | None
    spacing_ticks: int
    pulses: int


class LossMap(Strict):
    """All cells, by width and spacing; without those whose pulses would merge."""

    cells: tuple[LossCell, ...]

    @property
    def widths(self) -> list[int]:
        """The widths of pulses, ticks, ascending: rows of the map."""
        return sorted({cell.width_ticks for cell in self.cells})

    @property
    def spacings(self) -> list[int]:
        """Spacings of the map's columns, rise to rise, in ticks, ascending."""
        return sorted({cell.spacing_ticks for cell in self.cells})

    def always(self) -> list[Served]:
        """Returns limits from which each cell is good, shortest width first.

        A further limit has a shorter spacing.
        """
        points: list[Served] = []
        widths = self.widths
        for place, width in enumerate(widths):
            spacings = sorted({c.spacing_ticks for c in self.cells if c.width_ticks == width})
            spacing = next((s for s in spacings if self._good(width, s)), None)
            if spacing is None or (points and spacing >= points[-1].spacing_ticks):
                continue
            beyond = list(takewhile(lambda w, s=spacing: self._good(w, s), widths[place:]))  # type: ignore[misc]
            inside = [c for w in beyond for c in self._from(w, spacing)]
            until = None if beyond[-1] == widths[-1] else beyond[-1]
            points.append(Served(width, until, spacing, sum(2 * c.pairs for c in inside)))
        return points

    def _from(self, width: int, spacing: int) -> list[LossCell]:
        return [c for c in self.cells if c.width_ticks == width and c.spacing_ticks >= spacing]

    def _good(self, width: int, spacing: int) -> bool:
        return all(cell.good for cell in self._from(width, spacing))
