"""From an experiment and a clock to batches and to the values of the messages that set them up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.constants import CORES, FIFO_DEPTH, LINES, RECORD_TIMED_OUT, Marker, StartKind
from irqscope.experiment.case import CASES
from irqscope.experiment.checks import longest_period, refires, shortest_period
from irqscope.experiment.model import MODES, Channel, Event, Experiment, Line, pin_marker
from irqscope.machines.model import Comb, Interrupt, Machine
from irqscope.protocol import codec, messages
from irqscope.protocol.messages import (
    CacheState,
    Dispatcher,
    Idle,
    Lockdown,
    Markers,
    Memory,
    Pages,
    Placement,
    Trigger,
)
from irqscope.stack import DEFAULT_STACK
from irqscope.units import Duration

#: Size of a record in an answer, and bits of a byte on the line with its start and stop bit.
RECORD_BYTES = codec.dtype(messages.RECORDS.tail).itemsize
_BITS_PER_BYTE = 10
#: A batch ends before the FIFO holds more.
RECORDS_PER_BATCH = FIFO_DEPTH * 3 // 4
#: Target time of a batch unless a run asks for another: progress shows, and little is lost when a
#: run is cut short.
BATCH_S = 2.0
#: A run that is cut short has lost at most so much.
LONGEST_BATCH_S = 3600.0
#: Target time, at most, of what a core does before it waits: it empties L2 by set and way without
#: caches.
PREPARATION_S = 0.02
#: The records that a batch of a tail may be expected to leave: far from full, because the
#: stimuli to come need not be like those before.
TAIL_RECORDS_PER_BATCH = RECORDS_PER_BATCH // 4
#: Memory of the ETF, and what one stimulus takes of it at most: two packets with master, channel
#: and a whole timestamp (33 bytes), in frames that hold 15 bytes in 16. A quarter stays free, as of
#: the FIFO.
ETF_BYTES = 8192
STAMPS_PER_BATCH = ETF_BYTES * 3 // 4 // 36
PAGES = {
    "1 GB": Pages.BLOCK_1G,
    "16 MB": Pages.SECTION_16M,
    "2 MB": Pages.BLOCK_2M,
    "1 MB": Pages.SECTION_1M,
    "4 KB": Pages.PAGE_4K,
}
STAGE_MARKERS = (Marker.VECTOR, Marker.HANDLER, Marker.DONE, Marker.TASK)

#: Pins are sampled by the instrument's own clock.
_NO_COMB = Comb(ns=0, phases=1, cause="none: pins are sampled by the instrument's own clock")

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
    machine: Machine
    tick_hz: int
    batch_s: float = BATCH_S  #: target time of a batch, without its dither
    counter_hz: int = 0  #: in which software's periods count; 0: the machine's nominal one

    def __post_init__(self) -> None:
        if not self.counter_hz:
            object.__setattr__(self, "counter_hz", self.machine.counter.hz)

    def batches(self) -> Iterator[Batch]:
        """All batches of the run, in order."""
        done = number = 0
        while done < self.experiment.count:
            recorded = self._recorded(done)
            count = min(self._most(recorded, done), self.experiment.count - done)
            if recorded and self.experiment.samples.which == "first":
                count = min(count, self.experiment.samples.number - done)
            yield Batch(number, done, count, recorded, self.lasting_s(count))
            done += count
            number += 1

    @property
    def delays(self) -> range:
        """Of a placement, ticks from the marker to the line's rise: one after the other."""
        asked = self.experiment.stretch
        assert asked is not None  # the case has it
        first, last, step = (
            time.ticks(self.tick_hz) for time in (asked.first, asked.last, asked.step)
        )
        return range(first, last + 1, step)

    @property
    def placed(self) -> Values:
        """Of a placement, the line and the marker that starts it, as in the STRETCH message."""
        asked = self.experiment.stretch
        assert asked is not None  # the case has it
        return {
            "line": self.experiment.lines[0].index,
            "cores": self._cores(asked.after),
            "code": asked.after.marker,
        }

    def stretch(self, batch: Batch) -> Values:
        """Of the STRETCH message before a batch, but for the code."""
        asked, delays = self.experiment.stretch, self.delays
        assert asked is not None  # the case has it
        return {
            **self.placed,
            "first": delays[0],
            "step": delays.step,
            "last": delays[-1],
            "count": batch.count,
            "period": asked.period.counts(self.counter_hz, self.tick_hz),
        }

    def lasting_s(self, count: int) -> float:
        """Target time, at most, of a batch of ``count`` stimuli, in seconds."""
        if self.experiment.stretch is not None:
            return (count + 2) * self.stimulus_s
        ticks = max(
            (
                line.start_delay.ticks(self.tick_hz) + count * longest_period(line, self.tick_hz)
                for line in self.experiment.lines
            ),
            default=count * max(self._period(), int(PREPARATION_S * self.tick_hz)),
        )
        waits = max(channel.timeout.ticks(self.tick_hz) for channel in self.experiment.channels)
        return (ticks + waits) / self.tick_hz + self._lead_in_s()

    def _lead_in_s(self) -> float:
        """Target time, at most, of the lead-in of all cores."""
        each = max(self._period() / self.tick_hz, PREPARATION_S)
        return self.experiment.lead_in * self.experiment.cores * each

    @property
    def serves_only(self) -> bool:
        """Records hold one served or timed-out stimulus each, instead of edges and markers."""
        if self.experiment.loss is not None:
            return False
        return refires(self.experiment) or self.experiment.samples.which == "tail"

    @property
    def stimulus_ticks(self) -> int:
        """Ticks of one answered stimulus of the measured interrupt, its dither left out."""
        if self.experiment.stretch is not None:
            return self.experiment.stretch.period.ticks(self.tick_hz)
        if self.experiment.by_software:
            return self._period()
        return shortest_period(self.experiment.lines[0], self.tick_hz)

    @property
    def stimulus_s(self) -> float:
        """The same in seconds."""
        return self.stimulus_ticks / self.tick_hz

    def link_s(self, baud: int) -> float:
        """Time on the link that the samples of the whole run take at least, in seconds.

        With a tail, what enters it on the way comes on top.
        """
        samples, count = self.experiment.samples, self.experiment.count
        kept = {"all": count, "none": 0}.get(samples.which, min(samples.number, count))
        return kept * self._records_per_stimulus() * RECORD_BYTES * _BITS_PER_BYTE / baud

    @property
    def interrupt(self) -> Interrupt:
        """The measured one; of a case without one the first shared one, which stays disabled."""
        asked = self.experiment.interrupt
        return self.machine.interrupt("shared" if asked == "none" else asked)

    @property
    def comb(self) -> Comb:
        """On which markers move."""
        return _NO_COMB if self.experiment.external else self.machine.comb

    @property
    def handlers(self) -> int:
        """Mask of the cores that answer the measured interrupt; none if a device does."""
        if self.experiment.external:
            return 0
        several = self.experiment.cores > 1
        return (1 << self.experiment.cores) - 1 if several else 1 << self.experiment.core

    @property
    def loaders(self) -> int:
        """Mask of the cores that load memory."""
        loaders, there = CASES[self.experiment.case].loaders, 1 << self.machine.cores.count
        if loaders is None or self.experiment.load is None:
            return 0
        if loaders == "measured":
            return 1 << self.experiment.core
        return there - (1 << self.experiment.cores + self.raises if loaders == "rest" else 1)

    @property
    def raises(self) -> bool:
        """A core that the case leaves free raises further interrupts."""
        further = self.experiment.further
        return further is not None and further.period is not None

    @property
    def working(self) -> int:
        """Mask of the cores that answer or load."""
        return self.handlers | self.loaders

    @property
    def busy(self) -> int:
        """Number of cores at work, with the one that raises further interrupts."""
        return self.working.bit_count() + self.raises

    @property
    def lockdown(self) -> int:
        """Value of the LOCK message behind a CASE."""
        word = self.experiment.lockdown
        return sum(Lockdown[name.upper()] for name in word.split("+")) if word else 0

    def case(self, batch: Batch) -> Values:
        """Values of the CASE message before a batch."""
        experiment = self.experiment
        return {
            **messages.PLAIN_CASE,
            "case_id": CASES[experiment.case].wire,
            "markers": Markers[experiment.markers.upper().replace("+", "_")],
            "idle": Idle[experiment.idle.upper()],
            "trigger": Trigger.RISING_EDGE
            if experiment.external
            else Trigger[experiment.trigger.upper().replace(" ", "_")],
            "dispatcher": Dispatcher[experiment.dispatcher.upper()],
            "caches": int(experiment.caches == "on"),
            "priority": experiment.priority,
            "core": experiment.core,
            "interrupt": self.interrupt.id,
            "count": batch.count if experiment.by_software else 0,
            "cores": experiment.cores,
            "placement": Placement[experiment.placement.upper()],
            "pages": PAGES[experiment.pages or self.machine.usual_pages],
            "memory": Memory[experiment.memory.upper().replace("-", "_")],
            "state": sum(CacheState[name.upper()] for name in set(experiment.state)),
            "warm": int(experiment.warm),
            "divisor": experiment.clock_divisor,
            "lead_in": experiment.lead_in,
            "raise_period": self._counts(experiment.period),
            **self._further(),
            **self._load(),
            **self._tick(),
        }

    def _further(self) -> Values:
        further = self.experiment.further
        if further is None:
            return {}
        return {"further": further.interrupts, "raise_period": self._counts(further.period)}

    def _load(self) -> Values:
        load = self.experiment.load
        if load is None:
            return {}
        return {
            "array_kib": load.array.kib,
            "data_accesses": load.data_accesses,
            "instruction_accesses": load.instruction_accesses,
            "budget": load.budget,
            "load_seed": line_seed(self.experiment.seed, LINES),
            "aimed": int(load.aim == "path"),
        }

    def _tick(self) -> Values:
        tick = self.experiment.tick
        if tick is None:
            return {}
        return {"tick_period": self._counts(tick.period), "tick_work": tick.work}

    def _counts(self, period: Duration | None) -> int:
        """A period in counts of the system counter."""
        return 0 if period is None else period.counts(self.counter_hz, self.tick_hz)

    def _period(self) -> int:
        """Ticks of the measured core's own period; 0 where lines raise the interrupt."""
        period = self.experiment.period
        return 0 if period is None else period.ticks(self.tick_hz)

    def tick_phases(self, since: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Phase in the software's tick, in ticks, of moments that lie ``since`` after one of its.

        A period is a whole number of counts of the system counter, not of ticks.
        """
        period = self._tick()["tick_period"] * self.tick_hz
        return since * self.counter_hz % period // self.counter_hz

    def pins(self) -> list[Values]:
        """Of the PIN messages."""
        found = []
        for place, pin in enumerate(self.experiment.pins):
            core, code = pin_marker(place)
            found.append(
                {
                    "index": pin.pin,
                    "rise": int(pin.edge != "fall"),
                    "fall": int(pin.edge != "rise"),
                    "core": core,
                    "code": code,
                    "filter": pin.filter.ticks(self.tick_hz),
                }
            )
        return found

    def lines(self, batch: Batch) -> list[Values]:
        """Values of the LINE messages of one batch."""
        return [self._line(place, line, batch) for place, line in enumerate(self.experiment.lines)]

    def channels(self, plausible_min: int) -> list[Values]:
        """Values of the CHANNEL messages; ``plausible_min``: ticks, from the calibration."""
        return [self._channel(channel, plausible_min) for channel in self.experiment.channels]

    def recorder(self, batch: Batch, threshold: int) -> Values:
        """Values of the RECORDER message; ``threshold``: shortest latency still wanted, ticks."""
        markers = rises = 0
        if batch.recorded:
            for channel in self.experiment.channels:
                rises |= _line_bit(channel.start)
                markers |= self._marker_bits(channel.start) | self._marker_bits(channel.stop)
            if self.experiment.markers == "stages":
                markers |= sum(1 << 8 * self.experiment.core + stage for stage in STAGE_MARKERS)
            if self.experiment.stretch is not None:
                markers |= self._marker_bits(self.experiment.stretch.after)
        sampled = self.experiment.channels[0].index
        return {
            "rises": rises,
            "falls": 0,
            # Deadlines are exact, so the host knows them; in a tail they must be told.
            "timeouts": 1 << sampled if batch.recorded and self.serves_only else 0,
            "select_markers": markers,
            "sample_channel": sampled,
            "threshold": min(max(1, threshold), RECORD_TIMED_OUT)
            if batch.recorded and self.serves_only
            else 0,
            "limit": 0,
        }

    def _recorded(self, done: int) -> bool:
        samples = self.experiment.samples
        if samples.which == "first":
            return done < samples.number
        return samples.which != "none"

    def _most(self, recorded: bool, done: int) -> int:
        """Stimuli in a batch: bounded by time, and by the FIFO if they are recorded.

        ``done``: stimuli before it. With a tail, they tell how many of those to come are longer
        than all but its own.
        """
        lines, samples = self.experiment.lines, self.experiment.samples
        if self.experiment.measure == "throughput" or (lines and lines[0].mode == "single shot"):
            return 1
        if self.experiment.stretch is not None:
            placements = len(self.delays)
            by_time = max(1, int(self.batch_s * self.tick_hz) // self.stimulus_ticks)
            most = min(by_time, RECORDS_PER_BATCH // self._records_per_stimulus())
            return max(1, most // placements) * placements  # each batch begins with the first
        period = max((shortest_period(line, self.tick_hz) for line in lines), default=0)
        by_time = max(1, int(self.batch_s * self.tick_hz) // max(1, period or self._period()))
        if not recorded:
            return by_time
        by_records = RECORDS_PER_BATCH // self._records_per_stimulus()
        if self.experiment.second_stamp:
            by_records = min(by_records, STAMPS_PER_BATCH)
        if samples.which == "tail" and done >= by_records:
            by_records = max(1, done * TAIL_RECORDS_PER_BATCH // samples.number)
        return min(by_time, by_records)

    def _records_per_stimulus(self) -> int:
        if self.serves_only:
            return 1
        selected = self.recorder(Batch(0, 0, 1, True, 0.0), 0)
        return selected["rises"].bit_count() + selected["select_markers"].bit_count()

    def _line(self, place: int, line: Line, batch: Batch) -> Values:
        shared = private = 0
        if place == 0 and not self.experiment.external:
            output = self.interrupt.output
            if output is not None:
                shared = 1 << output
            else:
                private = self.handlers
        placed = self.experiment.stretch is not None  # each marker starts one pulse
        return {
            "index": line.index,
            "enable": 1,
            "mode": MODES[line.mode],
            "dither_bits": line.dither,
            "ack_cores": self._cores(line.acknowledge),
            "ack_code": line.acknowledge.marker,
            "shared": shared,
            "private": private,
            "pmod": sum(1 << pin for pin in set(line.pmod)),
            "stm": int(line.stm or (place == 0 and self.experiment.second_stamp)),
            "start_delay": 0 if placed else line.start_delay.ticks(self.tick_hz),
            "high": line.high.ticks(self.tick_hz),
            "low": line.low.ticks(self.tick_hz),
            "count": 1 if placed else batch.count,
            "seed": line_seed(self.experiment.seed, line.index),
        }

    def _channel(self, channel: Channel, plausible_min: int) -> Values:
        start = channel.start
        of_line = start.kind is StartKind.LINE
        behind_handler = channel.stop.marker in (Marker.HANDLER, Marker.DONE, Marker.TASK)
        return {
            "index": channel.index,
            "enable": 1,
            "start_kind": start.kind,
            "start_line": start.line,
            "start_cores": 0 if of_line else self._cores(start),
            "start_code": 0 if of_line else start.marker,
            "stop_cores": self._cores(channel.stop),
            "stop_code": channel.stop.marker,
            "hist_shift": channel.bin.ticks(self.tick_hz).bit_length() - 1,
            "phase_line": start.line,
            "timeout": channel.timeout.ticks(self.tick_hz),
            # Calibrated is the way to the handler's marker; shorter ways have no floor.
            "plausible_min": plausible_min
            if of_line and behind_handler and self._way_is_calibrated(channel.stop)
            else 0,
            "hist_origin": channel.origin.ticks(self.tick_hz),
        }

    def _way_is_calibrated(self, stop: Event) -> bool:
        """Whether each core takes the whole way of the calibration, core 0's, at every stimulus.

        While others interrupt the core, it may be in the vector for one of them already: what it
        acknowledges there is the most urgent. Beside another stack cores run bare metal. Without
        caches the unmasking, which the calibrated way begins with, waits for its own fetch.
        """
        cached = self.experiment.caches == "on" and self.experiment.memory == "cacheable"
        alone = not self.raises and self.experiment.tick is None
        alike = self.experiment.stack == DEFAULT_STACK or self._cores(stop) == 1
        return cached and alone and alike

    def _cores(self, event: Event) -> int:
        """Mask of the cores that an event is of."""
        if event.core == "any":
            return self.handlers
        return 1 << (self.experiment.core if event.core is None else event.core)

    def _marker_bits(self, event: Event) -> int:
        """As the recorder selects them: bit 8 * core + code."""
        if event.kind is not StartKind.MARKER:
            return 0
        cores = self._cores(event)
        return sum(1 << 8 * n + event.marker for n in range(CORES) if cores >> n & 1)


def line_seed(seed: int, line: int) -> int:
    """State of a line's dither at the start of a run: 32 bits, not zero.

    NumPy promises that a SeedSequence gives the same numbers for ever.
    """
    state = np.random.SeedSequence([seed, line, 0]).generate_state(1, np.uint32)
    return int(state[0]) or 1


def _line_bit(event: Event) -> int:
    return 1 << event.line if event.kind is StartKind.LINE else 0
