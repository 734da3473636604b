"""Stores the joint range over all assumptions where runs find it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import irqscope
from irqscope.files import storage
from irqscope.results import assumptions as stored
from irqscope.results.assumptions import Assumptions
from irqscope.results.sensitivity_record import Failed, Joint, Outcome, SensitivityRecord, Swept
from irqscope.targets.twin import TwinSettings


def keep(record: SensitivityRecord, folders: Sequence[Path]) -> list[str]:
    """Stores the range of each experiment for later runs; returns the reason if it stored none.

    ``record``: of a sensitivity over all assumptions, just taken. Raises StorageError.
    """
    refused = []
    program = TwinSettings.parse(record.target.partition(":")[2]).program()
    elf = None if program is None else program.sha256
    for experiment in record.experiments:
        failed = sum(isinstance(end, Failed) for end in experiment.ends)
        if failed:
            refused.append(f"{experiment.name}: not stored, for {failed} of its runs failed")
            continue
        if experiment.joint is None:
            refused.append(f"{experiment.name}: not stored, for nothing was drawn jointly")
            continue
        gathered = _gathered(experiment, experiment.joint, record.ended, elf)
        for folder in folders:
            with storage(folder):
                folder.mkdir(parents=True, exist_ok=True)
            stored.store(gathered, folder)
    return refused


def _gathered(swept: Swept, joint: Joint, ended: str, elf: str | None) -> Assumptions:
    """The assumptions that one experiment gives, all of whose runs are valid."""
    base, outcomes = swept.base, joint.outcomes
    assert isinstance(base, Outcome)
    placed = [base, *(end for end in swept.layouts if isinstance(end, Outcome))]
    by_stm = [end.stm[1] for end in outcomes if end.stm is not None]
    return Assumptions(
        experiment=swept.name,
        case=stored.case_hash(swept.experiment),
        profile=base.profile,
        profile_hash=base.profile_hash,
        firmware_hash=base.firmware_hash,
        build_hash=base.build_hash,
        program=irqscope.__version__,
        taken=ended,
        n=base.n,
        constants=len(swept.rows),
        draws=len(outcomes),
        layouts=len(placed),
        least=_span(end.min_ns for end in outcomes),
        median=_span(end.median_ns for end in outcomes),
        greatest=_span(end.max_ns for end in outcomes),
        stm=_span(by_stm) if by_stm else None,
        layout=_span(end.median_ns for end in placed),
        elf=elf,
        strongest=tuple(
            stored.Constant(name=row.name, low_ns=row.low.median_ns, high_ns=row.high.median_ns)
            for row in swept.rows[: stored.STRONGEST]
            if row.effect_ns and isinstance(row.low, Outcome) and isinstance(row.high, Outcome)
        ),
    )


def _span(values: Iterable[int]) -> stored.Range:
    numbers = list(values)
    return stored.Range(low_ns=min(numbers), high_ns=max(numbers))
