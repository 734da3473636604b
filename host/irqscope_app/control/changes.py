"""What differs between patterns, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irqscope.experiment import Experiment

#: Changes that are written at a border, and differences between runs in a list.
_SAID, _LISTED = 2, 4


def changed(before: Experiment | None, now: Experiment) -> str:
    """Differences between two patterns, such as ``low 4 ms → 6 ms``, or ``line 1 on``."""
    old = {} if before is None else _leaves(before.model_dump(mode="json"))
    new = _leaves(now.model_dump(mode="json"))
    alone = len(now.lines) == 1 and before is not None and len(before.lines) == 1
    texts = []
    for owner in dict.fromkeys((*old, *new)):
        was, become = old.get(owner), new.get(owner)
        if was is None or become is None:
            texts.append(f"{owner} {'off' if become is None else 'on'}")
            continue
        name = "" if alone and owner == "line 0" else owner
        for key in dict.fromkeys((*was, *become)):
            values = [_word(key, values.get(key)) for values in (was, become)]
            if values[0] != values[1]:
                subject = key.removesuffix("_bits").replace("_", " ")
                texts.append(f"{name} {subject} {' → '.join(values)}".strip())
    more = len(texts) - _SAID
    return ", ".join(texts[:_SAID]) + (f" and {more} more" if more > 0 else "")


def told_apart(experiments: Sequence[Experiment]) -> list[str]:
    """Return for each experiment the values that are not the same in all of them."""
    every = [_leaves(one.model_dump(mode="json")) for one in experiments]
    alone = all(len(one.lines) == 1 for one in experiments)
    texts: list[list[str]] = [[] for _ in experiments]
    owners = dict.fromkeys(owner for one in every for owner in one)
    for owner in sorted(owners, key=lambda owner: not owner.startswith("line")):
        if any(owner not in one for one in every):
            for one, words in zip(every, texts, strict=True):
                words.extend([f"{owner} on"] * (owner in one))
            continue
        name = "" if alone and owner == "line 0" else owner
        for key in dict.fromkeys(key for one in every for key in one[owner]):
            values = [_word(key, one[owner].get(key)) for one in every]
            if len(set(values)) > 1 and key != "name":
                subject = key.removesuffix("_bits").replace("_", " ")
                for one, value, words in zip(every, values, texts, strict=True):
                    if one[owner].get(key) is not None or key.endswith("_bits"):
                        words.append(f"{name} {subject} {value}".strip())
    return [", ".join(words[:_LISTED]) + ", …" * (len(words) > _LISTED) for words in texts]


def _leaves(values: Any, owner: str = "", name: str = "") -> dict[str, dict[str, Any]]:
    """Values of a file by their owner, such as ``line 0``, and their key."""
    leaves: dict[str, dict[str, Any]] = {owner: {}}
    for key, value in values.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for one in value:
                leaves |= _leaves(one, f"{key.removesuffix('s')} {one.get('index', '')}".strip())
        elif isinstance(value, dict):
            leaves[owner] |= _leaves(value, owner, f"{name} {key}".strip())[owner]
        else:
            leaves[owner][f"{name} {key}".strip()] = value
    return leaves


def _word(key: str, value: Any) -> str:
    """A value in words."""
    if value in (None, 0) and key.endswith("_bits"):
        return "off"
    if value is None or isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value} bits" if key.endswith("_bits") else str(value)
