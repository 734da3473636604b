"""Writes an experiment as the TOML that :mod:`.load` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from irqscope.experiment.model import Experiment
from irqscope.files import replace, storage


def dumps(experiment: Experiment) -> str:
    """The file, without the keys that have their default value: those say nothing new."""
    return document(experiment.model_dump(mode="json", exclude_defaults=True))


def save(experiment: Experiment, path: Path) -> None:
    """Writes the file, whole or not at all. Raises StorageError."""
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, lambda file: file.write(dumps(experiment).encode()))


def document(table: dict[str, Any]) -> str:
    """TOML of a table that holds values, lists, tables, and lists of tables, one level deep."""
    plain = {key: value for key, value in table.items() if not _is_table(value)}
    parts = ["".join(f"{key} = {_value(value)}\n" for key, value in plain.items())]
    for key, value in table.items():
        if isinstance(value, dict):
            parts.append(f"[{key}]\n{document(value)}")
        elif _is_table(value):
            parts.extend(f"[[{key}]]\n{document(item)}" for item in value)
    return "\n".join(parts)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list | tuple) and bool(value) and isinstance(value[0], dict)
    )


def _value(value: Any) -> str:
    # JSON's texts, numbers, booleans and lists are TOML's as well.
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
