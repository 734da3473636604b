"""Older formats of ``run.json``, step by step to the present one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydantic_core import to_json

FORMAT: Final = "irqscope-run/2"


def _from_1(values: dict[str, Any]) -> None:
    """Format 1 began without stack, throughput and the stages of samples; no folder had sums."""
    values.setdefault("stack", None)
    values.setdefault("throughput", [])
    for stats in _tables(values.get("stats")):
        stats.setdefault("stages", [])
    values["format"] = FORMAT


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
