"""A fault of an experiment, and its place."""

from __future__ import annotations

from dataclasses import dataclass

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """``path``: key in the file, such as ("lines", 0, "high")."""

    path: Path
    text: str
