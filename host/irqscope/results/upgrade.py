"""Older formats of ``run.json``, step by step to the present one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydantic_core import to_json

from irqscope.stats import share_longer
from irqscope.units import Duration

FORMAT: Final = "irqscope-run/2"


def _from_1(values: dict[str, Any]) -> None:
    """Format 1 began without stack, throughput and the stages of samples; no folder had sums.

    Nor was there a lead-in.
    """
    if isinstance(experiment := values.get("experiment"), dict):
        experiment.setdefault("lead_in", 0)
    values.setdefault("stack", None)
    values.setdefault("throughput", [])
    for stats in _tables(values.get("stats")):
        stats.setdefault("stages", [])
        _count_all(stats, values)
    values["format"] = FORMAT


def _count_all(found: dict[str, Any], values: dict[str, Any]) -> None:
    """Format 1 counted those served as n, and took them for all where it bounded what is longer."""
    books = next((b for b in _tables(values.get("books")) if _same(b, found)), {})
    asked = values.get("experiment")
    channels = _tables(asked.get("channels")) if isinstance(asked, dict) else []
    identity = values.get("identity")
    try:
        timeout = next(c["timeout"] for c in channels if c.get("index") == found.get("channel"))
        ticks = Duration.parse(timeout).ticks(identity["tick_hz"])  # type: ignore[index]
        counts = {name: books[name] for name in ("served", "timed_out", "coalesced")}
        n = sum(counts.values())
        lower, upper = share_longer(n, counts["timed_out"], counts["coalesced"])
    except (KeyError, TypeError, ValueError, StopIteration):
        return  # the record says what is missing
    than = ticks if counts["timed_out"] else found.get("max_ticks")
    found.pop("censored", None)
    found.pop("exceedance_bound", None)
    bounds = {"ticks": than, "at_least": lower, "at_most": upper}
    found |= {"n": n, **counts, "timeout_ticks": ticks}
    found["longer"] = None if than is None else bounds


def _same(books: dict[str, Any], found: dict[str, Any]) -> bool:
    return books.get("channel") == found.get("channel")


#: What makes the next format of each older one, the oldest first.
_STEPS: dict[str, Callable[[dict[str, Any]], None]] = {"irqscope-run/1": _from_1}
FORMATS = (*_STEPS, FORMAT)


def upgrade(values: dict[str, Any]) -> bytes:
    """JSON of the present format from a run.json of an older one. Keeps what it cannot know of."""
    while (step := _STEPS.get(values["format"])) is not None:
        step(values)
    return to_json(values)


def _tables(values: object) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []
