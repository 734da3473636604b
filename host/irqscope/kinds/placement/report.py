"""Latency against placement, in words and drawn: once for terminal, report and window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.kinds.placement.record import Instruction, Placements
from irqscope.report import wording
from irqscope.report.grid import Grid
from irqscope.report.telling import PageTable, Plotted, Row
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord

_HEADER = (
    ("address", ""),
    ("place", ""),
    ("instruction", "code"),
    ("interrupts taken here", "number"),
    ("latency", "number"),
    ("delays by up to", "number"),
)
_TEXT = (
    "An interrupt is taken in front of the instruction that it returns to. The last column: by how "
    "much more than the shortest latency an interrupt waited that came in this instruction, or in "
    "the group that begins with it and is never interrupted; as if the code ran straight through. "
    "After the code under test come the other places in which interrupts were taken."
)


class Placement(Grid):
    """Latencies by where the interrupt was taken."""

    def headline(self) -> str:
        return "" if self.run.part(Placements) is None else sentence(self.run)

    def rows(self) -> list[Row]:
        rows = super().rows()
        if self.run.part(Placements) is not None:
            rows.append(Row("placements", (sentence(self.run),)))
            rows.append(Row("not interrupted", ("; ".join(never(self.run)) or "nothing",)))
        return rows

    def plots(self, run: Run) -> list[Plotted]:
        base_plots, placements = super().plots(run), run.run.part(Placements)
        if placements is not None and base_plots and least_ticks(placements) is not None:
            base_plots.insert(0, _plotted(run, placements))
        return base_plots

    def tables(self) -> list[PageTable]:
        rows = [
            (
                f"{row.instruction.address:#x}",
                row.instruction.where,
                row.instruction.text,
                str(row.instruction.taken),
                row.latency,
                row.delays,
            )
            for row in table(self.run)
        ]
        return [PageTable("Where it was interrupted", _HEADER, rows, _TEXT)] if rows else []

    def _when(self, index: int) -> str:
        placements = self.run.part(Placements)
        if placements is None:
            return super()._when(index)
        return f"at {tried(placements)} placements of {placements.symbol}"


def _plotted(run: Run, grid: Placements) -> Plotted:
    """The plot against placement, by where the interrupt was taken."""
    from irqscope.kinds.placement import drawing
    from irqscope.report.latency_plots import drawn

    measured = points(run)
    delay, latency = drawn(run, measured.delay), drawn(run, measured.latency)
    groups = measured.by_place(grid.symbol).items()
    curves = {name: (delay[mask], latency[mask]) for name, mask in groups if mask.any()}
    unit, label = wording.unit(run.run.tick_hz), run.run.label
    drawn_ = drawing.placements(curves, unit, held(run.run), label)
    return Plotted("Placement", f"{sentence(run.run)}.", drawn_)


@dataclass(frozen=True)
class Group:
    """One or several instructions in a row before which no interrupt was taken.

    ``delays``: the most ticks by which an interrupt in it exceeded the shortest latency, or None if
    unknown, because none was taken after it in the code under test.
    """

    instructions: tuple[Instruction, ...]
    delays: int | None
    untried: bool = False  #: no placement was taken in or after it: it says nothing

    @property
    def never(self) -> bool:
        """Whether no interrupt was taken before it."""
        return not self.instructions[0].taken


def groups(grid: Placements) -> list[Group]:
    """The code under test from top to bottom, in straight order."""
    grouped: list[list[Instruction]] = []
    for instruction in grid.instructions:
        if grouped and not instruction.taken and not grouped[-1][0].taken:
            grouped[-1].append(instruction)
        else:
            grouped.append([instruction])
    shortest = least_ticks(grid)
    longest = [group[0].max_ticks for group in grouped[1:]]
    # After instructions that are never interrupted is one that is.
    following = [
        after if after is not None else (longest[at + 1] if at + 1 < len(longest) else None)
        for at, after in enumerate(longest)
    ] + [None]
    last = len(grouped) - 1
    return [
        Group(
            tuple(group),
            None if after is None or shortest is None else after - shortest,
            untried=at == last and not group[0].taken and not grid.through,
        )
        for at, (group, after) in enumerate(zip(grouped, following, strict=True))
    ]


@dataclass(frozen=True)
class Shown:
    """A row of the table: encounters of an interrupt before an instruction, or in it."""

    instruction: Instruction
    latency: str
    delays: str


def table(run: RunRecord) -> list[Shown]:
    """Each instruction of the code under test, then the other places."""
    placements, rows = run.part(Placements), list[Shown]()
    if placements is None:
        return rows
    hz = run.tick_hz
    for group in groups(placements) + [Group((one,), None) for one in placements.elsewhere]:
        for place, instruction in enumerate(group.instructions):
            shortest, longest = instruction.min_ticks, instruction.max_ticks
            times = "not reached" if group.untried else "never"
            if shortest is not None and longest is not None:
                times = wording.plain(shortest, hz)
                if longest > shortest:
                    times = f"{wording.number(shortest, hz)} to {wording.plain(longest, hz)}"
            delays = "" if group.delays is None or place else wording.plain(group.delays, hz)
            rows.append(Shown(instruction, times, delays))
    return rows


@dataclass(frozen=True)
class Points:
    """Latency against placement, of the placements that were taken somewhere; arrays of shape (n,).

    ``delay``, ``latency``: ticks; ``address``: of the instruction after it; ``sequence``: of the
    stimulus; ``inside``: whether that is in the code_under_test.
    """

    delay: npt.NDArray[np.int64]
    latency: npt.NDArray[np.int64]
    address: npt.NDArray[np.uint64]
    sequence: npt.NDArray[np.int64]
    inside: npt.NDArray[np.bool_]

    def by_place(self, symbol: str) -> dict[str, npt.NDArray[np.bool_]]:
        """Divides points into those in the function ``symbol`` and those elsewhere."""
        return {f"taken in {symbol}": self.inside, "taken elsewhere": ~self.inside}


def points(run: Run) -> Points:
    """The placements that the run's files hold so far. Raises StorageError."""
    placements, rows = run.run.part(Placements), run.places()
    assert placements is not None  # the caller has checked
    rows = rows.filter(rows["latency_ticks"].is_valid())
    address = rows["address"].fill_null(0).to_numpy()
    return Points(
        rows["delay_ticks"].to_numpy().astype(np.int64),
        rows["latency_ticks"].to_numpy().astype(np.int64),
        address,
        rows["sequence"].to_numpy().astype(np.int64),
        (address >= placements.address) & (address < placements.address + placements.size),
    )


