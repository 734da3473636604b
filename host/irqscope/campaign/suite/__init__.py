"""Suites: many experiments from one file, run one after the other, resumed, reported as one."""

from __future__ import annotations

from irqscope.campaign.suite.load import Entry, Loaded, load
from irqscope.campaign.suite.model import COUNTS, Suite
from irqscope.campaign.suite.run import run_suite

__all__ = ["COUNTS", "Entry", "Loaded", "Suite", "load", "run_suite"]
