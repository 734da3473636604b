"""Finds the run folders of a suite that are valid runs of their present experiments."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from pathlib import Path

from irqscope.errors import StorageError
from irqscope.experiment import Experiment
from irqscope.experiment.stack import Stack
from irqscope.files import storage
from irqscope.link.identity import Identity
from irqscope.results.reader import read

#: Keys of the identity, and how each is shown: gateware, firmware and target are the same.
SAME = {"build_hash": "#010x", "firmware_hash": "#010x", "source_hash": "#010x", "tick_hz": "d"}
#: The CPU's clock is measured again each time, over 100 us of a slow counter.
CPU_HZ_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Answering:
    """The identities that a target answers with.

    ``programs``: the answers, by stack; a board has one.
    """

    programs: dict[str, tuple[Identity, Stack]]

    @property
    def identity(self) -> Identity:
        """Returns the first program's identity; others differ only in the firmware's hash."""
        return next(iter(self.programs.values()))[0]


def why_stale(folder: Path, experiment: Experiment, target: Answering) -> str | None:
    """Returns why a folder is not a valid run of ``experiment`` on this target, or None if it is.

    A valid run is complete and never repeated. Firmware and stack are not compared if
    the target does not have the stack.
    """
    identity, stack = target.programs.get(experiment.stack, (target.identity, None))
    try:
        folder_read = read(folder)
    except StorageError as error:
        return str(error)
    run = folder_read.run
    if folder_read.doubts:
        return folder_read.doubts[-1]
    if run.ended is None:
        return "it was cut short"
    if run.ended.reason != "complete":
        return f"it ended early: {run.ended.reason}"
    if run.experiment != experiment:
        return f"its experiment differs in {_differing(run.experiment, experiment)}"
    stored, here = run.identified, identity
    if stored.machine != here.machine:
        return f"it is of {stored.machine.name}, this target is {here.machine.name}"
    for name, wording in SAME.items():
        old, new = getattr(stored, name), getattr(here, name)
        if old != new and (name != "firmware_hash" or stack is not None):
            title = name.replace("_", " ")
            return f"its {title} is {old:{wording}}, this target's {new:{wording}}"
    if not math.isclose(stored.cpu_hz, identity.cpu_hz, rel_tol=CPU_HZ_TOLERANCE):
        return f"its cpu hz is {stored.cpu_hz}, this target's {here.cpu_hz}"
    if stack is not None and run.stack != stack:
        built = run.stack.version if run.stack else "an unknown version"
        return f"its stack was built differently, as {built} or with other settings"
    # Not the record's, which names an external device before it.
    label = run.source.label if run.source else run.label
    if label != identity.label:
        return f"it comes from {label}, this target is {identity.label}"
    if not run.valid:
        return "it is not valid"
    return None


def move_aside(folder: Path) -> Path:
    """Renames a folder to the first free NAME.old-N next to it. Raises StorageError."""
    for number in itertools.count(1):
        aside = folder.with_name(f"{folder.name}.old-{number}")
        if not aside.exists():
            with storage(folder):
                folder.rename(aside)
            return aside
    raise AssertionError


def _differing(old: Experiment, new: Experiment) -> str:
    return ", ".join(key for key, value in old if getattr(new, key) != value)
