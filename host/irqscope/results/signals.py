"""Stimuli as signals: lines, answers under way, and markers. For a wave viewer and for the window.

All is known exactly: edges and markers were stamped, and a pulse falls where its pattern says; one
that lasts until it is acknowledged, a fixed time after the marker's stamp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from irqscope.constants import SHORTEST_PHASE, StartKind
from irqscope.experiment.tables import Channel, Line
from irqscope.experiment.values import Event
from irqscope.results.record import RunRecord
from irqscope.results.stimuli import ACKNOWLEDGED_TICKS
from irqscope.results.tables import STAGES


@dataclass(frozen=True)
class Signal:
    """High in the intervals [rises, falls), ticks, each of shape (n,).

    ``marker``: a moment; its intervals are the one tick of its stamp. ``channel``: its channel.
    """

    name: str
    channel: int
    rises: npt.NDArray[np.int64]
    falls: npt.NDArray[np.int64]
    marker: bool = False


def signals(run: RunRecord, samples: Any) -> list[Signal]:
    """Signals of a table of samples (columns as INDEXED), channel by channel, top to bottom.

    For a channel that a line starts: the line, if its pulses are known. Then ``waiting``, from
    start to answer or deadline, and the stop, or each stage where the case has markers for all.
    """
    experiment = run.experiment
    hz = run.tick_hz
    lines = {line.index: line for line in experiment.lines}
    result: list[Signal] = []
    for channel in experiment.channels:
        rows = samples.filter(samples["channel"].to_numpy() == channel.index)
        of_line = channel.start.kind is StartKind.LINE
        if of_line and (line := lines.get(channel.start.line)) is not None:
            result.extend(_line(line, channel, rows, hz))
        else:
            time = rows["time_ticks"].to_numpy()
            result.append(_marker(str(channel.start), channel, time))
        result.append(_waiting(channel, rows, hz))
        marks = {stage: f"{stage}_ticks" for stage in STAGES}
        if experiment.markers != "stages":
            marks = {_name_of_stop(channel.stop): "latency_ticks"}
        for name, column in marks.items():
            ticks = rows["time_ticks"].to_numpy() + _filled(rows, column)
            result.append(_marker(name, channel, ticks[_known(rows, column)]))
    return result


def _line(line: Line, channel: Channel, rows: Any, hz: int) -> list[Signal]:
    """The line, or an empty list if the samples do not show its end."""
    rises, high = rows["time_ticks"].to_numpy(), line.high.ticks(hz)
    name = f"line {line.index}"
    if line.mode != "acknowledged":
        return [Signal(name, channel.index, rises, rises + high)]
    if line.acknowledge != channel.stop:
        return []
    held = _filled(rows, "latency_ticks") + ACKNOWLEDGED_TICKS
    held = np.where(_known(rows, "latency_ticks"), held.clip(SHORTEST_PHASE, high), high)
    return [Signal(name, channel.index, rises, rises + held)]


def _waiting(channel: Channel, rows: Any, hz: int) -> Signal:
    """Returns the signal of answers under way, from start to answer or deadline.

    A start in that time changes nothing.
    """
    opens = rows["state"].to_numpy(zero_copy_only=False) != "coalesced"
    rises = rows["time_ticks"].to_numpy()[opens]
    lasting = np.where(
        _known(rows, "latency_ticks"), _filled(rows, "latency_ticks"), channel.timeout.ticks(hz)
    )
    return Signal("waiting", channel.index, rises, rises + lasting[opens])


def _name_of_stop(stop: Event) -> str:
    """A stage by its name alone, whichever core it is of."""
    stage = stop.marker.name.lower()
    return stage if stage in STAGES and stop.symbol is None and stop.pin is None else str(stop)


def _marker(name: str, channel: Channel, ticks: Any) -> Signal:
    return Signal(name, channel.index, ticks, ticks + 1, marker=True)


def _known(rows: Any, column: str) -> npt.NDArray[np.bool_]:
    return np.asarray(rows[column].is_valid().to_numpy(), np.bool_)


def _filled(rows: Any, column: str) -> npt.NDArray[np.int64]:
    return np.asarray(rows[column].fill_null(0).to_numpy(), np.int64)
