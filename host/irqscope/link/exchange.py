"""One request and its answer: sent, waited for, and sent again."""

from __future__ import annotations

import time
from collections.abc import Callable

from irqscope.errors import LinkError, LinkErrorKind
from irqscope.link import codec, messages
from irqscope.link.codec import Reply
from irqscope.link.failures import HEARD, REMEDY, FirmwareError, Seen
from irqscope.link.frames import Frame, FrameDecoder, Rejection, encode
from irqscope.link.messages import HELLO, PROTOCOL_VERSION, Message
from irqscope.link.statistics import LinkStatistics
from irqscope.link.timeouts import Timeouts
from irqscope.link.transport import Transport

#: How often a wait looks whether the target still lives.
_LOOK_S = 0.1


class Exchange:
    """Requests and answers over a transport, one at a time; knows no session.

    ``timeouts``: how long to wait; may be replaced. ``check``: called while waiting; raises when
    the target is dead. ``remedy``: what to do where it is silent. ``statistics``: counts all that
    goes over the transport.
    """

    def __init__(
        self,
        transport: Transport,
        timeouts: Timeouts,
        check: Callable[[], None],
        remedy: str = REMEDY,
    ) -> None:
        self._remedy = remedy
        self.statistics = LinkStatistics(baud=transport.baud)
        self.timeouts = timeouts
        self._transport = transport
        self._check = check
        self._decoder = FrameDecoder()

    def ask(
        self,
        message: Message,
        values: dict[str, int],
        turn: tuple[int, int],
        *,
        lasting_s: float = 0.0,
        attempts: int | None = None,
    ) -> Reply:
        """Sends a request until its answer comes, and returns that.

        ``turn``: numbers of the session and of the request. ``lasting_s``: target time that
        carrying it out takes. ``attempts``: None for the timeout's own number. Raises LinkError,
        FirmwareError, or what ``check`` raises.
        """
        frame = Frame(message.kind, *turn, codec.pack_request(message, values))
        data = encode(frame)
        if message is HELLO:
            data = b"\0" + data  # ends what was half received, or came at another rate
        wait_s = self.timeouts.reply_s + lasting_s * self.timeouts.scale
        wait_s += 20 * (len(data) + messages.MAX_PAYLOAD) / self._transport.baud
        received = Seen(self._remedy)
        self.statistics.requests += 1
        for attempt in range(attempts or self.timeouts.attempts):
            if attempt:
                self.statistics.retries += 1
            self._transport.write(data)
            self.statistics.bytes_out += len(data)
            if (answer := self._await(frame, wait_s, received)) is not None:
                return _read(message, answer)
        raise received.error(message)

    def _await(self, request: Frame, wait_s: float, received: Seen) -> Frame | None:
        """The answer; None when it came damaged or did not come.

        After damage there may be more of it: the line is at rest when this returns.
        """
        until = time.monotonic() + wait_s
        last_byte, quiet_s, damaged = time.monotonic(), self.timeouts.quiet_s, False
        while (left := min(until, last_byte + quiet_s) - time.monotonic()) > 0:
            self._check()
            data = self._read(min(left, _LOOK_S))
            if data:
                last_byte = time.monotonic()
            rejected = len(received.rejections)
            if (answer := self._receive(data, received, request)) is not None:
                return answer
            if len(received.rejections) > rejected:
                damaged = True
                quiet_s = self.timeouts.settle_s  # half-duplex: no answer is under way
        if not damaged:
            self.statistics.timeouts += 1
        return None

    def switch(self, rate: int) -> None:
        """Goes on at another rate, bit/s; 0: at the one that there is.

        Drops the bytes received so far.
        """
        if rate:
            self._transport.set_baud(rate)
            self.statistics.baud = rate
        time.sleep(self.timeouts.settle_s)
        self.drain()

    def drain(self) -> None:
        """Discards the bytes received so far: they do not answer a later request."""
        until = time.monotonic() + self.timeouts.settle_s  # a port may never fall silent
        received = Seen()
        while time.monotonic() < until and (data := self._read(0.0)):
            self._receive(data, received)
        self._receive(b"\0", received)  # half a frame ends here

    def _read(self, timeout_s: float) -> bytes:
        data = self._transport.read(timeout_s)
        self.statistics.bytes_in += len(data)
        return data

    def _receive(self, data: bytes, received: Seen, request: Frame | None = None) -> Frame | None:
        """Returns the reply if ``data`` completes a frame of it, otherwise None.

        All else is counted.
        """
        received.size += len(data.strip(b"\0"))
        received.heard = (received.heard + data)[:HEARD]
        answer = None
        for item in self._decoder.receive(data):
            if isinstance(item, Rejection):
                self.statistics.rejected[item.damage] += 1
                received.rejections.append(item)
            elif answer is None and request is not None and _answers(item, request):
                answer = item
            else:
                self.statistics.stale += 1
                received.frames += 1
        return answer


def _answers(item: Frame, request: Frame) -> bool:
    kinds = request.kind + messages.REPLY, messages.ERROR_KIND
    return item.turn == request.turn and item.kind in kinds


def _read(message: Message, answer: Frame) -> Reply:
    try:
        if answer.kind == messages.ERROR_KIND:
            raise FirmwareError(message, codec.unpack(messages.ERROR, (), answer.payload))
        return codec.unpack_reply(message, answer.payload)
    except codec.PayloadError as error:
        raise LinkError(
            LinkErrorKind.PROTOCOL,
            f"the answer to {message.name} does not fit protocol version {PROTOCOL_VERSION} "
            f"({error}); install the firmware that belongs to this irqscope",
        ) from error
