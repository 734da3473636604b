"""irqscope in the place of the logic analyser of Zephyr's external timer test.

That test (tests/kernel/timer/timer_behavior, scenario kernel.timer.timer_behavior_external) imports
a module by the name in ``--tool``, with ``__import__``, and calls its :func:`run`. So this is a
package of its own and not a part of irqscope: for a name with a dot ``__import__`` gives the first
word.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from irqscope.acquire.measure import measure
from irqscope.acquire.plan import Plan
from irqscope.constants import StartKind
from irqscope.errors import ExperimentError, TargetError
from irqscope.experiment import Experiment, load
from irqscope.experiment.checks import shortest_period
from irqscope.machines.known import DEFAULT
from irqscope.results.reader import Run, read
from irqscope.results.stimuli import LONGEST_BATCH_S

Statistics = dict[str, float]

_RETURNS = ("pair", "dictionary")


@dataclass(frozen=True)
class Options:
    """``target``: as of ``irqscope run``. ``experiment``: file whose first channel goes from a
    marker to the next of its kind. ``out``: run folder to keep, new or empty. ``returns``: what the
    test asks for: since Zephyr 3.7 a pair of statistics and the number of periods, before it and in
    its README the dictionary of statistics alone.
    """

    experiment: Path
    target: str = "twin"
    out: Path | None = None
    returns: str = _RETURNS[0]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Options from ``KEY=VALUE,...``, as ``--tool-options`` has it. Raises ExperimentError."""
        given: dict[str, str] = {}
        for word in filter(None, (text or "").split(",")):
            key, equals, value = word.partition("=")
            if not equals or key not in cls.__dataclass_fields__ or key in given:
                known = ", ".join(cls.__dataclass_fields__)
                raise ExperimentError(
                    f'--tool-options: "{word}"; give KEY=VALUE once each, KEY of {known}'
                )
            given[key] = value
        if "experiment" not in given:
            raise ExperimentError("--tool-options: experiment=FILE is missing")
        returns = given.get("returns", _RETURNS[0])
        if returns not in _RETURNS:
            raise ExperimentError(
                f"--tool-options: returns={returns}; give {' or '.join(_RETURNS)}"
            )
        return cls(
            Path(given["experiment"]),
            given.get("target", cls.target),
            Path(given["out"]) if "out" in given else None,
            returns,
        )


def run(seconds: float, options: str) -> Statistics | tuple[Statistics, int]:
    """Measures periods for ``seconds`` of the target's time. ``options``: see :class:`Options`.

    The statistics, in s: ``mean``, ``stddev``, ``var`` (s^2), ``min`` and ``max`` of the periods,
    and ``total_time`` from the first marker to the last. Raises IrqscopeError.
    """
    asked = Options.parse(options)
    with tempfile.TemporaryDirectory(prefix="irqscope-zephyr-") as temporary:
        folder = asked.out or Path(temporary, "run")
        experiment = _lasting(load(asked.experiment), asked.experiment, seconds)
        result = measure(experiment, asked.target, folder, batch_s=LONGEST_BATCH_S)
        if result.error is not None:
            raise result.error
        if not result.run.valid:
            raise TargetError(f"the run is not valid: {'; '.join(result.run.reasons)}")
        found, count = statistics(read(folder))
    return found if asked.returns == "dictionary" else (found, count)


def statistics(run: Run) -> tuple[Statistics, int]:
    """Statistics of all periods of a run of one batch, and how many. Raises TargetError."""
    counters = run.run.counters[0]
    if counters.coalesced or counters.timed_out > 1:
        raise TargetError(
            f"{counters.timed_out} markers had no next one within the timeout, of which one is the "
            "last; give a longer timeout, or look for what is lost"
        )
    samples = run.samples()
    ticks = samples.filter(_of(samples, counters.channel))["latency_ticks"].drop_null()
    periods = ticks.to_numpy().astype(np.int64)
    if len(periods) == 0:
        raise TargetError("fewer than two markers came, and so no period")
    tick_s = 1 / run.run.tick_hz
    found = {
        "mean": float(periods.mean()) * tick_s,
        "stddev": float(periods.std()) * tick_s,
        "var": float(periods.var()) * tick_s**2,
        "min": int(periods.min()) * tick_s,
        "max": int(periods.max()) * tick_s,
        "total_time": int(periods.sum()) * tick_s,
    }
    return found, len(periods)


def _of(samples: Any, channel: int) -> Any:
    return np.asarray(samples["channel"]) == channel


def _lasting(experiment: Experiment, path: Path, seconds: float) -> Experiment:
    """The experiment with as many stimuli as fill the time, and one to begin it. Raises
    ExperimentError.
    """
    channel = experiment.channels[0]
    if channel.start.kind is not StartKind.MARKER or str(channel.start) != str(channel.stop):
        raise ExperimentError(
            f"{path}: channels[0] goes from {channel.start} to {channel.stop}; a period goes from "
            'a marker to the next of its kind, as from "handler" to "handler"'
        )
    if not math.isfinite(seconds) or seconds <= 0 or not experiment.lines:
        raise ExperimentError(f"{path}: nothing lasts {seconds} s in it")
    hz = DEFAULT.tick_hz
    period_s = shortest_period(experiment.lines[0], hz) / hz
    lasting = experiment.model_copy(update={"count": round(seconds / period_s) + 1})
    batches = len(list(Plan(lasting, DEFAULT, hz, batch_s=LONGEST_BATCH_S).batches()))
    if batches > 1:
        raise ExperimentError(
            f"{path}: {lasting.count} periods of {seconds} s are kept in {batches} batches, "
            "between which none are; ask for fewer"
        )
    return lasting
