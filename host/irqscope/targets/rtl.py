"""A soft core in RTL simulation: a process of its own, reached through a pseudo-terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from irqscope.errors import TargetError
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.targets.process import Say, SimulationProcess, SimulationTarget, unsaid

_RTL = [sys.executable, "-m", "irqscope_rtl"]


@dataclass(frozen=True)
class RtlSettings:
    """``core``: a name, or a folder with a slash in it. ``elf``: another firmware to run.

    ``watches``: symbols of the firmware with the code of the marker that each instruction there is;
    ``markers``: file that receives what the core had executed at each marker that it stored.
    """

    core: str
    skipping: bool = True
    elf: str | None = None
    stack: str = DEFAULT_STACK
    watches: tuple[tuple[str, int], ...] = ()
    markers: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Settings from ``CORE[:no-skip][:elf=FILE]``. Raises TargetError."""
        core, *options = text.split(":")
        elf = None
        for option in options:
            key, equals, value = option.partition("=")
            if key == "elf" and equals:
                elf = value
            elif option != "no-skip":
                raise TargetError(
                    f'a core has no option "{option}"; say rtl:CORE, rtl:CORE:no-skip or '
                    "rtl:CORE:elf=FILE"
                )
        if not core:
            raise TargetError(f"rtl wants a core: {available()}")
        return cls(core, "no-skip" not in options, elf)

    def command(self) -> list[str]:
        """Command line of the simulation."""
        words = ["--core", self.core, "--stack", self.stack]
        words += [] if self.elf is None else ["--elf", self.elf]
        words += [] if self.skipping else ["--no-skip"]
        words += [] if self.markers is None else ["--markers", str(self.markers)]
        words += [word for name, code in self.watches for word in ("--watch", f"{name}={code}")]
        return [*_RTL, *words]


def available() -> str:
    """The cores that there are, in a line; those that are not built with what builds them."""
    done = subprocess.run([*_RTL, "--list"], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise TargetError(f"the RTL simulation did not start: {said[-1]}")
    rows: list[dict[str, str]] = json.loads(done.stdout)
    return "; ".join(
        f"rtl:{row['name']} ({row['version']})"
        if row["state"] == "built"
        else f"rtl:{row['name']} (not {row['state']}: {row['remedy']})"
        for row in rows
    )


class RtlTarget(SimulationTarget):
    """Starts a core and opens its port. Raises TargetError."""

    def __init__(
        self, settings: RtlSettings, record: Path | None = None, say: Say = unsaid
    ) -> None:
        process = SimulationProcess(settings.command(), "the RTL simulation", say)
        super().__init__(process, process.name, record)
        self.firmware = None if settings.elf is None else Path(settings.elf)
