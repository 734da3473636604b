"""Latency from each state of caches, TLB and predictors, next to the A9 article's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irqscope_papers.a9.printed import A9

#: Kinds of column: the memory type in the translation with caches on, or caches off.
KINDS = {
    "cacheable": "marked cacheable",
    "non-cacheable": "marked non-cacheable",
    "off": "caches off",
}
State = tuple[str, ...]
#: Interrupt, placement, one of KINDS.
Column = tuple[str, str, str]


def of_states(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A table for each measured interrupt, placement and kind of memory.

    Each row has min, mean and max in cycles, ``ratio`` of the mean to that of the row without any
    emptied state, and ``rank`` of the mean among the states common to both sides; equal means share
    a rank. ``spearman`` is the correlation of the ranks, or None if all means of a side are equal.
    The article never disables caches, so those columns have no counterpart.
    """
    here: dict[Column, dict[State, dict[str, Any]]] = {}
    for run in runs:
        if latency := run["latency"]:
            experiment = run["experiment"]
            kind = experiment["memory"] if experiment["caches"] == "on" else "off"
            column = (run["interrupt"], experiment["placement"], kind)
            here.setdefault(column, {})[tuple(sorted(experiment["state"]))] = latency
    order = sorted(here, key=lambda column: tuple(KINDS).index(column[2]))
    interrupts = list(dict.fromkeys(interrupt for interrupt, _, _ in here))
    return [_table(column, here[column]) for i in interrupts for column in order if column[0] == i]


def _table(column: Column, by_state: dict[State, dict[str, Any]]) -> dict[str, Any]:
    interrupt, placement, kind = column
    printed = {
        state: {"min": low, "mean": mean, "max": high, "n": None, "open": False}
        for state, columns in A9.items()
        for low, high, mean in [columns.get((placement, kind), (0, 0, 0))]
        if (placement, kind) in columns
    }
    measured = {
        state: latency["cycles"] | {"n": latency["n"], "open": bool(latency["unanswered"])}
        for state, latency in by_state.items()
    }
    both = [state for state in printed if state in measured]
    sides = [_told(side, both) for side in (measured, printed)]
    return {
        "interrupt": interrupt,
        "placement": placement,
        "kind": kind,
        "states": len(both),
        "spearman": _spearman(*([side[state]["mean"] for state in both] for side in sides)),
        "rows": [
            {"state": list(state), "here": sides[0].get(state), "article": sides[1].get(state)}
            for state in dict.fromkeys((*printed, *measured))
        ],
    }


def _told(side: dict[State, dict[str, Any]], both: Sequence[State]) -> dict[State, dict[str, Any]]:
    """Rows of one side, each with its ratio to the normal state and its rank."""
    from scipy import stats  # here: it takes two seconds to load

    ranks = dict(zip(both, stats.rankdata([side[state]["mean"] for state in both]), strict=True))
    normal = side.get(())
    return {
        state: row
        | {
            "ratio": row["mean"] / normal["mean"] if normal else None,
            "rank": float(ranks[state]) if state in ranks else None,
        }
        for state, row in side.items()
    }


def _spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy import stats  # here: it takes two seconds to load

    return float(stats.spearmanr(first, second).statistic)
