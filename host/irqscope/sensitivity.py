"""What each assumption of a timing profile does to a result: one at a time, at both ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import irqscope
from irqscope import assumptions as stored
from irqscope import wording
from irqscope.assumptions import Assumptions
from irqscope.errors import ExitCode, ExperimentError, Interrupted, IrqscopeError
from irqscope.experiment import Experiment
from irqscope.measure import measure
from irqscope.results.files import replace, storage
from irqscope.results.folder import now
from irqscope.targets.twin import TwinSettings, parameters
from irqscope.units import ticks_to_ns

FORMAT = "irqscope-sensitivity/1"
#: Marks of values that no source gives: derived from a relative, and general knowledge.
ASSUMED = ("A", "G")
#: Twins at a time; each keeps a core busy.
_TWINS = 2
_MEDIAN = 0.5


@dataclass(frozen=True)
class Variation:
    """One run: ``end`` is "base", "low" or "high"; ``value`` of the parameter, None in the base."""

    experiment: Experiment
    parameter: dict[str, Any] | None
    end: str
    value: Any

    @property
    def folder(self) -> str:
        """Place of the run, below the folder of the whole."""
        name = "base" if self.parameter is None else f"{self.parameter['name']}-{self.end}"
        return f"{self.experiment.name}/{name}"


def assumptions(target: str, only: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Parameters of a twin's profile that are assumed and not fixed; ``only``: names, with ``*``.

    Raises ExperimentError for a target that is no twin or an unknown name, TargetError.
    """
    scheme, _, rest = target.partition(":")
    if scheme != "twin":
        raise ExperimentError(f"{target} has no timing profile; name a twin, as in twin:a53")
    profile = TwinSettings.parse(rest).profile
    found = [
        row
        for row in parameters(profile)
        if row["mark"] in ASSUMED and row["range"][0] < row["range"][1]
    ]
    if not found:
        raise ExperimentError(f"profile {profile} has no assumption to vary; name another one")
    for pattern in only:
        if not any(fnmatchcase(row["name"], pattern) for row in found):
            names = ", ".join(row["name"] for row in found)
            raise ExperimentError(f'profile {profile} assumes no "{pattern}"; it does: {names}')
    return [
        row
        for row in found
        if not only or any(fnmatchcase(row["name"], pattern) for pattern in only)
    ]


def variations(
    experiments: Sequence[Experiment], assumed: Sequence[dict[str, Any]]
) -> list[Variation]:
    """All runs, in the order in which they are told; an end that is the value itself is none."""
    names = [experiment.name for experiment in experiments]
    for name in names:
        if names.count(name) > 1:
            raise ExperimentError(f'two experiments are called "{name}"; give one another name')
    return [
        variation for experiment in experiments for variation in _variations(experiment, assumed)
    ]


def _variations(experiment: Experiment, assumed: Sequence[dict[str, Any]]) -> Iterator[Variation]:
    yield Variation(experiment, None, "base", None)
    for parameter in assumed:
        for end, value in zip(("low", "high"), parameter["range"], strict=True):
            if value != parameter["value"]:
                yield Variation(experiment, parameter, end, value)


