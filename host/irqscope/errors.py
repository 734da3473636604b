"""Errors, each with one line for the user and one exit code.

A message names the cause first and, after a semicolon, what to do about it.
"""

from __future__ import annotations

import enum
import unicodedata

#: Characters of a message: its cause in front, what to do at its end.
_LONGEST = 500


class ExitCode(enum.IntEnum):
    """Exit codes of every ``irqscope`` command."""

    VALID = 0  #: done; of ``run``: and the run is valid
    DEFECT = 1  #: a defect of irqscope itself
    USAGE = 2  #: command line or experiment file
    TARGET = 3  #: link or target
    INVALID = 4  #: the run is complete but not valid
    STORAGE = 5  #: the run folder could not be written or read
    UNSOUND = 6  #: of ``doctor``: a step did not pass
    FAILED = 7  #: of ``gate``: it fails
    TOO_FEW = 8  #: of ``gate``: too few samples, or too coarse ones, to tell
    LONGER = 9  #: of ``run --break-above``: a latency was longer
    INTERRUPTED = 130  #: ended by Ctrl-C or SIGTERM


class Remedy(enum.StrEnum):
    """Remedy of an error; names a command where the window has a screen."""

    LIST_PORTS = "`irqscope ports` lists those that exist"
    NAME_A_RUN = "name one that `irqscope run` wrote"
    NAME_A_SUITE = "name one that `irqscope suite` wrote"


class IrqscopeError(Exception):
    """Base of all errors that are not defects. ``reason``: word for ``ended.reason``.

    Its text is one line, whatever names and values of files and targets are in it.
    """

    exit_code = ExitCode.DEFECT
    reason = "defect"

    def __str__(self) -> str:
        return one_line(super().__str__(), _LONGEST)


class ExperimentError(IrqscopeError):
    """An experiment that cannot be carried out as written."""

    exit_code = ExitCode.USAGE
    reason = "experiment"


class TargetError(IrqscopeError):
    """A target that does not start, is of another version, or died."""

    exit_code = ExitCode.TARGET
    reason = "target"


class LinkErrorKind(enum.Enum):
    """Why an exchange failed."""

    NO_PORT = "no port"  #: the port does not exist or cannot be opened
    LOST = "lost"  #: the port vanished while open
    SILENT = "silent"  #: not one byte came back
    NONSENSE = "nonsense"  #: bytes came back, but no frame of ours
    DAMAGED = "damaged"  #: frames came, but the answer did not survive the retries
    VERSION = "version"  #: frames of another protocol version
    RESET = "reset"  #: the firmware restarted in the middle
    REFUSED = "refused"  #: the firmware answered with an error
    PROTOCOL = "protocol"  #: an answer that does not fit its declaration


class LinkError(IrqscopeError):
    """An exchange with the firmware that failed for good."""

    exit_code = ExitCode.TARGET
    reason = "link"

    def __init__(self, kind: LinkErrorKind, text: str, received: bytes = b"") -> None:
        """``received``: the first bytes that came in place of an answer."""
        super().__init__(text)
        self.kind = kind
        self.heard = received

    def __reduce__(self) -> tuple[type[LinkError], tuple[LinkErrorKind, str, bytes]]:
        """Pickles the error for another process, for example from a worker to its suite."""
        return LinkError, (self.kind, str(self), self.heard)


class StorageError(IrqscopeError):
    """A run folder that cannot be written or read."""

    exit_code = ExitCode.STORAGE
    reason = "storage"


class Interrupted(IrqscopeError):
    """Ctrl-C or SIGTERM, taken between two batches."""

    exit_code = ExitCode.INTERRUPTED
    reason = "interrupted"


class LongerLatency(IrqscopeError):
    """A latency at which the user asked the run to end."""

    exit_code = ExitCode.LONGER
    reason = "longer latency"


#: General categories of Unicode: controls, formats (including those that turn the direction of
#: text), parts of characters, private ones, separators of lines and paragraphs.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
#: Characters of one line that are shown.
LONGEST = 2000


def printable(text: str) -> str:
    r"""Returns a text with invisible characters (but tab and newline) escaped: ESC as ``\x1b``.

    So text from other sources moves no cursor, changes no colour, and stays where it was written.
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\t\n" or _shows(c) else _escaped(c) for c in text)


def one_line(text: str, limit: int = LONGEST) -> str:
    """Returns a printable text in one line of at most ``limit`` characters.

    Tab and newline are also escaped; a longer text loses its middle.
    """
    return shortened("".join(_escaped(c) if c in "\t\n" else c for c in printable(text)), limit)


def shortened(text: str, limit: int = LONGEST) -> str:
    """The text without its middle, if it has more than ``limit`` characters."""
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end]}...[{len(text)} characters]...{text[-end:]}"


def _shows(character: str) -> bool:
    return unicodedata.category(character) not in _HIDDEN


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
