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
from irqscope.machines.generated import MACHINES
from irqscope.targets.process import (
    NETLIST_TIMEOUT,
    TIMEOUT,
    Say,
    SimulationProcess,
    SimulationTarget,
    Told,
    parts_of,
    read_program,
    unsaid,
)

#: Of each step of a calibration on a board that is simulated whole: nothing skips its idle time.
_REPETITIONS = 8

#: -P: whatever is in the working directory is not imported.
_RTL = [sys.executable, "-Pm", "irqscope_rtl"]


@dataclass(frozen=True)
class RtlSettings:
    """``core``: a name, or a folder with a slash in it.

    ``elf``: another firmware to run, or, if ``of_program``, a program next to the instrument's own;
    ``around``: its surroundings, as in docs/programs.md.

    ``watches``: stages and places, as ``pc:SYMBOL``, with the code of the marker that each gives;
    ``markers``: file that receives what the core had executed at each marker that it stored.
    Of a board that is simulated whole, ``routed``: its routed netlist; ``wires``: from outputs to
    inputs, OUTPUT-INPUT-TICKS; ``pins``: file that receives its pins.
    """

    core: str
    skipping: bool = True
    elf: str | None = None
    stack: str = DEFAULT_STACK
    watches: tuple[tuple[str, int], ...] = ()
    markers: Path | None = None
    of_program: bool = False
    around: tuple[tuple[str, str], ...] = ()
    routed: bool = False
    wires: tuple[str, ...] = ()
    pins: str | None = None
    masked: bool = False
    interruptions: bool = False
    functions: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses the settings of a core or a board in RTL simulation.

        ``CORE[:no-skip][:elf=FILE][:KEY=VALUE]...`` or ``BOARD[:routed][:wire=OUTPUT-INPUT-TICKS
        ...][:pins=FILE]``. Raises TargetError.
        """
        core, *options = parts_of(text)
        elf: str | None = None
        pins: str | None = None
        wires: list[str] = []
        around = []
        for option in options:
            key, equals, value = option.partition("=")
            if key == "elf" and equals:
                elf = value
            elif key == "pins" and equals:
                pins = value
            elif key == "wire" and equals:
                wires.append(value)
            elif equals:
                around.append((key, value))
            elif option not in ("no-skip", "routed"):
                raise TargetError(
                    f'a core has no option "{option}"; say rtl:CORE, rtl:CORE:no-skip or '
                    "rtl:CORE:elf=FILE, and of a foreign program KEY=VALUE; of a board, "
                    "rtl:BOARD:routed or rtl:BOARD:wire=OUTPUT-INPUT-TICKS"
                )
        if not core:
            raise TargetError(f"rtl wants a core: {available()}")
        return cls(
            core,
            "no-skip" not in options,
            elf,
            around=tuple(around),
            routed="routed" in options,
            wires=tuple(wires),
            pins=pins,
        )

    @property
    def of_board(self) -> bool:
        """Whether a board is simulated whole."""
        return any(
            self.core == board.name
            for machine in MACHINES
            if machine.rtl
            for board in machine.boards
        )

    def command(self) -> list[str]:
        """Command line of the simulation."""
        words = ["--core", self.core, "--stack", self.stack]
        if self.elf is not None and not self.of_program:
            words += ["--elf", self.elf]
        words += [word for key, value in self.around for word in ("--around", f"{key}={value}")]
        words += [] if self.skipping else ["--no-skip"]
        words += ["--routed"] if self.routed else []
        words += [] if self.pins is None else ["--pins", self.pins]
        words += [word for wire in self.wires for word in ("--wire", wire)]
        words += [] if self.markers is None else ["--markers", str(self.markers)]
        words += [word for name, code in self.watches for word in ("--watch", f"{name}={code}")]
        words += [] if self.functions is None else ["--functions", str(self.functions)]
        return [*_RTL, *words]


def available() -> str:
    """The cores that there are, in a line; those that are not built with what builds them."""
    process = subprocess.run([*_RTL, "--list"], capture_output=True, text=True, check=False)
    if process.returncode:
        lines = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise TargetError(f"the RTL simulation did not start: {lines[-1]}")
    rows: list[dict[str, str]] = json.loads(process.stdout)
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
        if settings.of_program and settings.elf is None:
            raise TargetError(
                f"the program is missing: say rtl:{settings.core}:elf=FILE (docs/programs.md)"
            )
        if settings.around and not settings.of_program:
            raise TargetError(
                f'"{settings.around[0][0]}" says what surrounds a foreign program; '
                'write machine = "program" in the experiment'
            )
        self.program = None if settings.elf is None else read_program(settings.elf)
        program = self.program if settings.of_program else None
        command = settings.command()
        outputs = Told.asked(
            masked=settings.masked,
            interruptions=settings.interruptions,
            encounters=not settings.of_board,
        )
        process = outputs.asking(
            lambda words: SimulationProcess([*command, *words], "the RTL simulation", say, program)
        )
        self._of_board = settings.of_board
        remark = f", calibrated by {_REPETITIONS} repetitions of each step"
        deviation = process.name + (remark if self._of_board else "")
        timeouts = NETLIST_TIMEOUT if settings.routed else TIMEOUT
        super().__init__(process, deviation, record, outputs, timeouts)

    @property
    def most_repetitions(self) -> int | None:
        """As :data:`_REPETITIONS`, on a board."""
        return _REPETITIONS if self._of_board else None
