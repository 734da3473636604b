"""What a card shows, as JSON: read from the folders of a suite, and from nothing else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from irqscope.card import claims, cv32rt, deciding, locked, states
from irqscope.card.run import of_run
from irqscope.suite.record import read as read_suite

FORMAT = "irqscope-card/1"
#: Keys of run.json's identity that distinguish builds.
_HASHES = {"gateware": "build_hash", "firmware": "firmware_hash", "profile": "source_hash"}


def card(folder: Path) -> dict[str, Any]:
    """Contents of card.json for a suite's folder. Raises StorageError."""
    record = read_suite(folder)
    runs = [of_run(folder, name, item) for name, item in record.items.items()]
    figures = {run["name"]: found for run in runs if (found := figures_of(run)) is not None}
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
        "hashes": {name: identity[key] for name, key in _HASHES.items()} | {"suite": record.sha256},
        "stacks": {name: stack.model_dump() for name, stack in record.stacks.items()},
        "runs": runs,
        "statements": _statements(runs, figures) if record.card == "horst2020" else [],
        "states": states.of_states(runs) if record.card == "cache-states" else [],
        "cv32rt": cv32rt.of_rows(folder, runs) if record.card == "cv32rt" else {},
        "locked": locked.of_locked(runs) if record.card == "lockdown" else [],
        "emptied": record.identity.machine.emptied if record.card == "cache-states" else {},
    }


def _statements(
    runs: list[dict[str, Any]], figures: dict[str, deciding.Figures]
) -> list[dict[str, Any]]:
    found = []
    for claim in claims.claims({run["stack"] for run in runs}):
        verdict, why = claim.verdict(figures)
        found.append(
            {"text": claim.text, "where": claim.where, "verdict": str(verdict), "why": why}
        )
    return found


def figures_of(run: dict[str, Any]) -> deciding.Figures | None:
    """The figures that claims are compared with; None where they are open."""
    if latency := run["latency"]:
        u = latency["uncertainty_ns"]
        if u is None or latency["unanswered"]:
            return None
        low, high = latency["median_interval_ns"] or (None, None)
        if (placed := latency["placed_ns"]) and low is not None and high is not None:
            low, high = min(low, placed[0]), max(high, placed[1])
        return deciding.Figures(
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
    if throughput := run["throughput"]:
        u = 1 / throughput["high_s"]  # one event more or less
        low, high = throughput["min_hz"], throughput["max_hz"]
        return deciding.Figures(
            throughput["n"], deciding.Interval(low - u, run["median"], high + u), low, high, u
        )
    return None
