"""Defaults of a user's own: ``irqscope.toml`` in the working directory, or the user's."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import click
from pydantic import Field

from irqscope.errors import ExperimentError, one_line
from irqscope.experiment.tomlfile import read, validated
from irqscope.units import Strict

FILE = "irqscope.toml"


class Defaults(Strict):
    """Defaults of the user, from a file.

    ``target``: in place of the twin; ``out``: the folder below which new results go, in place of
    ``runs``; ``jobs``: of ``irqscope suite`` on a twin.
    """

    target: Annotated[str, Field(min_length=1)] | None = None
    out: Annotated[str, Field(min_length=1)] | None = None
    jobs: Annotated[int, Field(ge=1, le=256)] | None = None


@dataclass(frozen=True)
class Found:
    """Defaults, by key, and the files that they are from: the first one wins.

    ``origins``: the file of each key.
    """

    values: dict[str, Any]
    files: tuple[Path, ...]
    origins: dict[str, Path]


def places() -> tuple[Path, ...]:
    """Paths that are searched for the file: here, then in the user's configuration."""
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Path(FILE), config / "irqscope" / FILE


def find(paths: Sequence[Path] | None = None) -> Found:
    """The defaults. Raises ExperimentError that names file, line and key."""
    values: dict[str, Any] = {}
    origins: dict[str, Path] = {}
    files = tuple(path for path in paths or places() if path.is_file())
    for path in reversed(files):
        text, table = read(path)
        settings = validated(path, text, table, Defaults).model_dump(exclude_none=True)
        values |= settings
        origins |= dict.fromkeys(settings, path)
    return Found(values, files, origins)


def announce(key: str, value: object) -> None:
    """Print on stderr that an option has its value from a file of defaults.

    A file in the working directory came with that folder. Where its target would compile or run
    something of the folder, the user is asked first.

    Raises:
        ExperimentError: No terminal to ask at, or the user refused.
    """
    path = find().origins[key]
    text = one_line(f"{key} = {value}, from {path.resolve()}")
    print(f"irqscope: {text}", file=sys.stderr)
    if path != Path(FILE) or not runs_code(str(value)):
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        question = "That compiles or runs code that this folder names. Do you trust it?"
        if click.confirm(question, err=True):
            return
    raise ExperimentError(
        f"{path.resolve()} names {value}, whose code would be compiled or run; "
        f"if you trust it, give it by --{key}"
    )


def runs_code(target: str) -> bool:
    """Whether a target runs code from a file or a folder that it names."""
    scheme, _, rest = target.partition(":")
    if scheme not in ("rtl", "twin"):
        return False
    parts = rest.split(":")
    own_core = scheme == "rtl" and "/" in parts[0]
    return own_core or any(part.startswith("elf=") for part in parts)


def runs() -> Path:
    """The folder below which new results go."""
    return Path(find().values.get("out", "runs"))
