"""Timing profiles: the documented tables in twin/profiles, checked and brought to engine units."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from irqscope.files import read_bytes
from irqscope.resources import resource

from . import machine as machines
from .chip import CARRIERS
from .machine import Machine, MachineError

FOLDER = resource("twin/profiles")

#: Engine numbers in one of each unit that a table may use: times are 1/6 ns, the rest counts. A
#: cycle is as long as the table's own ``CYCLE`` says.
UNITS = {
    "unit": 1, "cycle": 0, "ns": 6,
    "count": 1, "bytes": 1, "KB": 1, "MB/s": 1, "percent": 1,
}  # fmt: skip
CYCLE = "clock.cpu_cycle"
KEYS = {"value", "unit", "range", "meaning", "source", "mark"}
#: Values in the range that the model takes, where it does not take all.
ALLOWED = "allowed"
#: Fields of the register ``source`` (hw/regs/irqscope.rdl).
_BOARD_LSB, _SIMULATION_LSB, _CHANGED_LSB = 8, 16, 31
#: Where a value is from: read in its source, derived from figures read, general knowledge only,
#: a choice of the model.
MARKS = "SAGC"


class ProfileError(Exception):
    """A profile cannot be used; the text is one line that names the key."""


@dataclass(frozen=True)
class Parameter:
    """One row of a table.

    ``value`` and ``range`` count in ``unit``; ``allowed``: the values in it that the model takes,
    ascending, from end to end, or None for all.
    """

    name: str
    value: int
    unit: str
    range: tuple[int, int]
    meaning: str
    source: str
    mark: str
    allowed: tuple[int, ...] | None = None

    def with_value(self, value: int) -> Parameter:
        """The row with another value. Raises ProfileError outside its range."""
        lowest, highest = self.range
        if not lowest <= value <= highest:
            raise ProfileError(f"{self.name}: {value} {self.unit} is outside {lowest}..{highest}")
        if self.allowed is not None and value not in self.allowed:
            allowed = ", ".join(map(str, self.allowed))
            raise ProfileError(f"{self.name}: {value} {self.unit} is none of {allowed}")
        return replace(self, value=value)


@dataclass(frozen=True)
class Profile:
    """One timing profile: its table with whatever was set to another value.

    ``machine``: whose timing it is; ``board``: the one of its boards that is played.
    """

    name: str
    machine: Machine
    board: str
    model: str
    table: tuple[Parameter, ...]

    @cached_property
    def constants(self) -> dict[str, int]:
        """The engine's numbers by "section.name": times in 1/6 ns, everything else unchanged."""
        # A chip's program sets the clock: the engine counts its cycles.
        cycle = next((row.value for row in self.table if row.name == CYCLE), 1)
        units = UNITS | {"cycle": cycle}
        return {row.name: row.value * units[row.unit] for row in self.table}

    def on(self, board: str) -> Profile:
        """The same timing on another board of the machine. Raises ProfileError."""
        try:
            self.machine.board(board)
        except MachineError as error:
            raise ProfileError(str(error)) from None
        return replace(self, board=board)

    def source_id(self, *, changed: bool) -> int:
        """What drives the gateware; ``changed``: it differs from the profile of this name."""
        return (
            self.machine.number
            | self.machine.board(self.board).number << _BOARD_LSB
            | self.machine.twin(self.name) << _SIMULATION_LSB
            | changed << _CHANGED_LSB
        )

    @cached_property
    def source_hash(self) -> int:
        """First 32 bits of a sha256 over the present values, which identifies them."""
        rows = [f"{name}={value}\n" for name, value in sorted(self.constants.items())]
        digest = hashlib.sha256("".join([f"{self.model}\n", *rows]).encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def override(self, settings: Iterable[str]) -> Profile:
        """The profile with values changed by "section.name=value", in the row's own unit.

        Raises ProfileError for another form, an unknown name, a name given twice, a value that is
        not a whole number or is outside the row's range.
        """
        rows = {row.name: row for row in self.table}
        changed: dict[str, Parameter] = {}
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals:
                raise ProfileError(f"{setting!r} is not of the form KEY=VALUE")
            if name not in rows:
                raise ProfileError(f"profile {self.name} has no constant {name!r}")
            if name in changed:
                raise ProfileError(f"{name} is set twice")
            if not re.fullmatch(r"-?[0-9]{1,20}", text):
                raise ProfileError(f"{name}: {text!r} is not a whole number")
            changed[name] = rows[name].with_value(int(text))
        return replace(self, table=tuple((rows | changed).values()))


def names() -> list[str]:
    """Names of all profiles, as :func:`load` takes them."""
    return sorted(path.stem.replace("-", ":") for path in FOLDER.glob("*.toml"))


def find(name: str, folder: Path = FOLDER) -> Path:
    """The file of a profile that is named ``PROFILE``, ``MACHINE:PROFILE`` or ``MACHINE``.

    A name that several machines have means zynqmp's; another machine's has the machine in front,
    there and in the file's name. Raises ProfileError for a machine that has no such profile.
    """
    of, colon, profile = name.rpartition(":")
    if not colon:
        if name not in machines.names():
            return folder / f"{name}.toml"
        of, profile = name, next(reversed(machines.load(name).twins), "")
    try:
        twins = machines.load(of).twins
    except MachineError as error:
        raise ProfileError(str(error)) from None
    if not twins:
        raise ProfileError(f"there is no twin of {of}")
    if profile not in twins:
        raise ProfileError(f"{of} has no timing profile {profile!r}; it has: {', '.join(twins)}")
    own = folder / f"{of}-{profile}.toml"
    return own if own.exists() else folder / f"{profile}.toml"


def load(name: str, folder: Path = FOLDER) -> Profile:
    """Read a profile that is named as :func:`find` says.

    Raises ProfileError for a file that is missing, is not TOML, or has a constant without all of
    value, unit, range, meaning, source and mark, or outside its range. Which constants there must
    be is the engine's knowledge: it refuses missing and unknown ones.
    """
    path = find(name, folder)
    name = path.stem.rpartition("-")[2]
    try:
        content = read_bytes(path)
    except OSError:
        raise ProfileError(f"unknown profile {name!r}; there are: {', '.join(names())}") from None
    try:
        table: dict[str, Any] = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path.name}: {error}") from None
    if table.pop("profile", None) != name:
        raise ProfileError(f"{path.name}: profile must be {name!r}")
    named = {key: table.pop(key, None) for key in ("machine", "board", "model")}
    for key, text in named.items():
        if not isinstance(text, str):
            raise ProfileError(f"{path.name}: {key} must be a name")
    try:
        machine = machines.load(str(named["machine"]))
        machine.board(str(named["board"]))
        machine.twin(name)
    except MachineError as error:
        raise ProfileError(f"{path.name}: {error}") from None
    rows = []
    for section, entries in table.items():
        if not isinstance(entries, dict):
            raise ProfileError(f"{path.name}: unknown key {section}")
        for key, entry in entries.items():
            try:
                rows.append(_parameter(f"{section}.{key}", entry))
            except ProfileError as error:
                raise ProfileError(f"{path.name}: {error}") from None
    if CYCLE not in {row.name for row in rows} and named["model"] not in CARRIERS:
        raise ProfileError(f"{path.name}: {CYCLE} is missing")
    return Profile(name, machine, str(named["board"]), str(named["model"]), tuple(rows))


