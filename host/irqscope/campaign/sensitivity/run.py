"""Carries a sensitivity out: as many runs at a time as there are cores, each on its own twin."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from irqscope.acquire.callbacks import Stop
from irqscope.campaign.sensitivity.draw import draw
from irqscope.campaign.sensitivity.plan import BASE, Planned, Point
from irqscope.errors import ExperimentError, Interrupted
from irqscope.experiment import Experiment
from irqscope.files import storage
from irqscope.results.folder import now
from irqscope.results.sensitivity_record import (
    Drawn,
    End,
    Joint,
    Outcome,
    Parameter,
    Row,
    SensitivityRecord,
    Swept,
    write,
)
from irqscope.targets.twin import TwinSettings


def run(
    planned: Sequence[Planned],
    target: str,
    out: Path,
    *,
    seed: int,
    done: Callable[[], None] = lambda: None,
    stop: Stop = lambda: False,
) -> SensitivityRecord:
    """Runs all and writes ``out/sensitivity.json``, whose contents it returns.

    A run that fails is in its place. ``done`` is called after each run. ``seed``: that of the
    joint draws. Raises ExperimentError if ``out`` is not empty, Interrupted, StorageError.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ExperimentError(f"{out} is there already; name a new folder with --out")
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    settings = TwinSettings.parse(target.partition(":")[2])
    began = now()

    def one(experiment: Experiment, point: Point) -> End:
        if request := stop():
            cause = request if isinstance(request, str) else "interrupted by Ctrl-C"
            raise Interrupted(f"{cause}; run again")
        try:
            return draw(experiment, point.on(settings), stop)
        finally:
            done()

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        futures: list[dict[Point, Future[End]]] = [
            {point: pool.submit(one, of.experiment, point) for point in of.points} for of in planned
        ]
        try:
            results = [{point: future.result() for point, future in of.items()} for of in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    record = SensitivityRecord(
        target=target,
        started=began,
        ended=now(),
        experiments=tuple(
            _swept(of, ends, seed) for of, ends in zip(planned, results, strict=True)
        ),
    )
    write(record, out)
    return record


def _swept(plan: Planned, ends: dict[Point, End], seed: int) -> Swept:
    """The parameters in the order of their effect on the median."""
    base = ends[BASE]
    rows = (_row(row, base, ends[low], ends[high]) for row, low, high in plan.ends)
    return Swept(
        name=plan.experiment.name,
        description=plan.experiment.description,
        experiment=plan.experiment,
        base=base,
        rows=tuple(sorted(rows, key=_order)),
        layouts=tuple(ends[point] for point in plan.layouts),
        joint=_joint(plan, ends, seed) if plan.joint else None,
    )


def _joint(plan: Planned, ends: dict[Point, End], seed: int) -> Joint:
    return Joint(
        seed=seed,
        names=tuple(name for name, _ in plan.joint[0].values),
        draws=tuple(
            Drawn(
                layout=point.layout,
                values=tuple(value for _, value in point.values),
                end=ends[point],
            )
            for point in plan.joint
        ),
    )


def _row(parameter: Parameter, base: End, low: End, high: End) -> Row:
    effects: tuple[int | None, int | None] = (None, None)
    if isinstance(base, Outcome) and isinstance(low, Outcome) and isinstance(high, Outcome):
        effects = (
            max(abs(end.median_ns - base.median_ns) for end in (low, high)),
            max(abs(end.max_ns - base.max_ns) for end in (low, high)),
        )
    return Row(
        **parameter.model_dump(),
        low=low,
        high=high,
        effect_ns=effects[0],
        effect_max_ns=effects[1],
    )


def _order(row: Row) -> tuple[bool, int, int, str]:
    """Orders unknown rows first, since they need attention. Then by effect, then by name."""
    has_effect = row.effect_ns is not None
    return (has_effect, -(row.effect_ns or 0), -(row.effect_max_ns or 0), row.name)
