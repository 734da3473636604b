"""Wording for runs over a grid of stimuli."""

from __future__ import annotations

from irqscope.report.telling import Report
from irqscope.results.record import RunRecord


class Grid(Report):
    """``answering``: the kind without its grid, which describes the measured system."""

    def __init__(self, run: RunRecord, answering: Report) -> None:
        super().__init__(run)
        self._answering = answering

    def case(self) -> str:
        return self._answering.case()

    def span(self) -> str:
        return self._answering.span()

    def model(self) -> str:
        return self._answering.model()

    def warning(self) -> str:
        return self._answering.warning()
