"""Defaults of a user's own: ``irqscope.toml`` in the working directory, or the user's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from irqscope.experiment.tomlfile import read, validated
from irqscope.units import Strict

FILE = "irqscope.toml"


class Defaults(Strict):
    """``target``: in place of the twin; ``out``: the folder below which new results go, in place of
    ``runs``; ``jobs``: of ``irqscope suite`` on a twin.
    """

    target: Annotated[str, Field(min_length=1)] | None = None
    out: Annotated[str, Field(min_length=1)] | None = None
    jobs: Annotated[int, Field(ge=1, le=256)] | None = None


@dataclass(frozen=True)
class Found:
    """Defaults, by key, and the files that they are from: the first one wins."""

    values: dict[str, Any]
    files: tuple[Path, ...]


def places() -> tuple[Path, ...]:
    """Where the file is looked for: here, then in the user's configuration."""
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Path(FILE), config / "irqscope" / FILE


def find(paths: Sequence[Path] | None = None) -> Found:
    """The defaults. Raises ExperimentError that names file, line and key."""
    values: dict[str, Any] = {}
    files = tuple(path for path in paths or places() if path.is_file())
    for path in reversed(files):
        text, table = read(path)
        values |= validated(path, text, table, Defaults).model_dump(exclude_none=True)
    return Found(values, files)


def runs() -> Path:
    """The folder below which new results go."""
    return Path(find().values.get("out", "runs"))
