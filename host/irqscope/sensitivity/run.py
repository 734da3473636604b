"""Carries a sensitivity out: two runs at a time, each on a twin of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from irqscope import wording
from irqscope.errors import ExperimentError, Interrupted, IrqscopeError
from irqscope.files import storage
from irqscope.measure import measure
from irqscope.results.folder import now
from irqscope.sensitivity.plan import Variation
from irqscope.sensitivity.record import (
    Failed,
    Outcome,
    Parameter,
    Row,
    SensitivityRecord,
    Swept,
    write,
)
from irqscope.units import ticks_to_ns

#: Twins at a time; each keeps a core busy.
_TWINS = 2
_MEDIAN = 0.5


def run(
    planned: Sequence[Variation],
    target: str,
    out: Path,
    *,
    done: Callable[[Variation], None] = lambda variation: None,
    stop: Callable[[], bool] = lambda: False,
) -> SensitivityRecord:
    """Runs all and writes ``out/sensitivity.json``, whose contents it returns.

    A run that fails stands in its row. ``done`` is told of each run, in any order. Raises
    ExperimentError if ``out`` is not empty, Interrupted, StorageError.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ExperimentError(f"{out} is there already; name a new folder with --out")
    with storage(out):
        for variation in planned:
            (out / variation.folder).parent.mkdir(parents=True, exist_ok=True)
    began = now()

    def one(variation: Variation) -> Outcome | Failed:
        try:
            return _outcome(variation, target, out / variation.folder, stop)
        finally:
            done(variation)

    with ThreadPoolExecutor(min(_TWINS, os.cpu_count() or 1)) as pool:
        futures: list[Future[Outcome | Failed]] = [pool.submit(one, v) for v in planned]
        try:
            outcomes = [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    record = SensitivityRecord(
        target=target, started=began, ended=now(), experiments=_told(planned, outcomes)
    )
    write(record, out)
    return record


def _outcome(
    variation: Variation, target: str, folder: Path, stop: Callable[[], bool]
) -> Outcome | Failed:
    """Carries one run out and says what it came to. Raises Interrupted."""
    if stop():
        raise Interrupted(f"interrupted by Ctrl-C before {variation.folder}; run again")
    if variation.parameter is not None:
        target = f"{target}:{variation.parameter.name}={variation.value}"
    try:
        result = measure(variation.experiment, target, folder, stop=stop)
    except IrqscopeError as error:
        return Failed(failed=str(error))
    if isinstance(result.error, Interrupted):
        raise result.error
    values = result.run
    if not values.valid:
        return Failed(failed="; ".join(values.reasons))
    stats, hz, source = values.stats[0], values.tick_hz, values.source
    assert source is not None and source.profile is not None  # a valid run of a twin has one
    assert source.profile_hash is not None
    if stats.served < stats.n:
        return Failed(failed=f"its figures are open: {wording.unanswered(stats)}")
    low, high = next(q.sample_ticks for q in stats.quantiles if q.p == _MEDIAN)
    assert high is not None and stats.min_ticks is not None and stats.max_ticks is not None
    return Outcome(
        failed=None,
        value=variation.value,
        label=source.label,
        profile=source.profile,
        profile_hash=source.profile_hash,
        firmware_hash=f"{values.identified.firmware_hash:#010x}",
        build_hash=f"{values.identified.build_hash:#010x}",
        n=stats.n,
        min_ns=ticks_to_ns(stats.min_ticks, hz),
        median_ns=ticks_to_ns((low + high) // 2, hz),
        max_ns=ticks_to_ns(stats.max_ticks, hz),
    )


def _told(planned: Sequence[Variation], outcomes: Sequence[Outcome | Failed]) -> tuple[Swept, ...]:
    """The parameters in the order of their effect on the median, by experiment."""
    bases: dict[str, tuple[Variation, Outcome | Failed]] = {}
    ends: dict[str, dict[str, dict[str, Outcome | Failed]]] = {}
    parameters: dict[str, Parameter] = {}
    for variation, outcome in zip(planned, outcomes, strict=True):
        name = variation.experiment.name
        if variation.parameter is None:
            bases[name], ends[name] = (variation, outcome), {}
        else:
            parameters[variation.parameter.name] = variation.parameter
            ends[name].setdefault(variation.parameter.name, {})[variation.end] = outcome
    return tuple(
        Swept(
            name=name,
            description=variation.experiment.description,
            experiment=variation.experiment,
            base=base,
            rows=tuple(
                sorted(
                    (_row(parameters[p], base, found) for p, found in ends[name].items()),
                    key=_order,
                )
            ),
        )
        for name, (variation, base) in bases.items()
    )


def _row(parameter: Parameter, base: Outcome | Failed, found: dict[str, Outcome | Failed]) -> Row:
    """``found``: by end; one that is the value itself is the base."""
    low, high = found.get("low", base), found.get("high", base)
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
    """What is not known first: it needs a look. Then by effect, then by name."""
    known = row.effect_ns is not None
    return (known, -(row.effect_ns or 0), -(row.effect_max_ns or 0), row.name)