def run(
    planned: Sequence[Variation],
    target: str,
    out: Path,
    *,
    done: Callable[[Variation], None] = lambda variation: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
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

    def one(variation: Variation) -> dict[str, Any]:
        try:
            return _outcome(variation, target, out / variation.folder, stop)
        finally:
            done(variation)

    with ThreadPoolExecutor(min(_TWINS, os.cpu_count() or 1)) as pool:
        futures: list[Future[dict[str, Any]]] = [pool.submit(one, v) for v in planned]
        try:
            outcomes = [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    record = {
        "format": FORMAT,
        "target": target,
        "started": began,
        "ended": now(),
        "experiments": _told(planned, outcomes),
    }
    text = json.dumps(record, indent=2, allow_nan=False) + "\n"
    replace(out / "sensitivity.json", lambda path: path.write_text(text, encoding="utf-8"))
    return record


def keep(record: dict[str, Any], folders: Sequence[Path]) -> list[str]:
    """Stores what was found for each experiment, for runs to come; returns why it was not.

    ``record``: of a sensitivity over all assumptions. Raises StorageError.
    """
    refused = []
    for told in record["experiments"]:
        ends = [told["base"], *(row[end] for row in told["rows"] for end in ("low", "high"))]
        failed = sum(end["failed"] is not None for end in ends)
        if failed:
            refused.append(f"{told['name']}: not stored, for {failed} of its runs failed")
            continue
        found = _gathered(told, record["ended"])
        for folder in folders:
            with storage(folder):
                folder.mkdir(parents=True, exist_ok=True)
            stored.store(found, folder)
    return refused


def _gathered(told: dict[str, Any], taken: str) -> Assumptions:
    """From one experiment, all of whose runs are valid."""
    base, rows = told["base"], told["rows"]
    ends = [base, *(row[end] for row in rows for end in ("low", "high"))]

    def span(name: str) -> stored.Range:
        values = [end[name] for end in ends]
        return stored.Range(low_ns=min(values), high_ns=max(values))

    return Assumptions(
        experiment=told["name"],
        case=stored.case_hash(Experiment.model_validate(told["experiment"])),
        profile=base["profile"],
        profile_hash=base["profile_hash"],
        firmware_hash=base["firmware_hash"],
        build_hash=base["build_hash"],
        program=irqscope.__version__,
        taken=taken,
        n=base["n"],
        constants=len(rows),
        least=span("min_ns"),
        median=span("median_ns"),
        greatest=span("max_ns"),
        strongest=tuple(
            stored.Constant(
                name=row["name"],
                low_ns=row["low"]["median_ns"],
                high_ns=row["high"]["median_ns"],
            )
            for row in rows[: stored.STRONGEST]
            if row["effect_ns"]
        ),
    )


def exit_code(record: dict[str, Any]) -> ExitCode:
    """Not valid if one run is not."""
    ends = [
        end
        for experiment in record["experiments"]
        for end in (
            experiment["base"],
            *(r[e] for r in experiment["rows"] for e in ("low", "high")),
        )
    ]
    return ExitCode.INVALID if any(end["failed"] for end in ends) else ExitCode.VALID


def _outcome(
    variation: Variation, target: str, folder: Path, stop: Callable[[], bool]
) -> dict[str, Any]:
    """What one run came to. Raises Interrupted."""
    if stop():
        raise Interrupted(f"interrupted by Ctrl-C before {variation.folder}; run again")
    if variation.parameter is not None:
        target = f"{target}:{variation.parameter['name']}={variation.value}"
    try:
        result = measure(variation.experiment, target, folder, stop=stop)
    except IrqscopeError as error:
        return {"failed": str(error)}
    if isinstance(result.error, Interrupted):
        raise result.error
    values = result.run
    if not values.valid:
        return {"failed": "; ".join(values.reasons)}
    stats, hz, source = values.stats[0], values.tick_hz, values.source
    assert source is not None  # a valid run has one
    if stats.served < stats.n:
        return {"failed": f"its figures are open: {wording.unanswered(stats)}"}
    low, high = next(q.sample_ticks for q in stats.quantiles if q.p == _MEDIAN)
    assert high is not None and stats.min_ticks is not None and stats.max_ticks is not None
    return {
        "failed": None,
        "value": variation.value,
        "label": source.label,
        "profile": source.profile,
        "profile_hash": source.profile_hash,
        "firmware_hash": f"{values.identified.firmware_hash:#010x}",
        "build_hash": f"{values.identified.build_hash:#010x}",
        "n": stats.n,
        "min_ns": ticks_to_ns(stats.min_ticks, hz),
        "median_ns": ticks_to_ns((low + high) // 2, hz),
        "max_ns": ticks_to_ns(stats.max_ticks, hz),
    }


def _told(planned: Sequence[Variation], outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By experiment, the parameters in the order of their effect on the median."""
    by_name: dict[str, dict[str, Any]] = {}
    for variation, outcome in zip(planned, outcomes, strict=True):
        name = variation.experiment.name
        if variation.parameter is None:
            by_name[name] = {
                "name": name,
                "description": variation.experiment.description,
                "experiment": variation.experiment.model_dump(mode="json"),
                "base": outcome,
                "rows": {},
            }
            continue
        told = by_name[name]
        row = told["rows"].setdefault(
            variation.parameter["name"],
            # An end that is the value itself is the base.
            {**variation.parameter, "low": told["base"], "high": told["base"]},
        )
        row[variation.end] = outcome
    for told in by_name.values():
        rows = [row | _effects(told["base"], row) for row in told["rows"].values()]
        told["rows"] = sorted(rows, key=_order)
    return list(by_name.values())


def _effects(base: dict[str, Any], row: dict[str, Any]) -> dict[str, int | None]:
    """Greatest change of median and maximum, ns; None where it is not known."""
    ends = (row["low"], row["high"])
    if base["failed"] or any(end["failed"] for end in ends):
        return {"effect_ns": None, "effect_max_ns": None}
    return {
        "effect_ns": max(abs(end["median_ns"] - base["median_ns"]) for end in ends),
        "effect_max_ns": max(abs(end["max_ns"] - base["max_ns"]) for end in ends),
    }


def _order(row: dict[str, Any]) -> tuple[bool, int, int, str]:
    """What is not known first: it needs a look. Then by effect, then by name."""
    known = row["effect_ns"] is not None
    return (known, -(row["effect_ns"] or 0), -(row["effect_max_ns"] or 0), row["name"])
