"""Paths as short as they can be said from here."""

from __future__ import annotations

import os
from pathlib import Path


def short(path: object) -> str:
    """A path from the working directory where that is shorter; anything else as its text."""
    if not isinstance(path, Path) or not path.is_absolute():
        return str(path)
    return min(os.path.relpath(path), str(path), key=len)
