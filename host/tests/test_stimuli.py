from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.constants import RECORD_TIMED_OUT, Marker
from irqscope.link.records import RECORD
from irqscope.results.stimuli import State, rebuild, rebuild_served

pytestmark = pytest.mark.quick

CHANNEL = {
    "index": 0,
    "start_kind": 0,
    "start_line": 0,
    "start_cores": 0,
    "start_code": 0,
    "stop_cores": 1,
    "stop_code": Marker.HANDLER,
    "timeout": 30,
}
RISE, HANDLER = 1, 1 << 16 | Marker.HANDLER << 20


def marker(code, core=0):
    return 1 << 16 + core | code << 20 + 3 * core


def records(*rows):
    return np.array([(stamp, events, 0) for stamp, events in rows], RECORD)


def states(rebuilt):
    return [(s.edge_ticks, s.state, s.latency_ticks) for s in rebuilt.stimuli]


def test_a_served_stimulus():
    rebuilt = rebuild(records((110, RISE), (117, HANDLER)), CHANNEL, 100, 1000)
    assert states(rebuilt) == [(10, State.SERVED, 7)]


def test_whose_marker_served_it_is_kept():
    several = CHANNEL | {"stop_cores": 0b1111}
    observed = records((110, RISE), (117, marker(Marker.HANDLER, 2)), (120, RISE))
    assert [s.core for s in rebuild(observed, several, 100, 1000).stimuli] == [2, None]
    tail = np.array([(117, marker(Marker.HANDLER, 3), 7)], RECORD)
    assert [s.core for s in rebuild_served(tail, several, 100).stimuli] == [3]


def test_the_oldest_start_keeps_its_stamp():
    rebuilt = rebuild(records((110, RISE), (115, RISE), (120, HANDLER)), CHANNEL, 100, 1000)
    assert states(rebuilt) == [(10, State.SERVED, 10), (15, State.COALESCED, None)]


def test_a_stop_with_nothing_open_is_unmatched():
    rebuilt = rebuild(records((110, HANDLER), (111, RISE)), CHANNEL, 100, 1000)
    assert (rebuilt.stops, rebuilt.unmatched) == (1, 1)
    assert states(rebuilt) == [(11, State.TIMED_OUT, None)]


def test_in_one_tick_a_stop_acts_on_the_stimulus_open_before_and_then_a_new_one_opens():
    rebuilt = rebuild(
        records((110, RISE), (120, RISE | HANDLER), (125, HANDLER)), CHANNEL, 100, 1000
    )
    assert states(rebuilt) == [(10, State.SERVED, 10), (20, State.SERVED, 5)]


def test_in_the_tick_of_the_deadline_a_stop_still_serves():
    rebuilt = rebuild(records((110, RISE), (140, HANDLER)), CHANNEL, 100, 1000)
    assert states(rebuilt) == [(10, State.SERVED, 30)]


def test_one_tick_after_the_deadline_it_is_too_late():
    rebuilt = rebuild(records((110, RISE), (141, HANDLER)), CHANNEL, 100, 1000)
    assert states(rebuilt) == [(10, State.TIMED_OUT, None)]
    assert rebuilt.unmatched == 1


def test_in_the_tick_of_the_deadline_a_start_opens_the_next():
    rebuilt = rebuild(records((110, RISE), (140, RISE), (150, HANDLER)), CHANNEL, 100, 1000)
    assert states(rebuilt) == [(10, State.TIMED_OUT, None), (40, State.SERVED, 10)]


def test_what_is_open_when_the_batch_ends_is_no_row():
    rebuilt = rebuild(records((110, RISE)), CHANNEL, 100, 139)
    assert (rebuilt.open, rebuilt.stimuli) == (1, [])
    assert states(rebuild(records((110, RISE)), CHANNEL, 100, 140)) == [(10, State.TIMED_OUT, None)]


def test_another_cores_marker_does_not_serve():
    rebuilt = rebuild(
        records((110, RISE), (115, marker(Marker.HANDLER, core=1))), CHANNEL, 100, 1000
    )
    assert states(rebuilt) == [(10, State.TIMED_OUT, None)]
    assert rebuilt.stops == 0


def test_stages_belong_to_the_stimulus_that_their_handler_served():
    rows = [(110, RISE)]
    rows += [(112, marker(Marker.VECTOR)), (115, HANDLER), (118, marker(Marker.DONE))]
    rows += [(125, marker(Marker.TASK)), (150, RISE)]
    rows += [(153, marker(Marker.VECTOR)), (155, HANDLER), (158, marker(Marker.DONE))]
    first, second = rebuild(records(*rows), CHANNEL, 100, 1000).stimuli
    assert stages(first) == (2, 5, 8, 15)
    assert (second.vector_ticks, second.done_ticks, second.task_ticks) == (3, 8, None)


