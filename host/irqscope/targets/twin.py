"""The simulated board: a process of its own, reached through a pseudo-terminal."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from irqscope.errors import TargetError
from irqscope.machines.elf import Elf
from irqscope.machines.firmware_file import DEFAULT_MEMORY, DEFAULT_STACK
from irqscope.machines.known import MACHINES
from irqscope.machines.model import Machine
from irqscope.machines.unsupported import lack
from irqscope.results import assumptions
from irqscope.results.assumptions import Assumptions
from irqscope.targets.process import (
    Say,
    SimulationProcess,
    SimulationTarget,
    Told,
    parts_of,
    read_program,
    unsaid,
)
from irqscope.units import whole

#: Profile of a twin whose target names none.
DEFAULT_PROFILE = "a53"
#: A simulated device at the pins of the twin without a model of timing.
EXTERNAL = "external"
CARRIER = "functional"
DEFAULT_DEVICE = "stm32f411"
#: Profiles that are for a program's chip alone; its boards are not those of the instrument.
CHIPS = ("m4",)
_OF_PINS = ("device", "wiring")
_NAMED = ("layout", "memory", "board", "fault", "variant", "elf", "ready")
#: Options of a foreign program, and how often each may be given.
_OF_PROGRAM = {"ram": 8, "gpio": 8, "bin": 8, "entry": 1, "el": 1, "x0": 1}
_MACHINES = [machine.name for machine in MACHINES]
_PROFILES = {twin.profile for machine in MACHINES for twin in machine.twins}
#: -P: whatever is in the working directory is not imported.
_TWIN = [sys.executable, "-Pm", "irqscope_twin"]


@dataclass(frozen=True)
class TwinSettings:
    """``profile``: as the twin takes it, MACHINE:PROFILE where several machines have one of that
    name. ``values``: constants of the profile that have another value, in their own units.

    ``layout``: number of the firmware whose parts are elsewhere, or 0 for the one as built;
    ``memory``: where the firmware is placed; ``board``: the board whose UART and PL clock it has,
    but not its cores.
    ``fault``: name of the one that is injected; ``variant``: of the one that the board follows;
    ``stack``: software stack of the firmware; ``markers``: file that receives what each core had
    executed at each of its markers. ``device``: a table of twin/devices, wired to the pins;
    ``wiring``: the fault of the wires. ``elf``: a foreign program, next to the instrument's own;
    ``ready``: the place where it can be measured; ``of_program``: keys and values of its board's
    other parts and its start; ``watches``: kinds and places, as ``pc:SYMBOL``, with the pin that
    each drives; ``leads``: destinations of lines on its chip, as ``0=pin:PC13``; ``masked``:
    whether it reports when its interrupts are off; ``interruptions``: whether it reports where
    lines interrupt it; ``functions``: file that receives the functions that it executes for each
    stimulus.
    """

    profile: str = DEFAULT_PROFILE
    skipping: bool = True
    values: tuple[tuple[str, str], ...] = ()
    layout: int = 0
    memory: str = DEFAULT_MEMORY
    board: str | None = None
    fault: str | None = None
    variant: str | None = None
    stack: str = DEFAULT_STACK
    markers: Path | None = None
    device: str | None = None
    wiring: str | None = None
    elf: str | None = None
    ready: str | None = None
    of_program: tuple[tuple[str, str], ...] = ()
    watches: tuple[tuple[str, int], ...] = ()
    leads: tuple[str, ...] = ()
    masked: bool = False
    interruptions: bool = False
    functions: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Settings from ``[MACHINE][:PROFILE][:OPTION]...``.

        An option is ``no-skip``, ``layout=NUMBER``, ``memory=NAME``, ``board=NAME``,
        ``fault=NAME``, ``variant=NAME`` or
        ``KEY=VALUE``. A profile
        is alone where one machine has it. Raises TargetError.
        """
        profile, *options = parts_of(text)
        if "=" in profile:  # options alone
            options, profile = [profile, *options], ""
        if external := profile == EXTERNAL:
            profile = CARRIER
        if profile in _MACHINES and options and options[0] in _PROFILES:
            profile = f"{profile}:{options.pop(0)}"
        values = []
        of_program: list[tuple[str, str]] = []
        named: dict[str, str] = {}
        for option in options:
            key, equals, value = option.partition("=")
            if equals and key in (*_NAMED, *_OF_PINS):
                if key in named:
                    raise TargetError(f"a twin takes one {key} at a time")
                named[key] = value
            elif equals and key in _OF_PROGRAM:
                of_program.append((key, value))
                if sum(key == name for name, _ in of_program) > _OF_PROGRAM[key]:
                    raise TargetError(f"a twin takes {key}= at most {_OF_PROGRAM[key]} times")
            elif equals:
                values.append((key, value))
            elif option != "no-skip":
                raise TargetError(
                    f'a twin has no option "{option}"; say twin:PROFILE:no-skip, '
                    "twin:PROFILE:layout=NUMBER, twin:PROFILE:memory=ocm, "
                    "twin:PROFILE:board=NAME, twin:PROFILE:KEY=VALUE, "
                    "twin:PROFILE:fault=NAME, twin:PROFILE:variant=NAME, "
                    "twin:MACHINE, twin:MACHINE:PROFILE, twin, or "
                    "twin:external:device=NAME:wiring=NAME"
                )
        return cls(
            profile or DEFAULT_PROFILE,
            "no-skip" not in options,
            tuple(values),
            _number(named.get("layout", "0")),
            named.get("memory", DEFAULT_MEMORY),
            named.get("board"),
            named.get("fault"),
            named.get("variant"),
            device=named.get("device", DEFAULT_DEVICE if external else None),
            wiring=named.get("wiring"),
            elf=named.get("elf"),
            ready=named.get("ready"),
            of_program=tuple(of_program),
        )

    def of(self, *, program: bool) -> Self:
        """Returns these settings, for a foreign program or for the instrument's own firmware.

        Raises TargetError where they are not.
        """
        if not program and self.profile in CHIPS:
            raise TargetError(
                f"twin:{self.profile} runs a foreign program; write "
                'machine = "program" in the experiment, and say twin:m4:elf=FILE'
            )
        if program and self.elf is None:
            raise TargetError("the program is missing: say twin:elf=FILE (docs/programs.md)")
        if not program and (self.elf is not None or self.ready is not None or self.of_program):
            raise TargetError(
                "elf=FILE is a foreign program on a twin; "
                'write machine = "program" in the experiment'
            )
        return self

    def program(self) -> Elf | None:
        """Reads the foreign program that is named, or returns None. Raises TargetError."""
        return None if self.elf is None else read_program(self.elf)

    def watching(self, watches: tuple[tuple[str, int], ...], leads: tuple[str, ...]) -> Self:
        """Returns these settings with the places that an experiment watches, each at a pin of its
        own, and with the destinations of its lines.
        """
        pins = tuple((place, pin) for pin, (place, _) in enumerate(watches))
        return replace(self, watches=pins, leads=leads)

    @property
    def machine(self) -> Machine:
        """The machine whose timing the twin has, as far as the profile's name shows. Raises
        TargetError.
        """
        of, _, profile = self.profile.partition(":")
        for machine in MACHINES:
            if machine.name == of or (not profile and of in {t.profile for t in machine.twins}):
                return machine
        names = ", ".join(sorted({*_PROFILES, *_MACHINES}))
        raise TargetError(f"there is no twin {self.profile!r}; there are: {names}")

    def command(self) -> list[str]:
        """Command line of the twin."""
        sets = [word for key, value in self.values for word in ("--set", f"{key}={value}")]
        skipping = [] if self.skipping else ["--no-skip"]
        layout = ["--layout", str(self.layout)] if self.layout else []
        memory = [] if self.memory == DEFAULT_MEMORY else ["--memory", self.memory]
        fault = [] if self.fault is None else ["--fault", self.fault]
        variant = [] if self.variant is None else ["--variant", self.variant]
        stack = [] if self.stack == DEFAULT_STACK else ["--stack", self.stack]
        markers = [] if self.markers is None else ["--markers", str(self.markers)]
        device = [] if self.device is None else ["--device", self.device]
        wiring = [] if self.wiring is None else ["--wiring", self.wiring]
        board = [] if self.board is None else ["--board", self.board]
        program = [*layout, *memory, *stack, *board]
        of_program = [] if self.ready is None else ["--ready", self.ready]
        of_program += [word for key, value in self.of_program for word in (f"--{key}", value)]
        of_program += [word for name, pin in self.watches for word in ("--watch", f"{name}={pin}")]
        of_program += [word for lead in self.leads for word in ("--lead", lead)]
        of_program += [] if self.functions is None else ["--functions", str(self.functions)]
        options = [
            *skipping,
            *program,
            *fault,
            *variant,
            *sets,
            *markers,
            *device,
            *wiring,
            *of_program,
        ]
        return [*_TWIN, "--profile", self.profile, *options]

    def deviation(self, program: Elf | None = None) -> str:
        """Deviations of the twin from its profile: changed values with their units, the fault, the
        variant, the foreign program. Raises TargetError.
        """
        changes = []
        if self.values:
            units = {row["name"]: row["unit"] for row in parameters(self.profile)}
            changes = [f"{key} = {value} {units.get(key, '')}" for key, value in self.values]
        if self.layout:
            changes.append(f"layout {self.layout} of the firmware")
        if self.memory != DEFAULT_MEMORY:
            changes.append(f"firmware in {self.memory}")
        if self.board is not None:
            chip = self.profile in CHIPS
            changes.append(f"{'board' if chip else 'UART and PL clock of'} {self.board}")
        if self.fault is not None:
            changes.append(f"fault {self.fault}")
        if self.variant is not None:
            changes.append(f"variant {self.variant}")
        if program is not None:
            changes.append(f"the program {program.named}")
        changes += [_of_program_said(key, value) for key, value in self.of_program]
        if self.device is not None:
            wired = f" wired {self.wiring}" if self.wiring else ""
            changes.append(f"simulated device {self.device}{wired}, delays from its table")
        return ", ".join(changes)

    def quantum_cycles(self) -> int | None:
        """CPU cycles that cores may be apart. Raises TargetError."""
        table = {row["name"]: row["value"] for row in parameters(self.profile)}
        value = dict(self.values).get("cpu.quantum", table.get("cpu.quantum"))
        return None if value is None else int(value)


