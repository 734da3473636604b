"""The benchmark card of a suite: one page and one JSON file, with the published values."""

from __future__ import annotations

from irqscope_papers.card.page import write_card

__all__ = ["write_card"]
