"""Run folders as a trace of Perfetto (https://perfetto.dev): one process a run, one track a signal.

Tracks: batches; for each channel its line, ``waiting`` from start to answer, and each core's way
from stage to stage; the timer ticks; cores that loaded memory; where the interrupt of a program
was masked; the longest answers. Time is target time since the first batch began, as in every
export, in ns.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import IO, Any

from irqscope.errors import StorageError, one_line
from irqscope.results.reader import Run
from irqscope.results.samples import Samples, flags
from irqscope.results.signals import signals
from irqscope.results.stages import title
from irqscope.results.tables import LONGEST, STAGES
from irqscope.units import NominalHz, ticks_to_ns

ENDING = ".perfetto-trace"
#: So many of the longest answers are flagged.
_WORST = 16
#: All packets come from one writer.
_SEQUENCE = 1


def write_perfetto(
    runs: Sequence[tuple[Run, Samples]],
    file: IO[bytes],
    window: range | None = None,
    damaged: list[StorageError] | None = None,
) -> int:
    """Writes all into one file; returns the number of samples.

    ``window``, ``damaged``: as of :func:`.export.export`. Never holds more than a part of a folder.
    Raises StorageError.
    """
    uuids = itertools.count(1)
    return sum(
        _Writer(file, run, number, uuids).write(samples, window, damaged)
        for number, (run, samples) in enumerate(runs, 1)
    )


class _Writer:
    """One run. ``number``: of its process; ``uuids``: of tracks, free ones."""

    def __init__(self, file: IO[bytes], run: Run, number: int, uuids: Iterator[int]) -> None:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
        from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

        self._builder = StreamingTraceProtoBuilder(file)
        self._kinds = messages.TrackEvent
        self._run = run
        self._hz = run.run.tick_hz
        self._uuids = uuids
        self._tracks: dict[str, int] = {}
        packet = self._builder.create_packet()
        self._process = packet.track_descriptor.uuid = next(uuids)
        packet.track_descriptor.process.pid = number
        name = one_line(f"{run.run.experiment.name}: {run.run.label}")
        packet.track_descriptor.process.process_name = name
        self._builder.write_packet(packet)

    def write(
        self, samples: Samples, window: range | None, damaged: list[StorageError] | None
    ) -> int:
        """The whole run, or the samples of a window alone; returns how many."""
        rows = 0
        if window is None:
            # Those of damaged files were named with the samples.
            self._batches(None if damaged is None else [])
            self._masked(None if damaged is None else [])
        for table in samples.tables(window):
            rows += table.num_rows
            self._signals(table)
            self._stages(table)
            if window is not None:
                for stimulus in table.to_pylist():
                    self._flag(0, stimulus)
        if window is None:
            for place, stimulus in enumerate(samples.worst(_WORST).to_pylist(), 1):
                self._flag(place, stimulus)
        return rows

    def _batches(self, damaged: list[StorageError] | None) -> None:
        """Adds the batches, the cores' activity in the whole of each, and its timer ticks."""
        table = self._run.batches(damaged)
        identity = self._run.run.identity
        loading = [core for core, accesses in enumerate(self._run.run.firmware.loads) if accesses]
        for batch in table.to_pylist():
            begin, length = batch["since_ticks"], batch["end_tick"] - batch["start_tick"]
            period = self._timer_tick_period(batch)
            details = {"batch": batch["batch"], "first": batch["first"], "count": batch["count"]}
            self._slice("batches", f"batch {batch['batch']}", begin, begin + length, details)
            for core in loading:
                self._slice(f"load of core {core}", "load", begin, begin + length, {})
            if batch["first_timer_tick"] is None or not period or identity is None:
                continue
            for number in itertools.count():
                since = number * period * self._hz // identity.counter_hz
                due = batch["first_timer_tick"] - batch["start_tick"] + since
                if due >= length:
                    break
                if due >= 0:
                    self._instant("timer ticks", "timer tick", begin + due, {})

    def _masked(self, damaged: list[StorageError] | None) -> None:
        """The longest interval of each kind; the track says that it has no others.

        One that is not within a batch has no time here.
        """
        if self._run.run.masked is None:
            return
        batches = self._run.batches(damaged).to_pylist()
        tracks = []
        for one in self._run.run.masked:
            for batch in batches:
                if batch["start_tick"] <= one.start_tick and one.end_tick <= batch["end_tick"]:
                    since = batch["since_ticks"] - batch["start_tick"]
                    tracks.append((one.start_tick + since, one.end_tick + since, one))
        track = "masked: the longest of each kind alone"
        if outside := len(self._run.run.masked) - len(tracks):
            track += f"; of {outside} more it is not within a batch"
        self._tracks.get(track) or self._described(track)
        # Of an end and a begin at the same time the one that is written first comes first.
        for begin, end, one in sorted(tracks, key=lambda each: each[:2]):
            details: dict[str, Any] = {"called from": one.caller} if one.caller else {}
            details["count"] = one.count
            nominal = isinstance(self._hz, NominalHz)
            for name, ticks in (("least", one.least_ticks), ("greatest", one.greatest_ticks)):
                unit, length = (
                    ("cycles", ticks) if nominal else ("ns", ticks_to_ns(ticks, self._hz))
                )
                details[f"{name}_awake_{unit}"] = length
            self._slice(track, f"{one.opened} to {one.closed}", begin, end, details)

    def _timer_tick_period(self, batch: dict[str, Any]) -> int:
        """Of the counter, as the request had it; 0: none. Raises StorageError."""
        number, first, last = batch["batch"], batch["start_tick"], batch["end_tick"]
        try:
            period = json.loads(batch["case"]).get("timer_tick_period", 0)
        except (ValueError, AttributeError):
            period = None
        if type(period) is not int or period < 0 or not first <= last < first + LONGEST:
            raise StorageError(f"{self._run.path}: batch {number} is not as it was measured")
        return period

    def _signals(self, table: Any) -> None:
        """Writes tracks of lines and of answers under way."""
        for signal in signals(self._run.run, table):
            if signal.marker:
                continue
            track = f"channel {signal.channel}: {signal.name}"
            for rise, fall in zip(signal.rises.tolist(), signal.falls.tolist(), strict=True):
                self._slice(track, signal.name, rise, fall, {})

    def _stages(self, table: Any) -> None:
        """The way of each core, from one of its markers to the next; the last one is a moment."""
        run = self._run.run
        for row in table.to_pylist():
            if row["core"] is None:
                continue
            track = f"channel {row['channel']}: core {row['core']}"
            reached = [(row[f"{stage}_ticks"], title(run, stage)) for stage in STAGES]
            ends = sorted((ticks, stage) for ticks, stage in reached if ticks is not None)
            details = {} if row["index"] is None else {"index": row["index"]}
            for (begin, stage), (end, _) in itertools.pairwise(ends):
                edge = row["time_ticks"]
                self._slice(track, stage, edge + begin, edge + end, details)
            if ends:
                self._instant(track, ends[-1][1], row["time_ticks"] + ends[-1][0], details)

    def _flag(self, place: int, stimulus: dict[str, Any]) -> None:
        latency = stimulus["latency_ticks"]
        long = "no answer" if latency is None else f"{ticks_to_ns(latency, self._hz)} ns"
        details = {name: stimulus[name] for name in ("index", "channel", "batch")}
        if details["index"] is None:
            del details["index"]
        if latency is not None:
            details["latency_ns"] = ticks_to_ns(latency, self._hz)
        if remarks := flags(self._run.run, stimulus):
            details["flags"] = ", ".join(remarks)
        name = f"#{place}: {long}" if place else long
        self._instant("longest" if place else "chosen", name, stimulus["time_ticks"], details)

    def _slice(self, track: str, name: str, begin: int, end: int, details: dict[str, Any]) -> None:
        self._event(track, self._kinds.TYPE_SLICE_BEGIN, begin, name, details)
        self._event(track, self._kinds.TYPE_SLICE_END, end, "", {})

    def _instant(self, track: str, name: str, ticks: int, details: dict[str, Any]) -> None:
        self._event(track, self._kinds.TYPE_INSTANT, ticks, name, details)

    def _event(self, track: str, kind: int, ticks: int, name: str, details: dict[str, Any]) -> None:
        uuid = self._tracks.get(track) or self._described(track)
        packet = self._builder.create_packet()
        packet.timestamp = ticks_to_ns(ticks, self._hz)
        packet.trusted_packet_sequence_id = _SEQUENCE
        event = packet.track_event
        event.type = kind
        event.track_uuid = uuid
        if name:
            event.name = name
        for key, value in details.items():
            annotation = event.debug_annotations.add()
            annotation.name = key
            if isinstance(value, str):
                annotation.string_value = value
            else:
                annotation.int_value = value
        self._builder.write_packet(packet)

    def _described(self, track: str) -> int:
        packet = self._builder.create_packet()
        packet.track_descriptor.uuid = self._tracks[track] = next(self._uuids)
        packet.track_descriptor.parent_uuid = self._process
        packet.track_descriptor.name = track
        self._builder.write_packet(packet)
        return self._tracks[track]
