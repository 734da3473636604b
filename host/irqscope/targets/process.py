"""A simulation: a process of its own, reached through a pseudo-terminal."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.link.link import Link
from irqscope.link.timeouts import SIMULATION_SCALE, Timeouts
from irqscope.link.transport import SerialTransport
from irqscope.machines.elf import Elf, ProgramError, descriptor_path, read_elf
from irqscope.targets.base import Target
from irqscope.targets.recording import recorded

#: Prefix of the simulated program's output, and of its last state.
_OF_PROGRAM = "program: "
#: A simulation's message about itself; registers and PCs of its cores may follow.
_COMPLAINT = re.compile(r"irqscope[-_.\w]*: (.*)")
#: Time until a simulation has printed its next line, s.
_START_S = 60.0
#: The same while it is compiled: one step of that takes long on a slow or busy computer.
_COMPILING_S = 1800.0
#: Time after which a step that is still under way is told again, s.
TELL_S = 10.0
#: Time between SIGTERM and SIGKILL, s.
_STOP_S = 5.0
#: Nothing between host and simulation damages a byte; death is seen by the process ending. A
#: process that is silent for longer than this is idle, also on a busy computer.
TIMEOUT = Timeouts(reply_s=60.0, scale=SIMULATION_SCALE, hello_s=0.0, quiet_s=10.0)
#: The same of a netlist, which is slower by two orders of magnitude.
NETLIST_TIMEOUT = replace(TIMEOUT, reply_s=3600.0, quiet_s=600.0)
#: An option of a target after another one.
_OPTION = re.compile(r"no-skip|routed|[A-Za-z][\w.-]*=.*", re.S)
_REMEDY = "its firmware may be of another version: `make build` or `make stacks` rebuilds it"


Say = Callable[[str], None]


def parts_of(text: str) -> list[str]:
    """Return the parts of a target's settings, which colons divide.

    A colon may also be in the name of a program and in the place where it is ready, as in
    ``ready=main.c:48`` and ``ready=app::run``: all up to the next option belongs to it.
    """
    parts: list[str] = []
    for part in text.split(":"):
        if parts and re.match("(elf|ready)=", parts[-1]) and not _OPTION.fullmatch(part):
            parts[-1] += f":{part}"
        else:
            parts.append(part)
    return parts


def read_program(path: str) -> Elf:
    """Read the program that a target names. Raises TargetError."""
    try:
        return read_elf(Path(path))
    except ProgramError as error:
        raise TargetError(str(error)) from error


@contextlib.contextmanager
def _handed_over(program: Elf | None) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Words of a command line, and the descriptors that they name, for a program's bytes."""
    if program is None:
        yield [], ()
        return
    descriptor = program.descriptor()
    try:
        yield (
            ["--program", descriptor_path(descriptor), "--program-name", str(program.path)],
            (descriptor,),
        )
    finally:
        os.close(descriptor)


def unsaid(text: str) -> None:
    """Says nothing."""


