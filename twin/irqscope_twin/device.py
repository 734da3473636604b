"""Simulated devices behind the pins: tables of delays, as twin/devices/NAME.toml holds them.

A device is no model of timing: it answers after the delays that its table gives, published or
assumed, and nothing follows from any run but how the instrument deals with them.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from irqscope.files import read_bytes
from irqscope.resources import resource

FOLDER = resource("twin/devices")
#: What may be wrong with its wires, by the engine's numbers.
WIRINGS = {"good": 0, "no-edge": 1, "bounce": 2, "inverted": 3, "hum": 4}
MARKS = ("published", "assumed", "measured")
PINS = 8
_SEEDS = 1 << 32
#: Units of twin time.
_UNITS = {"ns": 6, "us": 6_000, "ms": 6_000_000}
_LONGEST = 3600 * 1000 * _UNITS["ms"]


class DeviceError(Exception):
    """A device that there is not, or whose table does not hold; the text is one line."""


@dataclass(frozen=True)
class Device:
    """``settings``: NAME=NUMBER for the engine, in order."""

    name: str
    title: str
    settings: tuple[str, ...]

    def source_hash(self, of_profile: int) -> int:
        """The identity's source_hash of a profile with this device."""
        rows = [f"{of_profile:#x}", "device", *self.settings]
        digest = hashlib.sha256("\n".join(rows).encode()).digest()
        return int.from_bytes(digest[:4], "big")


def names(folder: Path = FOLDER) -> list[str]:
    """Names of the devices that are described."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(name: str, wiring: str | None = None, folder: Path = FOLDER) -> Device:
    """The device that is named ``NAME`` or ``NAME/STATE``; a path of a table is as good as a name.

    ``wiring``: None: a good one.

    With a state it is always in that one; else by chance, by the states' weights. Raises
    DeviceError.
    """
    wiring = "good" if wiring is None else wiring
    if wiring not in WIRINGS:
        raise DeviceError(f"there is no wiring {wiring!r}; there are: {', '.join(WIRINGS)}")
    named, of_state, state = name.removesuffix(".toml").partition("/")
    if of_state and not state:
        raise DeviceError(f"{name!r} names no state; leave out the slash, or name one")
    path = folder / f"{named}.toml"
    if name.endswith(".toml") or "/" in state:
        path, state = Path(name), ""
    try:
        table = tomllib.loads(read_bytes(path).decode())
    except OSError as error:
        if path.exists():
            raise DeviceError(f"cannot read {path} ({error.strerror})") from None
        known = ", ".join(names(folder))
        raise DeviceError(f"there is no device {name!r}; there are: {known}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DeviceError(f"{path.name}: {error}") from None
    try:
        settings = tuple(_settings(table, path.stem, state, WIRINGS[wiring]))
    except (_WrongError, KeyError, TypeError, ValueError) as error:
        text = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise DeviceError(f"{path.name}: {text}") from None
    return Device(name, str(table["title"]), settings)


class _WrongError(Exception):
    """What is wrong with a table."""


def _settings(table: dict[str, Any], stem: str, state: str, wiring: int) -> Iterator[str]:
    _only(table, "device", _KEYS)
    _text(table, "title", "device")
    if table["device"] != stem:
        raise _WrongError(f"device must be {stem!r}")
    if table["sense"] not in ("rising edge", "level"):
        raise _WrongError('sense is "rising edge" or "level"')
    if table["clears"] not in ("before", "after"):
        raise _WrongError('clears is "before" or "after": what is pending, it serves')
    clock = _time(_marked(table["clock"], "clock", {"period"}), "period")
    if clock < 1:
        raise _WrongError("clock: period is 0")
    seed = table["seed"]
    if type(seed) is not int or not 0 <= seed < _SEEDS:
        raise _WrongError(f"seed is a whole number from 0 to {_SEEDS - 1}")
    yield f"clock={clock}"
    yield f"phase={seed * 7919 % clock}"
    yield f"seed={seed}"
    yield f"input={_pin(table['input'])}"
    yield f"by_level={int(table['sense'] == 'level')}"
    yield f"late={int(table['clears'] == 'after')}"
    yield f"wiring={wiring}"
    if wire := table.get("wire"):
        _marked(wire, "wire", {"output", "input", "delay"})
        yield f"wire_output={_pin(wire['output'])}"
        yield f"wire_input={_pin(wire['input'])}"
        yield f"wire_delay={_time(wire, 'delay')}"
    known = [_text(entry, "name", "a state") for entry in table["states"]]
    if len(set(known)) < len(known):
        raise _WrongError("two states have the same name")
    if state and state not in known:
        raise _WrongError(f"it has no state {state!r}; it has: {', '.join(known)}")
    for entry in table["states"]:
        if not state or entry["name"] == state:
            yield from _state(entry)


def _state(entry: dict[str, Any]) -> Iterator[str]:
    what = f"state {entry['name']}"
    _only(entry, what, {"name", "weight", "steps"})
    if not (isinstance(entry["weight"], int) and entry["weight"] > 0):
        raise _WrongError(f"{what}: weight is a whole number from 1 on")
    yield f"state={entry['weight']}"
    for step in entry["steps"]:
        _marked(step, f"{what}, {_text(step, 'signal', what)}", _STEP)
        pins = [(pin, 1) for pin in step.get("raises", ())]
        pins += [(pin, 0) for pin in step.get("lowers", ())]
        if not pins:
            raise _WrongError(f"{what}: {step['signal']} raises and lowers no pin")
        for n, (pin, level) in enumerate(pins):
            yield f"pin={_pin(pin)}"
            yield f"level={level}"
            yield f"delay={0 if n else _time(step, 'delay')}"
            yield f"spread={0 if n else _time(step, 'spread')}"


_KEYS = {"device", "title", "input", "sense", "clears", "seed", "clock", "wire", "states"}
_STEP = {"signal", "raises", "lowers", "delay", "spread"}


def _only(table: dict[str, Any], what: str, keys: set[str]) -> None:
    if unknown := sorted(set(table) - keys):
        raise _WrongError(f"{what} has no key {unknown[0]!r}")


def _marked(table: dict[str, Any], what: str, keys: set[str]) -> dict[str, Any]:
    """The table, if it says where its values come from. Raises _WrongError."""
    _only(table, what, keys | {"mark", "source"})
    if table["mark"] not in MARKS or not table["source"]:
        raise _WrongError(f"{what}: mark is one of {', '.join(MARKS)}, and source says whence")
    return table


def _text(table: dict[str, Any], key: str, what: str) -> str:
    """A text, not an empty one. Raises _WrongError, KeyError."""
    value = table[key]
    if not isinstance(value, str) or not value:
        raise _WrongError(f"{what}: {key} is a text")
    return value


def _pin(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < PINS:
        raise _WrongError(f"{value!r} is no pin, 0 to {PINS - 1}")
    return value


def _time(table: dict[str, Any], key: str) -> int:
    """A time such as "3.5 us", in units of twin time. Raises _WrongError."""
    match = re.fullmatch(r"([0-9]{1,20}(?:\.[0-9]{1,20})?) (ns|us|ms)", str(table[key]))
    units = Fraction(match[1]) * _UNITS[match[2]] if match else Fraction(-1)
    if not 0 <= units <= _LONGEST:
        raise _WrongError(f'{key}: {table[key]!r} is no time such as "3.5 us"')
    return round(units)
