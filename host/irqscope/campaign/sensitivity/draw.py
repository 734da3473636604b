"""One quick run on a twin: without calibration and folder, but with all checks of validity."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import irqscope
from irqscope.acquire.callbacks import Stop, Untold
from irqscope.acquire.collect import Collection
from irqscope.acquire.measurement import Measurement
from irqscope.acquire.plan import BATCH_S
from irqscope.acquire.running import Running
from irqscope.acquire.session import Session
from irqscope.errors import Interrupted, IrqscopeError
from irqscope.experiment import Experiment
from irqscope.link.identity import Identity
from irqscope.report import wording
from irqscope.results.folder import RunFolder, now
from irqscope.results.record import Host, Model, Program, RunRecord
from irqscope.results.sensitivity_record import Failed, Outcome
from irqscope.results.statistics import Independence
from irqscope.targets.process import SimulationTarget
from irqscope.targets.twin import TwinProcess, TwinSettings
from irqscope.units import ticks_to_ns

_MEDIAN = 0.5


def draw(experiment: Experiment, settings: TwinSettings, stop: Stop) -> Outcome | Failed:
    """Returns the experiment's outcome on this twin. Raises Interrupted."""
    folder = _Unwritten(experiment)
    run = _Draw(experiment, folder, Untold(), stop, None, None)
    error: IrqscopeError | None = None
    try:
        settings = replace(settings, stack=experiment.stack).of(program=experiment.of_program)
        program, deviation = None, ""
        if experiment.of_program:
            settings = settings.watching(experiment.watches, experiment.leads)
            program = settings.program()
            deviation = replace(settings, values=()).deviation(program)
        # Values are in the record of all; asking for their units takes a process.
        process = TwinProcess(settings, program=program)
        target = SimulationTarget(process, deviation, None)
        target.program = program
        try:
            run.on(target)
        finally:
            target.close()
    except IrqscopeError as caught:
        error = caught
    error = run.end(error)
    if isinstance(error, Interrupted):
        raise error
    values = folder.run
    if not values.valid:
        return Failed(failed="; ".join(values.reasons))
    stats, hz, source = values.stats[0], values.tick_hz, values.source
    assert source is not None  # a valid run of a twin has one, with profile and hash
    assert source.profile is not None and source.profile_hash is not None
    if stats.served < stats.n:
        return Failed(failed=f"its figures are open: {wording.unanswered(stats)}")
    low, high = next(q.sample_ticks for q in stats.quantiles if q.p == _MEDIAN)
    assert high is not None and stats.min_ticks is not None and stats.max_ticks is not None
    return Outcome(
        failed=None,
        label=source.label,
        profile=source.profile,
        profile_hash=source.profile_hash,
        firmware_hash=f"{values.identified.firmware_hash:#010x}",
        build_hash=f"{values.identified.build_hash:#010x}",
        n=stats.n,
        min_ns=ticks_to_ns(stats.min_ticks, hz),
        median_ns=ticks_to_ns((low + high) // 2, hz),
        max_ns=ticks_to_ns(stats.max_ticks, hz),
        stm=_stm(values),
    )


def _stm(values: RunRecord) -> tuple[int, int, int] | None:
    """Least, median and greatest latency by the second stamp, ns."""
    latency = None if values.stm is None else values.stm.latency
    return None if latency is None else (latency.min_ns, latency.median_ns, latency.max_ns)


class _Draw(Running):
    """A run that asks for nothing but latencies."""

    def _calibrated(self, session: Session, kind: Measurement) -> None:
        """Nothing is too soon: how soon an answer can come differs in each draw."""

    def _model(self, identity: Identity) -> Model | None:
        return None

    def _looks(self, collection: Collection) -> dict[int, Independence]:
        return {}


class _Unwritten(RunFolder):
    """Keeps ``run`` and no file."""

    def __init__(self, experiment: Experiment) -> None:
        self.path = Path()
        self.run = RunRecord(
            program=Program(name="irqscope", version=irqscope.__version__),
            host=Host(python=platform.python_version(), system=platform.platform()),
            started=now(),
            target="twin",
            experiment=experiment,
            batch_s=BATCH_S,
        )

    def log(self, text: str) -> None:
        """Nobody reads it."""

    def _ignore(self, table: Any) -> None:
        """Discards rows that no file will hold."""

    add_samples = add_stm = add_places = set_samples = add_batch = _ignore

    def flush(self, histogram: Any, run: RunRecord | None = None) -> None:
        """Nothing is written; ``run`` is kept."""
        self.run = run or self.run

    def keep(self) -> None:
        """Nothing is written."""

    def end(self, reason: str, message: str) -> None:
        """Nothing is written."""