class SimulationProcess:
    """A running simulation, ``what`` it is called; ``port`` is its pseudo-terminal.

    ``name``: its own name of the simulated target. ``firmware``: the firmware's file, or None if it
    names none. ``say`` receives each step if it must be compiled first. ``program``: the program
    that it runs; it gets the bytes, not the file. Raises TargetError if it does not start.

    It holds the other end of our pipe as its stdin and ends when that closes, so it dies with
    this process however this process ends.
    """

    def __init__(
        self, command: list[str], what: str, say: Say = unsaid, program: Elf | None = None
    ) -> None:
        self.what = what
        self._say = say
        self._complaint = self._last = ""
        self._said: list[str] = []
        with _handed_over(program) as (words, descriptors):
            self._process = subprocess.Popen(
                [*command, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="backslashreplace",  # a program's names are anything
                pass_fds=descriptors,
                start_new_session=True,  # Ctrl-C in the terminal is for the host alone
            )
        self._reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._reader.start()
        try:
            self.port, self.name, self.firmware = self._ready()
        except BaseException as error:
            self.end_by(error)
            raise

    def end_by(self, error: BaseException) -> None:
        """Ends the simulation after an error, and adds the program's output to it as notes."""
        self.close()
        for line in self.said():
            error.add_note(line)

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def check(self) -> None:
        """Raises TargetError if the simulation has ended."""
        status = self._process.poll()
        if status is not None:
            raise TargetError(self._why(status))

    def wait(self) -> None:
        """Returns when it has ended. Raises TargetError unless it ended well."""
        status = self._process.wait()
        if status not in (0, -signal.SIGTERM, -signal.SIGINT):
            raise TargetError(self._why(status))

    def died_within(self, seconds: float) -> TargetError | None:
        """The error to report if it ends within this time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return TargetError(self._why(self._process.wait(seconds)))
        return None

    def said(self) -> list[str]:
        """Lines since the last call: the program's output to its UART, and its last state."""
        self._reader.join(1.0 if self._process.poll() is not None else 0.0)
        lines, self._said = self._said, []
        return lines

    def close(self) -> None:
        """Ends the simulation."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(1.0)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _ready(self) -> tuple[str, str, Path | None]:
        waited_s, step = _START_S, ""
        while True:
            line = self._line(waited_s, step)
            try:
                ready = json.loads(line)
                if "compiling" not in ready:
                    file = ready.get("firmware")
                    named = None if file is None else Path(str(file))
                    return str(ready["port"]), str(ready["profile"]), named
                step = f"compile {self.what}, once: {ready['compiling']}"
                self._say(step)
            except (ValueError, KeyError, TypeError) as error:
                line_text = line.strip()
                raise TargetError(f"{self.what} said {line_text!r} in place of its port") from error
            waited_s = _COMPILING_S

    def _line(self, within_s: float, step: str) -> str:
        """The next line that the simulation prints. Raises TargetError.

        ``step``: the part that it compiles, reported again from time to time.
        """
        lines: queue.Queue[str] = queue.Queue()
        stdout = self._process.stdout
        assert stdout is not None  # opened as a pipe above
        threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
        start_s = time.monotonic()
        line: str | None = None
        while line is None:
            waited_s = time.monotonic() - start_s
            if waited_s > within_s:
                raise TargetError(f"{self.what} did not start within {within_s:.0f} s; run again")
            with contextlib.suppress(queue.Empty):
                line = lines.get(timeout=min(TELL_S, max(within_s - waited_s, 0.01)))
            if line is None and step:
                self._say(f"{step}, {time.monotonic() - start_s:.0f} s so far")
        if not line:
            raise TargetError(self._why(self._process.wait(_STOP_S)))
        return line

    def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # opened as a pipe above
        for line in filter(None, map(str.strip, stderr)):
            if line.startswith(_OF_PROGRAM):
                self._said.append(line)
                continue
            self._last = line
            if complaint := _COMPLAINT.fullmatch(line):
                self._complaint = complaint[1]

    def _why(self, status: int) -> str:
        self._reader.join(1.0)
        reason = self._complaint or self._last
        if status == 2 and reason:  # it refuses to start and says what to do
            return f"{self.what} did not start: {reason}"
        how = f"exit code {status}"
        if status < 0:
            how = f"signal {-status}, {signal.Signals(-status).name}"
        return f"{self.what} died ({how})" + (f": {reason}" if reason else "; run again")


class ToldFile:
    """A file with a simulation's report on a program; ``option`` of its command line."""

    def __init__(self, option: str) -> None:
        self._folder = TemporaryDirectory(prefix=f"irqscope-{option}-")
        self.path = Path(self._folder.name, f"{option}.csv")
        #: For the simulation's command line.
        self.words = [f"--{option}", str(self.path)]
        self._read = 0

    def more(self) -> str:
        """Reports since the last call."""
        text = self.path.read_text("utf-8") if self.path.exists() else ""
        unread, self._read = text[self._read :], len(text)
        return unread

    def take(self) -> str:
        """The same; it also removes the file."""
        text = self.more()
        self._folder.cleanup()
        return text


@dataclass(frozen=True)
class Told:
    """Collects a simulation's reports about a program.

    Its masked map at the end, and at once the places and encounters of interrupts. None if not
    requested.
    """

    masked: ToldFile | None = None
    interruptions: ToldFile | None = None
    encounters: ToldFile | None = None

    @classmethod
    def asked(cls, *, masked: bool, interruptions: bool, encounters: bool = False) -> Told:
        """What is wanted."""
        return cls(
            ToldFile("masked") if masked else None,
            ToldFile("interruptions") if interruptions else None,
            ToldFile("encounters") if encounters else None,
        )

    def asking(self, start: Callable[[list[str]], SimulationProcess]) -> SimulationProcess:
        """Calls ``start`` with the words of the simulation's command line."""
        requests = (self.masked, self.interruptions, self.encounters)
        files = [file for file in requests if file is not None]
        try:
            return start([word for file in files for word in file.words])
        except BaseException:
            for file in files:
                file.take()
            raise


class SimulationTarget(Target):
    """Opens the port of a process, and ends it with the link."""

    def __init__(
        self,
        process: SimulationProcess,
        deviation: str,
        record: Path | None,
        outputs: Told = Told(),
        timeouts: Timeouts = TIMEOUT,
    ) -> None:
        self._process = process
        self._told = outputs
        self._encounters = ""
        try:
            self.deviation = deviation
            self.firmware = process.firmware
            transport = recorded(_Transport(process), record, deviation)
            # Nobody talked to it before: the bytes of each run are the same.
            self.link = Link(transport, timeouts, process.check, session=1, remedy=_REMEDY)
        except BaseException as error:
            process.end_by(error)
            raise

    def said(self) -> list[str]:
        """Lines that the program has sent, and its last state, since the last call."""
        return self._process.said()

    def interruptions(self) -> str:
        """Rows since the last call, as :meth:`.Target.interruptions` has them."""
        file = self._told.interruptions
        return "" if file is None else file.more()

    def encounters(self) -> str:
        """The encounters of the lines so far, as in :meth:`.Target.encounters`."""
        if self._told.encounters is not None:
            self._encounters += self._told.encounters.more()
        return self._encounters

    def close(self) -> None:
        """Closes the port, then ends the process: no one needs the rate reset."""
        try:
            self.link.abandon()
        finally:
            self._process.close()
            outputs, self._told = self._told, Told()
            if outputs.masked is not None:
                self.masked = outputs.masked.take()
            if outputs.interruptions is not None:
                outputs.interruptions.take()
            if outputs.encounters is not None:
                self._encounters += outputs.encounters.take()

    def abandon(self) -> None:
        """Ends the simulation, as :meth:`close` does."""
        self.close()


class _Transport(SerialTransport):
    """A lost pseudo-terminal means a dead simulation: say that, with its last words."""

    def __init__(self, process: SimulationProcess) -> None:
        self._process = process
        try:
            super().__init__(process.port)
        except LinkError as error:  # a program may end it before anybody opens its port
            if died := process.died_within(_STOP_S):
                raise died from error
            raise

    def _lost(self, error: Exception) -> LinkError:
        if died := self._process.died_within(_STOP_S):
            raise died from error
        return LinkError(
            LinkErrorKind.LOST, f"{self._process.what} closed its port ({error}); run again"
        )
