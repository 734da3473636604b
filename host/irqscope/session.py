"""Everything that is said to a firmware: hello, set-up, batches, and what they left behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope import constants
from irqscope.constants import CHANNELS, CORES, HIST_BINS, LINES, SHORTEST_PHASE
from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.firmware_words import gateware_errors, stack_fault, stm_fault
from irqscope.identity import Identity, identify, wrong_board, wrong_gateware, wrong_protocol
from irqscope.link.failures import FirmwareError
from irqscope.link.link import Link
from irqscope.plan import ETF_BYTES
from irqscope.protocol import codec, messages
from irqscope.protocol.codec import Reply, Values
from irqscope.protocol.messages import (
    BATCH,
    BOOKS,
    CASE,
    CHANNEL,
    CLEAR,
    CORE,
    FURTHER,
    HISTOGRAM,
    LINE,
    LINE_STATUS,
    LOCK,
    MAX_PAYLOAD,
    PIN,
    PLACES,
    RECORDER,
    RECORDS,
    STACK,
    STM,
    STRETCH,
    TRACE,
    BatchResult,
    ErrorCode,
    StmState,
)
from irqscope.stack import Stack
from irqscope.stm.stamps import Trace

#: Records that fit one reply.
_RECORDS_AT_ONCE = (MAX_PAYLOAD - codec.layout(RECORDS.reply).size) // codec.dtype(
    RECORDS.tail
).itemsize
RECORD = codec.dtype(RECORDS.tail)
#: Target time that the firmware gives cores that do not start: 0.1 s each (fw/machine/cores.h).
_CORES_S = 0.1 * (CORES - 1)


@dataclass(frozen=True)
class Outcome:
    """What one batch left behind.

    ``records``: structured array (stamp, events, latency), in the order of stamps; stamps are
    absolute. ``books``, ``histograms`` (shape (HIST_BINS,), uint64): by channel. ``fired``,
    ``expired``: pulses by line.
    """

    reply: Reply
    records: npt.NDArray[np.void]
    books: dict[int, Reply]
    histograms: dict[int, npt.NDArray[np.uint64]]
    fired: dict[int, int]
    expired: dict[int, int]


@dataclass(frozen=True)
class Places:
    """A batch of placements: ``addresses`` at which interrupts were taken, 0: none was."""

    accepted: int
    ignored: int
    addresses: list[int]


class Session:
    """One conversation with one firmware. Raises LinkError and TargetError throughout.

    ``deviation``: of the target, for its identity.
    """

    def __init__(self, link: Link, deviation: str = "") -> None:
        self._link = link
        # Those that may be on: of what somebody else left nothing is known.
        self._lines, self._channels = set(range(LINES)), set(range(CHANNELS))
        try:
            self.identity: Identity = identify(link.hello(), deviation)
        except FirmwareError as error:
            if error.code == ErrorCode.WRONG_GATEWARE:
                raise wrong_gateware(*error.details) from error
            if error.code == ErrorCode.WRONG_BOARD:
                raise wrong_board(*error.details) from error
            if error.code == ErrorCode.BAD_VALUE:
                raise wrong_protocol() from error
            raise
        self.stack = Stack.of(link.request(STACK))
        if self.identity.is_simulated:  # behind a port that somebody else started
            link.expect_simulation()

    def raise_baud(self) -> int:
        """Goes to the highest rate that both sides carry; returns it."""
        return self._link.raise_baud(self.identity.max_baud)

    def prepare(self, case: Values) -> Reply:
        """Switches off each line and channel that may be on, and sets the case up.

        Returns what is in force, as the firmware read it back from the hardware.
        """
        self._link.request(CLEAR)
        for index in sorted(self._lines):
            self._link.request(LINE, **(_LINE_OFF | {"index": index}))
        for index in sorted(self._channels):
            self._link.request(CHANNEL, **(_CHANNEL_OFF | {"index": index}))
        self._lines, self._channels = set(), set()
        return self._link.request(CASE, lasting_s=_CORES_S, **case)

    def set_pins(self, pins: Sequence[Values]) -> int:
        """Makes edges of these pins markers, of all others none; their levels now, bit n of pin n.

        Raises TargetError where the gateware has no pins.
        """
        there = constants.VERSION_PINS.of(self.identity.version)
        if not there:
            raise TargetError(f"{self.identity.label}: its gateware has no pins for markers")
        asked = {pin["index"]: pin for pin in pins}
        levels = 0
        for index in range(there):
            reply = self._link.request(PIN, **(asked.get(index) or _PIN_OFF | {"index": index}))
            levels = reply.levels
        return levels

    def lock(self, which: int) -> Reply:
        """Holds the path of the case that was set up in TLB or L2: Lockdown, 0: nowhere."""
        return self._link.request(LOCK, which=which)

    def check_stack(self, case: Values) -> None:
        """Has the firmware try its software stack once, in the case CAL_STACK.

        Raises TargetError if a port of it does something else than it has to.
        """
        self.prepare(case)
        wrong = None
        try:
            self.batch(0, [], [], _RECORDER_OFF, _STACK_CHECK_S)
        except FirmwareError as error:
            if error.code != ErrorCode.STACK:
                raise
            wrong = stack_fault(*error.details)
        except LinkError as error:
            if error.kind is not LinkErrorKind.SILENT:
                raise
            wrong = (
                "a handler does not return, or stack_wait does not end when the batch has, "
                "or does not call before_wait"
            )
        if wrong is not None:
            raise TargetError(
                f'the firmware\'s stack "{self.stack.name}": {wrong}; see docs/stacks.md'
            )

    def set_up_stm(self) -> Reply:
        """Sets STM and ETF up; what the firmware found.

        Raises TargetError with the reason if they cannot stamp.
        """
        reply = self._link.request(STM)
        if reply.state != StmState.READY:
            raise TargetError(f"the STM cannot stamp: {stm_fault(reply)}; see docs/stm.md")
        if 4 * reply.memory_words < ETF_BYTES:
            raise TargetError(
                f"the ETF has {4 * reply.memory_words} bytes, {ETF_BYTES} are needed; "
                "see docs/stm.md"
            )
        return reply

    def trace(self) -> Trace:
        """What the last batch left in the ETF."""
        data = b""
        while True:
            reply = self._link.request(TRACE, offset=len(data))
            if reply.offset != len(data) or (reply.total > len(data)) != bool(len(reply.tail)):
                raise LinkError(
                    LinkErrorKind.PROTOCOL,
                    f"asked for byte {len(data)} of the ETF's {reply.total}, got {len(reply.tail)} "
                    f"from {reply.offset} on; reset the target and run again",
                )
            data += reply.tail.tobytes()
            if len(data) >= reply.total:
                break
        clocks = {name: reply.values[name] for name in _CLOCKS}
        return Trace(data, bool(reply.wrapped), bool(reply.stuck), **clocks)

    def cores(self, mask: int) -> list[Reply]:
        """What each core in ``mask`` read of itself when the case was set up."""
        return [self._link.request(CORE, core=core) for core in range(CORES) if mask >> core & 1]

    def further(self) -> list[Values]:
        """The case's further interrupts, as read back."""
        found: list[Values] = []
        while True:
            reply = self._link.request(FURTHER, first=len(found))
            names = reply.tail.dtype.names or ()
            found += [dict(zip(names, entry, strict=True)) for entry in reply.tail.tolist()]
            if len(found) >= reply.total or not len(reply.tail):
                return found

    def stretch(self, values: Values, file: str) -> None:
        """Says what the next batch runs. Raises TargetError if the firmware is not of ``file``."""
        try:
            self._link.request(STRETCH, **values)
        except FirmwareError as error:
            at = error.details[0]
            if error.code == ErrorCode.BAD_VALUE and STRETCH.request[at].name == "crc":
                raise TargetError(
                    f"the target runs another firmware than {file}: the code of [stretch] differs; "
                    "load that file"
                ) from error
            raise

    def places(self) -> Places:
        """The placements of the last batch."""
        found: list[int] = []
        while True:
            reply = self._link.request(PLACES, first=len(found))
            found += reply.tail["address"].tolist()
            if len(found) >= reply.total or not len(reply.tail):
                return Places(reply.accepted, reply.ignored, found)

    def configure(self, lines: Sequence[Values], channels: Sequence[Values]) -> None:
        """Empties the books and sets these lines and channels; the others stay as they are."""
        self._lines |= {line["index"] for line in lines}
        self._channels |= {channel["index"] for channel in channels}
        self._link.request(CLEAR)
        for line in lines:
            self._link.request(LINE, **line)
        for channel in channels:
            self._link.request(CHANNEL, **channel)

    def batch(
        self,
        batch: Values | int,
        lines: Sequence[Values],
        channels: Sequence[Values],
        recorder: Values,
        lasting_s: float,
    ) -> Outcome:
        """Sets a batch up, runs it, and fetches all that it left.

        ``batch``: of the BATCH message, or the number of one that stands by itself. ``lasting_s``:
        target time.
        """
        if isinstance(batch, int):
            batch = {"number": batch, "first_stimulus": 0, "since_ticks": 0}
        self.configure(lines, channels)
        self._link.request(RECORDER, **recorder)
        reply = self._link.request(BATCH, lasting_s=lasting_s, **batch)
        if reply.result != BatchResult.COMPLETE:
            raise TargetError(
                f"the gateware refused batch {batch['number']}: {gateware_errors(reply.errors)}"
            )
        status = {line["index"]: self._line_status(line["index"]) for line in lines}
        records = self._drain(reply.stamped - reply.lost)
        books = {i: self._link.request(BOOKS, channel=i) for i in (c["index"] for c in channels)}
        return Outcome(
            reply,
            records,
            books,
            {c["index"]: self._histogram(c, books[c["index"]]) for c in channels},
            {index: line.fired for index, line in status.items()},
            {index: line.expired for index, line in status.items()},
        )

    def _line_status(self, index: int) -> Reply:
        return self._link.request(LINE_STATUS, index=index)

    def _drain(self, count: int) -> npt.NDArray[np.void]:
        """Takes ``count`` records out of the FIFO."""
        blocks = [np.empty(0, RECORD)]
        done = 0
        while done < count:
            reply = self._link.request(RECORDS, first_number=done, limit=_RECORDS_AT_ONCE)
            if reply.first_number != done or not len(reply.tail):
                raise LinkError(
                    LinkErrorKind.PROTOCOL,
                    f"asked for record {done} of {count}, got {len(reply.tail)} records from "
                    f"{reply.first_number} on; reset the target and run again",
                )
            blocks.append(reply.tail)
            done += len(reply.tail)
        return np.concatenate(blocks)

    def _histogram(self, channel: Values, books: Reply) -> npt.NDArray[np.uint64]:
        """Counts of all bins. Only bins from the least latency to the greatest are read."""
        counts = np.zeros(HIST_BINS, np.uint64)
        if not books.served:
            return counts
        ends = [
            t - channel["hist_origin"] >> channel["hist_shift"]
            for t in (books.min_ticks, books.max_ticks)
        ]
        first, end = max(ends[0], 0), min(ends[1] + 1, HIST_BINS)
        while first < end:
            reply = self._link.request(
                HISTOGRAM, channel=channel["index"], first_bin=first, end_bin=end
            )
            if not first < reply.next_bin <= end or np.any(reply.tail["bin"] >= end):
                raise LinkError(
                    LinkErrorKind.PROTOCOL,
                    f"asked for histogram bins {first} to {end - 1}, sent on to {reply.next_bin}; "
                    "reset the target and run again",
                )
            counts[reply.tail["bin"]] = reply.tail["count"]
            first = reply.next_bin
        return counts


_LINE_OFF: Values = {field.name: 0 for field in messages.LINE.request} | {
    "high": SHORTEST_PHASE,
    "low": SHORTEST_PHASE,
    "count": 1,
    "seed": 1,
}
_PIN_OFF: Values = {field.name: 0 for field in PIN.request}
_CHANNEL_OFF: Values = {field.name: 0 for field in messages.CHANNEL.request} | {
    "timeout": SHORTEST_PHASE,
}
#: Far more target time than the check of a stack takes.
_STACK_CHECK_S = 0.001
_RECORDER_OFF: Values = {field.name: 0 for field in RECORDER.request}
_CLOCKS = ("first_stamp", "first_tick", "last_stamp", "last_tick")
