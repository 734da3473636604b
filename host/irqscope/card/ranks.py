"""Whether the states of caches, TLB and predictors come in the order that the A9 article has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import stats

from irqscope.card.published import A9


def of_states(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Spearman's rank correlation for each interrupt, placement and use of caches.

    Of averages; equal ones share their rank. ``spearman`` is None where a side has no order.
    """
    here: dict[tuple[str, str, str], dict[tuple[str, ...], float]] = {}
    for run in runs:
        asked = run["experiment"]
        # The article marked nothing non-cacheable; a card of before has no such key.
        if run["latency"] and asked.get("memory", "cacheable") == "cacheable":
            column = (run["interrupt"], asked["placement"], asked["caches"])
            state = tuple(sorted(asked["state"]))
            here.setdefault(column, {})[state] = run["latency"]["cycles"]["mean"]
    found = []
    for (interrupt, placement, caches), averages in here.items():
        pairs = [
            (average, A9[state][placement, caches][2])
            for state, average in averages.items()
            if (placement, caches) in A9.get(state, {})
        ]
        found.append(
            {
                "interrupt": interrupt,
                "placement": placement,
                "caches": caches,
                "states": len(pairs),
                "spearman": _spearman(pairs),
            }
        )
    return found


def _spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    ours, theirs = ([pair[side] for pair in pairs] for side in (0, 1))
    if len(set(ours)) < 2 or len(set(theirs)) < 2:
        return None
    return float(stats.spearmanr(ours, theirs).statistic)
