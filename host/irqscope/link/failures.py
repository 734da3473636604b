"""Failures of an exchange with a firmware, and their messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from irqscope.errors import LinkError, LinkErrorKind
from irqscope.link.codec import Reply
from irqscope.link.frames import Damage, Rejection
from irqscope.link.messages import HELLO, PROTOCOL_VERSION, ErrorCode, Message
from irqscope.resources import remedy

_RESET = "the firmware was reset in the middle of the run; look at power and reset, then run again"

#: A host is as new as the firmware or newer: its requests must be known to the firmware.
_OLDER = "the firmware is older than the host; " + remedy(
    "make firmware", "load the firmware of this irqscope"
)
#: What to look at where a board is silent.
REMEDY = "is the board powered, the firmware running, and this its UART?"


class FirmwareError(LinkError):
    """The firmware answered with an ERROR."""

    def __init__(self, message: Message, reply: Reply) -> None:
        self.code = reply.code
        self.details = (reply.detail0, reply.detail1)
        began_anew = self.code == ErrorCode.STALE and reply.detail0 == 0
        if began_anew or self.code == ErrorCode.NO_CASE:  # every batch is sent after its case
            super().__init__(LinkErrorKind.RESET, _RESET)
        else:
            super().__init__(LinkErrorKind.REFUSED, _say(message, reply))


#: As many bytes of it are kept.
HEARD = 256


@dataclass
class Seen:
    """Bytes received in place of an answer; ``heard``: the first of them.

    ``remedy``: what to do where nothing came.
    """

    remedy: str = REMEDY
    size: int = 0
    heard: bytes = b""
    frames: int = 0
    rejections: list[Rejection] = field(default_factory=list)

    def error(self, message: Message) -> LinkError:
        """Explains why none of the received frames answered the request."""
        name = message.name
        versions = [r.version for r in self.rejections if r.damage is Damage.VERSION]
        if versions:
            return version_error(versions[-1])
        if self.size == 0:
            return LinkError(
                LinkErrorKind.SILENT,
                f"no answer to {name}; {self.remedy}",
            )
        if message is HELLO and not self.frames:
            return LinkError(
                LinkErrorKind.NONSENSE,
                f"{self.size} bytes came, but no frame of irqscope; "
                "is this the firmware's UART, or another program's console?",
                self.heard,
            )
        return LinkError(
            LinkErrorKind.DAMAGED,
            f"no undamaged answer to {name} ({len(self.rejections)} frames rejected); "
            "check the cable, or take a lower rate",
            self.heard,
        )


def reset() -> LinkError:
    """The firmware restarted and has lost its settings."""
    return LinkError(LinkErrorKind.RESET, _RESET)


def version_error(version: int | None) -> LinkError:
    """The error of two versions of the protocol.

    ``version``: the firmware's, None if it is not known.
    """
    return LinkError(
        LinkErrorKind.VERSION,
        f"the firmware speaks protocol version {version}, this irqscope {PROTOCOL_VERSION}; "
        "install the firmware that belongs to this irqscope",
    )


def _say(message: Message, reply: Reply) -> str:
    first, second = reply.detail0, reply.detail1
    field = message.request[first].name if first < len(message.request) else "a field"
    texts = {
        ErrorCode.UNKNOWN_KIND: f"it does not know this request, {_OLDER}",
        ErrorCode.BAD_LENGTH: f"it expects {second} bytes, and {first} came: {_OLDER}",
        ErrorCode.BAD_VALUE: f"the value of {field} is out of its range",
        ErrorCode.NO_GATEWARE: f"no gateware answers at word {first:#x}; load the bitstream",
        ErrorCode.WRONG_GATEWARE: f"it found gateware {first:#x} version {second:#x}",
        ErrorCode.WRONG_BOARD: f"it found the gateware of another board (source {first:#x})",
        ErrorCode.GATEWARE_REFUSED: f"the gateware refused (errors {first:#x})",
        ErrorCode.STACK: f"its software stack is at fault ({first}, {second})",
        ErrorCode.FAULT: f"it ran into an exception (ESR {first:#x}, ELR {second:#x})",
        ErrorCode.CORE_STUCK: f"core {first} does not end its work; power-cycle the board",
        ErrorCode.GATEWARE_STUCK: f"the gateware hangs (word {first:#x}, bits {second:#x})",
        ErrorCode.NO_MARKER: f"no marker of core {first} arrives; irqscope doctor looks further",
        ErrorCode.NO_END: "the interrupt that ends a batch does not arrive; "
        "irqscope doctor looks further",
        ErrorCode.NO_COUNTER: "the system counter is still; power-cycle the board",
        ErrorCode.NO_TIMER: "the interrupt of the core's timer never comes, and nothing would wake "
        "the core; power-cycle the board",
        ErrorCode.PROGRAM: f"program {first} in the background has failed, exit status {second}",
        ErrorCode.STALE: "it follows another host by now; close what else talks to this target, "
        "then run again",
    }
    try:
        text = texts[ErrorCode(reply.code)]
    except ValueError:
        text = f"error {reply.code} ({first:#x}, {second:#x})"
    return f"the firmware refused {message.name}: {text}"
