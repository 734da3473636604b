"""Pairs starts with stops by a queue, from records that hold all edges and markers.

Stop n answers start n, so a late answer is a long latency and never a short one of a later
stimulus. It holds for what answers each stimulus, once, in order. Records show where that fails:
a stop while no start waits, or a start that waits at the end of a batch. Which pairs are wrong
then cannot be known, so all that may be are left without a latency.

This is the rule of `pairing = "queue"` alone. The gateware's rule, in which the oldest start stays
open, is in :mod:`irqscope.results.stimuli` for records with markers and stages of a batch, and in
:mod:`irqscope.kinds.capture.pairing` for edges alone, as arrays of any length.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from irqscope.link.codec import Values
from irqscope.results.stimuli import Rebuilt, State, Stimulus, markers, starts, stops


def pair(records: npt.NDArray[np.void], channel: Values, start_tick: int) -> Rebuilt:
    """Return the stimuli of a channel in one batch, the n-th start with the n-th stop.

    A stimulus whose pair is uncertain comes out as coalesced: nothing is known of it. Those are
    the ones before a stop that found no start waiting, and, if starts wait at the end, the ones
    since none waited last. In one tick a stop acts first, as in the gateware.

    Args:
        records: All edges and markers of the batch, in order.
        channel: Values of the channel's CHANNEL message.
        start_tick: First tick of the batch; edges are relative to it.
    """
    rebuilt, waiting = Rebuilt(), deque[Stimulus]()
    doubted = certain = 0  # stimuli before an excess stop; stimuli until none waited last
    stamps, events = records["stamp"].tolist(), records["events"].tolist()
    for stamp, events_of in zip(stamps, events, strict=True):
        marked = markers(events_of)
        for core in stops(channel, marked):
            rebuilt.stops += 1
            if not waiting:
                doubted = len(rebuilt.stimuli)
                continue
            stimulus = waiting.popleft()
            latency = stamp - start_tick - stimulus.edge_ticks
            if latency <= channel["timeout"]:
                stimulus.state, stimulus.core = State.SERVED, core
                stimulus.latency_ticks = latency
            if not waiting:
                certain = len(rebuilt.stimuli)
        if starts(channel, events_of, marked):
            rebuilt.stimuli.append(Stimulus(stamp - start_tick))
            waiting.append(rebuilt.stimuli[-1])
    uncertain = rebuilt.stimuli[:doubted] + (rebuilt.stimuli[certain:] if waiting else [])
    for stimulus in uncertain:
        stimulus.state, stimulus.core, stimulus.latency_ticks = State.COALESCED, None, None
    rebuilt.unmatched = rebuilt.stops - rebuilt.count(State.SERVED)
    return rebuilt
