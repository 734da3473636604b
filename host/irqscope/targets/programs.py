"""Foreign programs: which target runs one, and where one of a file can run."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import TargetError
from irqscope.machines.arm_attributes import is_for_microcontroller
from irqscope.machines.elf import ProgramError, read_elf
from irqscope.targets.rtl import RtlSettings
from irqscope.targets.twin import TwinSettings

#: A local symbol that each firmware of irqscope has, whatever its stack (fw/cases/requests/link.c).
_OURS = "firmware_hash"
#: The simulation that is taken for a program's architecture, unless its target names another.
_SIMULATIONS = {"EM_RISCV": "rtl:ibex", "EM_AARCH64": "twin", "EM_ARM": "twin:a9"}
_MICROCONTROLLER = "twin:m4"


def runs_program(target: str) -> bool:
    """Whether a target runs a program in addition to the instrument's own firmware.

    A soft core's ``elf=FILE`` may be another firmware of irqscope instead, which the file shows. An
    unreadable file counts as foreign. Raises TargetError for a target with unknown options.
    """
    scheme, _, rest = target.partition(":")
    if scheme == "twin":
        return TwinSettings.parse(rest).elf is not None
    if scheme != "rtl":
        return False
    elf = RtlSettings.parse(rest).elf
    return elf is not None and not _is_ours(Path(elf))


def target_of(path: Path) -> str:
    """The target that runs a program, by its architecture. Raises TargetError."""
    try:
        elf = read_elf(path)
    except ProgramError as error:
        raise TargetError(str(error)) from error
    if elf.machine not in _SIMULATIONS:
        raise TargetError(
            f"{path} is built for {elf.machine}; choose a program for RV32, AArch64, ARMv7-A or "
            "ARMv7-M"
        )
    of_chip = elf.machine == "EM_ARM" and is_for_microcontroller(elf)
    simulation = _MICROCONTROLLER if of_chip else _SIMULATIONS[elf.machine]
    return f"{simulation}:elf={path}"


def _is_ours(path: Path) -> bool:
    try:
        return any(symbol.name == _OURS for symbol in read_elf(path).symbols)
    except ProgramError:
        return False
