"""Throughput: latencies of first answers, whose high phases the gateware counts answers in."""

from __future__ import annotations

from irqscope.kinds.latency.acquisition import Latency


class Throughput(Latency):
    """Measures as latencies are measured: a stimulus is a high phase."""