def least_ticks(grid: Placements) -> int | None:
    """The shortest latency of all placements."""
    minima = [i.min_ticks for i in _all(grid) if i.min_ticks is not None]
    return min(minima, default=None)


def greatest_ticks(grid: Placements) -> int | None:
    """The longest latency of all placements."""
    maxima = [i.max_ticks for i in _all(grid) if i.max_ticks is not None]
    return max(maxima, default=None)


def tried(grid: Placements) -> int:
    """Number of placements of the run."""
    return len(range(grid.first_ticks, grid.last_ticks + 1, grid.step_ticks))


def sentence(run: RunRecord) -> str:
    """Describes the number of placements, and the scope of their least and greatest latency."""
    grid = run.part(Placements)
    assert grid is not None  # the caller has checked
    hz = run.tick_hz
    number = tried(grid)
    shortest, greatest = least_ticks(grid), greatest_ticks(grid)
    if shortest is None or greatest is None:
        return f"{number} placements of {grid.symbol}, none answered"
    (longest,) = [i for i in _all(grid) if i.max_ticks == greatest][:1]
    words = (
        f"{number} placements of {grid.symbol}, {wording.plain(grid.first_ticks, hz)} to "
        f"{wording.plain(grid.last_ticks, hz)} after the marker: least "
        f"{wording.plain(shortest, hz)}, most {wording.plain(greatest, hz)} in front of "
        f"{longest.where} `{longest.text}`"
    )
    passes = run.stimuli // number
    if grid.alike and passes > 1:
        words += f", the same in each of {passes} passes"
    elif passes > 1:
        words += f", not the same in each of {passes} passes"
    return f"{words}; {held(run)}"


def held(run: RunRecord) -> str:
    """Says what the least and the greatest latency hold for."""
    placements = run.part(Placements)
    if (
        run.identified.is_rtl
        and placements is not None
        and placements.step_ticks == 1
        and placements.alike
    ):
        return "exact for this code and state"
    if run.identified.is_rtl:
        return "of the placements tried"
    if run.identified.profile is not None:
        return f"within the model {run.identified.profile}, of the placements tried"
    return "of the placements tried"


def never(run: RunRecord) -> list[str]:
    """A sentence on each piece of the code under test that is never interrupted."""
    placements, hz = run.part(Placements), run.tick_hz
    texts: list[str] = []
    for group in groups(placements) if placements else []:
        if not group.never:
            continue
        first, last = group.instructions[0], group.instructions[-1]
        text = f"{first.where} `{first.text}`"
        if last is not first:
            text += f" to {last.where} `{last.text}` ({len(group.instructions)} instructions)"
        waits = ""
        if group.delays is not None:
            waits = f", delays by up to {wording.plain(group.delays, hz)}"
        if group.untried:
            waits = ": no placement was taken in or after them"
        texts.append(f"{text}{waits}")
    return texts


def _all(grid: Placements) -> tuple[Instruction, ...]:
    return grid.instructions + grid.elsewhere
