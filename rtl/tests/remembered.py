"""Keeps the answers of a simulated core, so that an unchanged one is not simulated again.

The answers depend on the executable of the simulation, on its command line, on the firmware and the
program, and on the bytes that the host sends; nothing else reaches it. So the first three, with the
test, are the key of a conversation in the user's cache, and the host, which runs in full each time,
is compared with it byte by byte. If it sends anything else, or more, or ends earlier, the core is
simulated after all, and gets all that the host has sent from the start. A failed test stores
nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from irqscope import cache
from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.link.messages import BAUD_AT_RESET
from irqscope.machines.elf import Elf, ProgramError
from irqscope.targets.process import Say, SimulationProcess, _handed_over, _Transport, unsaid
from irqscope_rtl.__main__ import arguments, command
from irqscope_rtl.cores import CoreError

#: Of what is stored; a change of this file that reads it otherwise has another one.
FORMAT = "irqscope-conversation/1"
#: Options of a simulation that name a file which it writes.
WRITTEN = ("stats", "trace", "markers", "masked", "functions", "interruptions", "encounters")
#: Options that name a file which it reads.
READ = ("elf", "program", "symbols")
#: Events without an answer to wait for: they come before whatever the host does next.
BESIDE = ("said", "file")
#: Processes that each test has started.
STARTED: Counter[str] = Counter()
#: Conversations that are not in the cache, by key.
NEW: dict[str, bytes] = {}


class RememberedProcess:
    """A simulation with the interface of :class:`.SimulationProcess`, started only if need be."""

    def __init__(
        self, key: str, words: list[str], start: Callable[[], SimulationProcess], what: str
    ) -> None:
        self.what = what
        self.name = _value(words, "core")
        self.firmware = Path(_value(words, "elf"))
        self._key, self._start = key, start
        written = {name: _value(words, name) for name in WRITTEN}
        self._files = {name: Path(path) for name, path in written.items() if path}
        self._events: list[list[Any]] = json.loads(cache.load("outcomes", key) or b"[]")
        self._at = 0
        self._lines: list[str] = []
        self._skipped = 0
        self._ahead = b""
        self._in_frame = False
        self._live: SimulationProcess | None = None
        self._sizes = dict.fromkeys(self._files, 0)
        if not self._events:
            self._go_live()

    # ---- the host's calls ----------------------------------------------------------------------

    def send(self, kind: str, data: Any) -> None:
        """Send bytes (``>``, in hexadecimal) or set the rate (``baud``)."""
        if self._live is None:
            if self._next() == [kind, data]:
                self._at += 1
                return
            self._go_live()
        self._events.append([kind, data])
        if kind == "baud":
            self._port.set_baud(data)
        else:
            self._port.write(bytes.fromhex(data))

    def receive(self, timeout_s: float) -> bytes:
        """Return the next bytes of the answer; nothing if the host's turn is next."""
        if self._live is None:
            following = self._next()
            if following is None:
                self._go_live()
            elif following[0] == "<":
                self._at += 1
                return bytes.fromhex(following[1])
            elif following[0] == "error":
                raise _error(following)
            else:  # the answer did not come before, either
                time.sleep(timeout_s)
                return b""
        if self._ahead:
            data, self._ahead = self._ahead, b""
            return data
        return self._hear(timeout_s)[0]

    def check(self) -> None:
        """Raise TargetError if the simulation has ended."""
        if self._live is None:
            following = self._next()
            if following is not None and following[0] == "error":
                raise _error(following)
            return
        try:
            self._live.check()
        except TargetError as error:
            self._fails(error)
            raise

    def said(self) -> list[str]:
        """Lines since the last call."""
        if self._live is None:
            self._next()
        else:
            self._listen()
        lines, self._lines = self._lines, []
        return lines

    def close(self) -> None:
        """End the simulation; a whole conversation that is new is for the cache (:func:`keep`)."""
        if self._live is None:
            if self._next() is None or self._events[self._at][0] == "error":
                while self._at < len(self._events):
                    self._at += 1
                    self._next()
                return
            self._go_live()
        assert self._live is not None
        self._live.close()
        self._listen()
        self._look_at_files()
        NEW[self._key] = json.dumps(self._events).encode()
        self._at = len(self._events)

    def close_port(self) -> None:
        """Close the port of a simulation that runs."""
        if self._live is not None:
            self._port.close()

    def end_by(self, error: BaseException) -> None:
        """End the simulation after an error, and add the program's output to it as notes."""
        self.close()
        for line in self.said():
            error.add_note(line)

    # ---- what is remembered --------------------------------------------------------------------

    def _next(self) -> list[Any] | None:
        """Return the next exchange, or None, after carrying out the lines and files before it."""
        while self._at < len(self._events) and self._events[self._at][0] in BESIDE:
            kind, *values = self._events[self._at]
            self._at += 1
            if kind == "said":
                self._lines += values[0]
                self._skipped += len(values[0])
            else:
                name, text = values
                with self._files[name].open("a", encoding="utf-8") as file:
                    file.write(text)
        return self._events[self._at] if self._at < len(self._events) else None

    # ---- what is simulated ---------------------------------------------------------------------

    def _go_live(self) -> None:
        """Start the simulation, and bring it to where the host is."""
        past, self._events = self._events[: self._at], []
        for path in self._files.values():
            path.unlink(missing_ok=True)
        self._live = self._start()
        self._port = _Transport(self._live)
        for kind, *values in past:
            if kind in (">", "baud"):
                self.send(kind, values[0])
            elif kind == "<":
                expected = bytes.fromhex(values[0])
                while len(self._ahead) < len(expected):
                    self._ahead += self._hear(60)[1]
                answer, self._ahead = self._ahead[: len(expected)], self._ahead[len(expected) :]
                assert answer == expected, f"{self.what} answered otherwise before"

    def _hear(self, timeout_s: float) -> tuple[bytes, bytes]:
        """Read from the simulation; return the bytes, and of them those of frames.

        A zero between frames is a sign of work: it depends on how long the simulation takes.
        """
        try:
            data = self._port.read(timeout_s)
        except (LinkError, TargetError) as error:
            self._fails(error)
            raise
        answer = bytearray()
        for byte in data:
            if byte or self._in_frame:
                answer.append(byte)
            self._in_frame = byte != 0
        if answer:
            self._look_at_files()
            self._events.append(["<", answer.hex()])
        return data, bytes(answer)

    def _listen(self) -> None:
        assert self._live is not None
        lines = self._live.said()
        if lines:
            self._events.append(["said", lines])
        replayed = min(self._skipped, len(lines))
        self._skipped -= replayed
        self._lines += lines[replayed:]

    def _look_at_files(self) -> None:
        for name, path in self._files.items():
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            if more := text[self._sizes[name] :]:
                self._events.append(["file", name, more])
                self._sizes[name] = len(text)

    def _fails(self, error: Exception) -> None:
        self._listen()
        kind = error.kind.name if isinstance(error, LinkError) else ""
        self._events.append(["error", kind, str(error)])


