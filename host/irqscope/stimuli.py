"""Rebuilds stimuli from records, by the same rules as the gateware's channels.

In one tick a stop acts first on the stimulus open before that tick, then the timeout, then the
start. The oldest start keeps its stamp.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
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
from irqscope.protocol.codec import Values

_CODE_BITS = RECORD_CODES.width // CORES


class State(enum.IntEnum):
    """How a stimulus ended."""

    SERVED = 0
    COALESCED = 1
    TIMED_OUT = 2


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

    def count(self, state: State) -> int:
        """Stimuli that ended so."""
        return sum(stimulus.state is state for stimulus in self.stimuli)


def rebuild(
    records: npt.NDArray[np.void], channel: Values, start_tick: int, end_tick: int
) -> Rebuilt:
    """Stimuli of a channel from records that hold all its edges and markers.

    ``channel``: values of its CHANNEL message. Edges come out relative to ``start_tick``;
    ``end_tick`` is when the batch ended, so that a deadline before it has passed.
    """
    builder = _Builder(channel, start_tick)
    stamps = records["stamp"].tolist()
    for stamp, events in zip(stamps, records["events"].tolist(), strict=True):
        builder.record(stamp, events)
    return builder.end(end_tick)


def rebuild_served(records: npt.NDArray[np.void], channel: Values, start_tick: int) -> Rebuilt:
    """Stimuli from records of nothing but the sample channel's own ends (recorder threshold)."""
    rebuilt = Rebuilt()
    stamps = records["stamp"].tolist()
    latencies, events = records["latency"].tolist(), records["events"].tolist()
    for stamp, latency, events_of in zip(stamps, latencies, events, strict=True):
        if latency == RECORD_TIMED_OUT:
            rebuilt.stimuli.append(Stimulus(stamp - channel["timeout"] - start_tick))
            continue
        edge = stamp - latency - start_tick
        rebuilt.stimuli.append(
            Stimulus(
                edge,
                State.SERVED,
                latency,
                next(_stops(channel, markers(events_of)), None),
                handler_ticks=_handler(channel, latency),
            )
        )
    return rebuilt


class _Builder:
    def __init__(self, channel: Values, start_tick: int) -> None:
        self._channel = channel
        self._start_tick = start_tick
        self._rebuilt = Rebuilt()
        self._open: Stimulus | None = None
        self._opened = 0  # stamp of the open stimulus
        self._vector: dict[int, int] = {}  # core: stamp of its last vector marker
        self._answered: dict[int, tuple[Stimulus, int]] = {}  # core: the last it served, its edge

    def record(self, stamp: int, events: int) -> None:
        deadline = self._opened + self._channel["timeout"]
        if self._open is not None and deadline < stamp:
            self._time_out()
        made = markers(events)
        self._stages(stamp, made)
        for core in _stops(self._channel, made):
            self._stop(stamp, core)
        if self._open is not None and deadline == stamp:
            self._time_out()
        if self._starts(events, made):
            self._start(stamp)

    def end(self, end_tick: int) -> Rebuilt:
        if self._open is not None:
            if self._opened + self._channel["timeout"] <= end_tick:
                self._time_out()
            else:
                self._rebuilt.stimuli.remove(self._open)
                self._rebuilt.open = 1
        return self._rebuilt

    def _starts(self, events: int, made: list[tuple[int, int]]) -> bool:
        if self._channel["start_kind"] == StartKind.LINE:
            return bool(RECORD_RISES.of(events) >> self._channel["start_line"] & 1)
        return any(
            self._channel["start_cores"] >> core & 1 and code == self._channel["start_code"]
            for core, code in made
        )

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
            return
        stimulus.state = State.SERVED
        stimulus.latency_ticks = stamp - self._opened
        stimulus.core = core
        stimulus.handler_ticks = _handler(self._channel, stimulus.latency_ticks)
        vector = self._vector.pop(core, None)
        if vector is not None and vector >= self._opened:
            stimulus.vector_ticks = vector - self._opened
        self._answered[core] = (stimulus, self._opened)
        self._open = None

    def _stages(self, stamp: int, made: list[tuple[int, int]]) -> None:
        for core, code in made:
            if code == Marker.VECTOR:
                self._vector[core] = stamp
                self._answered.pop(core, None)  # what follows belongs to another answer
            elif code in (Marker.DONE, Marker.TASK) and core in self._answered:
                stimulus, opened = self._answered[core]
                if code == Marker.DONE and stimulus.done_ticks is None:
                    stimulus.done_ticks = stamp - opened
                elif code == Marker.TASK and stimulus.task_ticks is None:
                    stimulus.task_ticks = stamp - opened

    def _time_out(self) -> None:
        self._open = None  # its state says so from the beginning


def markers(events: int) -> list[tuple[int, int]]:
    """(core, code) of each marker in a record."""
    cores, codes = RECORD_CORES.of(events), RECORD_CODES.of(events)
    return [
        (core, codes >> core * _CODE_BITS & (1 << _CODE_BITS) - 1)
        for core in range(CORES)
        if cores >> core & 1
    ]


def _stops(channel: Values, made: list[tuple[int, int]]) -> Iterator[int]:
    """Cores whose markers are stops of the channel."""
    for core, code in made:
        if channel["stop_cores"] >> core & 1 and code == channel["stop_code"]:
            yield core


def _handler(channel: Values, latency: int) -> int | None:
    """The stop is the stage ``handler`` unless the channel stops at another marker."""
    return latency if channel["stop_code"] == Marker.HANDLER else None
