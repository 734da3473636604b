"""Throughput in words and drawn: how often a line that stays up is answered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irqscope.experiment.stack import on_core
from irqscope.kinds.latency.report import Latency
from irqscope.report import wording
from irqscope.report.telling import PageTable, Plotted, Row
from irqscope.results import statistics
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord

_HEADER = (("core", ""), *((name, "number") for name in ("phases", "median", "min", "max")))


class Throughput(Latency):
    """Rates, with the latencies of the first answers."""

    title = "Interrupt throughput"
    averaged = False

    def _sentence(self) -> str:
        rates = self.run.throughput
        if not rates:
            return super()._sentence()
        each = (f"{handler_of(self.run, one)}: {one.median_hz:.0f}" for one in rates)
        return f"Interrupts handled in a second, median: {'; '.join(each)}."

    def case(self) -> str:
        case, rest = super().case().split(", ", 1)
        return f"{case}, throughput, {rest}"

    def rows(self) -> list[Row]:
        rates = self.run.throughput
        cells = tuple(_rate(self.run, entry) for entry in rates)
        return ([Row("throughput", cells)] if rates else []) + super().rows()

    def plots(self, run: Run) -> list[Plotted]:
        from irqscope.kinds.throughput import drawing

        base_plots = super().plots(run)
        if self.run.throughput:
            text = (
                "Markers of the handler between two rises of the line, by the length of a high "
                "phase."
            )
            base_plots.append(
                Plotted("Throughput", text, drawing.rates(_rates(run.run), run.run.label))
            )
        return base_plots

    def tables(self) -> list[PageTable]:
        rows = [_row(self.run, entry) for entry in self.run.throughput]
        text = "Runs of the handler between two rises of the line, by the length of a high phase."
        return [PageTable("Throughput by core", _HEADER, rows, text)] if rows else []


def _row(run: RunRecord, entry: statistics.Throughput) -> tuple[str, ...]:
    """One core's row of the page's table."""
    ends = [f"{entry.min_hz:,.0f} Hz", f"{entry.max_hz:,.0f} Hz"]
    if wording.repeats(run, entry):
        ends = [wording.REPEATS, ""]
    return (handler_of(run, entry), str(len(entry.stops)), f"{entry.median_hz:,.0f} Hz", *ends)


def handler_of(run: RunRecord, entry: statistics.Throughput) -> str:
    """The core that stored, with the stack of its handler where that is not the measured one."""
    stack = on_core(run.experiment.stack, entry.core)
    return f"{entry.core}" + ("" if stack == run.experiment.stack else f" ({stack})")


def _rate(run: RunRecord, entry: statistics.Throughput) -> str:
    """Throughput of one channel, in handled interrupts a second of high phase."""
    core = "any core" if entry.core is None else f"core {handler_of(run, entry)}"
    phases = f"in {len(entry.stops)} phases"
    if wording.repeats(run, entry):
        return f"{core}: {entry.median_hz:.0f} Hz {phases}, as {wording.REPEATS}"
    return f"{core}: {entry.median_hz:.0f} Hz, {entry.min_hz:.0f} to {entry.max_hz:.0f} Hz {phases}"


def _rates(run: RunRecord) -> dict[int | None, npt.NDArray[np.float64]]:
    """Handled interrupts per second in each phase, by core."""
    hz = run.tick_hz
    return {
        entry.core: np.array(entry.stops, np.float64) * hz / entry.high_ticks
        for entry in run.throughput
    }
