"""Experiments and suites to choose from: what came with irqscope, or is where one works."""

from __future__ import annotations

from pathlib import Path

import irqscope
from irqscope.campaign.suite.load import FILE as SUITE


def presets() -> list[Path]:
    """Experiment files that came with irqscope, or that are in the working directory."""
    return [path for path in _files() if path.name != SUITE]


def suites() -> list[Path]:
    """Suites that came with irqscope, or that are in the working directory."""
    return [path for path in _files() if path.name == SUITE]


def _files() -> list[Path]:
    for folder in (Path.cwd(), Path(irqscope.__file__).parents[2]):
        found = sorted((folder / "experiments").glob("*/*.toml"))
        if found:
            return found
    return []
