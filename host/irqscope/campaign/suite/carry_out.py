"""One run of a suite, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from irqscope.acquire.callbacks import Progress, Stop, Watch
from irqscope.acquire.measure import measure
from irqscope.errors import Interrupted, StorageError
from irqscope.experiment import Experiment

Report = Callable[[Path], object]


@dataclass(frozen=True)
class Outcome:
    """End of a run. ``ends``: why the suite ends with it, if it does."""

    state: str
    reasons: tuple[str, ...]
    seconds: float
    ends: Interrupted | StorageError | None = None


def carry_out(
    experiment: Experiment,
    target: str,
    folder: Path,
    progress: Progress,
    stop: Stop,
    report: Report,
    watch: Watch | None = None,
) -> Outcome:
    """Measures, and writes the report."""
    began = time.monotonic()
    result = measure(experiment, target, folder, progress=progress, stop=stop, watch=watch)
    seconds = round(time.monotonic() - began, 1)
    ends = result.error if isinstance(result.error, Interrupted | StorageError) else None
    if result.run.stats and ends is None:
        progress.step("report")
        report(folder)
    return Outcome(result.state, result.run.reasons, seconds, ends)
