"""Simulated devices at the pins: tables of delays, as in twin/devices/NAME.toml.

A device is not a model of timing: it answers after the delays of its table, published or assumed; a
run only shows how the instrument handles them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from irqscope.errors import ExperimentError
from irqscope.resources import resource

FOLDER = resource("twin/devices")
#: What may be wrong with its wires, by the engine's numbers.
WIRINGS = {"good": 0, "no-edge": 1, "bounce": 2, "inverted": 3, "hum": 4}


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
    """Returns the device ``NAME`` or ``NAME/STATE``.

    NAME may be the path of a table, whose name ends in ``.toml``.

    ``wiring``: None for a good one.

    With a state it is always in that one; else by chance, by the states' weights. Raises
    DeviceError.
    """
    wiring = "good" if wiring is None else wiring
    if wiring not in WIRINGS:
        raise DeviceError(f"there is no wiring {wiring!r}; there are: {', '.join(WIRINGS)}")
    table, of_path, state = name.rpartition(".toml")
    if not of_path:
        table, slash, state = name.partition("/")
        state = slash + state
    path = Path(f"{table}.toml") if of_path else folder / f"{table}.toml"
    if state == "/":
        raise DeviceError(f"{name!r} names no state; leave out the slash, or name one")
    state = state.removeprefix("/")

    from irqscope_twin import device_table  # only with a device

    try:
        described = device_table.described(path)
    except ExperimentError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            listed = ", ".join(names(folder))
            raise DeviceError(f"there is no device {name!r}; there are: {listed}") from None
        if isinstance(error.__cause__, OSError):
            raise DeviceError(f"cannot read {path} ({error.__cause__.strerror})") from None
        raise DeviceError(str(error)) from None
    of = [entry for entry in described.states if state in ("", entry.name)]
    if not of:
        listed = ", ".join(entry.name for entry in described.states)
        raise DeviceError(f"{path}: it has no state {state!r}; it has: {listed}")
    return Device(
        name, described.title, tuple(device_table.settings(described, of, WIRINGS[wiring]))
    )