def _of_program_said(key: str, value: str) -> str:
    """Name of a program's option in the label. Raises TargetError."""
    path, at, address = value.rpartition("@")
    if key != "bin" or not at:
        return f"{key}={value}"
    try:
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise TargetError(f"bin: {path}: {error.strerror}") from None
    return f"bin={Path(path).name} (sha256 {digest[:12]}) at {address}"


def _number(text: str) -> int:
    """Number of a layout. Raises TargetError."""
    number = whole(text)
    if number is None:
        raise TargetError(f'layout: "{text}" is no number; say twin:PROFILE:layout=1')
    return number


def parameters(profile: str) -> list[dict[str, Any]]:
    """The table of a timing profile.

    Each constant has name, value, unit, range, meaning, source and mark. Raises TargetError.
    """
    rows: list[dict[str, Any]] = _ask("--parameters", profile)
    return rows


def stored() -> list[Assumptions]:
    """Values that the profiles bring. Raises TargetError; StorageError naming a damaged file."""
    files: dict[str, str] = _ask("--sensitivities")
    return [
        assumptions.parse(text, f"twin/profiles/sensitivity/{name}") for name, text in files.items()
    ]


def _ask(*options: str) -> Any:
    """Returns the output of the twin's command line, from JSON."""
    process = subprocess.run([*_TWIN, *options], capture_output=True, text=True, check=False)
    if process.returncode:
        lines = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise TargetError(f"the twin did not start: {lines[-1]}")
    return json.loads(process.stdout)