def test_stages_of_an_unmatched_answer_belong_to_nobody():
    rows = [(110, RISE), (112, marker(Marker.VECTOR)), (115, HANDLER), (118, marker(Marker.DONE))]
    rows += [(120, marker(Marker.VECTOR)), (122, HANDLER), (124, marker(Marker.TASK))]
    (only,) = rebuild(records(*rows), CHANNEL, 100, 1000).stimuli
    assert (only.vector_ticks, only.done_ticks, only.task_ticks) == (2, 8, None)


def stages(stimulus):
    names = ("vector", "handler", "done", "task")
    return tuple(getattr(stimulus, f"{name}_ticks") for name in names)


ANSWER = [(110, RISE), (112, marker(Marker.VECTOR)), (115, HANDLER)]
ANSWER += [(118, marker(Marker.DONE)), (125, marker(Marker.TASK))]


@pytest.mark.parametrize(
    ("start", "stop", "seen"),
    [
        (None, Marker.VECTOR, (2, 5, 8, 15)),
        (None, Marker.HANDLER, (2, 5, 8, 15)),
        (None, Marker.DONE, (2, 5, 8, 15)),
        (None, Marker.TASK, (2, 5, 8, 15)),
        (Marker.HANDLER, Marker.DONE, (None, None, 3, 10)),  # as of the start, which is not a stage
        (Marker.HANDLER, Marker.TASK, (None, None, 3, 10)),
        (Marker.DONE, Marker.TASK, (None, None, None, 7)),
    ],
)
def test_the_marker_that_a_channel_stops_at_is_a_stage_and_so_are_those_before(start, stop, seen):
    channel = CHANNEL | {"stop_code": stop}
    if start is not None:
        channel |= {"start_kind": 1, "start_cores": 1, "start_code": start}
    repeated = [(stamp + 100, events) for stamp, events in ANSWER]
    rebuilt = rebuild(records(*ANSWER, *repeated), channel, 100, 1000)
    assert [stages(stimulus) for stimulus in rebuilt.stimuli] == [seen] * 2
    latency = seen[stop - Marker.VECTOR]
    assert [stimulus.latency_ticks for stimulus in rebuilt.stimuli] == [latency] * 2


def test_instructions_and_pins_that_borrow_a_code_are_no_stages():
    rebuilt = rebuild(records(*ANSWER), CHANNEL, 100, 1000, stages=False)
    assert states(rebuilt) == [(10, State.SERVED, 5)]
    assert stages(rebuilt.stimuli[0]) == (None,) * 4
    tail = np.array([(117, HANDLER, 7)], RECORD)
    assert stages(rebuild_served(tail, CHANNEL, 100, stages=False).stimuli[0]) == (None,) * 4


def test_stimuli_from_markers():
    channel = CHANNEL | {"start_kind": 1, "start_cores": 1, "start_code": Marker.START}
    rebuilt = rebuild(records((110, marker(Marker.START)), (117, HANDLER)), channel, 100, 1000)
    assert states(rebuilt) == [(10, State.SERVED, 7)]


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 3)), max_size=60))
def test_the_counters_agree_whatever_comes(steps):
    stamp, rows = 100, []
    for step, subject in steps:
        stamp += step
        rows.append((stamp, (RISE if subject & 1 else 0) | (HANDLER if subject & 2 else 0)))
    rebuilt = rebuild(records(*rows), CHANNEL, 100, stamp)
    starts = sum(events & 1 for _, events in rows)
    assert starts == len(rebuilt.stimuli) + rebuilt.open
    assert rebuilt.stops == rebuilt.count(State.SERVED) + rebuilt.unmatched
    edges = [s.edge_ticks for s in rebuilt.stimuli]
    assert edges == sorted(edges)
    assert all(0 <= s.latency_ticks <= 30 for s in rebuilt.stimuli if s.state is State.SERVED)


def test_records_of_ends_alone():
    rows = np.array([(117, HANDLER, 7), (200, 0, RECORD_TIMED_OUT)], RECORD)
    rebuilt = rebuild_served(rows, CHANNEL, 100)
    assert states(rebuilt) == [(10, State.SERVED, 7), (70, State.TIMED_OUT, None)]
    assert rebuilt.stimuli[0].handler_ticks == 7
