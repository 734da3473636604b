"""Divides an experiment into batches by a clock.

The plan states when each batch ends, which cores work in it, and what is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.constants import CORES, Marker, StartKind
from irqscope.experiment.checks import longest_period, refires, shortest_period
from irqscope.experiment.kinds import answering, kind_of
from irqscope.experiment.model import Experiment
from irqscope.experiment.values import Event
from irqscope.link import codec, messages
from irqscope.link.records import RECORD
from irqscope.machines import under_linux
from irqscope.machines.cases import CASES
from irqscope.machines.interrupts import Interrupt, interrupt_of
from irqscope.machines.model import Machine, SamplingGrid
from irqscope.results.stimuli import Batch
from irqscope.units import Duration

#: Size of a record in an answer, and bits of a byte on the line with its start and stop bit.
#: Of a record's short form, and of its long one.
SHORT_BYTES = codec.dtype(messages.RECORDS.tail).itemsize
LONG_BYTES = RECORD.itemsize
_BITS_PER_BYTE = 10
#: Target time of a batch unless a run asks for another: progress shows, and little is lost when a
#: run is cut short.
BATCH_S = 2.0
#: Longest target time that a core works before it waits: it empties L2 by set and way without
#: caches.
PREPARATION_S = 0.02
#: Memory of the ETF, and what one stimulus takes of it at most: two packets with master, channel
#: and a whole timestamp (33 bytes), in frames that hold 15 bytes in 16. A quarter stays free, as of
#: the FIFO.
ETF_BYTES = 8192
STAMPS_PER_BATCH = ETF_BYTES * 3 // 4 // 36
STAGE_MARKERS = (Marker.VECTOR, Marker.HANDLER, Marker.DONE, Marker.TASK)

#: Pins are sampled by the instrument's own clock.
_NO_SAMPLING_GRID = SamplingGrid(
    ns=0, phases=1, cause="none: pins are sampled by the instrument's own clock"
)


@dataclass(frozen=True)
class Plan:
    """Settings that stay the same over a run. Times in ticks of ``tick_hz``."""

    experiment: Experiment
    machine: Machine
    tick_hz: int
    batch_s: float = BATCH_S  #: target time of a batch, without its dither
    counter_hz: int = 0  #: in which software's periods count; 0: the machine's nominal one
    program: int = 0  #: in the background, by the agent's list from 1 on; 0: none

    def __post_init__(self) -> None:
        if not self.counter_hz:
            object.__setattr__(self, "counter_hz", self.machine.counter.hz)

    def batches(self) -> Iterator[Batch]:
        """All batches of the run, in order."""
        planned_count = number = 0
        while planned_count < self.experiment.count:
            recorded = self._recorded(planned_count)
            count = min(self._most(recorded, planned_count), self.experiment.count - planned_count)
            if recorded and self.experiment.samples.which == "first":
                count = min(count, self.experiment.samples.number - planned_count)
            yield Batch(number, planned_count, count, recorded, self.lasting_s(count))
            planned_count += count
            number += 1

    @property
    def delays(self) -> range:
        """Delays of a placement, from the marker to the line's rise, ticks: one after the other."""
        code = self.experiment.code_under_test
        assert code is not None  # the case has it
        first, last, step = (
            time.ticks(self.tick_hz) for time in (code.first, code.last, code.step)
        )
        return range(first, last + 1, step)

    def lasting_s(self, count: int) -> float:
        """Target time, at most, of a batch of ``count`` stimuli, in seconds."""
        if self.experiment.code_under_test is not None:
            return (count + 2) * self.stimulus_s
        ticks = max(
            (
                line.start_delay.ticks(self.tick_hz) + count * longest_period(line, self.tick_hz)
                for line in self.experiment.lines
            ),
            default=count * max(self._period(), int(PREPARATION_S * self.tick_hz)),
        )
        waits = max(channel.timeout.ticks(self.tick_hz) for channel in self.experiment.channels)
        return (ticks + waits) / self.tick_hz + self._warm_up_s()

    def _warm_up_s(self) -> float:
        """Target time, at most, of the warm-up of all cores."""
        each = max(self._period() / self.tick_hz, PREPARATION_S)
        return self.experiment.warm_up * self.experiment.cores * each

    @property
    def serves_only(self) -> bool:
        """Records hold one served or timed-out stimulus each, instead of edges and markers."""
        if kind_of(self.experiment).own_batches:
            return False
        return refires(self.experiment) or self.experiment.samples.which == "tail"

    @property
    def stimulus_ticks(self) -> int:
        """Ticks of one answered stimulus of the measured interrupt, its dither left out."""
        if self.experiment.code_under_test is not None:
            return self.experiment.code_under_test.period.ticks(self.tick_hz)
        if self.experiment.by_software:
            return self._period()
        return shortest_period(self.experiment.lines[0], self.tick_hz)

    @property
    def stimulus_s(self) -> float:
        """Seconds of one answered stimulus, as :attr:`stimulus_ticks`."""
        return self.stimulus_ticks / self.tick_hz

    def link_s(self, baud: int) -> float:
        """Time on the link that the samples of the whole run take at least, in seconds.

        With a tail, what enters it on the way comes on top.
        """
        samples, count = self.experiment.samples, self.experiment.count
        stored = {"all": count, "none": 0}.get(samples.which, min(samples.number, count))
        size = LONG_BYTES if self.serves_only else SHORT_BYTES
        return stored * self._records_per_stimulus() * size * _BITS_PER_BYTE / baud

    @property
    def interrupt(self) -> Interrupt:
        """The measured interrupt.

        A case that measures none has the first shared one, which stays disabled.
        """
        name = self.experiment.interrupt
        return interrupt_of(self.machine, "shared" if name == "none" else name)

    @property
    def sampling_grid(self) -> SamplingGrid:
        """The times at which markers can leave the processor."""
        at_pins = answering(self.experiment).at_pins
        return _NO_SAMPLING_GRID if at_pins else self.machine.sampling_grid

    @property
    def handlers(self) -> int:
        """Returns the mask of the cores that answer, or 0 for a device or a foreign program."""
        if self.experiment.of_others:
            return 0
        several = self.experiment.cores > 1
        return (1 << self.experiment.cores) - 1 if several else 1 << self.experiment.core

    @property
    def loaders(self) -> int:
        """Mask of the cores that load memory."""
        loaders, available = CASES[self.experiment.case].loaders, 1 << self.machine.cores.count
        if loaders is None or self.experiment.load is None:
            return 0
        if loaders == "measured":
            return 1 << self.experiment.core
        return available - (1 << self.experiment.cores + self.raises if loaders == "rest" else 1)

    @property
    def raises(self) -> bool:
        """A core that the case leaves free raises background interrupts."""
        background = self.experiment.background
        return background is not None and background.period is not None

    @property
    def working(self) -> int:
        """Mask of the cores that answer or load."""
        return self.handlers | self.loaders

    @property
    def busy(self) -> int:
        """Number of cores at work, with the one that raises background interrupts."""
        return self.working.bit_count() + self.raises

    def counts(self, period: Duration | None) -> int:
        """A period in counts of the counter in which software's periods count."""
        return 0 if period is None else period.counts(self.counter_hz, self.tick_hz)

    def _period(self) -> int:
        """Ticks of the measured core's own period; 0 where lines raise the interrupt."""
        period = self.experiment.period
        return 0 if period is None else period.ticks(self.tick_hz)

    def timer_tick_phases(self, since: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Phase in the timer tick, in ticks, of moments that lie ``since`` after one of its.

        A period is a whole number of counts of the system counter, not of ticks.
        """
        timer_tick = self.experiment.timer_tick
        assert timer_tick is not None  # called only if one exists
        period = self.counts(timer_tick.period) * self.tick_hz
        return since * self.counter_hz % period // self.counter_hz

    def _recorded(self, done: int) -> bool:
        samples = self.experiment.samples
        if samples.which == "first":
            return done < samples.number
        return samples.which != "none"

    def _most(self, recorded: bool, done: int) -> int:
        """Stimuli in a batch: bounded by time, and by the FIFO if they are recorded.

        ``done``: stimuli before it. With a tail, they show how many of the following ones are
        longer than all but its own.
        """
        lines, samples = self.experiment.lines, self.experiment.samples
        if self.experiment.measure == "throughput" or (lines and lines[0].mode == "single shot"):
            return 1
        if self.experiment.code_under_test is not None:
            placements = len(self.delays)
            by_time = max(1, int(self.batch_s * self.tick_hz) // self.stimulus_ticks)
            limit = min(by_time, self.records_per_batch // self._records_per_stimulus())
            return max(1, limit // placements) * placements  # each batch begins with the first
        period = max((shortest_period(line, self.tick_hz) for line in lines), default=0)
        by_time = max(1, int(self.batch_s * self.tick_hz) // max(1, period or self._period()))
        if not recorded:
            return by_time
        by_records = self.records_per_batch // self._records_per_stimulus()
        if self.experiment.second_stamp:
            by_records = min(by_records, STAMPS_PER_BATCH)
        if samples.which == "tail" and done >= by_records:
            # Far from full, because the stimuli to come need not be like those before.
            by_records = max(1, done * (self.records_per_batch // 4) // samples.number)
        return min(by_time, by_records)

    @property
    def records_per_batch(self) -> int:
        """A batch ends before the FIFO holds more."""
        return self.machine.sizes.records * 3 // 4

    def _records_per_stimulus(self) -> int:
        if self.serves_only:
            return 1
        answers = max(1, len(self.experiment.raising))  # each line of them makes a pulse
        return self.recorded_rises.bit_count() + answers * self.recorded_markers.bit_count()

    @property
    def recorded_rises(self) -> int:
        """Lines whose rises leave records where stimuli are kept, bit n of line n."""
        starts = [channel.start for channel in self.experiment.channels]
        return sum({1 << start.line for start in starts if start.kind is StartKind.LINE})

    @property
    def recorded_markers(self) -> int:
        """Markers that leave records where stimuli are kept: bit 8 * core + code."""
        bits = 0
        for channel in self.experiment.channels:
            bits |= self._marker_bits(channel.start) | self._marker_bits(channel.stop)
        if self.experiment.markers == "stages":
            bits |= sum(1 << 8 * self._source_of(stage) + stage for stage in STAGE_MARKERS)
        if self.experiment.code_under_test is not None:
            bits |= self._marker_bits(self.experiment.code_under_test.after)
        return bits

    def _source_of(self, stage: Marker) -> int:
        """Return the number of the marker source that marks a stage: a core, but under Linux."""
        if self.machine.name == under_linux.NAME and stage in (Marker.VECTOR, Marker.TASK):
            return under_linux.MODULE_SOURCE
        return self.experiment.core

    @property
    def places_are_pins(self) -> bool:
        """Whether places of a foreign program are pins of the gateware, as on a twin."""
        return self.experiment.of_program and not self.machine.simulated

    def cores_of(self, event: Event) -> int:
        """Mask of the cores that an event is of."""
        if event.core == "any":
            return self.handlers
        if event.symbol is not None and self.places_are_pins:
            # A source for each: edges of two must not meet in a tick of one.
            return 1 << list(dict(self.experiment.watches)).index(str(event))
        return 1 << (self.experiment.core if event.core is None else event.core)

    def _marker_bits(self, event: Event) -> int:
        if event.kind is not StartKind.MARKER:
            return 0
        cores = self.cores_of(event)
        return sum(1 << 8 * n + event.marker for n in range(CORES) if cores >> n & 1)
