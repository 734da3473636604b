"""Pairing of captures: equal to a model that goes tick by tick, whatever the blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from irqscope.kinds.capture.pairing import Pairing
from irqscope.results.stimuli import State

EDGES = st.lists(st.integers(0, 60), max_size=25).map(sorted)


def by_tick(starts, stops, timeout, last):
    """Applies the rules of hw/irqscope_hw/channel.py, one tick after the other.

    The stop acts first on what was open before, then the timeout, then the start opens.
    """
    rows, books = [], dict.fromkeys(
        ("starts", "served", "coalesced", "timed_out", "pending", "stops", "unmatched"), 0
    )  # fmt: skip
    open_ = None
    for tick in range(last + 1):
        for _ in range(stops.count(tick)):
            books["stops"] += 1
            if open_ is None:
                books["unmatched"] += 1
            else:
                rows[open_][1:] = [State.SERVED, tick - rows[open_][0]]
                books["served"] += 1
                open_ = None
        if open_ is not None and tick - rows[open_][0] == timeout:
            rows[open_][1] = State.TIMED_OUT
            books["timed_out"] += 1
            open_ = None
        for _ in range(starts.count(tick)):
            books["starts"] += 1
            if open_ is None:
                open_ = len(rows)
                rows.append([tick, None, -1])
            else:
                books["coalesced"] += 1
                rows.append([tick, State.COALESCED, -1])
    if open_ is not None:
        books["pending"] += 1
        del rows[open_]
    return rows, books


@settings(max_examples=300, deadline=None)
@given(EDGES, EDGES, st.integers(1, 30), st.lists(st.integers(0, 61), max_size=4).map(sorted))
def test_stimuli_and_counters_are_those_of_a_model_that_goes_tick_by_tick(
    starts, stops, timeout, cuts
):
    pairing, parts, low = Pairing(timeout), [], 0
    for cut in [*cuts, 61]:
        block = [np.array([t for t in of if low <= t < cut], np.int64) for of in (starts, stops)]
        parts.append(pairing.add(*block, cut))
        low = max(low, cut)
    parts.append(pairing.end(60))
    rows = [
        [edge, state, latency]
        for part in parts
        for edge, state, latency in zip(
            part.edges.tolist(), part.states.tolist(), part.latencies.tolist(), strict=True
        )
    ]
    wanted, books = by_tick(starts, stops, timeout, 60)
    assert rows == wanted
    assert vars(pairing.books) == books | {"unanswerable": 0}
    assert pairing.books.closed
