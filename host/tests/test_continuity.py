"""A run cut into batches asks for the stimuli of one that is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.acquire import encoding
from irqscope.acquire.continuity import Continuity
from irqscope.acquire.dither import LFSR_TAPS, Dither
from irqscope.acquire.plan import Plan
from irqscope.constants import RECORD_CODES, RECORD_CORES, RECORD_RISES, Marker
from irqscope.link.records import RECORD
from irqscope.machines.generated import ZYNQMP
from irqscope.results.stimuli import ACKNOWLEDGED_TICKS
from irqscope_hw import line as gateware
from irqscope_hw.constants import EVENT_DELAY, OUTPUT_DELAY
from test_cases import HZ, make, throughput


def edges(plan):
    """Edges of all stimuli, ticks from the run's start, as the gateware makes them by batch."""
    continuity, starts = Continuity(plan), []
    line = plan.experiment.lines[0]
    period = line.high.ticks(plan.tick_hz) + line.low.ticks(plan.tick_hz)
    for batch in plan.batches():
        (values,) = continuity.lines(batch)
        at = continuity.since_ticks + values["start_delay"]
        for added in Dither(values["seed"], line.dither).take(batch.count):
            starts.append(at)
            at += period + added
        continuity.advance(batch)
    return starts


@given(st.integers(20, 200), st.integers(0, 12))
def test_edges_do_not_depend_on_the_length_of_batches(milliseconds, bits):
    requested = make(count=100, lines=[{"high": "1 ms", "low": "4 ms", "dither_bits": bits}])
    whole = edges(Plan(requested, ZYNQMP, HZ, 10.0))
    assert edges(Plan(requested, ZYNQMP, HZ, milliseconds / 1000)) == whole
    assert (len(set(np.diff(whole))) > 1) == (bits > 0)


def test_each_phase_of_throughput_begins_where_it_would_in_one_batch_and_as_late():
    """A batch begins in one phase of all clocks: a phase of its own comes by the start delay."""
    requested = throughput(count=12, lines=[{"high": "1 ms", "low": "4 ms", "dither_bits": 11}])
    plan = Plan(requested, ZYNQMP, HZ)
    line, continuity = requested.lines[0], Continuity(plan)
    first, period = (time.ticks(HZ) for time in (line.start_delay, line.high))
    period += line.low.ticks(HZ)
    dither = [0, *Dither(encoding.line_seed(requested.seed, 0), 11).take(11)]
    assert edges(plan) == [first + n * period + sum(dither[: n + 1]) for n in range(12)]
    delays = []
    for batch in plan.batches():
        delays.append(continuity.lines(batch)[0]["start_delay"] - first)
        continuity.advance(batch)
    assert delays == dither
    assert len(set(delays)) > 10


def test_the_generator_is_the_gateware_s():
    assert LFSR_TAPS == gateware.LFSR_TAPS


def test_a_line_falls_as_late_behind_its_marker_as_the_gateware_s():
    assert ACKNOWLEDGED_TICKS == EVENT_DELAY + 2 + OUTPUT_DELAY


@pytest.mark.parametrize("latency, held", [(3, 10), (100, 106), (300_000, 250_000)])
def test_a_pulse_that_was_acknowledged_tells_where_the_next_one_comes(latency, held):
    requested = make(
        interrupt="ppi 31", trigger="level", count=1,
        lines=[{"mode": "acknowledged", "high": "1 ms", "low": "4 ms", "phase": "locked"}],
    )  # fmt: skip
    plan = Plan(requested, ZYNQMP, 250_000_000)
    (batch,) = plan.batches()
    start, delay = 1000, requested.lines[0].start_delay.ticks(250_000_000)
    rise = start + delay
    marker = 1 << RECORD_CORES.lsb | Marker.HANDLER << RECORD_CODES.lsb
    records = np.array(
        [(rise, 1 << RECORD_RISES.lsb, 0), (rise + latency, marker, 0)], dtype=RECORD
    )
    continuity = Continuity(plan)
    continuity.advance(batch, start, records)
    assert continuity.since_ticks == held + 1_000_000