class RememberedTransport:
    """The port of such a simulation."""

    sets_baud = True

    def __init__(self, process: RememberedProcess) -> None:
        self._process = process
        self.baud = BAUD_AT_RESET

    def set_baud(self, baud: int) -> None:
        """Set the rate."""
        self._process.send("baud", baud)
        self.baud = baud

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._process.send(">", data.hex())

    def read(self, timeout_s: float) -> bytes:
        """Return the answer."""
        return self._process.receive(timeout_s)

    def close(self) -> None:
        """Close the port."""
        self._process.close_port()


def keep() -> None:
    """Store the new conversations of a test that has passed."""
    for key, body in NEW.items():
        cache.save("outcomes", key, body)
    NEW.clear()


def process(
    words: list[str], what: str, say: Say = unsaid, program: Elf | None = None
) -> SimulationProcess | RememberedProcess:
    """In place of SimulationProcess: remembered, or started where it cannot be."""

    def start() -> SimulationProcess:
        return SimulationProcess(words, what, say, program)

    try:
        with _handed_over(program) as (more, _):
            run_command = command(arguments([*words[words.index("irqscope_rtl") + 1 :], *more]))
    except (CoreError, ProgramError, SystemExit):
        return start()
    parts = _parts(run_command)
    written = [Path(_value(run_command, name)) for name in WRITTEN if _value(run_command, name)]
    if cache.folder() is None or any(path.exists() for path in written):
        return start()
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    STARTED[test] += 1
    key = json.dumps([FORMAT, test, STARTED[test], parts])
    return RememberedProcess(hashlib.sha256(key.encode()).hexdigest(), run_command, start, what)


def transport(process: SimulationProcess | RememberedProcess) -> _Transport | RememberedTransport:
    """In place of the transport of a simulation."""
    if isinstance(process, RememberedProcess):
        return RememberedTransport(process)
    return _Transport(process)


def _parts(words: list[str]) -> list[str]:
    """Words of a command line with the content of files in place of their paths."""
    parts = [_content(words[0])]
    for option, word in zip(words, words[1:], strict=False):
        name = option.removeprefix("--")
        if name in READ:
            parts.append(_content(word))
            if word.startswith("/proc/self/fd/"):
                os.close(int(word.rpartition("/")[2]))
        elif name == "program-name":
            parts.append(Path(word).name)
        else:
            parts.append("" if name in WRITTEN else word)
    return parts


def _content(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _value(words: list[str], name: str) -> str:
    """The value of an option, or nothing."""
    return words[words.index(f"--{name}") + 1] if f"--{name}" in words else ""


def _error(event: list[Any]) -> Exception:
    _, kind, text = event
    return LinkError(LinkErrorKind[kind], text) if kind else TargetError(text)
