"""One HTML page a run, opened without network."""

from __future__ import annotations

from irqscope.report.page import write_report

__all__ = ["write_report"]
