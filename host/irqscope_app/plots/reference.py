"""A reference run, overlaid on the current one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from irqscope.analysis.stats import Distribution
from irqscope.errors import StorageError
from irqscope.report import wording
from irqscope.results.reader import read
from irqscope.results.record import RunRecord
from irqscope.results.statistics import QuantileStats
from irqscope_app.control.feed import Picture


@dataclass(frozen=True)
class Reference:
    """The first channel of a run, from the gateware's histogram."""

    run: RunRecord
    channel: int
    distribution: Distribution

    @classmethod
    def of(cls, folder: Path) -> Reference:
        """Reads a run folder. Raises StorageError, also if nothing was measured."""
        folder_read = read(folder)
        if not folder_read.run.stats or not folder_read.run.stats[0].served:
            raise StorageError(f"{folder} holds no latency; name another run")
        channel = folder_read.run.stats[0].channel
        return cls(folder_read.run, channel, folder_read.distribution(channel))

    @property
    def name(self) -> str:
        """Name of the reference in legends, marked if the run is invalid."""
        word = "" if self.run.valid else " (interrupted)" if self.run.interrupted else " (INVALID)"
        return f"reference{word}: {self.run.experiment.name}"

    @property
    def label(self) -> str:
        """Source of the reference's numbers, for the badge."""
        return self.run.label

    @property
    def kind(self) -> str:
        """Returns "board" or "twin", or an empty string if the run does not state it."""
        return self.run.source.target if self.run.source else ""

    @property
    def quantiles(self) -> tuple[QuantileStats, ...]:
        """Quantiles of run.json, if their intervals may be shown."""
        return wording.intervals(self.run, self.run.stats[0])

    @property
    def picture(self) -> Picture:
        """Converts the reference to the form of the current run."""
        return Picture(self.run, {self.channel: self.distribution})
