"""A step of the doctor, and its result."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irqscope.doctor.device_under_test import DeviceUnderTest


class State(enum.StrEnum):
    """Outcome of a step."""

    PASSED = "passed"
    FAILED = "failed"
    LEFT_OUT = "left out"  #: all or part of it: something that it needs did not work


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be. ``check``: where its cause may lie."""

    what: str
    check: str


@dataclass
class Notes:
    """A step's notes: observations, faults, missing parts."""

    seen: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def see(self, text: str) -> None:
        """Notes what was seen, good or bad."""
        self.seen.append(text)

    def leave_out(self, *missing: str) -> None:
        """Notes a part that is left out, and its missing requirement."""
        self.missing += [fact for fact in missing if fact not in self.missing]

    def fail(self, fault: str, check: str) -> None:
        """Notes that ``fault`` is wrong, and that ``check`` is where the cause may lie."""
        self.findings.append(Finding(fault, check))

    def expect(self, good: bool, fault: str, check: str) -> bool:
        """Notes a failure unless ``good``; returns ``good``."""
        if not good:
            self.fail(fault, check)
        return good


@dataclass(frozen=True)
class Step:
    """One step. ``does``: its action; ``needs``: facts that must be established before."""

    name: str
    does: str
    needs: tuple[str, ...]
    carry_out: Callable[[DeviceUnderTest, Notes], None]


@dataclass(frozen=True)
class Result:
    """A step with its outcome."""

    step: Step
    notes: Notes

    @property
    def state(self) -> State:
        """How the step ended. A failure outweighs an omission."""
        if self.notes.findings:
            return State.FAILED
        return State.LEFT_OUT if self.notes.missing else State.PASSED


def told(names: list[str]) -> str:
    """Names as part of a sentence."""
    return ", ".join(names) or "none"
