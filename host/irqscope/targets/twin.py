"""The simulated board: a process of its own, reached through a pseudo-terminal."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from irqscope import assumptions
from irqscope.assumptions import Assumptions
from irqscope.errors import LinkError, LinkErrorKind, TargetError
from irqscope.link.link import TWIN_SCALE, Link, Patience
from irqscope.link.transport import SerialTransport
from irqscope.machines.known import MACHINES
from irqscope.stack import DEFAULT_STACK
from irqscope.targets.base import Target
from irqscope.targets.recording import recorded

#: Of a twin whose target names none.
DEFAULT_PROFILE = "a53"
_MACHINES = [machine.name for machine in MACHINES]
_PROFILES = {twin.profile for machine in MACHINES for twin in machine.twins}
#: Until the twin's first line.
_START_S = 60.0
#: Between SIGTERM and SIGKILL.
_STOP_S = 5.0
#: Nothing between host and twin damages a byte; death is seen by the process ending.
_PATIENCE = Patience(reply_s=60.0, scale=TWIN_SCALE)

_TWIN = [sys.executable, "-m", "irqscope_twin"]


@dataclass(frozen=True)
class TwinSettings:
    """``profile``: as the twin takes it, MACHINE:PROFILE where several machines have one of that
    name. ``values``: constants of the profile that have another value, in their own units.

    ``fault``: name of the one that is injected; ``variant``: of the one that the board follows;
    ``stack``: software stack of the firmware; ``markers``: file that receives what each core had
    executed at each of its markers.
    """

    profile: str = DEFAULT_PROFILE
    skipping: bool = True
    values: tuple[tuple[str, str], ...] = ()
    fault: str | None = None
    variant: str | None = None
    stack: str = DEFAULT_STACK
    markers: Path | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """From ``[MACHINE][:PROFILE][:no-skip][:fault=NAME][:variant=NAME][:KEY=VALUE ...]``.

        A profile stands alone where one machine has it. Raises TargetError.
        """
        profile, *options = text.split(":")
        if profile in _MACHINES and options and options[0] in _PROFILES:
            profile = f"{profile}:{options.pop(0)}"
        values = []
        named: dict[str, str] = {}
        for option in options:
            key, equals, value = option.partition("=")
            if equals and key in ("fault", "variant"):
                if key in named:
                    raise TargetError(f"a twin takes one {key} at a time")
                named[key] = value
            elif equals:
                values.append((key, value))
            elif option != "no-skip":
                raise TargetError(
                    f'a twin has no option "{option}"; say twin:PROFILE:no-skip, '
                    "twin:PROFILE:KEY=VALUE, twin:PROFILE:fault=NAME, twin:PROFILE:variant=NAME, "
                    "twin:MACHINE, twin:MACHINE:PROFILE or twin"
                )
        return cls(
            profile or DEFAULT_PROFILE,
            "no-skip" not in options,
            tuple(values),
            named.get("fault"),
            named.get("variant"),
        )

    def command(self) -> list[str]:
        """Command line of the twin."""
        sets = [word for key, value in self.values for word in ("--set", f"{key}={value}")]
        skipping = [] if self.skipping else ["--no-skip"]
        fault = [] if self.fault is None else ["--fault", self.fault]
        variant = [] if self.variant is None else ["--variant", self.variant]
        stack = [] if self.stack == DEFAULT_STACK else ["--stack", self.stack]
        markers = [] if self.markers is None else ["--markers", str(self.markers)]
        told = [*skipping, *fault, *variant, *sets, *stack, *markers]
        return [*_TWIN, "--profile", self.profile, *told]

    def deviation(self) -> str:
        """The other values with their units, the fault, the variant. Raises TargetError."""
        said = []
        if self.values:
            units = {row["name"]: row["unit"] for row in parameters(self.profile)}
            said = [f"{key} = {value} {units.get(key, '')}" for key, value in self.values]
        if self.fault is not None:
            said.append(f"fault {self.fault}")
        if self.variant is not None:
            said.append(f"variant {self.variant}")
        return ", ".join(said)

    def turn_cycles(self) -> int | None:
        """CPU cycles that cores may be apart. Raises TargetError."""
        table = {row["name"]: row["value"] for row in parameters(self.profile)}
        found = dict(self.values).get("cpu.turn", table.get("cpu.turn"))
        return None if found is None else int(found)


def parameters(profile: str) -> list[dict[str, Any]]:
    """The table of a timing profile.

    Each constant has name, value, unit, range, meaning, source and mark. Raises TargetError.
    """
    rows: list[dict[str, Any]] = _ask("--parameters", profile)
    return rows


def stored() -> list[Assumptions]:
    """What came with the profiles. Raises TargetError; StorageError naming a damaged file."""
    files: dict[str, str] = _ask("--sensitivities")
    return [
        assumptions.parse(text, f"twin/profiles/sensitivity/{name}") for name, text in files.items()
    ]


def _ask(*options: str) -> Any:
    """What the twin's command line prints, from JSON."""
    done = subprocess.run([*_TWIN, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise TargetError(f"the twin did not start: {said[-1]}")
    return json.loads(done.stdout)


class TwinProcess:
    """A running twin; ``port`` is its pseudo-terminal. Raises TargetError if it does not start.

    It holds the other end of our pipe as its stdin and ends when that closes, so it dies with
    this process however this process ends.
    """

    def __init__(self, settings: TwinSettings) -> None:
        self._stderr: deque[str] = deque(maxlen=20)
        self._process = subprocess.Popen(
            settings.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C in the terminal is for the host alone
        )
        self._reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._reader.start()
        try:
            self.port, self.profile = self._ready()
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        """Raises TargetError if the twin has ended."""
        status = self._process.poll()
        if status is not None:
            raise TargetError(self._why(status))

    def wait(self) -> None:
        """Returns when the twin has ended. Raises TargetError unless it ended well."""
        status = self._process.wait()
        if status not in (0, -signal.SIGTERM, -signal.SIGINT):
            raise TargetError(self._why(status))

    def died_within(self, seconds: float) -> TargetError | None:
        """The error to report if the twin ends within this time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return TargetError(self._why(self._process.wait(seconds)))
        return None

    def close(self) -> None:
        """Ends the twin."""
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

    def _ready(self) -> tuple[str, str]:
        lines: queue.Queue[str] = queue.Queue()
        stdout = self._process.stdout
        assert stdout is not None  # opened as a pipe above
        threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=_START_S)
        except queue.Empty:
            raise TargetError(
                f"the twin did not start within {_START_S:.0f} s; run `irqscope twin` to watch it"
            ) from None
        if not line:
            raise TargetError(self._why(self._process.wait(_STOP_S)))
        try:
            ready = json.loads(line)
            return str(ready["port"]), str(ready["profile"])
        except (ValueError, KeyError, TypeError) as error:
            raise TargetError(f"the twin said {line.strip()!r} in place of its port") from error

    def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # opened as a pipe above
        for line in stderr:
            if line.strip():
                self._stderr.append(line.strip())

    def _why(self, status: int) -> str:
        self._reader.join(1.0)
        last = self._stderr[-1] if self._stderr else ""
        if status == 2 and last:  # the twin refuses to start and says what to do
            return f"the twin did not start: {last}"
        how = f"exit code {status}"
        if status < 0:
            how = f"signal {-status}, {signal.Signals(-status).name}"
        return f"the twin died ({how})" + (f": {last}" if last else "; run again")


class TwinTarget(Target):
    """Starts a twin and opens its port."""

    def __init__(self, settings: TwinSettings, record: Path | None = None) -> None:
        self._settings = settings
        self._process = TwinProcess(settings)
        try:
            self.deviation = settings.deviation()
            transport = recorded(_TwinTransport(self._process), record, self.deviation)
            self.link = Link(transport, _PATIENCE, self._process.check)
        except BaseException:
            self._process.close()
            raise

    @property
    def turn_cycles(self) -> int | None:
        """As the profile states it."""
        return self._settings.turn_cycles()

    def close(self) -> None:
        """Closes the port, then ends the process: there is nobody to leave a rate for."""
        try:
            self.link.abandon()
        finally:
            self._process.close()

    def abandon(self) -> None:
        """As :meth:`close`."""
        self.close()


class _TwinTransport(SerialTransport):
    """A lost pseudo-terminal means a dead twin: say that, with its last words."""

    def __init__(self, process: TwinProcess) -> None:
        self._process = process
        super().__init__(process.port)

    def _lost(self, error: Exception) -> LinkError:
        if died := self._process.died_within(_STOP_S):
            raise died from error
        return LinkError(LinkErrorKind.LOST, f"the twin closed its port ({error}); run again")
