"""Foreign programs: which target runs one, and where one of a file can run."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import TargetError
from irqscope.machines.elf import ProgramError, read_elf
from irqscope.targets.rtl import RtlSettings
from irqscope.targets.twin import TwinSettings

#: A local symbol that each firmware of irqscope has, whatever its stack (fw/cases/requests/link.c).
_OURS = "firmware_hash"
#: The simulation that is taken for a program's architecture, unless its target names another.
_SIMULATIONS = {"EM_RISCV": "rtl:ibex", "EM_AARCH64": "twin", "EM_ARM": "twin:a9"}


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
        machine = read_elf(path).machine
    except ProgramError as error:
        raise TargetError(str(error)) from error
    if machine not in _SIMULATIONS:
        raise TargetError(
            f"{path} is built for {machine}; choose a program for RV32, AArch64 or ARMv7-A"
        )
    return f"{_SIMULATIONS[machine]}:elf={path}"


def _is_ours(path: Path) -> bool:
    try:
        return any(symbol.name == _OURS for symbol in read_elf(path).symbols)
    except ProgramError:
        return False
