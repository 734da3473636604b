"""Paths as short as they can be said from here."""

from __future__ import annotations

from pathlib import Path


def short(path: object) -> str:
    """A path below the working directory from there; anything else as its text."""
    here = Path.cwd()
    if isinstance(path, Path) and path.is_relative_to(here):
        path = path.relative_to(here)
    return str(path)