def _parameter(name: str, entry: object) -> Parameter:
    if not isinstance(entry, dict) or set(entry) - {ALLOWED} != KEYS:
        raise ProfileError(f"{name} must have exactly {', '.join(sorted(KEYS))}")
    value, unit, limits = entry["value"], entry["unit"], entry["range"]
    if unit not in UNITS:
        raise ProfileError(f"{name}: unit {unit!r} is none of {', '.join(UNITS)}")
    if not isinstance(limits, list) or len(limits) != 2:
        raise ProfileError(f"{name}: range must be a pair")
    if not all(isinstance(number, int) for number in (value, *limits)):
        raise ProfileError(f"{name}: value and range must be whole numbers")
    if entry["mark"] not in MARKS:
        raise ProfileError(f"{name}: mark {entry['mark']!r} is none of {', '.join(MARKS)}")
    allowed = entry.get(ALLOWED, limits)
    if not isinstance(allowed, list) or [*allowed[:1], *allowed[-1:]] != limits:
        raise ProfileError(
            f"{name}: {ALLOWED} must be a list from one end of the range to the other"
        )
    row = Parameter(
        name,
        value,
        unit,
        (limits[0], limits[1]),
        entry["meaning"],
        entry["source"],
        entry["mark"],
        tuple(allowed) if ALLOWED in entry else None,
    )
    return row.with_value(value)
