"""A plugin of pytest: a firmware's latency as a test of the firmware's own (docs/programs.md).

pytest finds it wherever irqscope is installed. The heavy parts are imported by the fixture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from irqscope.errors import ExperimentError, IrqscopeError
from irqscope.units import Duration, ticks_to_ns

if TYPE_CHECKING:
    from irqscope.results.reader import Run

#: Lines of a distribution that an assertion prints, and the length of its longest bar.
_LINES = 20
_BAR = 40


@dataclass(frozen=True)
class Latency:
    """Latencies of one channel of a valid run, in ticks of ``tick_hz``; of a soft core, cycles.

    ``latency <= "2 us"`` and ``latency <= "30 ticks"``: every stimulus was answered, and none
    later. Judged by the counters, which count all stimuli whatever `samples` keeps.

    Attributes:
        ticks: Latencies of the samples that the run keeps.
        answered: Number of stimuli that were answered.
        unanswered: Number of stimuli that timed out or coalesced.
        min_ticks: The shortest latency of all stimuli, or None if none was answered.
        max_ticks: The longest latency of all stimuli, or None if none was answered.
    """

    name: str
    label: str
    tick_hz: int
    ticks: tuple[int, ...]
    answered: int
    unanswered: int
    min_ticks: int | None
    max_ticks: int | None

    def __le__(self, bound: str | int) -> bool:
        limit = Duration.parse(bound).of(self.tick_hz)
        return self.max_ticks is not None and not self.unanswered and self.max_ticks <= limit

    def distribution(self) -> list[str]:
        """Lines of text: how often each latency was met, neighbours together if they are many."""
        low, high = self.min_ticks, self.max_ticks
        if low is None or high is None:
            return [f"{self.name}: none of {self.unanswered} stimuli was answered"]
        width = (high - low) // _LINES + 1
        bins = Counter((tick - low) // width for tick in self.ticks)
        lines = [
            f"{self.name} on {self.label}",
            f"{self.answered} answered, {self.unanswered} not; {low} to {high} ticks, "
            f"{ticks_to_ns(low, self.tick_hz)} to {ticks_to_ns(high, self.tick_hz)} ns",
        ]
        if len(self.ticks) < self.answered:
            lines.append(f"the run keeps {len(self.ticks)} of the {self.answered} one by one:")
        for place in sorted(bins):
            first = low + place * width
            text = str(first) if width == 1 else f"{first}..{first + width - 1}"
            bar = "#" * -(-_BAR * bins[place] // max(bins.values()))
            lines.append(f"{text:>12} {bins[place]:>8} {bar}")
        return lines

    def __repr__(self) -> str:
        return f"<{self.name}: {self.answered} answered, {self.unanswered} not>"


class TargetUnderTest:
    """A target as ``--target`` names it, with a program; each run has a folder of its own."""

    def __init__(self, target: str, folder: Path) -> None:
        self.target = target
        self._folder = folder
        self._runs = 0

    def measure(self, experiment: Path | str, **changes: Any) -> dict[str, Latency]:
        """Measures an experiment file, ``changes`` as ``count=100``; a latency for each channel.

        Keys are what stops a channel, as the file writes it; of several with one stop the first.
        Raises IrqscopeError, also if the run is not valid.
        """
        from irqscope.acquire.measure import measure
        from irqscope.experiment import load
        from irqscope.results.reader import read_unchanged

        self._runs += 1
        folder = self._folder / f"run{self._runs}"
        result = measure(load(experiment, **changes), self.target, folder)
        if result.error is not None:
            raise result.error
        if not result.run.valid:
            raise ExperimentError(
                f"{folder}: the run is not valid: {'; '.join(result.run.reasons)}"
            )
        if result.run.replay:
            raise ExperimentError(
                f"{self.target} measures nothing; a test judges measurements, so name a target"
            )
        return _latencies(read_unchanged(folder))


def _latencies(run: Run) -> dict[str, Latency]:
    rows = run.samples().select(["channel", "latency_ticks"]).to_pylist()
    by_channel: dict[str, Latency] = {}
    counted = {stats.channel: stats for stats in run.run.stats}
    for channel in run.run.experiment.channels:
        of_it = [row["latency_ticks"] for row in rows if row["channel"] == channel.index]
        all_of_it = counted[channel.index]
        latency = Latency(
            name=f"{channel.start} -> {channel.stop}",
            label=run.run.label,
            tick_hz=run.run.tick_hz,
            ticks=tuple(tick for tick in of_it if tick is not None),
            answered=all_of_it.served,
            unanswered=all_of_it.n - all_of_it.served,
            min_ticks=all_of_it.min_ticks,
            max_ticks=all_of_it.max_ticks,
        )
        by_channel.setdefault(str(channel.stop), latency)
    return by_channel


@pytest.fixture
def irqscope_target(tmp_path: Path) -> Callable[..., TargetUnderTest]:
    """Takes a target and, as ``elf``, the program that it runs: ``("rtl:ibex", elf=FILE)``."""

    def made(target: str, *, elf: Path | str | None = None) -> TargetUnderTest:
        return TargetUnderTest(target if elf is None else f"{target}:elf={elf}", tmp_path)

    return made


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Prints the distribution of a latency that is not as it should be."""
    if op != "<=" or not isinstance(left, Latency):
        return None
    return [f"{left!r} <= {right!r}", *left.distribution()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Errors of irqscope are one line that says what to do, and no traceback."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, IrqscopeError):
        report.longrepr = f"irqscope: {call.excinfo.value}"
    return report
