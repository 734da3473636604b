"""Experiments and suites shipped with irqscope or in the working directory."""

from __future__ import annotations

from pathlib import Path

from irqscope.experiment.shipped import SUITE
from irqscope.resources import resource


def presets() -> list[Path]:
    """Experiment files that came with irqscope, or that are in the working directory."""
    return [path for path in _files() if path.name != SUITE]


def suites() -> list[Path]:
    """Suites that came with irqscope, or that are in the working directory."""
    return [path for path in _files() if path.name == SUITE]


def _files() -> list[Path]:
    for folder in (Path("experiments").absolute(), resource("experiments")):
        paths = sorted(folder.glob("*/*.toml"))
        if paths:
            return paths
    return []
