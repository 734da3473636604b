"""A run from a folder that others are looked at beside."""

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
        """Reads a run folder. Raises StorageError, also where nothing was measured."""
        found = read(folder)
        if not found.run.stats or not found.run.stats[0].served:
            raise StorageError(f"{folder} holds no latency; name another run")
        channel = found.run.stats[0].channel
        return cls(found.run, channel, found.distribution(channel))

    @property
    def name(self) -> str:
        """What legends call the reference, and that it is not valid where it is not."""
        word = "" if self.run.valid else " (interrupted)" if self.run.interrupted else " (INVALID)"
        return f"reference{word}: {self.run.experiment.name}"

    @property
    def label(self) -> str:
        """Where the numbers of the reference come from, for the badge."""
        return self.run.label

    @property
    def kind(self) -> str:
        """Whether a board or a twin was measured; empty if the run never said."""
        return self.run.source.target if self.run.source else ""

    @property
    def quantiles(self) -> tuple[QuantileStats, ...]:
        """Quantiles of run.json, where their intervals may be shown."""
        return wording.intervals(self.run, self.run.stats[0])

    @property
    def picture(self) -> Picture:
        """The reference in the form of the run that it is held against."""
        return Picture(self.run, {self.channel: self.distribution})
