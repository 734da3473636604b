"""Sessions with a firmware, and the rate at which it is talked to."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable

from irqscope.errors import IrqscopeError, LinkError, LinkErrorKind
from irqscope.link.codec import Reply
from irqscope.link.exchange import Exchange
from irqscope.link.failures import REMEDY, FirmwareError, reset
from irqscope.link.messages import (
    BAUD,
    BAUD_AT_RESET,
    BAUD_RATES,
    HELLO,
    LAST_SESSION,
    PROTOCOL_VERSION,
    ErrorCode,
    Message,
)
from irqscope.link.timeouts import Timeouts
from irqscope.link.transport import Transport

#: How a firmware fails that listens at another rate.
_MUTE = (LinkErrorKind.SILENT, LinkErrorKind.NONSENSE)
#: How a hello fails that was hit on its way: asked again, it may come through.
_HIT = (*_MUTE, LinkErrorKind.DAMAGED)


class Link:
    """Talks to a firmware in sessions, at the highest rate that carries them.

    Parameters
    ---------- transport Open port; closed by :meth:`close`. timeout How long to wait. check Called
    while waiting; raises when the target is dead. session Number of the first session, 1 to
    LAST_SESSION, or None for any. remedy What to do where the target is silent, as its refusal says
    it. replay Name of the recording that answers instead of a target, or empty.
    """

    def __init__(
        self,
        transport: Transport,
        timeouts: Timeouts | None = None,
        check: Callable[[], None] = lambda: None,
        session: int | None = None,
        remedy: str = REMEDY,
        replay: str = "",
    ) -> None:
        self._transport = transport
        self.replay = replay
        self._exchange = Exchange(transport, timeouts or Timeouts(), check, remedy)
        self.statistics = self._exchange.statistics
        # Other hosts have other numbers, so that their unfinished replies are never taken for ours.
        self._session = (session or secrets.randbelow(LAST_SESSION) + 1) - 1
        self._number = 0

    def hurry(self, reply_s: float, attempts: int) -> None:
        """Waits for a reply no longer than this from now on, and asks no more often."""
        self._exchange.timeouts = self._exchange.timeouts.hurried(reply_s, attempts)

    @property
    def sets_baud(self) -> bool:
        """False if the rate of the line is set elsewhere, for example with ``socket://``."""
        return self._transport.sets_baud

    def expect_simulation(self) -> None:
        """Waits as long as a simulation is at work, and not much longer, from now on."""
        self._exchange.timeouts = self._exchange.timeouts.with_simulation()

    def hello(self) -> Reply:
        """Begins a session, at the rate that the firmware listens to.

        That is the rate at reset, unless an earlier host went away without taking its rate back.
        A timeout without ``hello_s`` asks at the one rate that there is.

        Until HELLO_S have passed, silence and damage are not conclusive: before a first undamaged
        frame either the rate may be wrong or a frame was hit.
        """
        self._next_session()
        until = time.monotonic() + self._exchange.timeouts.hello_s
        self._exchange.drain()
        rates = [0]
        if self._transport.sets_baud and self._exchange.timeouts.hello_s:
            rates = [self._transport.baud, *reversed(BAUD_RATES)]
        first: LinkError | None = None
        while first is None or time.monotonic() < until:
            for place, rate in enumerate(rates):
                if first is not None:
                    self._exchange.switch(rate)
                try:
                    return self._begin(attempts=1 if place else 2)
                except LinkError as error:
                    if error.kind not in _HIT:
                        raise
                    first = first or error
        assert first is not None  # the loop ends after a failure
        raise first

    def raise_baud(self, limit: int) -> int:
        """Goes to the highest rate up to ``limit`` that carries a hello; returns it."""
        if not self._transport.sets_baud:
            return self._transport.baud
        for rate in sorted(BAUD_RATES, reverse=True):
            if rate > limit:
                continue
            if self.try_baud(rate):
                return rate
        return self._transport.baud

    def try_baud(self, rate: int) -> bool:
        """Goes to a rate; False, and back at the rate at reset, if it does not carry a hello.

        A frame damaged on its way there sends the firmware back to the rate at reset; one damaged
        on its way here does not. So it is tried at both, for as long as hello is repeated.
        """
        if rate == self._transport.baud:
            return True
        self.request(BAUD, baud=rate)
        self._number += 1
        until = time.monotonic() + self._exchange.timeouts.hello_s
        failures: list[LinkError] = []
        while len(failures) < 3 or time.monotonic() < until:  # at the rate twice, whatever it takes
            for baud in (rate, BAUD_AT_RESET):
                self._exchange.switch(baud)
                try:
                    # The first that comes at the wrong rate only sends the firmware back.
                    self._hello(attempts=1 if baud == rate else 2)
                except FirmwareError:
                    pass  # understood, though refused
                except LinkError as error:
                    if error.kind not in _HIT:
                        raise
                    failures.append(error)
                    continue
                return baud == rate
        raise failures[0]

    def request(
        self,
        message: Message,
        *,
        lasting_s: float = 0.0,
        **values: int,
    ) -> Reply:
        """Sends a request and returns its reply.

        ``lasting_s``: target time that carrying it out takes. Raises LinkError, FirmwareError,
        or what the target's check raises.
        """
        self._number += 1
        until = time.monotonic() + self._exchange.timeouts.outage_s
        while True:
            try:
                return self._ask(message, values, lasting_s=lasting_s)
            except LinkError as error:
                if error.kind in _MUTE and self._was_reset():
                    raise reset() from error
                if error.kind not in _HIT or time.monotonic() >= until:
                    raise

    def ask_once(self, message: Message, **values: int) -> Reply:
        """Sends a request once and returns its reply.

        Unlike :meth:`request` it neither repeats it nor tries another rate.
        """
        self._number += 1
        return self._ask(message, values, attempts=1)

    def close(self) -> None:
        """Takes the rate back, so that the next host is understood at once; closes the port."""
        try:
            if self._transport.sets_baud and self._transport.baud != BAUD_AT_RESET:
                with contextlib.suppress(IrqscopeError):  # the port goes away either way
                    self.request(BAUD, baud=BAUD_AT_RESET)
        finally:
            self._transport.close()

    def abandon(self) -> None:
        """Closes the port without a word."""
        self._transport.close()

    def _was_reset(self) -> bool:
        """Whether the firmware is at the rate at reset again, and has lost its session.

        If it is there and knows ours, that is the rate from now on.
        """
        if not self._transport.sets_baud or self._transport.baud == BAUD_AT_RESET:
            return False
        rate, number = self._transport.baud, self._number
        self._exchange.switch(BAUD_AT_RESET)
        self._number = 0  # begins a session, and in one that goes on it is stale
        try:
            self._hello(attempts=1)
        except FirmwareError as error:
            return error.code != ErrorCode.STALE
        except LinkError:
            self._exchange.switch(rate)
            return False
        finally:
            self._number = number
        return True

    def _next_session(self) -> None:
        self._session = self._session % LAST_SESSION + 1
        self._number = 0

    def _begin(self, attempts: int) -> Reply:
        """Begins the session, or the next one where the firmware has been in this one already."""
        try:
            return self._hello(attempts)
        except FirmwareError as error:
            if error.code != ErrorCode.STALE:
                raise
        self._next_session()
        return self._hello(attempts)

    def _hello(self, attempts: int) -> Reply:
        return self._ask(HELLO, {"protocol": PROTOCOL_VERSION}, attempts=attempts)

    def _ask(
        self,
        message: Message,
        values: dict[str, int],
        *,
        lasting_s: float = 0.0,
        attempts: int | None = None,
    ) -> Reply:
        """Sends a request in its turn; as :meth:`.exchange.Exchange.ask`."""
        turn = self._session, self._number
        return self._exchange.ask(message, values, turn, lasting_s=lasting_s, attempts=attempts)
