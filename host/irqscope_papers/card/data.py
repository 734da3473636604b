"""Content of a card as JSON, read only from the folders of a suite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from irqscope.results.suite_record import read as read_suite
from irqscope_papers.a9 import locked, states
from irqscope_papers.card.run import of_run
from irqscope_papers.cv32rt import benchmark as cv32rt
from irqscope_papers.horst2020 import claims, deciding

FORMAT = "irqscope-card/1"


def card(folder: Path) -> dict[str, Any]:
    """Contents of card.json for a suite's folder. Raises StorageError."""
    record = read_suite(folder)
    runs = [of_run(folder, name, item) for name, item in record.items.items()]
    figures = {name: figure for run in runs for name, figure in figures_of(run)}
    identity = record.identity.model_dump(mode="json")
    return {
        "format": FORMAT,
        "suite": record.suite,
        "description": record.description,
        "card": record.card,
        "counts": record.counts,
        "shuffle": record.shuffle,
        "order": list(record.order),
        "started": record.started,
        "ended": record.ended.model_dump() if record.ended else None,
        "label": record.label,
        "tick_hz": identity["tick_hz"],
        "cpu_hz": identity["cpu_hz"],
        "hashes": {
            "gateware": identity["build_hash"],
            "firmware": ", ".join(_programs(runs)),
            "profile": identity["source_hash"],
            "suite": record.sha256,
        },
        "stacks": {name: stack.model_dump() for name, stack in record.stacks.items()},
        "runs": runs,
        "statements": _statements(runs, figures) if record.card == "horst2020" else [],
        "states": states.of_states(runs) if record.card == "cache-states" else [],
        "cv32rt": cv32rt.of_rows(folder, runs) if record.card == "cv32rt" else {},
        "locked": locked.of_locked(runs) if record.card == "lockdown" else [],
        "emptied": record.identity.machine.emptied if record.card == "cache-states" else {},
    }


def _programs(runs: list[dict[str, Any]]) -> list[str]:
    """Firmware hashes of the runs, each with its stack."""
    programs = {(run["stack"], run["firmware_hash"]) for run in runs if run["firmware_hash"]}
    return [f"{stack} {value}" for stack, value in sorted(programs)]


def _statements(
    runs: list[dict[str, Any]], figures: dict[str, deciding.Figures]
) -> list[dict[str, Any]]:
    statements = []
    for claim in claims.claims({run["stack"] for run in runs}):
        verdict, why = claim.verdict(figures)
        statements.append(
            {"text": claim.text, "where": claim.where, "verdict": str(verdict), "why": why}
        )
    return statements


def figures_of(run: dict[str, Any]) -> Iterator[tuple[str, deciding.Figures]]:
    """The figures that claims are compared with, by name, for runs with figures.

    A throughput run has figures of all cores together and of core 0.
    """
    if latency := run["latency"]:
        u = latency["uncertainty_ns"]
        if u is None or latency["unanswered"]:
            return
        low, high = latency["median_interval_ns"] or (None, None)
        if (placed := latency["placed_ns"]) and low is not None and high is not None:
            low, high = min(low, placed[0]), max(high, placed[1])
        result = deciding.Figures(
            latency["n"],
            deciding.Interval(
                0.0 if low is None else low - u,
                run["median"],
                math.inf if high is None else high + u,
            ),
            latency["min_ns"],
            latency["max_ns"],
            u,
            latency["box"]["outlying"],
        )
        yield run["name"], result
    if throughput := run["throughput"]:
        u = 1 / throughput["high_s"]  # one event more or less
        own = {f"{run['name']}{claims.CORE_0}": core for core in throughput["cores"][:1]}
        for name, entry in {run["name"]: throughput, **own}.items():
            low, median, high = (entry[key] for key in ("min_hz", "median_hz", "max_hz"))
            around = deciding.Interval(low - u, median, high + u)
            result = deciding.Figures(throughput["n"], around, low, high, u)
            yield name, replace(result, repeats=throughput["repeats"])
