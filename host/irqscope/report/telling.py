"""Reports a run, in words and plots; each kind of measurement overrides its own parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from irqscope.constants import Marker, StartKind
from irqscope.experiment.model import Experiment
from irqscope.experiment.stack import on_core
from irqscope.machines.cases import CASES
from irqscope.report import wording
from irqscope.report.bound import bound
from irqscope.results.masked import MaskedInterval
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Stats

if TYPE_CHECKING:
    from irqscope.report.figure import Drawing


@dataclass(frozen=True)
class Row:
    """``cells``: one text for each channel, or a single one for the whole run."""

    name: str
    cells: tuple[str, ...]


class Plotted(NamedTuple):
    """A plot, its title, and its content."""

    title: str
    text: str
    drawing: Drawing


class PageTable(NamedTuple):
    """A table of the report's page.

    Attributes:
        title: above it.
        header: names of the columns, each with how its cells look: ``number``, ``code``, or empty.
        rows: a text for each column.
        text: below it: the meaning of the table.
    """

    title: str
    header: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[str]]
    text: str


class Report:
    """Describes a run by its record alone; :meth:`plots` also reads its folder.

    It alone loads the plotting library, which takes a second.
    """

    #: The measured case, for a reader who has never seen a run.
    title = "Interrupt latency"
    #: What is counted.
    stimuli = "interrupts"

    def __init__(self, run: RunRecord) -> None:
        self.run = run

    @property
    def measured(self) -> bool:
        """Whether there is a result."""
        return bool(self.run.stats)

    def sentence(self) -> str:
        """The result in one sentence; first of all whether there is one."""
        run = self.run
        if not run.valid and not run.interrupted:
            return f"This run is not valid: {'; '.join(run.reasons) or 'it was not closed'}."
        early = "" if run.valid else f" The run was ended early: {run.reasons[0]}."
        return (self._sentence() if self.measured else "Nothing was measured.") + early

    def _sentence(self) -> str:
        run, statistics, hz = self.run, self.run.stats[0], self.run.tick_hz
        text = f"Of {statistics.n} {self.stimuli}"
        if len(run.stats) > 1:
            text += f" on channel {statistics.channel}"
        if late := wording.unanswered(statistics):
            return f"{text}, {late}: latencies are bounded from below alone."
        parts = self._carried(statistics)
        parts.append(f"the longest took {wording.plain(statistics.max_ticks or 0, hz)}")
        return f"{text}, {', '.join(parts)}."

    def headline(self) -> str:
        """The result in place of quantiles; empty where they are the result."""
        return ""

    def case(self) -> str:
        """Names the measured case, in one line."""
        e = self.run.experiment
        parts = [
            e.case.upper(),
            _cores_of(e),
            f"caches {e.caches}",
            f"{wording.interrupt(self.run)} by {e.trigger}",
            f"idle {e.idle}",
            f"{e.markers} markers",
        ]
        if e.clock_divisor > 1:
            parts.append(f"CPU clock / {e.clock_divisor} in sleep")
        if "state" in CASES[e.case].keys:
            parts.append(f"emptied: {', '.join(e.state).upper() or 'nothing'}")
        if load := e.load:
            parts.append(f"load over {load.array}")
            if load.budget:
                parts.append(
                    f"at most {load.data_accesses} data and {load.instruction_accesses} "
                    f"instruction accesses in {load.budget} instructions"
                )
            if load.aim == "path":
                parts.append("aimed at the cache sets of the way to the handler")
        if e.lockdown:
            locked = e.lockdown.replace("+", " and ").upper()
            parts.append(f"way to the handler locked in {locked}")
        if e.warm:
            parts.append("way to the handler warmed")
        if timer_tick := e.timer_tick:
            parts.append(f"timer tick of {timer_tick.period}")
        return ", ".join(parts)

    def rows(self) -> list[Row]:
        """The result, as rows of the run's table."""
        run, rows, grid = self.run, list[Row](), wording.grid(self.run)
        if run.stats:
            hz = run.tick_hz
            rows.append(Row("N", self._each(wording.counted)))
            rows.append(Row("min", self._each(lambda s: wording.least(s, hz))))
            rows += self._of_a_sample()
            if model := self.model():
                rows.append(Row("model", (model,)))
            if not run.experiment.of_others:  # whose markers have no sampling grid
                rows.append(Row("phases", self._each(self._phases)))
            if run.is_rtl:
                rows.append(Row("bound", self._each(self._bound)))
        if grid:
            rows.append(Row("distribution", (f"none: {grid}",)))
        if run.masked is not None:
            rows.append(Row("masked", (_masked(run.masked, run.tick_hz),)))
        return rows

    def plots(self, run: Run) -> list[Plotted]:
        """Each plot that the folder's data allow. Raises StorageError."""
        from irqscope.report import latency_plots

        return latency_plots.of_run(run) if run.run.stats else []

    def tables(self) -> list[PageTable]:
        """Tables of the report's page that are this kind's own."""
        return []

    def span(self) -> str:
        """Names both ends of a latency."""
        return "the edge of the line to the stamp of the handler's marker"

    def model(self) -> str:
        """Names the source of a simulation's times, and their limits; empty for a board."""
        return wording.model(self.run)

    def warning(self) -> str:
        """Names the limits of a simulation's numbers; empty for a board."""
        profile = self.run.source.profile if self.run.source else None
        if profile is None:
            return ""
        return (
            f"These numbers come from a simulation with the timing profile {profile}. "
            "They do not predict a board."
        )

    def _each(self, cell: Callable[[Stats], str]) -> tuple[str, ...]:
        return tuple(cell(stats) for stats in self.run.stats)

    def _carried(self, stats: Stats) -> list[str]:
        """Rows of quantiles, for latencies that are a sample of a distribution."""
        return []

    def _of_a_sample(self) -> list[Row]:
        """Rows about the distribution of latencies, if they are a sample of one."""
        return [Row("max", self._each(lambda s: wording.most(s, self.run.tick_hz)))]

    def _phases(self, stats: Stats) -> str:
        """Stimulus phases, against the markers' sampling grid, that the samples covered."""
        channels = {channel.index: channel for channel in self.run.experiment.channels}
        start = channels[stats.channel].start
        if start.kind is not StartKind.LINE:
            return f"on the sampling grid itself: started by marker {start}"
        counts = stats.phases
        if not any(counts):
            return "no samples to tell by"
        missed = [str(phase) for phase, count in enumerate(counts) if not count]
        if missed:
            ns = self.run.identified.machine.sampling_grid.ns
            text = f"another may differ by {ns} ns"
            return f"phase {', '.join(missed)} of 0 to {len(counts) - 1} ticks never met: {text}"
        if len(counts) == 1:
            return "one: each tick meets the sampling grid alike"
        fewest_stimuli, greatest_count = min(counts), max(counts)
        each = (
            f"{fewest_stimuli}"
            if fewest_stimuli == greatest_count
            else f"{fewest_stimuli} to {greatest_count}"
        )
        return f"all of 0 to {len(counts) - 1} ticks, {each} samples each"

    def _bound(self, stats: Stats) -> str:
        """Returns the most cycles from the input to the handler, with the tested conditions.

        That is what suites for certification ask for. It holds for the tested conditions only.
        """
        channels = {channel.index: channel for channel in self.run.experiment.channels}
        start, stop = channels[stats.channel].start, channels[stats.channel].stop
        if start.kind is not StartKind.LINE or not (stop.symbol or stop.marker is Marker.HANDLER):
            return "not from an input to a handler"
        if lacking := wording.unanswered(stats):
            return f"none: {lacking}"
        encounter = next((e for e in self.run.encounters or () if e.line == start.line), None)
        if encounter is None or encounter.n != stats.n:
            share = (
                "" if encounter is None else f" for {stats.n - encounter.n} of {stats.n} interrupts"
            )
            return f"none: what the core did when the line rose was not observed{share}"
        return bound(stats, encounter, self.run.tick_hz, self._when(start.line))

    def _when(self, index: int) -> str:
        """Describes the times at which a line rose."""
        line = next(line for line in self.run.experiment.lines if line.index == index)
        return f"with {2**line.dither} delays by chance" if line.dither else "with one delay"


def _cores_of(experiment: Experiment) -> str:
    """The cores that answer, and by which stack's handler."""
    stack, last = experiment.stack, experiment.cores - 1
    others = on_core(stack, last)
    if others == stack:
        return f"{stack}, " + (f"cores 0 to {last}" if last else f"core {experiment.core}")
    return f"{stack} on core 0, {others} on core{'s 1 to' if last > 1 else ''} {last}"


def _masked(intervals: tuple[MaskedInterval, ...], hz: int) -> str:
    """The longest interval in which the interrupt could not be taken; how many kinds there are."""
    if not intervals:
        return "never for a whole interval"
    one, more = intervals[0], len(intervals) - 1
    longest = f"at most {wording.plain(one.greatest_ticks, hz)}, {one.opened} to {one.closed}"
    rest = f"; {more} more, by `irqscope masked`" if more else ""
    return f"{longest}, {one.count} times{rest}"
