"""Model of ``doctor.json``, written nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from irqscope.doctor.step import Finding, State
from irqscope.link.identity import Identity
from irqscope.results import jsonfile
from irqscope.results.record import Program
from irqscope.units import Moment, Strict

FILE = "doctor.json"
FORMAT: Final = "irqscope-doctor/2"


class StepReport(Strict):
    """One step. ``seen``: observations, good or bad; ``missing``: unmet requirements."""

    name: str
    does: str
    state: State
    seen: tuple[str, ...]
    findings: tuple[Finding, ...]
    missing: tuple[str, ...]


class Report(Strict):
    """All of ``doctor.json``. ``stopped``: why it ended before its last step."""

    format: Literal["irqscope-doctor/2"] = FORMAT
    program: Program
    started: Moment
    target: str
    label: str
    identity: Identity | None
    steps: tuple[StepReport, ...]
    sound: bool
    stopped: str


def write(report: Report, folder: Path) -> None:
    """Writes ``doctor.json`` into a folder. Raises StorageError."""
    jsonfile.write(folder / FILE, report)
