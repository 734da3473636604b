"""Reads machines/ecp5.toml, the only source of these values."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PATH = ROOT / "machines" / "ecp5.toml"


@cache
def description() -> dict[str, Any]:
    """The description of the machine, as its file has it."""
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def boards() -> dict[str, dict[str, Any]]:
    """The description of each board, by name."""
    return {board["name"]: board for board in description()["boards"]}


def memory() -> tuple[int, int]:
    """Base and size in bytes of the memory. Raises ValueError if the size is not a power of 2."""
    machine = description()
    base: int = machine["placements"][0]["base"]
    size: int = machine["memory"]["arrays_base"] + (machine["memory"]["arrays_kib"] << 10) - base
    if size & size - 1:
        raise ValueError(f"{PATH.name}: the memory has {size} bytes, which is no power of 2")
    return base, size
