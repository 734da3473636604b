"""From an experiment and a clock to batches and to the values of the messages that set them up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from irqscope.constants import FIFO_DEPTH, Marker, StartKind
from irqscope.experiment.checks import longest_period, refires, shortest_period
from irqscope.experiment.model import MODES, SPI_IDS, Channel, Event, Experiment, Line
from irqscope.protocol import messages
from irqscope.protocol.messages import CaseId, Dispatcher, Idle, Markers, Trigger

#: A batch ends before the FIFO holds more.
RECORDS_PER_BATCH = FIFO_DEPTH * 3 // 4
#: Target time of a batch unless a run asks for another: progress shows, and little is lost when a
#: run is cut short.
BATCH_S = 2.0
STAGE_MARKERS = (Marker.VECTOR, Marker.HANDLER, Marker.DONE, Marker.TASK)

Values = dict[str, int]


@dataclass(frozen=True)
class Batch:
    """Stimuli between two talks on the link."""

    number: int
    first: int  #: sequence number of its first stimulus
    count: int
    recorded: bool  #: stimuli are kept one by one
    lasting_s: float  #: target time at most


@dataclass(frozen=True)
class Plan:
    """What stays the same over a run. Times in ticks of ``tick_hz``."""

    experiment: Experiment
    tick_hz: int
    batch_s: float = BATCH_S  #: target time of a batch, without its dither

    def batches(self) -> Iterator[Batch]:
        """All batches of the run, in order."""
        done = number = 0
        while done < self.experiment.count:
            recorded = self._recorded(done)
            count = min(self._most(recorded), self.experiment.count - done)
            if recorded and self.experiment.samples.which == "first":
                count = min(count, self.experiment.samples.number - done)
            yield Batch(number, done, count, recorded, self.lasting_s(count))
            done += count
            number += 1

    def lasting_s(self, count: int) -> float:
        """Target time, at most, of a batch of ``count`` stimuli, in seconds."""
        ticks = max(
            line.start_delay.ticks(self.tick_hz) + count * longest_period(line, self.tick_hz)
            for line in self.experiment.lines
        )
        waits = max(channel.timeout.ticks(self.tick_hz) for channel in self.experiment.channels)
        return (ticks + waits) / self.tick_hz

    @property
    def serves_only(self) -> bool:
        """Records hold one served or timed-out stimulus each, instead of edges and markers."""
        return refires(self.experiment) or self.experiment.samples.which == "tail"

    @property
    def stimulus_s(self) -> float:
        """Target time of one answered stimulus of the measured line, in seconds."""
        return shortest_period(self.experiment.lines[0], self.tick_hz) / self.tick_hz

    def case(self) -> Values:
        """Of the CASE message."""
        experiment = self.experiment
        return {
            "case_id": CaseId.T1,
            "markers": Markers[experiment.markers.upper()],
            "idle": Idle[experiment.idle.upper()],
            "trigger": Trigger[experiment.trigger.upper().replace(" ", "_")],
            "dispatcher": Dispatcher[experiment.dispatcher.upper()],
            "caches": int(experiment.caches == "on"),
            "priority": experiment.priority,
            "core": experiment.core,
            "interrupt": experiment.interrupt_id,
            "count": 0,
            **messages.PLAIN_CASE,
        }

    def lines(self, batch: Batch) -> list[Values]:
        """Of the LINE messages of one batch."""
        return [self._line(place, line, batch) for place, line in enumerate(self.experiment.lines)]

    def channels(self, plausible_min: int) -> list[Values]:
        """Of the CHANNEL messages; ``plausible_min``: ticks, from the calibration."""
        return [self._channel(channel, plausible_min) for channel in self.experiment.channels]

    def recorder(self, batch: Batch, threshold: int) -> Values:
        """Of the RECORDER message; ``threshold``: ticks, of the shortest latency still wanted."""
        markers = rises = 0
        if batch.recorded:
            core = self.experiment.core
            for channel in self.experiment.channels:
                rises |= _line_bit(channel.start)
                markers |= _marker_bit(channel.start, core) | _marker_bit(channel.stop, core)
            if self.experiment.markers == "stages":
                markers |= sum(1 << 8 * core + marker for marker in STAGE_MARKERS)
        sampled = self.experiment.channels[0].index
        return {
            "rises": rises,
            "falls": 0,
            # Deadlines are exact, so the host knows them; in a tail they must be told.
            "timeouts": 1 << sampled if batch.recorded and self.serves_only else 0,
            "select_markers": markers,
            "sample_channel": sampled,
            "threshold": max(1, threshold) if batch.recorded and self.serves_only else 0,
            "limit": 0,
        }

    def _recorded(self, done: int) -> bool:
        samples = self.experiment.samples
        if samples.which == "first":
            return done < samples.number
        return samples.which != "none"

    def _most(self, recorded: bool) -> int:
        """Stimuli in a batch: bounded by time, and by the FIFO if they are recorded."""
        period = max(shortest_period(line, self.tick_hz) for line in self.experiment.lines)
        by_time = max(1, int(self.batch_s * self.tick_hz) // period)
        if self.experiment.lines[0].mode == "single shot":
            by_time = 1
        if not recorded:
            return by_time
        return min(by_time, RECORDS_PER_BATCH // self._records_per_stimulus())

    def _records_per_stimulus(self) -> int:
        if self.serves_only:
            return 1
        selected = self.recorder(Batch(0, 0, 1, True, 0.0), 0)
        return selected["rises"].bit_count() + selected["select_markers"].bit_count()

    def _line(self, place: int, line: Line, batch: Batch) -> Values:
        spi = ppi = 0
        if place == 0:
            interrupt = self.experiment.interrupt_id
            if interrupt in SPI_IDS:
                spi = 1 << SPI_IDS.index(interrupt)
            else:
                ppi = 1 << self.experiment.core
        return {
            "index": line.index,
            "enable": 1,
            "mode": MODES[line.mode],
            "dither_bits": line.dither,
            "ack_cores": 1 << _core(line.acknowledge, self.experiment.core),
            "ack_code": line.acknowledge.marker,
            "spi": spi,
            "ppi": ppi,
            "pmod": sum(1 << pin for pin in set(line.pmod)),
            "stm": int(line.stm),
            "start_delay": line.start_delay.ticks(self.tick_hz),
            "high": line.high.ticks(self.tick_hz),
            "low": line.low.ticks(self.tick_hz),
            "count": batch.count,
            "seed": batch_seed(self.experiment.seed, line.index, batch.number),
        }

    def _channel(self, channel: Channel, plausible_min: int) -> Values:
        start, core = channel.start, self.experiment.core
        of_line = start.kind is StartKind.LINE
        behind_handler = channel.stop.marker in (Marker.HANDLER, Marker.DONE, Marker.TASK)
        return {
            "index": channel.index,
            "enable": 1,
            "start_kind": start.kind,
            "start_line": start.line,
            "start_cores": 0 if of_line else 1 << _core(start, core),
            "start_code": 0 if of_line else start.marker,
            "stop_cores": 1 << _core(channel.stop, core),
            "stop_code": channel.stop.marker,
            "hist_shift": channel.bin.ticks(self.tick_hz).bit_length() - 1,
            "phase_line": start.line,
            "timeout": channel.timeout.ticks(self.tick_hz),
            # Calibrated is the way to the handler's marker; shorter ways have no floor.
            "plausible_min": plausible_min if of_line and behind_handler else 0,
            "hist_origin": channel.origin.ticks(self.tick_hz),
        }


def batch_seed(seed: int, line: int, batch: int) -> int:
    """State of a line's dither at the start of a batch: 32 bits, not zero.

    NumPy promises that a SeedSequence gives the same numbers for ever.
    """
    state = np.random.SeedSequence([seed, line, batch]).generate_state(1, np.uint32)
    return int(state[0]) or 1


def _core(event: Event, measured: int) -> int:
    return measured if event.core is None else event.core


def _line_bit(event: Event) -> int:
    return 1 << event.line if event.kind is StartKind.LINE else 0


def _marker_bit(event: Event, measured: int) -> int:
    if event.kind is not StartKind.MARKER:
        return 0
    return 1 << 8 * _core(event, measured) + event.marker
