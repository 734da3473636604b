"""One conversation with a firmware: hello, set-up, and batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope import constants
from irqscope.acquire import fetch
from irqscope.acquire.fetch import Places
from irqscope.acquire.plan import ETF_BYTES
from irqscope.acquire.stm.stamps import Trace
from irqscope.constants import CORES, SHORTEST_PHASE
from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.experiment.stack import Stack
from irqscope.link.codec import Reply, Values, request_values
from irqscope.link.failures import FirmwareError
from irqscope.link.firmware_text import gateware_errors, stack_fault, stm_fault
from irqscope.link.identify import identify, wrong_board, wrong_gateware, wrong_protocol
from irqscope.link.identity import Identity
from irqscope.link.link import Link
from irqscope.link.messages import (
    BATCH,
    CASE,
    CHANNEL,
    CLEAR,
    CODE_UNDER_TEST,
    CORE,
    COUNTERS,
    LINE,
    LINE_STATUS,
    LOCK,
    PIN,
    RECORDER,
    STACK,
    STM,
    BatchResult,
    ErrorCode,
    StmState,
)

#: Target time that the firmware gives cores that do not start: 0.1 s each (fw/machine/cores.h).
_CORES_S = 0.1 * (CORES - 1)


@dataclass(frozen=True)
class Outcome:
    """Result of one batch.

    ``records``: structured array (stamp, events, latency), in the order of stamps; stamps are
    absolute. ``counters``, ``histograms`` (shape (bins,), uint64): by channel. ``fired``,
    ``expired``: pulses by line.
    """

    reply: Reply
    records: npt.NDArray[np.void]
    counters: dict[int, Reply]
    histograms: dict[int, npt.NDArray[np.uint64]]
    fired: dict[int, int]
    expired: dict[int, int]


class Session:
    """One conversation with one firmware. Raises LinkError and TargetError throughout.

    ``deviation``: of the target, for its identity. ``errors``: after how many batches each sticky
    error of the gateware was set, by its name; those of calibrations are among them.
    """

    def __init__(self, link: Link, deviation: str = "") -> None:
        self._link = link
        self.errors: Counter[str] = Counter()
        try:
            self.identity: Identity = identify(link.hello(), deviation, link.replay)
        except FirmwareError as error:
            if error.code == ErrorCode.WRONG_GATEWARE:
                raise wrong_gateware(*error.details) from error
            if error.code == ErrorCode.WRONG_BOARD:
                raise wrong_board(*error.details) from error
            if error.code == ErrorCode.BAD_VALUE:
                raise wrong_protocol() from error
            raise
        # Those that may be on: of what somebody else left nothing is known.
        self._lines = set(range(self.identity.lines))
        self._channels = set(range(self.identity.channels))
        self.stack = Stack.of(link.request(STACK))
        # At a port that another process started; an agent has the time of a computer.
        if self.identity.is_simulated and not self.identity.is_linux:
            link.expect_simulation()

    def raise_baud(self) -> int:
        """Goes to the highest rate that both sides carry; returns it."""
        return self._link.raise_baud(self.identity.max_baud)

    def require(self, lines: int, channels: int) -> None:
        """Raises TargetError unless the gateware has as many lines and channels."""
        available = {"lines": self.identity.lines, "channels": self.identity.channels}
        for name, number in {"lines": lines, "channels": channels}.items():
            if number > available[name]:
                raise TargetError(
                    f"{name}: the experiment takes {number}, the gateware of {self.identity.board} "
                    f"has {available[name]}; use fewer, or another board"
                )

    def prepare(self, case: Values) -> Reply:
        """Switches off each line and channel that may be on, and sets the case up.

        Returns the readback of the hardware.
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
        available = constants.VERSION_PINS.of(self.identity.version)
        if not available:
            raise TargetError(f"{self.identity.label}: its gateware has no pins for markers")
        by_index = {pin["index"]: pin for pin in pins}
        levels = 0
        for index in range(available):
            reply = self._link.request(PIN, **(by_index.get(index) or _PIN_OFF | {"index": index}))
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
        fault = None
        try:
            self.batch(0, [], [], _RECORDER_OFF, _STACK_CHECK_S)
        except FirmwareError as error:
            if error.code != ErrorCode.STACK:
                raise
            fault = stack_fault(*error.details)
        except LinkError as error:
            if error.kind is not LinkErrorKind.SILENT:
                raise
            fault = (
                "a handler does not return, or stack_wait does not end when the batch has, "
                "or does not call before_wait"
            )
        if fault is not None:
            raise TargetError(
                f'the firmware\'s stack "{self.stack.name}": {fault}; see docs/stacks.md'
            )

    def set_up_stm(self) -> Reply:
        """Sets STM and ETF up; returns the firmware's findings.

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
        """Returns the ETF's contents after the last batch."""
        return fetch.trace(self._link)

    def background(self) -> list[Values]:
        """The case's background interrupts, as read back."""
        return fetch.background(self._link)

    def places(self) -> Places:
        """The placements of the last batch."""
        return fetch.places(self._link)

    def cores(self, mask: int) -> list[Reply]:
        """Returns the registers that each core in ``mask`` read when the case was set up."""
        return [self._link.request(CORE, core=core) for core in range(CORES) if mask >> core & 1]

    def code_under_test(self, values: Values, file: str) -> None:
        """Says what the next batch runs. Raises TargetError if the firmware is not of ``file``."""
        try:
            self._link.request(CODE_UNDER_TEST, **values)
        except FirmwareError as error:
            at = error.details[0]
            if error.code == ErrorCode.BAD_VALUE and CODE_UNDER_TEST.request[at].name == "crc":
                raise TargetError(
                    f"the target runs another firmware than {file}: its [code_under_test] differs; "
                    "load that file"
                ) from error
            raise

    def configure(self, lines: Sequence[Values], channels: Sequence[Values]) -> None:
        """Empties the counters and sets these lines and channels; the others stay as they are."""
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

        ``batch``: of the BATCH message, or the number of one that is by itself. ``lasting_s``:
        target time.
        """
        if isinstance(batch, int):
            batch = {"number": batch, "first_stimulus": 0, "since_ticks": 0}
        self.configure(lines, channels)
        self._link.request(RECORDER, **recorder)
        reply = self._link.request(BATCH, lasting_s=lasting_s, **batch)
        errors = gateware_errors(reply.errors)
        self.errors.update(errors.keys())
        if reply.result != BatchResult.COMPLETE:
            reason = (
                " ".join(errors.values()) or "no error bit is set; reset the target and run again"
            )
            raise TargetError(f"the gateware refused batch {batch['number']}: {reason}")
        status = {line["index"]: self._line_status(line["index"]) for line in lines}
        records = fetch.records(self._link, reply.stamped - reply.lost, recorder["threshold"] > 0)
        counters = {
            i: self._link.request(COUNTERS, channel=i) for i in (c["index"] for c in channels)
        }
        bins = self.identity.machine.sizes.bins
        return Outcome(
            reply,
            records,
            counters,
            {
                c["index"]: fetch.histogram(self._link, c, counters[c["index"]], bins)
                for c in channels
            },
            {index: line.fired for index, line in status.items()},
            {index: line.expired for index, line in status.items()},
        )

    def _line_status(self, index: int) -> Reply:
        return self._link.request(LINE_STATUS, index=index)


_LINE_OFF = request_values(LINE, high=SHORTEST_PHASE, low=SHORTEST_PHASE, count=1, seed=1)
_PIN_OFF = request_values(PIN)
_CHANNEL_OFF = request_values(CHANNEL, timeout=SHORTEST_PHASE)
#: Far more target time than the check of a stack takes.
_STACK_CHECK_S = 0.001
_RECORDER_OFF = request_values(RECORDER)
