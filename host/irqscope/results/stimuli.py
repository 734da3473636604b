"""Rebuilds stimuli from records, by the same rules as the gateware's channels.

In one tick a stop acts first on the stimulus open before that tick, then the timeout, then the
start. The oldest start keeps its stamp.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from irqscope.constants import (
    CORES,
    RECORD_CODES,
    RECORD_CORES,
    RECORD_RISES,
    RECORD_TIMED_OUT,
    Marker,
    StartKind,
)
from irqscope.link.codec import Values

#: A run that is cut short has lost at most so much.
LONGEST_BATCH_S = 3600.0
#: From the stamp of an acknowledging marker to the fall of its line, at its pin, ticks
#: (hw: EVENT_DELAY + 2 + OUTPUT_DELAY).
ACKNOWLEDGED_TICKS = 6

_CODE_BITS = RECORD_CODES.width // CORES


class State(enum.IntEnum):
    """Final state of a stimulus."""

    SERVED = 0
    COALESCED = 1
    TIMED_OUT = 2


@dataclass(frozen=True)
class Batch:
    """Stimuli between two talks on the link."""

    number: int
    first: int  #: sequence number of its first stimulus
    count: int
    recorded: bool  #: stimuli are kept one by one
    lasting_s: float  #: target time at most


@dataclass
class Stimulus:
    """One row of the samples. Ticks; stages are relative to the edge, None where absent."""

    edge_ticks: int
    state: State = State.TIMED_OUT
    latency_ticks: int | None = None
    core: int | None = None  #: whose marker served it
    vector_ticks: int | None = None
    handler_ticks: int | None = None
    done_ticks: int | None = None
    task_ticks: int | None = None


@dataclass
class Rebuilt:
    """Stimuli of one channel in one batch, in the order of their edges, and the counts."""

    stimuli: list[Stimulus] = field(default_factory=list)
    stops: int = 0
    unmatched: int = 0
    open: int = 0  #: neither served nor timed out when the records ended
    #: Served ones whose stop may be the late answer of an earlier stimulus, which had timed out.
    doubtful: int = 0

    def count(self, state: State) -> int:
        """Stimuli that ended so."""
        return sum(stimulus.state is state for stimulus in self.stimuli)


def rebuild(
    records: npt.NDArray[np.void],
    channel: Values,
    start_tick: int,
    end_tick: int,
    *,
    stages: bool = True,
    sources: Mapping[int, int] | None = None,
) -> Rebuilt:
    """Stimuli of a channel from records that hold all its edges and markers.

    ``channel``: values of its CHANNEL message. Edges come out relative to ``start_tick``;
    ``end_tick`` is when the batch ended, so that a deadline before it has passed. ``stages``: its
    markers are the stages of an answer; False: instructions or pins, which borrow their codes.
    ``sources``: source of markers whose stages belong to the answers of another core, and that
    core.
    """
    builder = _Builder(channel, start_tick, stages, sources or {})
    stamps = records["stamp"].tolist()
    for stamp, events in zip(stamps, records["events"].tolist(), strict=True):
        builder.record(stamp, events)
    return builder.end(end_tick)


def rebuild_served(
    records: npt.NDArray[np.void], channel: Values, start_tick: int, *, stages: bool = True
) -> Rebuilt:
    """Stimuli from records of nothing but the sample channel's own ends (recorder threshold).

    ``stages``: as of :func:`rebuild`.
    """
    rebuilt = Rebuilt()
    stamps = records["stamp"].tolist()
    latencies, events = records["latency"].tolist(), records["events"].tolist()
    for stamp, latency, events_of in zip(stamps, latencies, events, strict=True):
        if latency == RECORD_TIMED_OUT:
            rebuilt.stimuli.append(Stimulus(stamp - channel["timeout"] - start_tick))
            continue
        core = next(stops(channel, markers(events_of)), None)
        stimulus = Stimulus(stamp - latency - start_tick, State.SERVED, latency, core)
        if stages:
            _pass(stimulus, channel["stop_code"], latency)
        rebuilt.stimuli.append(stimulus)
    return rebuilt


class _Builder:
    def __init__(
        self, channel: Values, start_tick: int, stages: bool, sources: Mapping[int, int]
    ) -> None:
        self._channel = channel
        self._sources = sources
        self._staged = stages
        self._start_tick = start_tick
        self._rebuilt = Rebuilt()
        self._open: Stimulus | None = None
        self._opened = 0  # stamp of the open stimulus
        self._late = 0  # answers that may still come, of stimuli that timed out
        self._passed: dict[int, dict[int, int]] = {}  # core: stamps by code, from its vector on
        self._answered: dict[int, tuple[Stimulus, int]] = {}  # core: the last it served, its edge

    def record(self, stamp: int, events: int) -> None:
        deadline = self._opened + self._channel["timeout"]
        if self._open is not None and deadline < stamp:
            self._time_out()
        marked = markers(events)
        if self._staged:
            for core, code in marked:
                self._stage(stamp, self._sources.get(core, core), code)
        for core in stops(self._channel, marked):
            self._stop(stamp, core)
        if self._open is not None and deadline == stamp:
            self._time_out()
        if starts(self._channel, events, marked):
            self._start(stamp)

    def end(self, end_tick: int) -> Rebuilt:
        if self._open is not None:
            if self._opened + self._channel["timeout"] <= end_tick:
                self._time_out()
            else:
                self._rebuilt.stimuli.remove(self._open)
                self._rebuilt.open = 1
        return self._rebuilt

    def _start(self, stamp: int) -> None:
        stimulus = Stimulus(stamp - self._start_tick)
        self._rebuilt.stimuli.append(stimulus)
        if self._open is not None:
            stimulus.state = State.COALESCED
        else:
            self._open, self._opened = stimulus, stamp

    def _stop(self, stamp: int, core: int) -> None:
        self._rebuilt.stops += 1
        stimulus = self._open
        if stimulus is None:
            self._rebuilt.unmatched += 1
            self._late = max(0, self._late - 1)
            return
        self._rebuilt.doubtful += self._late > 0
        stimulus.state = State.SERVED
        stimulus.latency_ticks = stamp - self._opened
        stimulus.core = core
        for code, passed in self._passed.pop(core, {}).items():
            if passed > self._opened:  # else it is of an answer before, or is the start itself
                _pass(stimulus, code, passed - self._opened)
        self._answered[core] = (stimulus, self._opened)
        self._open = None

    def _stage(self, stamp: int, core: int, code: int) -> None:
        if code == Marker.VECTOR:  # what follows belongs to another answer
            self._passed[core] = {}
            self._answered.pop(core, None)
        self._passed.setdefault(core, {})[code] = stamp
        if core in self._answered:
            stimulus, opened = self._answered[core]
            _pass(stimulus, code, stamp - opened)

    def _time_out(self) -> None:
        self._open = None  # its state says so from the beginning
        self._late += 1


def markers(events: int) -> list[tuple[int, int]]:
    """(core, code) of each marker in a record."""
    cores, codes = RECORD_CORES.of(events), RECORD_CODES.of(events)
    return [
        (core, codes >> core * _CODE_BITS & (1 << _CODE_BITS) - 1)
        for core in range(CORES)
        if cores >> core & 1
    ]


def starts(channel: Values, events: int, marked: list[tuple[int, int]]) -> bool:
    """Whether a record starts a stimulus of the channel. ``marked``: its :func:`markers`."""
    if channel["start_kind"] == StartKind.LINE:
        return bool(RECORD_RISES.of(events) >> channel["start_line"] & 1)
    return any(
        channel["start_cores"] >> core & 1 and code == channel["start_code"]
        for core, code in marked
    )


def stops(channel: Values, marked: list[tuple[int, int]]) -> Iterator[int]:
    """Cores whose markers are stops of the channel."""
    for core, code in marked:
        if channel["stop_cores"] >> core & 1 and code == channel["stop_code"]:
            yield core


#: Markers that are stages of an answer, and their fields.
_STAGES: dict[int, str] = {
    Marker.VECTOR: "vector_ticks",
    Marker.HANDLER: "handler_ticks",
    Marker.DONE: "done_ticks",
    Marker.TASK: "task_ticks",
}


def _pass(stimulus: Stimulus, code: int, ticks: int) -> None:
    """Notes that a stimulus passed a stage ``ticks`` after its edge; only the first time counts."""
    stage = _STAGES.get(code)
    if stage is not None and getattr(stimulus, stage) is None:
        setattr(stimulus, stage, ticks)
