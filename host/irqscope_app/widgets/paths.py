"""Paths, shortened relative to the working directory."""

from __future__ import annotations

from pathlib import Path


def short(path: object) -> str:
    """Path relative to the working directory if it is below that, otherwise unchanged."""
    here = Path.cwd()
    if isinstance(path, Path) and path.is_relative_to(here):
        path = path.relative_to(here)
    return str(path)
