"""Timing profiles: the documented tables in twin/profiles, checked and brought to engine units."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "profiles"

#: Engine units (1/6 ns) in one of each unit that a table may use.
UNITS = {"unit": 1, "cycle": 5, "ns": 6}
KEYS = {"value", "unit", "range", "meaning", "source"}


class ProfileError(Exception):
    """A profile cannot be used; the text is one line that names the key."""


@dataclass(frozen=True)
class Profile:
    """One timing profile.

    ``constants`` maps "section.name" to engine units of 1/6 ns. ``source_hash`` is the first
    32 bits of the file's sha256.
    """

    name: str
    source_id: int
    source_hash: int
    constants: dict[str, int]


def names() -> list[str]:
    """Profiles that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str, folder: Path = FOLDER) -> Profile:
    """Read a profile by name.

    Raises ProfileError for a file that is missing, is not TOML, or has a constant without all of
    value, unit, range, meaning and source, or outside its range. Which constants there must be is
    the engine's knowledge: it refuses missing and unknown ones.
    """
    path = folder / f"{name}.toml"
    try:
        content = path.read_bytes()
    except OSError:
        raise ProfileError(f"unknown profile {name!r}; there are: {', '.join(names())}") from None
    try:
        table: dict[str, Any] = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path.name}: {error}") from None
    if table.pop("profile", None) != name:
        raise ProfileError(f"{path.name}: profile must be {name!r}")
    source_id = table.pop("source_id", None)
    if not isinstance(source_id, int):
        raise ProfileError(f"{path.name}: source_id must be a number")
    constants = {}
    for section, entries in table.items():
        if not isinstance(entries, dict):
            raise ProfileError(f"{path.name}: unknown key {section}")
        for key, entry in entries.items():
            constants[f"{section}.{key}"] = _units(f"{path.name}: {section}.{key}", entry)
    source_hash = int.from_bytes(hashlib.sha256(content).digest()[:4], "big")
    return Profile(name, source_id, source_hash, constants)


def _units(where: str, entry: object) -> int:
    if not isinstance(entry, dict) or set(entry) != KEYS:
        raise ProfileError(f"{where} must have exactly {', '.join(sorted(KEYS))}")
    value, unit, limits = entry["value"], entry["unit"], entry["range"]
    if unit not in UNITS:
        raise ProfileError(f"{where}: unit {unit!r} is none of {', '.join(UNITS)}")
    if not isinstance(value, int) or not isinstance(limits, list) or len(limits) != 2:
        raise ProfileError(f"{where}: value must be a whole number, range a pair of them")
    if not limits[0] <= value <= limits[1]:
        raise ProfileError(f"{where}: {value} {unit} is outside {limits[0]}..{limits[1]}")
    return value * UNITS[unit]
