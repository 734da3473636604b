"""Late answers: a queue gives each its own stimulus; without one, doubtful ones are counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_stimuli import CHANNEL, HANDLER, RISE, records, states

from conftest import T2
from irqscope.experiment import load
from irqscope.experiment.checks import problems
from irqscope.machines.known import DEFAULT
from irqscope.results.pairing import pair
from irqscope.results.stimuli import State, rebuild

PERIOD, TIMEOUT = 50, 500
QUEUED = CHANNEL | {"timeout": TIMEOUT}


def merged(starts, stops):
    """Records of edges and markers; in one tick both are one record."""
    events = dict.fromkeys(starts, RISE)
    for stop in stops:
        events[stop] = events.get(stop, 0) | HANDLER
    return records(*sorted(events.items()))


def answered(delays):
    """Starts, and stops of a device that answers in order, each after its delay or later."""
    starts = [1000 + PERIOD * n for n in range(len(delays))]
    stops, last = [], 0
    for start, delay in zip(starts, delays, strict=True):
        last = max(start + delay, last + 1)
        stops.append(last)
    return starts, stops


DELAYS = st.lists(st.sampled_from([7, 8, 9, 49, 50, 51, 120, 430]), min_size=1, max_size=40)


@given(DELAYS)
def test_each_answer_in_order_has_its_own_stimulus(delays):
    starts, stops = answered(delays)
    actual = pair(merged(starts, stops), QUEUED, 900)
    truth = [stop - start for start, stop in zip(starts, stops, strict=True)]
    assert [s.latency_ticks for s in actual.stimuli] == [
        latency if latency <= TIMEOUT else None for latency in truth
    ]
    assert {s.state for s in actual.stimuli} <= {State.SERVED, State.TIMED_OUT}
    assert actual.stops == len(stops) == actual.count(State.SERVED) + actual.unmatched


@given(DELAYS, st.data())
def test_where_an_answer_is_missing_or_in_excess_no_wrong_latency_is_left(delays, data):
    starts, stops = answered(delays)
    truth = {start - 900: stop - start for start, stop in zip(starts, stops, strict=True)}
    if data.draw(st.booleans()):
        del stops[data.draw(st.integers(0, len(stops) - 1))]
    else:
        stops.append(
            data.draw(st.integers(1000, starts[-1] + 600).filter(lambda t: t not in stops))
        )
    actual = pair(merged(starts, stops), QUEUED, 900)
    served = [s for s in actual.stimuli if s.state is State.SERVED]
    assert all(s.latency_ticks == truth[s.edge_ticks] for s in served)
    assert len(actual.stimuli) == len(starts)


def test_a_stop_before_the_first_start_leaves_the_others_certain():
    actual = pair(merged([110, 160], [105, 117, 168]), QUEUED, 100)
    assert states(actual) == [(10, State.SERVED, 7), (60, State.SERVED, 8)]
    assert actual.unmatched == 1


def test_without_a_queue_served_ones_after_a_time_out_are_doubtful_until_it_is_answered():
    late = merged([110, 160, 210, 260, 310], [117, 215, 268, 275, 317])
    actual = rebuild(late, CHANNEL, 100, 1000)
    assert [s.latency_ticks for s in actual.stimuli] == [7, None, 5, 8, 7]
    # 275 found nothing open: the answer that had been missing is there, so 317 is certain.
    assert actual.doubtful == 2


def test_without_a_time_out_none_is_doubtful():
    rng = np.random.default_rng(1)
    starts = [1000 + PERIOD * n for n in range(100)]
    stops = [start + int(rng.integers(5, 25)) for start in starts]
    assert rebuild(merged(starts, stops), CHANNEL, 900, 10_000).doubtful == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"samples": "first 5"}, 'write samples = "all"'),
        ({"markers": "stages"}, 'write markers = "paper"'),
        ({"measure": "throughput"}, "latencies of single stimuli"),
    ],
)
def test_what_a_queue_cannot_pair_is_refused(refused_queue, change, why):
    assert why in refused_queue(**change)


@pytest.fixture
def refused_queue():
    def of(**changes):
        experiment = load(T2, count=20)
        queued = experiment.channels[0].model_copy(update={"pairing": "queue"})
        expected = type(experiment).model_validate(
            experiment.model_copy(update={"channels": (queued,)}).model_dump(exclude_unset=True)
            | changes
        )
        assert not list(problems(experiment, DEFAULT, DEFAULT.tick_hz))
        return " ".join(problem.text for problem in problems(expected, DEFAULT, DEFAULT.tick_hz))

    return of
