"""Stores the range over all assumptions where runs find it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import irqscope
from irqscope import assumptions as stored
from irqscope.assumptions import Assumptions
from irqscope.files import storage
from irqscope.sensitivity.record import Failed, Outcome, SensitivityRecord, Swept


def keep(record: SensitivityRecord, folders: Sequence[Path]) -> list[str]:
    """Stores what was found for each experiment, for runs to come; returns why it was not.

    ``record``: of a sensitivity over all assumptions, just taken. Raises StorageError.
    """
    refused = []
    for told in record.experiments:
        failed = sum(isinstance(end, Failed) for end in told.ends)
        if failed:
            refused.append(f"{told.name}: not stored, for {failed} of its runs failed")
            continue
        found = _gathered(told, record.ended)
        for folder in folders:
            with storage(folder):
                folder.mkdir(parents=True, exist_ok=True)
            stored.store(found, folder)
    return refused


def _gathered(told: Swept, taken: str) -> Assumptions:
    """The assumptions that one experiment gives, all of whose runs are valid."""
    ends = [end for end in told.ends if isinstance(end, Outcome)]
    base = ends[0]
    return Assumptions(
        experiment=told.name,
        case=stored.case_hash(told.experiment),
        profile=base.profile,
        profile_hash=base.profile_hash,
        firmware_hash=base.firmware_hash,
        build_hash=base.build_hash,
        program=irqscope.__version__,
        taken=taken,
        n=base.n,
        constants=len(told.rows),
        least=_span([end.min_ns for end in ends]),
        median=_span([end.median_ns for end in ends]),
        greatest=_span([end.max_ns for end in ends]),
        strongest=tuple(
            stored.Constant(name=row.name, low_ns=row.low.median_ns, high_ns=row.high.median_ns)
            for row in told.rows[: stored.STRONGEST]
            if row.effect_ns and isinstance(row.low, Outcome) and isinstance(row.high, Outcome)
        ),
    )


def _span(values: Sequence[int]) -> stored.Range:
    return stored.Range(low_ns=min(values), high_ns=max(values))