def _refuse_stack(settings: TwinSettings) -> None:
    """Raises TargetError for a stack that the machine lacks and that therefore has no program."""
    for machine in MACHINES:
        profiles = [twin.profile for twin in machine.twins]
        named = [machine.name, *profiles, *(f"{machine.name}:{profile}" for profile in profiles)]
        if settings.profile in named:
            if reason := lack(machine, "stack", settings.stack):
                raise TargetError(f"stack: {reason}")
            return


class TwinProcess(SimulationProcess):
    """A running twin. Raises TargetError if it does not start."""

    def __init__(
        self,
        settings: TwinSettings,
        say: Say = unsaid,
        more: Sequence[str] = (),
        program: Elf | None = None,
    ) -> None:
        _refuse_stack(settings)
        super().__init__([*settings.command(), *more], "the twin", say, program)


class TwinTarget(SimulationTarget):
    """Starts a twin and opens its port."""

    def __init__(
        self, settings: TwinSettings, record: Path | None = None, say: Say = unsaid
    ) -> None:
        self._settings = settings
        self.program = settings.program()
        deviation = settings.deviation(self.program)
        outputs = Told.asked(masked=settings.masked, interruptions=settings.interruptions)
        process = outputs.asking(lambda words: TwinProcess(settings, say, words, self.program))
        super().__init__(process, deviation, record, outputs)

    @property
    def quantum_cycles(self) -> int | None:
        """CPU cycles that the twin's cores may be apart."""
        return self._settings.quantum_cycles()
